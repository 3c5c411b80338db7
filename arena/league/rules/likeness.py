"""Bots that play alike: they give the same answers in a set of positions (:mod:`arena.league.positions`).

A mark, not a punishment: two authors may have had the same idea, and the organiser decides. Bots whose play depends on chance are
not found, nor are those that change a few answers on purpose.

Authors start from templates: those that a league has handed out, the SDK's ``Bot``, the bots of its page, and those that come with
arena. A bot that decides like a template is compared with no other. Of two others an equal answer that a template gives too is no
evidence: both may have kept that part of it. So they are compared only in the positions in which they differ, or in which they
agree and no template does. Of arena's own templates only those count that one of the two is nearest to in taking, throwing or
knocking: together they give almost every sensible answer. All this depends on the two alone, so a mark does not depend on the bots
of others.

Arena's own templates are asked only when two bots are suspected (``is_suspicious``), because without templates the share of equal
answers is at least as large as with them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from arena.league.rules.events import Answered, AnyEvent, TemplateAnswered
from arena.league.rules.field import Version

FAULT = "!"  # in place of an answer
LEAST = 50  # positions that both must have answered to be compared
LEAST_BEYOND = 15  # positions that must count where there are templates
OWN = "arena: "  # begins the name of a template that comes with arena
MOST_PAIRS = 100  # of a group, that are kept
PAIRS_SHOWN = 3  # of them, in its line
Kind = Literal["take", "throw", "knock"]
TAKES = ("pass", "take", "draw")  # words of answers; those to the first upcard, too


class LikenessRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The least share of equal answers of two bots that play alike."""

    share: Annotated[float, Meta(gt=0.5, le=1)] = 0.99

    def holds(self, found: "Likeness") -> bool:
        """Tell whether two bots play alike by this rule."""
        return found.same >= self.share * found.asked


class Likeness(Struct, frozen=True):
    """How alike two versions play, or a template and a version."""

    one: str  # the version or template with which the other is compared; for ``likenesses`` the version that was submitted first
    other: str
    same: int  # positions with the same answer
    asked: int  # positions that count, and in which both have answered

    def __str__(self) -> str:
        """Return it as a line."""
        one = self.one.removeprefix(OWN)
        return f"{self.other} plays like {one}: the same answer in {self.same} of {self.asked} positions"


class LikeGroup(Struct, frozen=True, kw_only=True):
    """Versions that play alike, or like a template."""

    versions: tuple[str, ...]  # in the order of submission
    template: str = ""  # empty: they play like each other, beyond the templates
    # at most MOST_PAIRS, those with the largest share first: of two versions, or of one and the template
    closest: tuple[Likeness, ...]
    pairs: int  # that play alike
    beyond: bool = False  # whether they were compared beyond templates

    def __str__(self) -> str:
        """Return it as a line, with the pairs and the number of positions."""
        names = ", ".join(self.versions)
        if self.template:
            several = f"{len(self.versions)} bots decide" if len(self.versions) > 1 else "1 bot decides"
            least = self.closest[-1]
            return f"{several} like {template_words(self.template)} in at least {least.same} of {least.asked} positions: {names}"
        *first, last = self.versions
        positions = "positions beyond the templates" if self.beyond else "positions"
        alike = f"{', '.join(first)} and {last} decide alike"
        if self.pairs == 1:
            return f"{alike} in {self.closest[0].same} of {self.closest[0].asked} {positions}"
        shown = [f"{one.one} and {one.other} in {one.same} of {one.asked} {positions}" for one in self.closest[:PAIRS_SHOWN]]
        more = f", and {self.pairs - len(shown)} more pairs" if self.pairs > len(shown) else ""
        return f"{alike}: {', '.join(shown)}{more}"


def template_words(name: str) -> str:
    """Return the words for a template in a notice."""
    return name.removeprefix(OWN) if name.startswith(OWN) else f"the template {name}"


class TellingPosition(Struct, frozen=True, kw_only=True):
    """A position in which a group of versions answers alike, and as no template does."""

    place: int  # of the position in its set, from 0
    answer: str
    templates: tuple[tuple[str, str], ...]  # what each template answers that counts for one of them
    others: int  # versions outside of the group that answer so, too
    asked: int  # versions outside of the group


