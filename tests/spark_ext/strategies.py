"""Random selectors and random typed messages whose names and values meet."""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from transpiler.base.comparison import Comparison
from transpiler.language.selector import ast
from transpiler.message.ids import correlation_id_text, message_id_text
from transpiler.message.jms_fields import JMS_FIELDS
from transpiler.message.message import Message
from transpiler.message.sections import Header, Properties
from transpiler.message.types import AmqpType, AmqpValue

NAMES = ("a", "b", "c", "d", "missing")
HEADERS = (*JMS_FIELDS.table, "amqp.annotation.x_opt_jms_type", "amqp.annotation.other")
TEXTS = ("", "a", "abc", "ABC", "a%b", "a_b", "50%", "5", "true", "it's", "a\\b", "x\ny", "été", "😀", "${x}", " ")
INTEGERS = (
    0,
    1,
    -1,
    2,
    5,
    7,
    9,
    127,
    -5,
    2**31,
    2**32 - 1,
    2**31 - 1,
    -(2**31),
    2**53,
    2**53 + 1,
    2**63 - 1,
    -(2**63),
    1_750_772_279_000,
)
FLOATS = (0.0, -0.0, 0.5, 1.0, 2.5, -2.5, 5.0, 1e10, 9007199254740992.0, 9.3e18, 0.1, 1e300)
#: The operators of the standard, without the remainder, which only some dialects have.
ARITHMETIC = tuple(operator for operator in ast.Arithmetic if operator is not ast.Arithmetic.REMAINDER)
SPECIAL = (float("nan"), float("inf"), float("-inf"))

PATTERN_PARTS = ("%", "_", "a", "b", "é", "5", "\n", "^", "[", "!%", "!_", "!a", "ID:", "ID:AMQP!_")

texts = st.sampled_from(TEXTS)
integers = st.one_of(st.sampled_from(INTEGERS), st.integers(-10, 10), st.integers(-(2**63), 2**63 - 1))
floats = st.one_of(st.sampled_from(FLOATS), st.floats(allow_nan=False, allow_infinity=False))


