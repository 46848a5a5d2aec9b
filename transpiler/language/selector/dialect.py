"""The class of dialects: the rules of one broker for selectors as frozen data.

A dialect never has a grammar or an evaluator of its own. It is a record of options that the shared lexer, checks,
evaluator and compiler read. ``dialect_rules`` defines the possible values of each option, ``broker_dialects`` contains
one instance for each broker, and ``dialects`` finds an instance by name.
"""

from __future__ import annotations

from dataclasses import dataclass

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
    """A broker's selector language; the default values are those of the dialect ``jms``.

    Limits are maximum numbers of code points (``max_length``), of levels of the tree (``max_nesting``), of names and
    literals (``max_terms``), and of tokens (``max_tokens``; None for no limit). The standard sets no limits; those of
    ``jms`` are this project's own.
    """

    name: str
    max_length: int = 1_000_000
    max_nesting: int = 120
    max_terms: int = 50_000
    max_tokens: int | None = None
    #: True if an empty or blank selector selects every message, False if the parser rejects it.
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
    #: The broker's reaction if the evaluation of a selector throws, as a clause for messages; empty if it never throws.
    on_throw: str = ""

    def __hash__(self) -> int:
        # Hash only the name, because the parser's cache hashes the dialect of each selector. Few dialects share a name,
        # and ``__eq__`` still compares all fields.
        return hash(self.name)

    def __repr__(self) -> str:
        known = _DEFINED.get(self.name, self)
        own = (name for name in self.__slots__ if getattr(self, name) != getattr(known, name))
        return f"Dialect({', '.join([repr(self.name), *(f'{name}={getattr(self, name)}' for name in own)])})"

    def has(self, extension: Extension) -> bool:
        """Return True if the dialect has the construct ``extension``, which is not in the standard.

        Args:
            extension: The construct, such as ``Extension.NULL_LITERAL``.
        """
        # Skip the slow test of a flag for dialects without extensions, such as ``jms``.
        return bool(self.extensions) and extension in self.extensions

    @property
    def title(self) -> str:
        """The name of the dialect in diagnostics."""
        return "JMS" if self.name == "jms" else self.name


#: The dialects that ``define`` has registered so far, by name.
_DEFINED: dict[str, Dialect] = {}


def define(dialect: Dialect) -> Dialect:
    """Register ``dialect`` under its name, and return it.

    The ``repr`` of a changed copy then lists only the fields that differ from the registered dialect.
    """
    _DEFINED[dialect.name] = dialect
    return dialect


#: The dialect of Jakarta Messaging 3.1. In cases that the standard does not define, this dialect follows most brokers.
JMS = define(Dialect("jms"))