class Disagreement(Struct, frozen=True, kw_only=True):
    """A position in which fewer of the other versions give a version's answer than the one most frequent among them."""

    place: int  # of the position in its set, from 0
    own: str
    theirs: str
    agree: int  # other versions with the answer ``theirs``
    asked: int  # other versions


Counts = NDArray[np.int64]  # one for each version


class AnswerTable:
    """The answers of versions, and of templates, in one set of positions."""

    def __init__(
        self, versions: Sequence[Version], answers: Mapping[str, str], templates: Mapping[str, str], positions: str = ""
    ) -> None:
        """Read the answers of versions by their ids, and of templates by their names; ``positions``: the digest of the set."""
        numbers: dict[str, int] = {FAULT: 0}  # of each word; positive: an answer

        def row(text: str) -> list[int]:
            return [numbers.setdefault(word, len(numbers)) for word in text.split()]

        self.versions = versions
        self.positions = positions
        self.templates = list(templates)
        self._rows = np.array([row(answers[one.id]) for one in versions])
        texts = [row(text) for text in templates.values()]
        self._template_rows = np.array(texts, dtype=np.int64).reshape(len(templates), self._rows.shape[1])
        self._words = list(numbers)
        self._kinds = self._kinds_of_places()
        self._counting = [self._templates_of(at) for at in range(len(versions))]
        # for each version and position, whether a template that counts for the version gives the same answer
        given = zip(self._rows, self._counting, strict=True)
        self._explained = np.array([(self._template_rows[counting] == row).any(axis=0) for row, counting in given])
        self._names = np.array([one.name for one in versions])
        self._least = LEAST_BEYOND if templates else LEAST

    def counts(self, at: int) -> tuple[Counts, Counts]:
        """Return for each version the number of answers equal to those of version ``at``, and of positions that count.

        The second is 0 for versions of the same bot, and where too few positions count.
        """
        row, me = self._rows[at], self.versions[at]
        both = (self._rows > 0) & (row > 0)
        equal = both & (self._rows == row)
        explained = equal & (self._explained | self._explained[at])
        same, asked = (equal & ~explained).sum(axis=1), (both & ~explained).sum(axis=1)
        excluded = (asked < self._least) | (self._names == me.name)
        return same, np.where(excluded, 0, asked)

    def _kinds_of_places(self) -> list[NDArray[np.bool_]]:
        """Return for each kind of decision which positions are of it, by the answers: in some a knock is possible."""
        kinds = np.array([_kind(word) for word in self._words])
        answered = kinds[np.concatenate([self._rows, self._template_rows])]
        knock, take = (answered == "knock").any(axis=0), (answered == "take").any(axis=0)
        return [take, knock, ~(take | knock)]

    def _templates_of(self, at: int) -> list[int]:
        """Return the templates that count for a version: the league's, and of arena's own the nearest in each kind of decision."""
        own = [place for place, name in enumerate(self.templates) if name.startswith(OWN)]
        equal = self._template_rows == self._rows[at]
        nearest = {max(own, key=lambda one: int((equal[one] & kind).sum())) for kind in self._kinds} if own else set[int]()
        return [place for place in range(len(self.templates)) if place not in own or place in nearest]

    def nearest_template(self, at: int) -> Likeness | None:
        """Return the template that a version plays most like; None: it cannot be compared with any."""
        row, found = self._rows[at], list[Likeness]()
        for name, given in zip(self.templates, self._template_rows, strict=True):
            both = (given > 0) & (row > 0)
            found.append(Likeness(name, self.versions[at].id, int((both & (given == row)).sum()), int(both.sum())))
        return max((one for one in found if one.asked >= LEAST), key=_share, default=None)

    def disagreements(self) -> list[Disagreement]:
        """Return the positions in which fewer of the others give the first version's answer than their most frequent one.

        Positions where that answer is more frequent come first.
        """
        found = list[Disagreement]()
        for place, own in enumerate(self._rows[0].tolist()):
            others = Counter(answer for answer in self._rows[1:, place].tolist() if answer)
            for theirs, agree in others.most_common(1):
                if own and others[own] < agree:
                    own_word, word = self._words[own], self._words[theirs]
                    found.append(Disagreement(place=place, own=own_word, theirs=word, agree=agree, asked=len(self.versions) - 1))
        return sorted(found, key=lambda one: -one.agree)

    def telling_positions(self, group: Sequence[str], *, beyond: bool = True) -> list[TellingPosition]:
        """Return the positions in which a group answers alike, the rarest answers among others first.

        ``beyond``: without those in which a template answers so, too.
        """
        mine = np.array([one.id in group for one in self.versions])
        rows, others = self._rows[mine], self._rows[~mine]
        alike = (rows == rows[0]).all(axis=0) & (rows[0] > 0)
        if beyond:
            alike &= ~self._explained[mine].any(axis=0)
        common = (others == rows[0]).sum(axis=0)
        counting = sorted({place for at in np.flatnonzero(mine).tolist() for place in self._counting[at]})
        return [
            TellingPosition(
                place=place,
                answer=self._words[rows[0][place]],
                templates=tuple((self.templates[one], self._words[self._template_rows[one][place]]) for one in counting),
                others=int(common[place]),
                asked=len(others),
            )
            for place in sorted(np.flatnonzero(alike).tolist(), key=lambda place: (common[place], place))
        ]

    def differing_positions(self, one: str, other: str) -> dict[int, tuple[str, str]]:
        """Return both answers by the place of a position in its set, where two versions, or a template and a version, differ."""
        first, second = self._row(one), self._row(other)
        places = np.flatnonzero((first > 0) & (second > 0) & (first != second)).tolist()
        return {place: (self._words[first[place]], self._words[second[place]]) for place in places}

    def _row(self, name: str) -> NDArray[np.int64]:
        is_template = name in self.templates
        names, rows = (self.templates, self._template_rows) if is_template else ([one.id for one in self.versions], self._rows)
        row: NDArray[np.int64] = rows[names.index(name)]
        return row


