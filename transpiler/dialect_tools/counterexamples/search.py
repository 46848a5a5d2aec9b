"""Search for a message on which one formula is TRUE and another is not.

Atoms that read common places are a component. On the samples of its places, a component has few classes: samples on
which each of its atoms has the same truth. So the combinations of classes, in place of those of values, are searched
depth first, and a branch ends where the truths that are still possible leave both formulas alike.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from transpiler.analysis.samples import Sample, samples
from transpiler.dialect_tools.counterexamples.formulas import (
    NOT_TRUE,
    TRUE,
    Atom,
    Formula,
    atoms_of,
    bit_of,
    open_disjuncts,
    possible,
)
from transpiler.message.fields import MessageField
from transpiler.message.header_fields import PROPERTIES
from transpiler.message.message import Message
from transpiler.message.types import AmqpType, AmqpValue

#: Judgements of samples by atoms for one search, each weighed by the atom's constants; the least of a component.
_JUDGEMENTS, _LEAST = 400_000, 60
#: Combinations of the values of several places, and the places up to which they are made.
_COMBINATIONS, _PLACES = 6_400, 4
#: Constants of a component; those that only one of the formulas has come first.
_CONSTANTS = 40
#: Branches of one search, for formulas of a few atoms.
BRANCHES = 20_000
#: Atoms that the time of one branch grows with.
_ATOMS = 2_000_000

_PLAIN = (AmqpType.LONG, AmqpType.DOUBLE, AmqpType.STRING, AmqpType.BOOLEAN)


class Class(NamedTuple):
    """Samples of a component on which its atoms have the same truths, and the plainest of them."""

    truths: Mapping[int, int]
    message: Message
    rare: bool


@dataclass(frozen=True, slots=True)
class Component:
    """Atoms that read common places, and the classes of the samples; without a place there is one sample."""

    atoms: tuple[Atom, ...]
    classes: tuple[Class, ...]
    tried: int


@dataclass(frozen=True, slots=True)
class Found:
    """The outcome of one search: the message, if there is one, and the classes it was made of.

    ``complete`` is True if all combinations of the classes were searched.
    """

    message: Message | None
    rare: bool
    complete: bool
    tried: int


Selects = Callable[[Message], bool]


def components(first: Formula, second: Formula) -> list[Component]:
    """Return the components of two formulas; those that can tell the two apart come first."""
    own = [{atom.number: atom for atom in atoms_of(formula)} for formula in (first, second)]
    atoms = own[0] | own[1]
    common = own[0].keys() & own[1].keys()
    groups: list[tuple[set[MessageField], list[Atom]]] = []
    for atom in atoms.values():
        joined = [group for group in groups if group[0] & atom.places]
        places, members = set(atom.places), [member for group in joined for member in group[1]]
        for group in joined:
            places |= group[0]
            groups.remove(group)
        groups.append((places, [*members, atom]))
    weight = sum(1 + len(atom.constants) for atom in atoms.values())
    result = [_component(places, members, _shared_constants(members, own), weight) for places, members in groups]
    return sorted(result, key=lambda one: all(atom.number in common for atom in one.atoms))


def _shared_constants(atoms: list[Atom], own: Sequence[Mapping[int, Atom]]) -> set[str]:
    """Return the constants that both formulas have in atoms of a component."""
    first, second = ({repr(value) for atom in atoms if atom.number in side for value in atom.constants} for side in own)
    return first & second


def _component(places: set[MessageField], atoms: list[Atom], shared: set[str], weight: int) -> Component:
    every = {repr(value): value for atom in atoms for value in atom.constants}
    constants = [every[text] for text in sorted(every, key=lambda text: text in shared)[:_CONSTANTS]]
    made = samples(places, constants, any(atom.calculating for atom in atoms))
    if 1 < len(places) <= _PLACES:
        made += _combined(places, atoms, constants)
    made = _thinned(made, max(_LEAST, _JUDGEMENTS // max(weight, 1)))
    best: dict[tuple[int, ...], tuple[tuple[bool, int], Sample]] = {}
    for sample in made:
        truths = tuple(bit_of(atom.judge(sample.message)) for atom in atoms)
        rank = sample.rare, _oddness(sample.message)
        if truths not in best or rank < best[truths][0]:
            best[truths] = rank, sample
    numbers = [atom.number for atom in atoms]
    classes = [
        Class(dict(zip(numbers, truths, strict=True)), sample.message, sample.rare)
        for truths, (_, sample) in sorted(best.items(), key=lambda item: item[1][0])
    ]
    return Component(tuple(atoms), tuple(classes), len(made))


def _combined(places: set[MessageField], atoms: list[Atom], constants: Sequence[object]) -> Iterator[Sample]:
    """Yield combinations of values of several places: of each place two for each type and each answer of its tests.

    Two of a kind can be equal to each other or not. Properties have each other's values as well, which are equal.
    """
    slots = sorted(places, key=lambda one: (one.section, one.field))
    kinds = [_two_of_a_kind(place, [atom for atom in atoms if atom.places == {place}], constants) for place in slots]
    lists = []
    for slot, alike in zip(slots, kinds, strict=True):
        others = [
            _renamed(sample, slot)
            for other, theirs in zip(slots, kinds, strict=True)
            for first in theirs
            for sample in first[:1]
            if other != slot and other.section == slot.section == PROPERTIES
        ]
        own = [sample for first in alike for sample in first[:1]]
        seconds = [sample for first in alike for sample in first[1:]]
        lists.append(sorted([*own, *others, *seconds], key=lambda one: one.rare))
    most = max(2, math.floor(_COMBINATIONS ** (1 / len(lists))))
    for row in itertools.product(*(listed[:most] for listed in lists)):
        yield Sample(merged([one.message for one in row]), any(one.rare for one in row))


def _two_of_a_kind(place: MessageField, tests: list[Atom], constants: Sequence[object]) -> list[list[Sample]]:
    chosen: dict[object, list[Sample]] = {}
    for sample in (*samples([place], constants, False), *samples([place], constants, True)):
        value = next(iter(_values(sample.message)), None)
        kind = value.type if isinstance(value, AmqpValue) else type(value)
        alike = chosen.setdefault((kind, *(bit_of(atom.judge(sample.message)) for atom in tests)), [])
        if len(alike) < 2 and sample not in alike:
            alike.append(sample)
    return [*chosen.values()]


def _renamed(sample: Sample, place: MessageField) -> Sample:
    """Return the sample with its property under another name."""
    value = next(iter((sample.message.application_properties or {}).values()), None)
    return Sample(Message(application_properties=None if value is None else {place.field: value}), sample.rare)


def _thinned(made: list[Sample], most: int) -> list[Sample]:
    if len(made) <= most:
        return made
    # The likeliest values come first.
    return made[: most // 2] + made[most // 2 :: -(-len(made) // (most // 2))]


def _oddness(message: Message) -> int:
    """Return a number that grows with what a reader has to take in: values, types that JSON has not, odd characters."""
    odd = 0
    for value in _values(message):
        inner = value.value if isinstance(value, AmqpValue) else value
        is_plain = not isinstance(value, AmqpValue) or value.type in _PLAIN
        is_legible = not isinstance(inner, str) or (inner.isascii() and inner.isprintable() and inner != "")
        odd += 4 + 2 * (not is_plain) + (not is_legible)
    return odd


def find_message(
    selecting: Formula,
    refusing: Formula,
    parts: Sequence[Component],
    selects: Selects,
    refuses: Selects,
    *,
    rare: bool,
) -> Found:
    """Find a message on which the first formula is TRUE and the second is not.

    ``selects`` and ``refuses`` judge the whole on a message. ``rare`` admits samples that few people have.
    """
    search = _Search(selecting, refusing, parts, selects, refuses, rare)
    message = search.message()
    return Found(message, search.is_rare, not search.exhausted, search.tried)


class _Search:
    def __init__(
        self,
        selecting: Formula,
        refusing: Formula,
        parts: Sequence[Component],
        selects: Selects,
        refuses: Selects,
        rare: bool,
    ) -> None:
        self.selecting, self.refusing = selecting, refusing
        self.selects, self.refuses = selects, refuses
        self.parts, self.rare = parts, rare
        self.open = {atom.number: _union(part, atom) for part in parts for atom in part.atoms}
        self.branches = max(200, min(BRANCHES, _ATOMS // max(len(self.open), 1)))
        self.classes: list[list[Class]] = []
        self.chosen: list[Class] = []
        self.tried = 0
        self.exhausted = self.is_rare = False

    def message(self) -> Message | None:
        """Return the message, with no more values than it needs."""
        # An OR is TRUE where one of its terms is, and few components decide that.
        for term in open_disjuncts(self.selecting, self.refusing):
            own = {atom.number for atom in atoms_of(term)}
            parts = sorted(self.parts, key=lambda part: not any(atom.number in own for atom in part.atoms))
            self.classes = [[one for one in part.classes if self.rare or not one.rare] for part in parts]
            self.chosen = []
            if self._descend(term, self.open) is not None:
                return self._smallest()
        return None

    def _smallest(self) -> Message:
        for place, classes in enumerate(self.classes):
            kept = self.chosen[place]
            for other in classes:
                if _size(other.message) >= _size(kept.message) and (other.rare or not kept.rare):
                    continue
                self.chosen[place] = other
                if self._parts(merged(one.message for one in self.chosen)):
                    break
                self.chosen[place] = kept
        self.is_rare = any(one.rare for one in self.chosen)
        return merged(one.message for one in self.chosen)

    def _descend(self, term: Formula, truths: Mapping[int, int]) -> Message | None:
        if self.branches <= 0:
            self.exhausted = True
            return None
        self.branches -= 1
        if not (possible(term, truths) & TRUE and possible(self.refusing, truths) & NOT_TRUE):
            return None
        if len(self.chosen) == len(self.classes):
            message = merged(one.message for one in self.chosen)
            return message if self._parts(message) else None
        for one in self.classes[len(self.chosen)]:
            self.chosen.append(one)
            inner = self._descend(term, {**truths, **one.truths})
            if inner is not None:
                return inner
            self.chosen.pop()
        return None

    def _parts(self, message: Message) -> bool:
        self.tried += 1
        return self.selects(message) and not self.refuses(message)


def _union(part: Component, atom: Atom) -> int:
    truths = 0
    for one in part.classes:
        truths |= one.truths[atom.number]
    return truths


def _size(message: Message) -> int:
    return sum(1 for _ in _values(message))


def _values(message: Message) -> Iterator[object]:
    for section in fields(message):
        content = getattr(message, section.name)
        if isinstance(content, Mapping):
            yield from content.values()
        elif content is not None:
            yield from (value for f in fields(content) if (value := getattr(content, f.name)) is not None)


def merged(messages: Iterable[Message]) -> Message:
    """Return one message with the values of all messages, whose places differ."""
    sections: dict[str, Any] = {}
    for message in messages:
        for section in fields(message):
            content, known = getattr(message, section.name), sections.get(section.name)
            if content is None or known is None:
                sections[section.name] = known if content is None else content
            elif isinstance(content, Mapping):
                sections[section.name] = {**known, **content}
            else:
                given = {f.name: value for f in fields(content) if (value := getattr(content, f.name)) is not None}
                sections[section.name] = replace(known, **given)
    return Message(**sections)
