"""Stencils: the SQL of selectors that differ in their literals only.

Applications write one selector again and again with other constants. Its first text teaches a stencil, SQL with
holes; the next ones only fill the holes. That must be exact, and a literal's value can change what SQL a comparison
becomes: its range, its order among others, its meaning beside a header name. So a literal is a hole only where it is
compared with an application property and nothing else; literals that are equal are one hole, and a text in which
others are equal has another stencil; and a stencil is used only after two more compilations, with other values in
the opposite order, came out with the same text around the same holes, and for no literal that equals one of the
constants that stay.

A literal over a typed column is a hole only where SQL writes it as it is. Over a DECIMAL it takes the column's scale,
over a FLOAT it is rounded to the column's numbers, and over a TIMESTAMP it becomes a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from transpiler import ir
from transpiler.errors import LayoutError
from transpiler.layouts.columns import SparkType, TaggedUnion, TypedColumn
from transpiler.layouts.layout import Layout
from transpiler.message.jms_fields import JMS_FIELDS
from transpiler.sql.quoting import quote_text

#: Longer texts are rarely written twice, and their optimizations look at their literals.
_MAX_LENGTH = 1_000
#: Stencils that are kept; beyond it all are forgotten, which costs a few compilations.
_MAX_STENCILS = 4_096

_STRING = r"'(?:[^']++|'')*+'"
#: Within 15 digits, so that 64 bits and doubles hold each of them exactly.
_NUMBER = r"(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,6})?(?![\w.$]|[^\x00-\x7f])"
_NAME = r"[A-Za-z_$][A-Za-z0-9_$.]*+"
_SCAN = re.compile(
    rf"""
    (?:^|[(]|(?<![\w$.])(?i:AND|OR|NOT)(?![\w$.]))\s*+   # where a condition begins
    ({_NAME})
    (?:
        \s*+(?:=|<>|<=|>=|<|>)\s*+ ({_STRING}|{_NUMBER}) (?=\s*+(?:$|[)]|(?i:AND|OR)(?![\w$.])))
      | \s++(?:(?i:NOT)\s++)?(?i:IN)\s*+[(] ([^()]*+) (?=[)])
    )
  | {_STRING}
    """,
    re.VERBOSE,
)
_MEMBER = re.compile(_STRING)
_MEMBERS = re.compile(rf"\s*+{_STRING}\s*+(?:,\s*+{_STRING}\s*+)*+")

#: The types of columns that are compared with a literal as it is.
_AS_WRITTEN = frozenset((SparkType.BIGINT, SparkType.DOUBLE, SparkType.STRING, SparkType.CHAR, SparkType.VARCHAR))

_Literal = str | int | float

#: Compiles a text: its SQL, and all constants of its predicate.
Compile = Callable[[str], tuple[str, Collection[ir.Constant]]]


class _Form(Enum):
    """How a literal is written in SQL."""

    TEXT = "text"
    INTEGER = "integer"
    DOUBLE = "double"


_WRITERS: dict[_Form, Callable[[_Literal], str]] = {
    _Form.TEXT: lambda value: quote_text(str(value)),
    _Form.INTEGER: str,
    _Form.DOUBLE: lambda value: repr(float(value)).removesuffix(".0") + "D",
}


@dataclass(frozen=True, slots=True)
class _Stencil:
    """SQL text before and after holes, and for each hole which literal goes there and how it is written."""

    texts: tuple[str, ...]
    holes: tuple[tuple[int, _Form], ...]
    #: The other constants: two that are equal may become one.
    fixed: frozenset[object]
    #: Held, so that no other layout gets its identity.
    layout: object

    def fill(self, literals: list[_Literal]) -> str | None:
        """The SQL with these literals; None where one of them equals a constant that is no hole."""
        if not self.fixed.isdisjoint(literals):
            return None
        pieces = [self.texts[0]]
        for (place, form), text in zip(self.holes, self.texts[1:], strict=True):
            pieces.append(_WRITERS[form](literals[place]))
            pieces.append(text)
        return "".join(pieces)


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without the literals that may become holes: what stands between them, and which literal goes where."""

    texts: tuple[str, ...]
    places: tuple[int, ...]
    literals: list[_Literal]

    @property
    def key(self) -> Hashable:
        """What two texts share that differ in literals only."""
        return self.texts, self.places, tuple(map(type, self.literals))

    def with_literals(self, literals: list[_Literal]) -> str:
        """The text with other literals."""
        written = [_spell(literals[place]) for place in self.places]
        return self.texts[0] + "".join(literal + text for literal, text in zip(written, self.texts[1:], strict=True))


def _spell(value: _Literal) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def _mask(text: str, layout: Layout, fractions: bool) -> Masked | None:
    """The text masked; None where nothing can be."""
    texts: list[str] = []
    places: list[int] = []
    known: dict[_Literal, int] = {}
    literals: list[_Literal] = []
    end = 0
    for start, written in _candidates(text, layout):
        value = _read(written)
        if type(value) is float and (value.is_integer() or not fractions):
            # A whole number can equal an integer, another one cannot.
            continue
        place = known.setdefault(value, len(literals))
        if place == len(literals):
            literals.append(value)
        elif type(literals[place]) is not type(value):
            # 5 and 5.0 are equal, and written in two ways.
            return None
        texts.append(text[end:start])
        places.append(place)
        end = start + len(written)
    if not places:
        return None
    texts.append(text[end:])
    return Masked(tuple(texts), tuple(places), literals)


