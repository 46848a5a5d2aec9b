"""The nodes of the typed core.

A *value* is an SQL expression with a type; it is NULL in some rows. A *predicate* says when something holds: it is
TRUE in the rows where it holds and FALSE or NULL in the others. No caller may distinguish the two, so the IR has no
NOT: the opposite of a condition is lowered as a predicate of its own, and ``NotTrue`` is the one complement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from transpiler.base.comparison import Comparison
from transpiler.base.text_pattern import Pattern
from transpiler.compiler.ir.column_types import (
    AMQP_TYPES,
    BIGINT,
    BOOLEAN,
    DOUBLE,
    STRING,
    ColumnType,
    Key,
    Path,
    SparkType,
)
from transpiler.compiler.ir.functions import Function
from transpiler.message.types import CLASS_OF, TypeClass

if TYPE_CHECKING:
    from transpiler.base.topics import TopicPattern


class Column(NamedTuple):
    """A column, a field of a struct or the value of a map at a key."""

    path: Path
    type: ColumnType

    @property
    def in_map(self) -> bool:
        """Return True if it is looked up in a map, of which a file reader knows nothing."""
        return any(isinstance(step, Key) for step in self.path)


class Constant(NamedTuple):
    """A value known at compile time; never NULL."""

    value: bool | int | float | str | bytes
    type: ColumnType


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of values; NULL where an argument is NULL or the result does not exist."""

    function: Function
    arguments: tuple[Value, ...]
    type: ColumnType


@dataclass(frozen=True, slots=True)
class When:
    """A value in the rows where a predicate holds, NULL in the others."""

    condition: Predicate
    value: Value

    @property
    def type(self) -> ColumnType:
        """The type of the value."""
        return self.value.type


@dataclass(frozen=True, slots=True)
class RowParameter:
    """A constant of the row at hand; only inside a ``AnyRow``."""

    place: int
    type: ColumnType


Value = Column | Constant | Apply | When | RowParameter

#: The constants of a row of ``AnyRow``.
Row = tuple[Constant, ...]


