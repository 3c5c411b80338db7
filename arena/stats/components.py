"""The groups of entrants that can be compared: the strongly connected components of a graph over the field.

Source: Ford (1957), Solution of a ranking problem from binary comparisons.
"""

from collections.abc import Sequence

Graph = Sequence[set[int]]  # for each entrant, the entrants that its edges lead to
Groups = list[list[int]]


def components(graph: Graph) -> Groups:
    """Return the strongly connected components, the largest first, then by lowest member.

    With an edge between all entrants that met, these are the parts of the field that never met each other. With an edge from each
    loser to its winner, a maximum likelihood rating exists exactly if there is one component (Ford).
    """
    reached = [_reachable(graph, start) for start in range(len(graph))]
    groups = {tuple(sorted(other for other in reach if start in reached[other])) for start, reach in enumerate(reached)}
    return sorted(map(list, groups), key=lambda group: (-len(group), group))


def parts(graph: Graph) -> Groups:
    """Return the components of a graph whose edges all lead both ways, in less time than ``components``."""
    groups: list[list[int]] = []
    remaining = set(range(len(graph)))
    while remaining:
        groups.append(sorted(_reachable(graph, min(remaining))))
        remaining.difference_update(groups[-1])
    return sorted(groups, key=lambda group: (-len(group), group))


def _reachable(graph: Graph, start: int) -> set[int]:
    seen, pending = {start}, [start]
    while pending:
        following = graph[pending.pop()] - seen
        seen |= following
        pending.extend(following)
    return seen