def _kind(word: str) -> Kind:
    return "take" if word in TAKES else "knock" if word.startswith(("knock", "big_gin")) else "throw"


def answer_tables(versions: Sequence[Version], events: Iterable[AnyEvent], *, templates_count: bool = True) -> list[AnswerTable]:
    """Return a table for each set of positions: the answers of the versions and templates that were asked for it.

    ``templates_count``: False: without templates, so that every equal answer counts.
    """
    answered: dict[str, Answered] = {}
    templates: dict[str, dict[str, str]] = {}
    for event in events:
        if isinstance(event, Answered):
            answered[event.version] = event
        elif isinstance(event, TemplateAnswered) and templates_count:
            templates.setdefault(event.positions, {})[event.template] = event.answers
    sets: dict[str, list[Version]] = {}
    for version in versions:
        if version.id in answered:
            sets.setdefault(answered[version.id].positions, []).append(version)
    texts = {name: one.answers for name, one in answered.items()}
    return [AnswerTable(several, texts, templates.get(digest, {}), digest) for digest, several in sets.items()]


def _closest(several: Sequence[Likeness]) -> tuple[Likeness, ...]:
    """Return the pairs with the largest shares first."""
    return tuple(sorted(several, key=_share, reverse=True)[:MOST_PAIRS])


def _share(one: Likeness) -> float:
    return one.same / max(one.asked, 1)


def nearest(versions: Sequence[Version], events: Iterable[AnyEvent]) -> dict[str, Likeness]:
    """Return for each version the version of another bot that plays most like it; versions that cannot be compared are left out.

    Answers that a template gives too count here.
    """
    found: dict[str, Likeness] = {}
    for answers in answer_tables(versions, events, templates_count=False):
        for at, version in enumerate(answers.versions):
            same, asked = answers.counts(at)
            other = int(np.where(asked == 0, -1.0, same / np.maximum(asked, 1)).argmax())
            if asked[other]:
                found[version.id] = Likeness(answers.versions[other].id, version.id, int(same[other]), int(asked[other]))
    return found


