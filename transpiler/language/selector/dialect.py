"""What a dialect is: the rules of a broker as frozen data.

A dialect never brings a grammar or an evaluator of its own; it is a row of values that the one lexer, the one check,
the one evaluator and the one compiler consult. The field names are questions, ``dialect_rules`` has the answers;
``broker_dialects`` has one instance for each broker, and ``dialects`` finds them by name.
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
        known = _DEFINED.get(self.name, self)
        own = (name for name in self.__slots__ if getattr(self, name) != getattr(known, name))
        return f"Dialect({', '.join([repr(self.name), *(f'{name}={getattr(self, name)}' for name in own)])})"

    def has(self, extension: Extension) -> bool:
        """Return True if the dialect has a construct beyond the standard.

        Args:
            extension: The construct, such as ``Extension.NULL_LITERAL``.
        """
        # The standard has none, and to look for one flag in another is slow.
        return bool(self.extensions) and extension in self.extensions

    @property
    def title(self) -> str:
        """The name that messages use."""
        return "JMS" if self.name == "jms" else self.name


#: The dialects of brokers by their names, of those that are loaded.
_DEFINED: dict[str, Dialect] = {}


def define(dialect: Dialect) -> Dialect:
    """Keep a dialect as the one of its name: ``repr`` shows another dialect of that name by what differs from it."""
    _DEFINED[dialect.name] = dialect
    return dialect


#: Jakarta Messaging 3.1; where its text is silent, what most brokers do.
JMS = define(Dialect("jms"))
