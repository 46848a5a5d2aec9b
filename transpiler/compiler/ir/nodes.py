"""The nodes of the IR.

A *value* is an SQL expression with a type; it can be NULL. A *predicate* selects rows: it is TRUE in the rows in which
it holds, and FALSE or NULL in all other rows. No caller may distinguish FALSE and NULL, so the IR has no NOT: the
negation of a condition is lowered to a separate predicate, and ``NotTrue`` is the only complement.
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
        """True if the path looks up a key of a map, so that file readers have no statistics for the value."""
        return any(isinstance(step, Key) for step in self.path)


class Constant(NamedTuple):
    """A value that is known at compile time and is never NULL."""

    value: bool | int | float | str | bytes
    type: ColumnType


@dataclass(frozen=True, slots=True)
class Apply:
    """A function applied to values; NULL if an argument is NULL or the function has no result."""

    function: Function
    arguments: tuple[Value, ...]
    type: ColumnType


@dataclass(frozen=True, slots=True)
class When:
    """The value if the predicate ``condition`` holds, and otherwise NULL."""

    condition: Predicate
    value: Value

    @property
    def type(self) -> ColumnType:
        """The type of ``value``."""
        return self.value.type


@dataclass(frozen=True, slots=True)
class RowParameter:
    """A placeholder inside an ``AnyRow``: the constant at position ``index`` of the row that is being tested."""

    index: int
    type: ColumnType


Value = Column | Constant | Apply | When | RowParameter

#: One row in the table of constants of an ``AnyRow``.
Row = tuple[Constant, ...]

#: The bounds of a chunk, written as a row, and the rows of an ``AnyRow`` that are within these bounds.
Chunk = tuple[Row, tuple[Row, ...]]


@dataclass(frozen=True, slots=True)
class BoolConst:
    """A predicate that holds in every row if ``value`` is True, and otherwise in no row."""

    value: bool


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two values under Spark's rules: NaN equals NaN and is greater than every other number."""

    operator: Comparison
    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class In:
    """The test that the value is in ``members``; if ``negated``, that it is not in them."""

    value: Value
    members: tuple[Constant, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class ArrayContains:
    """The test that the value is an element of the array column ``array``."""

    value: Value
    array: Path


@dataclass(frozen=True, slots=True)
class Like:
    """The test that the string matches a LIKE pattern; if ``negated``, that it does not match."""

    value: Value
    pattern: Pattern
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Topic:
    """The test that the string matches a topic pattern (see ``base.topics``); if ``negated``, that it does not."""

    value: Value
    pattern: TopicPattern
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Matches:
    """The test that the string contains a match of a Java regular expression; if ``negated``, that it does not."""

    value: Value
    expression: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class XPathChain:
    """Several XPath conditions for one document, joined by AND or OR.

    They are joined in SQL, and not in one XPath, because Java's XPath limits the number of operators in one expression.
    """

    word: Literal["AND", "OR"]
    terms: tuple[XPathTest, ...]


#: An XPath 1.0 condition, or several joined by AND or OR.
XPathTest = str | XPathChain


@dataclass(frozen=True, slots=True)
class AnyRow:
    """The test that ``predicate`` holds for at least one of ``rows``, which are rows of constants.

    Each ``RowParameter`` in ``predicate`` stands for a constant of the row. If ``key`` is not None, only the rows whose
    first constant equals the message's value of ``key`` are tested. ``chunks``, if there are any, contain all rows: the
    predicate holds for a row of a chunk only if it holds for the chunk's bounds.
    """

    predicate: Predicate
    rows: tuple[Row, ...]
    key: Value | None = None
    chunks: tuple[Chunk, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class XPath:
    """The test that a text is an XML document for which ``test`` is true; if ``negated``, for which it is false."""

    value: Value
    test: XPathTest
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsTrue:
    """The test that a boolean value is TRUE; if ``negated``, that it is FALSE."""

    value: Value
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsNull:
    """The test that the value is NULL; if ``negated``, that it is not NULL."""

    value: Value
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsNan:
    """The test that the double is NaN; if ``negated``, that it is not NaN, which includes NULL."""

    value: Value
    negated: bool = False


@dataclass(frozen=True, slots=True)
class And:
    """The conjunction of ``terms``."""

    terms: tuple[Predicate, ...]
    #: The cached hash, None until it is computed. Without a cache, hashing a deep tree would walk it at each level.
    hash: int | None = field(default=None, init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        if self.hash is None:
            object.__setattr__(self, "hash", hash((And, self.terms)))
        return cast(int, self.hash)

    def __reduce__(self) -> tuple[type[And], tuple[tuple[Predicate, ...]]]:
        # The cached hash is not pickled, because strings hash differently in another process.
        return And, (self.terms,)


@dataclass(frozen=True, slots=True)
class Or:
    """The disjunction of ``terms``."""

    terms: tuple[Predicate, ...]
    #: The cached hash, None until it is computed. Without a cache, hashing a deep tree would walk it at each level.
    hash: int | None = field(default=None, init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        if self.hash is None:
            object.__setattr__(self, "hash", hash((Or, self.terms)))
        return cast(int, self.hash)

    def __reduce__(self) -> tuple[type[Or], tuple[tuple[Predicate, ...]]]:
        # The cached hash is not pickled, because strings hash differently in another process.
        return Or, (self.terms,)


@dataclass(frozen=True, slots=True)
class Coalesce:
    """The result of the first of ``tests`` whose SQL is not NULL; if all are NULL, the result of ``otherwise``."""

    tests: tuple[Predicate, ...]
    otherwise: Predicate = BoolConst(False)
    #: True if the tests exclude each other: in each row, at most one of them is not NULL.
    disjoint: bool = False


@dataclass(frozen=True, slots=True)
class Guarded:
    """The result of ``predicate`` in rows in which ``guard`` holds, and otherwise NULL.

    The result is that of an AND, but ``predicate`` is evaluated only in these rows.
    """

    guard: Predicate
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class SeparateMethod:
    """A predicate that Spark compiles to a separate Java method; it has the same result as ``predicate``."""

    predicate: Predicate


@dataclass(frozen=True, slots=True)
class NotTrue:
    """The complement of a predicate: it holds in exactly the rows in which ``predicate`` is FALSE or NULL."""

    predicate: Predicate


Test = BoolConst | Compare | In | ArrayContains | Like | Topic | Matches | AnyRow | XPath | IsTrue | IsNull | IsNan
Chain = And | Or
Predicate = Test | Chain | Coalesce | Guarded | SeparateMethod | NotTrue

TRUE = BoolConst(True)
FALSE = BoolConst(False)

#: The ``TypeClass`` (such as string or integer) of the values in a column, by the Spark type of the column.
CLASSES = {kind: CLASS_OF[amqp] for kind, amqp in AMQP_TYPES.items()} | {
    # These two entries are placeholders that no code reads: a VARIANT or an array is never compared as a whole, and
    # the values inside it have their own type classes.
    SparkType.VARIANT: TypeClass.BYTES,
    SparkType.INT_ARRAY: TypeClass.BYTES,
}


def type_class(value_type: ColumnType) -> TypeClass:
    """Return the ``TypeClass`` (such as string or integer) of the values in a column of the type ``value_type``."""
    return CLASSES[value_type.kind]


def constant(value: bool | int | float | str) -> Constant:
    """Return ``value`` as a constant of the type with which selectors compute: BOOLEAN, BIGINT, DOUBLE or STRING."""
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
    """Return an expression for ``value`` that is NULL if ``guard`` does not hold."""
    return value if guard == TRUE else When(guard, value)


def first_of(values: Sequence[Value], column_type: ColumnType | None = None) -> Value:
    """Return an expression for the first of ``values`` that is not NULL, as COALESCE in SQL.

    An argument that is such an expression itself is replaced by its arguments. The type of the result is
    ``column_type``, or the type of the first value if ``column_type`` is None.
    """
    if len(values) == 1:
        return values[0]
    own = column_type or values[0].type
    arguments: list[Value] = []
    for value in values:
        if isinstance(value, Apply) and value.function is Function.FIRST and value.type == own:
            arguments += value.arguments
        else:
            arguments.append(value)
    return Apply(Function.FIRST, tuple(arguments), own)


def all_of(*terms: Predicate) -> Predicate:
    """Return the conjunction of ``terms``: FALSE if a term is FALSE, otherwise without terms that are TRUE."""
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
    """Return the disjunction of ``terms``: TRUE if a term is TRUE, otherwise without terms that are FALSE."""
    kept = []
    for term in terms:
        if not isinstance(term, BoolConst):
            kept.append(term)
        elif term.value:
            return TRUE
    if not kept:
        return FALSE
    return kept[0] if len(kept) == 1 else Or(tuple(kept))
