"""Dialects: the rules of a broker as frozen data, one instance a broker (``broker_dialects``), and reserved words.

A dialect never brings a grammar or an evaluator of its own; it is a row of values that the one lexer, the one check,
the one evaluator and the one compiler consult. The field names are questions, ``dialect_rules`` has the answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from transpiler.base.arguments import unexpected
from transpiler.base.diagnostics import OptionFix, nearest
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.language.selector.dialect_rules import (
    Associativity,
    BareName,
    BetweenMeaning,
    Comments,
    Division,
    DoubleQuotes,
    Escapes,
    Evaluation,
    Extension,
    FloatOrder,
    Identifiers,
    InNotString,
    IntegerArithmetic,
    LikeNotString,
    ListMember,
    Logic,
    NotBinding,
    NotNumbers,
    NullEquality,
    NumericLiterals,
    NumericPromotion,
    OperandForm,
    Ordering,
    Remainder,
    ReservedWords,
    Signs,
    StaticTyping,
    UnaryPlus,
    UnlikeTypes,
    Wildcards,
)
from transpiler.message.header_fields import HeaderFields
from transpiler.message.jms_fields import JMS_FIELDS
from transpiler.message.operand_types import JMS_TYPES, OperandTypes


@dataclass(frozen=True, slots=True, repr=False)
class Dialect:
    """A broker's selector language; the defaults are those of ``jms``.

    Limits are this project's own for ``jms``: the standard sets none. ``max_length`` counts code points,
    ``max_nesting`` levels of the tree, ``max_terms`` operands (names and literals), ``max_tokens`` tokens.
    """

    name: str
    max_length: int = 1_000_000
    max_nesting: int = 120
    max_terms: int = 50_000
    max_tokens: int | None = None
    #: True if an empty or blank selector selects every message; else the parser refuses it.
    blank_is_no_selector: bool = True

    identifiers: Identifiers = Identifiers.UNICODE_WITH_DOTS
    double_quotes: DoubleQuotes = DoubleQuotes.REFUSED
    reserved_words: ReservedWords = ReservedWords.ANY_CASE
    comments: Comments = Comments.REFUSED
    numeric_literals: NumericLiterals = NumericLiterals.JAVA
    extensions: Extension = Extension.NONE

    not_binding: NotBinding = NotBinding.LOOSE
    associativity: Associativity = Associativity.LEFT
    signs: Signs = Signs.ANY
    unary_plus: UnaryPlus = UnaryPlus.ARITHMETIC
    static_typing: StaticTyping = StaticTyping.CHECKED
    in_operand_form: OperandForm = OperandForm.NAME
    list_member: ListMember = ListMember.STRING
    like_operand_form: OperandForm = OperandForm.NAME
    null_operand_form: OperandForm = OperandForm.NAME
    escapes: Escapes = Escapes.ONE_CODE_POINT

    types: OperandTypes = JMS_TYPES
    fields: HeaderFields = JMS_FIELDS
    logic: Logic = Logic.SQL
    evaluation: Evaluation = Evaluation.SHORT_CIRCUIT
    null_equality: NullEquality = NullEquality.UNKNOWN
    unlike_types: UnlikeTypes = UnlikeTypes.FALSE
    numeric_promotion: NumericPromotion = NumericPromotion.PROMOTION
    float_order: FloatOrder = FloatOrder.IEEE
    ordering: Ordering = Ordering.FALSE
    integer_arithmetic: IntegerArithmetic = IntegerArithmetic.LONG
    division: Division = Division.TRUNCATING
    remainder: Remainder = Remainder.NONE
    not_numbers: NotNumbers = NotNumbers.UNKNOWN
    bare_name: BareName = BareName.UNKNOWN
    between_meaning: BetweenMeaning = BetweenMeaning.COMPARISONS
    like_not_string: LikeNotString = LikeNotString.UNKNOWN
    in_not_string: InNotString = InNotString.UNKNOWN
    wildcards: Wildcards = Wildcards.CODE_POINTS
    #: The broker's reaction if its evaluation throws; empty if it never throws.
    on_throw: str = ""

    def __hash__(self) -> int:
        # The name is enough, for most dialects have one of their own; the parser keeps trees by dialect.
        return hash(self.name)

    def __repr__(self) -> str:
        known = DIALECTS.get(self.name, self)
        own = (name for name in self.__slots__ if getattr(self, name) != getattr(known, name))
        return f"Dialect({', '.join([repr(self.name), *(f'{name}={getattr(self, name)}' for name in own)])})"

    def has(self, extension: Extension) -> bool:
        """Return True if the dialect has the construct beyond the standard."""
        # The standard has none, and to look for one flag in another is slow.
        return bool(self.extensions) and extension in self.extensions

    @property
    def title(self) -> str:
        """The name that messages use."""
        return "JMS" if self.name == "jms" else self.name


#: Jakarta Messaging 3.1; where its text is silent, what most brokers do.
JMS = Dialect("jms")


class _Dialects(Mapping[str, Dialect]):
    """The dialects by their names; those of brokers are loaded when one is asked for, with their header fields."""

    def __getitem__(self, name: str) -> Dialect:
        return JMS if name == JMS.name else _brokers()[name]

    def __iter__(self) -> Iterator[str]:
        yield JMS.name
        yield from _brokers()

    def __len__(self) -> int:
        return 1 + len(_brokers())


@cache
def _brokers() -> Mapping[str, Dialect]:
    records: Mapping[str, Dialect] = import_module("transpiler.language.selector.broker_dialects").BROKERS
    return records


DIALECTS: Mapping[str, Dialect] = _Dialects()


def find_dialect(dialect: str | Dialect) -> Dialect:
    """Return the dialect of that name; raise ``UnsupportedFeatureError`` if there is none."""
    if isinstance(dialect, Dialect):
        return dialect
    if not isinstance(dialect, str):
        raise unexpected("dialect", "a dialect's name, or a Dialect", dialect)
    record = DIALECTS.get(dialect)
    if record is None:
        near = nearest(dialect, DIALECTS)
        hint = f"did you mean {near[0]}?" if near else f"the dialects are {', '.join(DIALECTS)}"
        fix = OptionFix("dialect", repr(near[0])) if near else None
        raise UnsupportedFeatureError.at(
            "dialect.unknown", f"there is no dialect called {dialect!r}", hint=hint, fix=fix
        )
    return record


def dialects_with(extension: Extension) -> str:
    """Return the names of the dialects that have a construct, for a hint."""
    # The broker's own filters have what its clients' selectors have.
    names = [dialect.name for dialect in DIALECTS.values() if dialect.has(extension) and dialect.name != "artemis-core"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


#: Reserved words, in any case.
KEYWORDS = ("AND", "OR", "NOT", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE", "NULL", "TRUE", "FALSE")

#: Words that the SQL filter keeps for later, besides the reserved words in any other spelling than upper case.
UNUSABLE = frozenset("NAN INF LOWER UPPER LEFT RIGHT SUBSTRING UTC DATE EXISTS".split())

_QUERIES = frozenset(("XPATH", "XQUERY"))


@cache
def keywords(words: ReservedWords, queries: bool) -> Mapping[str, str]:
    """Return the reserved words, in the spellings that people use, with their tokens."""
    reserved = set(KEYWORDS)
    if words is ReservedWords.ANY_CASE_WITHOUT_NULL:
        reserved -= {"NULL", "IS"}
    elif words is ReservedWords.UPPER_CASE:
        return {word: word for word in reserved - {"BETWEEN"}}
    spellings = {spelling: word for word in reserved for spelling in (word, word.lower(), word.capitalize())}
    if queries:
        spellings |= dict.fromkeys(("XPATH", "xpath", "XQUERY", "xquery"), "QUERY")
    return spellings


def is_reserved(name: str, dialect: Dialect) -> bool:
    """Return True if the identifier must be quoted."""
    upper = name.upper()
    if upper in KEYWORDS:
        return True
    if dialect.reserved_words is ReservedWords.UPPER_CASE:
        return upper in UNUSABLE
    return dialect.has(Extension.XPATH) and upper in _QUERIES