def _rounded(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return 1.5


doubles = st.one_of(floats, st.sampled_from(SPECIAL))

_VALUES: dict[AmqpType, st.SearchStrategy[Any]] = {
    AmqpType.NULL: st.none(),
    AmqpType.BOOLEAN: st.booleans(),
    AmqpType.UBYTE: st.integers(0, 255),
    AmqpType.USHORT: st.integers(0, 2**16 - 1),
    AmqpType.UINT: st.integers(0, 2**32 - 1),
    AmqpType.ULONG: st.sampled_from((0, 5, 2**63 - 1, 2**63, 2**64 - 1)),
    AmqpType.BYTE: st.integers(-128, 127),
    AmqpType.SHORT: st.integers(-(2**15), 2**15 - 1),
    AmqpType.INT: st.one_of(st.sampled_from((0, 1, 5, 2**31 - 1)), st.integers(-10, 10)),
    AmqpType.LONG: integers,
    AmqpType.FLOAT: doubles.map(_rounded),
    AmqpType.DOUBLE: doubles,
    AmqpType.DECIMAL64: st.sampled_from((Decimal("2.5"), Decimal("0.1"), Decimal(5), Decimal("NaN"))),
    AmqpType.CHAR: st.sampled_from("aA5é😀"),
    AmqpType.TIMESTAMP: integers,
    AmqpType.UUID: st.uuids(),
    AmqpType.BINARY: st.sampled_from((b"", b"abc", b"\xff\x00")),
    AmqpType.STRING: texts,
    AmqpType.SYMBOL: st.sampled_from(("a", "abc", "5")),
}

values = st.one_of(*(strategy.map(lambda v, t=kind: AmqpValue(t, v)) for kind, strategy in _VALUES.items()))
#: Byte strings, some of which are not UTF-8.
BYTES = (b"", b"abc", b"\xff\x00", b"\xc3", b"a\xf0\x9f", b"\xed\xa0\x80")
UUIDS = (UUID("0123abcd-0123-0123-0123-0123456789ab"), UUID("00112233-4455-6677-8899-aabbccddeeff"))
#: Ids of the four types, some of which have the same text, and ids that a selector writes.
IDS = (
    *(
        AmqpValue(AmqpType.STRING, text)
        for text in ("", "a", "abc", "ID:", "ID:a", "ID:AMQP_ULONG:5", "ID:AMQP_STRING:a")
    ),
    *(AmqpValue(AmqpType.ULONG, number) for number in (0, 5, 2**63, 2**64 - 1)),
    *(AmqpValue(AmqpType.UUID, uuid) for uuid in UUIDS),
    *(AmqpValue(AmqpType.BINARY, data) for data in (b"", b"a", b"\xab\xcd\xef", UUIDS[0].bytes)),
)
ID_TEXTS = (
    *(text for value in IDS for text in (message_id_text(value), correlation_id_text(value)) if text is not None),
    "ID:AMQP_BINARY:abcdef",
    "ID:AMQP_UUID:0123ABCD-0123-0123-0123-0123456789AB",
    "ID:AMQP_ULONG:05",
    "ID:AMQP_ULONG:foo",
)
ids = st.one_of(st.sampled_from(IDS), st.none())
ANNOTATIONS = ("x-opt-jms-type", "jms-type", "x-opt-delivery-time", "other", "x_opt_jms_type")
annotations = st.dictionaries(st.sampled_from(ANNOTATIONS), values, max_size=3)
uints = st.one_of(st.sampled_from((0, 1, 5, 2**31 - 1, 2**31, 2**32 - 5, 2**32 - 1)), st.integers(0, 2**32 - 1))
#: Milliseconds that Spark's TIMESTAMP can represent.
times = st.one_of(st.none(), st.sampled_from((0, 1, -1, 1_750_772_279_000)), st.integers(-(10**14), 10**14))

headers = st.builds(
    Header,
    durable=st.sampled_from((None, True, False)),
    priority=st.one_of(st.none(), st.integers(0, 12)),
    ttl=st.one_of(st.none(), uints),
    first_acquirer=st.sampled_from((None, True, False)),
    delivery_count=st.one_of(st.none(), st.integers(0, 3), uints),
)
_text = st.one_of(st.none(), texts)
_symbol = st.sampled_from((None, "a", "abc", "5"))
properties = st.builds(
    Properties,
    message_id=ids,
    user_id=st.one_of(
        st.none(), texts.map(str.encode), st.sampled_from((b"", b"abc", b"\xff\x00", b"\xc3", b"a\xf0\x9f"))
    ),
    to=_text,
    subject=_text,
    reply_to=_text,
    correlation_id=ids,
    content_type=_symbol,
    content_encoding=_symbol,
    absolute_expiry_time=times,
    creation_time=times,
    group_id=_text,
    group_sequence=st.one_of(st.none(), uints),
    reply_to_group_id=_text,
)
messages = st.builds(
    Message,
    header=st.one_of(st.none(), headers),
    message_annotations=st.one_of(st.none(), annotations),
    properties=st.one_of(st.none(), properties),
    application_properties=st.one_of(st.none(), st.dictionaries(st.sampled_from(NAMES[:-1]), values, max_size=4)),
)


_TYPED = {
    "flag": AmqpType.BOOLEAN,
    "b": AmqpType.BYTE,
    "sh": AmqpType.SHORT,
    "i": AmqpType.INT,
    "n": AmqpType.LONG,
    "f": AmqpType.FLOAT,
    "x": AmqpType.DOUBLE,
    "s": AmqpType.STRING,
    "bin": AmqpType.BINARY,
}


@st.composite
def typed_messages(draw: st.DrawFn) -> Message:
    """Draw a message whose properties have one type each. Any property may be absent."""
    return Message(
        application_properties={
            name: AmqpValue(kind, draw(_VALUES[kind])) for name, kind in _TYPED.items() if draw(st.booleans())
        }
    )


def selectors(names: tuple[str, ...], null_tests_any: bool = False) -> st.SearchStrategy[ast.Expression]:
    """Return a strategy for trees that ``check`` accepts, over ``names``.

    With ``null_tests_any``, IS NULL may follow any operand.
    """
    name = st.sampled_from(names).map(ast.Identifier)
    text = st.one_of(texts, st.sampled_from(ID_TEXTS)).map(ast.StringLiteral)
    number = st.one_of(integers.map(ast.IntegerLiteral), floats.map(ast.FloatLiteral))
    boolean = st.booleans().map(ast.BooleanLiteral)
    arithmetic = st.recursive(
        st.one_of(name, number),
        lambda inner: st.one_of(
            st.builds(ast.Calculate, st.sampled_from(ARITHMETIC), inner, inner),
            st.builds(
                ast.Sign,
                st.sampled_from((ast.Arithmetic.SUBTRACT, ast.Arithmetic.ADD)),
                st.one_of(name, st.builds(ast.Calculate, st.sampled_from(ARITHMETIC), inner, inner)),
            ),
        ),
        max_leaves=3,
    )
    patterns = st.lists(
        st.sampled_from(("%", "_", "a", "b", "é", "5", "\n", "^", "[", "!%", "!_", "!a", "ID:", "ID:AMQP!_")),
        max_size=5,
    )
    like = st.builds(
        lambda operand, parts, negated: ast.Like(
            operand, ast.StringLiteral("".join(parts)), ast.StringLiteral("!"), negated
        ),
        name,
        patterns,
        st.booleans(),
    )
    orderings = st.sampled_from([operator for operator in Comparison if not operator.is_equality])
    equalities = st.sampled_from((Comparison.EQ, Comparison.NE))
    condition = st.one_of(
        name,
        boolean,
        st.builds(ast.Compare, orderings, arithmetic, arithmetic),
        st.builds(ast.Compare, equalities, arithmetic, arithmetic),
        st.builds(ast.Compare, equalities, name, st.one_of(text, boolean, number)),
        st.builds(ast.Compare, equalities, st.one_of(text, boolean), name),
        st.builds(ast.Between, arithmetic, arithmetic, arithmetic, st.booleans()),
        st.builds(ast.In, name, st.lists(text, min_size=1, max_size=3).map(tuple), st.booleans()),
        like,
        st.builds(ast.IsNull, st.one_of(name, arithmetic) if null_tests_any else name, st.booleans()),
    )

    def combine(inner: st.SearchStrategy[ast.Expression]) -> st.SearchStrategy[ast.Expression]:
        def flat(kind: Any, terms: list[ast.Expression]) -> ast.Expression:
            return kind(tuple(leaf for term in terms for leaf in (term.terms if isinstance(term, kind) else (term,))))

        several = st.lists(inner, min_size=2, max_size=3)
        return st.one_of(
            inner.map(ast.Not),
            several.map(lambda terms: flat(ast.And, terms)),
            several.map(lambda terms: flat(ast.Or, terms)),
            st.builds(
                ast.Compare,
                equalities,
                inner.filter(lambda node: not isinstance(node, ast.BooleanLiteral)),
                st.one_of(boolean, name),
            ),
        )

    return st.recursive(condition, combine, max_leaves=4)