@dataclass(frozen=True, slots=True)
class BoolConst:
    """Holds in every row, or in none."""

    value: bool


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two values as Spark makes it: NaN equals itself and is above every number."""

    operator: Comparison
    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class In:
    """The value is, or is not, one of some constants."""

    value: Value
    members: tuple[Constant, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class ArrayContains:
    """The value is an element of an array in a column."""

    value: Value
    array: Path


@dataclass(frozen=True, slots=True)
class Like:
    """The string matches, or does not match, a pattern."""

    value: Value
    pattern: Pattern
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Topic:
    """The words of the string match, or do not match, those of a topic pattern: see ``base.topics``."""

    value: Value
    pattern: TopicPattern
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Matches:
    """The string contains a match of a regular expression of Java; ``negated``, it does not."""

    value: Value
    expression: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class XPathChain:
    """XPath conditions of which all hold, or one does; Java lets a single one have few operators only."""

    word: Literal["AND", "OR"]
    terms: tuple[XPathTest, ...]


#: XPath 1.0 conditions.
XPathTest = str | XPathChain


@dataclass(frozen=True, slots=True)
class AnyRow:
    """A predicate holds for one of some rows of constants; ``RowParameter`` in it is a constant of the row.

    With a ``key`` only the rows count whose first constant is the key's value, and the predicate need not say so.
    """

    predicate: Predicate
    rows: tuple[Row, ...]
    key: Value | None = None


@dataclass(frozen=True, slots=True)
class XPath:
    """A text is an XML document, and XPath conditions are true of it."""

    value: Value
    test: XPathTest
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsTrue:
    """A boolean value is TRUE, or, negated, is FALSE."""

    value: Value
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsNull:
    """The value is NULL, or, negated, is not."""

    value: Value
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsNan:
    """The double is NaN, or, negated, is anything else, NULL included."""

    value: Value
    negated: bool = False


@dataclass(frozen=True, slots=True)
class And:
    """All terms hold."""

    terms: tuple[Predicate, ...]
    #: Kept once it was asked for: a deep tree would be walked again at each of its levels.
    hash: int | None = field(default=None, init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        if self.hash is None:
            object.__setattr__(self, "hash", hash((And, self.terms)))
        return cast(int, self.hash)

    def __reduce__(self) -> tuple[type[And], tuple[tuple[Predicate, ...]]]:
        # Another process hashes strings in its own way.
        return And, (self.terms,)


@dataclass(frozen=True, slots=True)
class Or:
    """A term holds."""

    terms: tuple[Predicate, ...]
    #: Kept once it was asked for: a deep tree would be walked again at each of its levels.
    hash: int | None = field(default=None, init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        if self.hash is None:
            object.__setattr__(self, "hash", hash((Or, self.terms)))
        return cast(int, self.hash)

    def __reduce__(self) -> tuple[type[Or], tuple[tuple[Predicate, ...]]]:
        # Another process hashes strings in its own way.
        return Or, (self.terms,)


@dataclass(frozen=True, slots=True)
class Coalesce:
    """The first of some tests whose text is not NULL holds; where all are NULL, another predicate does."""

    tests: tuple[Predicate, ...]
    otherwise: Predicate = BoolConst(False)
    #: True if the tests are of alternatives that exclude each other: in no row are two of them not NULL.
    disjoint: bool = False


@dataclass(frozen=True, slots=True)
class SeparateMethod:
    """The predicate, in a method of its own where an engine generates code."""

    predicate: Predicate


@dataclass(frozen=True, slots=True)
class NotTrue:
    """The predicate does not hold."""

    predicate: Predicate


Test = BoolConst | Compare | In | ArrayContains | Like | Topic | Matches | AnyRow | XPath | IsTrue | IsNull | IsNan
Chain = And | Or
Predicate = Test | Chain | Coalesce | SeparateMethod | NotTrue

TRUE = BoolConst(True)
FALSE = BoolConst(False)

#: The class of message values that a column of a kind holds.
CLASSES = {kind: CLASS_OF[amqp] for kind, amqp in AMQP_TYPES.items()} | {
    # Never asked for: the values inside have classes of their own.
    SparkType.VARIANT: TypeClass.BYTES,
    SparkType.INT_ARRAY: TypeClass.BYTES,
}


def type_class(value_type: ColumnType) -> TypeClass:
    """The class of message values that a column of that type holds."""
    return CLASSES[value_type.kind]


def constant(value: bool | int | float | str) -> Constant:
    """A constant of the type that a selector computes with."""
    match value:
        case bool():
            return Constant(value, BOOLEAN)
        case int():
            return Constant(value, BIGINT)
        case float():
            return Constant(value, DOUBLE)
        case str():
            return Constant(value, STRING)


def guarded(guard: Predicate, value: Value) -> Value:
    """The value where a predicate holds, and NULL elsewhere."""
    return value if guard == TRUE else When(guard, value)


def first_of(values: Sequence[Value], column_type: ColumnType | None = None) -> Value:
    """The first of some values that is not NULL; of the first one's type, unless another is said."""
    if len(values) == 1:
        return values[0]
    return Apply(Function.FIRST, tuple(values), column_type or values[0].type)


def all_of(*terms: Predicate) -> Predicate:
    """The conjunction: FALSE absorbs, TRUE goes away."""
    kept = []
    for term in terms:
        if not isinstance(term, BoolConst):
            kept.append(term)
        elif not term.value:
            return FALSE
    if not kept:
        return TRUE
    return kept[0] if len(kept) == 1 else And(tuple(kept))


def any_of(*terms: Predicate) -> Predicate:
    """The disjunction: TRUE absorbs, FALSE goes away."""
    kept = []
    for term in terms:
        if not isinstance(term, BoolConst):
            kept.append(term)
        elif term.value:
            return TRUE
    if not kept:
        return FALSE
    return kept[0] if len(kept) == 1 else Or(tuple(kept))
