"""Who can be compared with whom: the field as a graph.

Source: Ford (1957), Solution of a ranking problem from binary comparisons.
"""

from collections.abc import Sequence

Graph = Sequence[set[int]]  # for each entrant, those that it points to
Groups = list[list[int]]


def components(graph: Graph) -> Groups:
    """Return the groups whose members reach each other both ways, the biggest first and then by their lowest member.

    With an edge for every meeting these are the parts of a field that never met; with an edge from each loser to its winner
    there is more than one exactly if a rating of greatest likelihood does not exist (Ford).
    """
    onward = [_reached(graph, start) for start in range(len(graph))]
    groups = {tuple(other for other in reach if start in onward[other]) for start, reach in enumerate(map(sorted, onward))}
    return sorted(map(list, groups), key=lambda group: (-len(group), group))


def _reached(graph: Graph, start: int) -> set[int]:
    seen, left = {start}, [start]
    while left:
        following = graph[left.pop()] - seen
        seen |= following
        left.extend(following)
    return seen