def _candidates(text: str, layout: Layout) -> Iterator[tuple[int, str]]:
    """The literals that may become holes, and where they begin."""
    for match in _SCAN.finditer(text):
        name, literal, members = match[1], match[2], match[3]
        if name is None or JMS_FIELDS.find(name) is not None or not _keeps_literals(layout, name):
            continue
        if literal is not None:
            if literal.isascii():
                yield match.start(2), literal
        elif _MEMBERS.fullmatch(members):
            for member in _MEMBER.finditer(members):
                if member[0].isascii():
                    yield match.start(3) + member.start(), member[0]


def _keeps_literals(layout: Layout, name: str) -> bool:
    """Return True if SQL compares the property of that name with a literal as the selector has it."""
    try:
        location = layout.property(name)
    except LayoutError:
        return False
    match location:
        case TypedColumn(type=column_type):
            return column_type.kind in _AS_WRITTEN
        case _:
            return isinstance(location, TaggedUnion)


def _read(written: str) -> _Literal:
    if written[0] == "'":
        return written[1:-1].replace("''", "'")
    return float(written) if "." in written else int(written)


class Stencils:
    """The stencils of a process; threads may share them, for an entry never changes."""

    def __init__(self) -> None:
        self._found: dict[Hashable, _Stencil] = {}
        #: Shapes that were met once; a stencil costs two compilations, which pays from the third text on.
        self._met: set[Hashable] = set()

    def clear(self) -> None:
        """Forget everything."""
        self._found.clear()
        self._met.clear()

    def fill(self, maskings: Iterable[Masked], known: Hashable) -> str | None:
        """The SQL of a selector, where a stencil has it; ``known`` is all else that the SQL depends on."""
        for masked in maskings:
            stencil = self._found.get((known, masked.key))
            if stencil is not None:
                return stencil.fill(masked.literals)
        return None

    def learn(
        self, maskings: Iterable[Masked], known: Hashable, layout: object, sql: str, compile_text: Compile
    ) -> None:
        """Remember the SQL of a selector, with holes, if it turns out to be so for other literals too."""
        if len(self._found) + len(self._met) >= _MAX_STENCILS:
            self.clear()
        for masked in maskings:
            key = (known, masked.key)
            if key not in self._met:
                self._met.add(key)
                continue
            probe = _probe(masked, compile_text, _ASCENDING, layout)
            if probe is not None and probe == _probe(masked, compile_text, _DESCENDING, layout):
                stencil = probe
                if stencil.fill(masked.literals) == sql:
                    self._found[key] = stencil
                    return


def mask(text: str, layout: Layout) -> tuple[Masked, ...]:
    """The text without its literals, and then, if it has some, without all but those with a fraction.

    Over an integer those become another number, so that many texts with them have no stencil.
    """
    masked = _mask(text, layout, fractions=True) if len(text) <= _MAX_LENGTH else None
    if masked is None:
        return ()
    if float not in map(type, masked.literals):
        return (masked,)
    whole = _mask(text, layout, fractions=False)
    return (masked,) if whole is None else (masked, whole)


#: The numbers that stand for literals in the two probes, the first one and the distance. No number is in both: what
#: is derived from a mark, or equals one by chance, is another text in the other probe.
_ASCENDING = (710_000_100_000, 1_007)
_DESCENDING = (820_000_300_000, -1_013)


def _probe(masked: Masked, compile_text: Compile, numbers: tuple[int, int], layout: object) -> _Stencil | None:
    """The SQL cut at literals that stand for the real ones; None where one of them does not come out."""
    first, distance = numbers
    marks = [_mark(value, first + distance * place) for place, value in enumerate(masked.literals)]
    written: dict[str, tuple[int, _Form]] = {}
    for place, mark in enumerate(marks):
        forms = (_Form.TEXT,) if isinstance(mark, str) else (_Form.DOUBLE, _Form.INTEGER)
        for form in forms:
            written.setdefault(_WRITERS[form](mark), (place, form))
    sql, constants = compile_text(masked.with_literals(marks))
    pieces = re.split("(" + "|".join(map(re.escape, written)) + ")", sql)
    holes = tuple(written[piece] for piece in pieces[1::2])
    if {place for place, _ in holes} != set(range(len(marks))):
        return None
    fixed = frozenset(constant.value for constant in constants if not isinstance(constant.value, bool))
    return _Stencil(tuple(pieces[::2]), holes, fixed.difference(marks), layout)


def _mark(value: _Literal, number: int) -> _Literal:
    """The literal of a probe, of the same type as the real one."""
    match value:
        case str():
            return f"mark {number}"
        case float():
            return number + 0.25
        case _:
            return number


STENCILS = Stencils()
