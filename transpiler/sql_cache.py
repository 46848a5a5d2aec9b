"""SQL of selectors that differ in their literals only: compiled once with placeholders, then filled in (speed only).

Programs write one selector again and again with other constants. The second text of a skeleton is compiled once more,
with placeholders in the places of its literals; if no rule of the compiler reads one, the SQL has the values in their
places for every later text, and is what a compilation of its own would give. Otherwise each text is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from typing import NamedTuple

from transpiler import ir
from transpiler.ir.column_types import BIGINT, DOUBLE, STRING, ColumnType
from transpiler.layouts.layout import Layout
from transpiler.selector import ast
from transpiler.selector.dialects import Dialect
from transpiler.selector.literal_scanner import LiteralValue, Scanned, id_literals, literal_nodes, locate, scan
from transpiler.source import Span
from transpiler.sql.quoting import quote_text

#: Longer texts are rarely written twice, and their optimizations look at their literals.
_MAX_LENGTH = 1_000
#: Entries that are kept; beyond it all are forgotten, which costs a few compilations.
_MAX_ENTRIES = 4_096

#: The ranges of numbers that are compiled alike: integers that a 32-bit float, an int and a double hold exactly, and
#: decimal fractions.
_INTEGERS = (ir.Range(10, 2**24), ir.Range(2**24, 2**31), ir.Range(2**31, 2**53))
_FRACTION, _WHOLE = ir.Range(0, 10**9, whole=False), ir.Range(0, 10**9)
_TEXT = ir.Range(0, 0)

_TYPES: Mapping[str, ColumnType] = {"string": STRING, "integer": BIGINT, "float": DOUBLE}

_MARK = re.compile(ir.MARK.format(r"(\d+)", r"([a-z])"))

#: By the form of a mark, from a value to its SQL.
_WRITERS: Mapping[str, Callable[[LiteralValue], str]] = {
    "t": lambda value: quote_text(str(value)),
    "i": str,
    "d": lambda value: repr(float(value)).removesuffix(".0") + "D",
}

#: Compiles a text with constants for some of its literals: its SQL, and all constants of its predicate.
Compile = Callable[[Mapping[Span, ir.Constant]], tuple[str, set[ir.Constant]]]


def _range(value: LiteralValue) -> ir.Range | None:
    """The range of a literal that a placeholder may stand for; None for one that stays."""
    match value:
        case str():
            return _TEXT
        case float():
            return _WHOLE if value.is_integer() else _FRACTION
        case _:
            return next((values for values in _INTEGERS if values.low <= value < values.high), None)


class _Filled(NamedTuple):
    """SQL before, between and after the places of values."""

    texts: tuple[str, ...]
    places: tuple[tuple[int, str], ...]
    #: The other constants: a rule may have told the placeholders from them.
    constants: frozenset[object]

    def sql(self, values: list[LiteralValue]) -> str | None:
        """The SQL with the values; None where one of them is a constant that stands beside."""
        if not self.constants.isdisjoint(values):
            return None
        pieces = [self.texts[0]]
        for (number, form), text in zip(self.places, self.texts[1:], strict=True):
            pieces.append(_WRITERS[form](values[number]))
            pieces.append(text)
        return "".join(pieces)


class _Skeleton(NamedTuple):
    """The literals of a skeleton that may be other ones, and those that may not."""

    variable: tuple[int, ...]
    fixed: tuple[int, ...]


class SqlCache:
    """The SQL of the selectors of a process; threads may share it, for an entry never changes."""

    def __init__(self) -> None:
        #: None for a skeleton that one text had; with what the key tells by identity, so that nothing else gets it.
        self._skeletons: dict[Hashable, tuple[_Skeleton | None, tuple[object, ...]]] = {}
        self._filled: dict[Hashable, _Filled | None] = {}

    def clear(self) -> None:
        """Forget everything."""
        self._skeletons.clear()
        self._filled.clear()

    def entry(self, text: str, layout: Layout, dialect: Dialect, options: Hashable) -> CacheEntry | None:
        """The place of a text in the cache; None for one that is not kept.

        The layout and the dialect are told by their identities; ``options`` is all else that the SQL depends on.
        """
        if len(text) > _MAX_LENGTH:
            return None
        skeleton, literals = scan(text)
        if not literals:
            return None
        key = (skeleton, id(layout), id(dialect), options)
        return CacheEntry(self, key, locate(skeleton, literals), layout, dialect)


class CacheEntry:
    """One text: its skeleton and its literals."""

    def __init__(
        self, cache: SqlCache, skeleton: Hashable, literals: list[Scanned], layout: Layout, dialect: Dialect
    ) -> None:
        self._cache = cache
        self._skeleton = skeleton
        self._literals = literals
        self._layout = layout
        self._dialect = dialect
        self._values: list[LiteralValue] = []

    def sql(self) -> str | None:
        """The SQL by an earlier text; None where this one must be compiled."""
        skeleton, _ = self._cache._skeletons.get(self._skeleton, (None, ()))
        if skeleton is None:
            return None
        key = self._key(skeleton)
        filled = None if key is None else self._cache._filled.get(key)
        return None if filled is None else filled.sql(self._values)

    def learn(self, tree: ast.Expression, compile_text: Compile) -> None:
        """Keep the SQL of a text that was compiled for texts with other literals, from its skeleton's second one on."""
        cache = self._cache
        if len(cache._skeletons) + len(cache._filled) >= _MAX_ENTRIES:
            cache.clear()
        owners = (self._layout, self._dialect)
        if self._skeleton not in cache._skeletons:
            cache._skeletons[self._skeleton] = None, owners
            return
        nodes = self._variable(tree)
        known, _ = cache._skeletons[self._skeleton]
        if known is None:
            fixed = tuple(number for number in range(len(self._literals)) if number not in nodes)
            known = _Skeleton(tuple(nodes), fixed)
            cache._skeletons[self._skeleton] = known, owners
        key = self._key(known)
        if key is not None and key not in cache._filled and tuple(nodes) == known.variable:
            cache._filled[key] = self._compiled(known, nodes, compile_text)

    def _key(self, skeleton: _Skeleton) -> Hashable | None:
        """The key of texts that differ in their values only: fixed literals, equal values, the ranges of numbers."""
        numbers: dict[LiteralValue, int] = {}
        alike: list[object] = [self._literals[place].raw for place in skeleton.fixed]
        self._values = []
        for place in skeleton.variable:
            value = self._literals[place].value
            values = _range(value)
            if values is None:
                # Small numbers are what header fields are compared with; large ones can be equal as doubles.
                alike.append(self._literals[place].raw)
                continue
            number = numbers.setdefault(value, len(self._values))
            if number == len(self._values):
                self._values.append(value)
            elif type(self._values[number]) is not type(value):
                # 5 and 5.0 are equal, and written in two ways.
                return None
            alike.append((number, values))
        return self._skeleton, tuple(alike)

    def _variable(self, tree: ast.Expression) -> dict[int, Span]:
        """The literals that may be other ones: operands whose text is not read beside a name or by the dialect."""
        ids = set(id_literals(tree, self._dialect.fields))
        rewritten = {text for text, _ in self._dialect.fields.rewritten}
        return {
            number: node.span
            for number, node in sorted(literal_nodes(tree, self._literals).items())
            if node.value == self._literals[number].value and node.span not in ids and node.value not in rewritten
        }

    def _compiled(self, skeleton: _Skeleton, nodes: Mapping[int, Span], compile_text: Compile) -> _Filled | None:
        placeholders = ir.Placeholders()
        numbers = {value: number for number, value in enumerate(self._values)}
        parameters: dict[Span, ir.Constant] = {}
        contents: list[str] = []
        for place in skeleton.variable:
            literal = self._literals[place]
            value, values = literal.value, _range(literal.value)
            if values is None:
                continue
            placeholder: str | int | float
            match value:
                case str():
                    placeholder = placeholders.text(numbers[value])
                case int():
                    placeholder = placeholders.integer(numbers[value], values)
                case float():
                    placeholder = placeholders.double(numbers[value], values)
            parameters[nodes[place]] = ir.Constant(placeholder, _TYPES[literal.kind])
            contents.append(ir.content_of(placeholder))
        if not parameters:
            return None
        try:
            sql, constants = compile_text(parameters)
        except ir.ValueNeededError:
            return None
        if any(content in sql for content in contents):
            return None
        pieces = _MARK.split(sql)
        places = tuple((int(number), form) for number, form in zip(pieces[1::3], pieces[2::3], strict=True))
        if {number for number, _ in places} != set(range(len(self._values))):
            return None
        beside: set[object] = {constant.value for constant in constants if not ir.is_placeholder(constant.value)}
        beside |= placeholders.constants | {text for text, _ in self._dialect.fields.rewritten}
        return _Filled(tuple(pieces[::3]), places, frozenset(value for value in beside if not isinstance(value, bool)))


SQL_CACHE = SqlCache()