def compare(one: Version, other: Version, events: Iterable[AnyEvent]) -> Likeness | None:
    """Return the likeness of two versions, also of one bot; None: they have not both answered enough of the same positions.

    Answers that a template gives too count here.
    """
    texts = {event.version: event for event in events if isinstance(event, Answered) and event.version in (one.id, other.id)}
    if len(texts) < 2 or texts[one.id].positions != texts[other.id].positions:
        return None
    both = zip(*(texts[version.id].answers.split() for version in (one, other)), strict=False)
    asked = [(first, second) for first, second in both if FAULT not in (first, second)]
    return Likeness(one.id, other.id, sum(first == second for first, second in asked), len(asked)) if len(asked) >= LEAST else None


def is_suspicious(versions: Sequence[Version], events: Iterable[AnyEvent], rule: LikenessRule) -> bool:
    """Tell whether two bots play alike if every equal answer counts; else no templates need be asked."""
    return any(
        bool(((asked > 0) & (same >= rule.share * asked)).any())
        for answers in answer_tables(versions, events, templates_count=False)
        for same, asked in (answers.counts(at) for at in range(len(answers.versions)))
    )


def likenesses(versions: Sequence[Version], events: Iterable[AnyEvent], rule: LikenessRule) -> list[Likeness]:
    """Return the versions that play like a template, and of the others the pairs of different bots that play alike."""
    return [found for answers in answer_tables(versions, events) for found in _alike(answers, rule)]


def _alike(answers: AnswerTable, rule: LikenessRule) -> Iterator[Likeness]:
    by_template = [answers.nearest_template(at) for at in range(len(answers.versions))]
    kept = [one if one and rule.holds(one) else None for one in by_template]
    yield from filter(None, kept)
    own = [at for at, template in enumerate(kept) if template is None]
    counts = {at: answers.counts(at) for at in own}
    for one, other in combinations(own, 2):
        same, asked = (int(several[other]) for several in counts[one])
        likeness = Likeness(answers.versions[one].id, answers.versions[other].id, same, asked)
        if asked and rule.holds(likeness):
            yield likeness


def groups(versions: Sequence[Version], events: Sequence[AnyEvent], rule: LikenessRule) -> list[LikeGroup]:
    """Return the versions that play like each template, and the others that play alike; no version is in two groups."""
    templates = dict.fromkeys(event.template for event in events if isinstance(event, TemplateAnswered))
    tables = answer_tables(versions, events)
    found = [one for answers in tables for one in _alike(answers, rule)]
    of_templates = [(name, [one for one in found if one.one == name]) for name in templates]
    like = [
        LikeGroup(versions=tuple(one.other for one in several), template=name, closest=_closest(several), pairs=len(several))
        for name, several in of_templates
        if len(several) > int(name.startswith(OWN))  # one bot that comes with arena is entered in many leagues
    ]
    order = {version.id: place for place, version in enumerate(versions)}
    beyond = {version.id for answers in tables if answers.templates for version in answers.versions}
    return like + [
        LikeGroup(
            versions=tuple(sorted({name for one in cluster for name in (one.one, one.other)}, key=lambda name: order[name])),
            closest=_closest(cluster),
            pairs=len(cluster),
            beyond=cluster[0].one in beyond,
        )
        for cluster in _clusters([one for one in found if one.one not in templates])
    ]


def _clusters(pairs: Sequence[Likeness]) -> list[list[Likeness]]:
    """Return the pairs in groups: pairs with a common version are in the same group. The group of the last pair comes last."""
    places: dict[str, list[int]] = {}  # by version: the places of its group's pairs, in a list that all versions of the group share
    for place, pair in enumerate(pairs):
        both = (places.setdefault(name, []) for name in (pair.one, pair.other))
        # their order decides which of equally close pairs is shown
        one, other = sorted(both, key=lambda group: group[-1] if group else place)
        if one is not other:
            one += other
            places.update((name, one) for number in (*other, place) for name in (pairs[number].one, pairs[number].other))
        one.append(place)
    found = {group[-1]: group for group in places.values()}
    return [[pairs[number] for number in found[last]] for last in sorted(found)]
