"""Each encoding of the AMQP type system, with bytes written by hand, in both directions."""

import math
from decimal import Decimal
from uuid import UUID

import pytest

from transpiler.base.errors import DecodeError
from transpiler.base.source import Span
from transpiler.message.amqp.constructors import CONSTRUCTORS, ENCODINGS
from transpiler.message.amqp.decoder import decode, decode_all
from transpiler.message.amqp.encoder import encode, encode_as
from transpiler.message.amqp.values import AmqpArray, AmqpList, AmqpMap, CompoundType, Described, identity
from transpiler.message.types import AmqpType, AmqpValue

T = AmqpType
NULL = AmqpValue(T.NULL, None)
TRUE = AmqpValue(T.BOOLEAN, True)
ONE = AmqpValue(T.INT, 1)
A = AmqpValue(T.SYMBOL, "a")
ID = UUID("00112233-4455-6677-8899-aabbccddeeff")

ENCODED = [
    ("40", NULL),
    ("41", TRUE),
    ("42", AmqpValue(T.BOOLEAN, False)),
    ("5601", TRUE),
    ("5600", AmqpValue(T.BOOLEAN, False)),
    ("50ff", AmqpValue(T.UBYTE, 255)),
    ("60ffff", AmqpValue(T.USHORT, 65535)),
    ("43", AmqpValue(T.UINT, 0)),
    ("52ff", AmqpValue(T.UINT, 255)),
    ("70ffffffff", AmqpValue(T.UINT, 2**32 - 1)),
    ("44", AmqpValue(T.ULONG, 0)),
    ("53ff", AmqpValue(T.ULONG, 255)),
    ("80ffffffffffffffff", AmqpValue(T.ULONG, 2**64 - 1)),
    ("5180", AmqpValue(T.BYTE, -128)),
    ("618000", AmqpValue(T.SHORT, -32768)),
    ("54ff", AmqpValue(T.INT, -1)),
    ("7180000000", AmqpValue(T.INT, -(2**31))),
    ("557f", AmqpValue(T.LONG, 127)),
    ("818000000000000000", AmqpValue(T.LONG, -(2**63))),
    ("723dcccccd", AmqpValue(T.FLOAT, 0.10000000149011612)),
    ("72ff800000", AmqpValue(T.FLOAT, -math.inf)),
    ("727fc00000", AmqpValue(T.FLOAT, math.nan)),
    ("823fb999999999999a", AmqpValue(T.DOUBLE, 0.1)),
    ("828000000000000000", AmqpValue(T.DOUBLE, -0.0)),
    ("827ff8000000000000", AmqpValue(T.DOUBLE, math.nan)),
    ("7432800001", AmqpValue(T.DECIMAL32, Decimal(1))),
    ("8431c0000000000001", AmqpValue(T.DECIMAL64, Decimal(1))),
    ("9430400000000000000000000000000001", AmqpValue(T.DECIMAL128, Decimal(1))),
    ("730001f600", AmqpValue(T.CHAR, "😀")),
    ("83ffffffffffffffff", AmqpValue(T.TIMESTAMP, -1)),
    ("9800112233445566778899aabbccddeeff", AmqpValue(T.UUID, ID)),
    ("a00200ff", AmqpValue(T.BINARY, b"\x00\xff")),
    ("b00000000200ff", AmqpValue(T.BINARY, b"\x00\xff")),
    ("a102c3a9", AmqpValue(T.STRING, "é")),
    ("b100000002c3a9", AmqpValue(T.STRING, "é")),
    ("a30161", A),
    ("b30000000161", A),
    ("45", AmqpList()),
    ("c00100", AmqpList()),
    ("c00602a301615401", AmqpList((A, ONE))),
    ("d00000000900000002a301615401", AmqpList((A, ONE))),
    ("c10100", AmqpMap()),
    ("c10602a301615401", AmqpMap(((A, ONE),))),
    ("d10000000900000002a301615401", AmqpMap(((A, ONE),))),
    ("e00402540102", AmqpArray(T.INT, (ONE, AmqpValue(T.INT, 2)))),
    ("f0000000070000000254ff01", AmqpArray(T.INT, (AmqpValue(T.INT, -1), ONE))),
    ("e0020040", AmqpArray(T.NULL)),
    ("e0020340", AmqpArray(T.NULL, (NULL, NULL, NULL))),
    ("e0020241", AmqpArray(T.BOOLEAN, (TRUE, TRUE))),
    ("e00402560100", AmqpArray(T.BOOLEAN, (TRUE, AmqpValue(T.BOOLEAN, False)))),
    ("e0020245", AmqpArray(CompoundType.LIST, (AmqpList(), AmqpList()))),
    ("e00602a301610162", AmqpArray(T.SYMBOL, (A, AmqpValue(T.SYMBOL, "b")))),
    ("e00702c00100020140", AmqpArray(CompoundType.LIST, (AmqpList(), AmqpList((NULL,))))),
    ("e00501e0020140", AmqpArray(CompoundType.ARRAY, (AmqpArray(T.NULL, (NULL,)),))),
    ("e0080200a3016154" + "0102", AmqpArray(T.INT, (ONE, AmqpValue(T.INT, 2)), (A,))),
    ("00a301615401", Described(A, ONE)),
    ("00a3016100537345", Described(A, Described(AmqpValue(T.ULONG, 0x73), AmqpList()))),
    ("0000a30161540140", Described(Described(A, ONE), NULL)),
]


@pytest.mark.parametrize(("data", "value"), ENCODED, ids=[data for data, _ in ENCODED])
def test_every_encoding_decodes_to_its_value(data, value):
    assert identity(decode(bytes.fromhex(data))) == identity(value)


@pytest.mark.parametrize(("data", "value"), ENCODED, ids=[data for data, _ in ENCODED])
def test_every_value_is_written_in_the_encoding_that_is_asked_for(data, value):
    wire = bytes.fromhex(data)
    if isinstance(value, Described):
        assert encode(value) == wire
        return
    element = None
    if isinstance(value, AmqpArray):
        head = 3 if wire[0] == 0xE0 else 9
        element = wire[head] if wire[head] else wire[head + 4]
    assert encode_as(wire[0], value, element) == wire


def test_the_table_has_every_constructor_of_the_standard():
    fixed = [0x40, 0x41, 0x42, 0x43, 0x44, 0x45, *range(0x50, 0x57), 0x60, 0x61, *range(0x70, 0x75)]
    wider = [0x80, 0x81, 0x82, 0x83, 0x84, 0x94, 0x98]
    variable = [0xA0, 0xA1, 0xA3, 0xB0, 0xB1, 0xB3]
    compound = [0xC0, 0xC1, 0xD0, 0xD1, 0xE0, 0xF0]
    assert sorted(CONSTRUCTORS) == sorted(fixed + wider + variable + compound)
    assert {int(data[:2], 16) for data, _ in ENCODED} >= set(CONSTRUCTORS)


@pytest.mark.parametrize("row", CONSTRUCTORS.values(), ids=lambda row: f"0x{row.code:02x}")
def test_a_format_code_states_the_width_of_its_data(row):
    # 1.2.1: the upper half of the format code is the category, which determines the width.
    widths = {4: 0, 5: 1, 6: 2, 7: 4, 8: 8, 9: 16, 0xA: 1, 0xB: 4, 0xC: 1, 0xD: 4, 0xE: 1, 0xF: 4}
    assert row.width == widths[row.code >> 4]


@pytest.mark.parametrize(
    ("value", "compact", "wide"),
    [
        (TRUE, "41", "5601"),
        (AmqpValue(T.UINT, 0), "43", "7000000000"),
        (AmqpValue(T.UINT, 255), "52ff", "70000000ff"),
        (AmqpValue(T.UINT, 256), "7000000100", "7000000100"),
        (AmqpValue(T.ULONG, 0), "44", "800000000000000000"),
        (AmqpValue(T.INT, -128), "5480", "71ffffff80"),
        (AmqpValue(T.INT, 128), "7100000080", "7100000080"),
        (AmqpValue(T.LONG, -129), "81ffffffffffffff7f", "81ffffffffffffff7f"),
        (A, "a30161", "b30000000161"),
        (AmqpList(), "45", "d00000000400000000"),
        (AmqpList((NULL,)), "c0020140", "d0000000050000000140"),
        (AmqpMap(), "c10100", "d10000000400000000"),
        (AmqpArray(T.UINT, (AmqpValue(T.UINT, 0),)), "e0020143", "f000000009000000017000000000"),
        (AmqpArray(T.UINT, (AmqpValue(T.UINT, 0), AmqpValue(T.UINT, 1))), "e00402520001", None),
    ],
)
def test_compact_takes_the_smallest_encoding_and_wide_the_widest(value, compact, wide):
    assert encode(value).hex() == compact
    assert wide is None or encode(value, compact=False).hex() == wide


@pytest.mark.parametrize("length", [0, 1, 255, 256, 70_000])
@pytest.mark.parametrize("make", [b"x".__mul__, "x".__mul__], ids=["binary", "string"])
def test_a_variable_width_grows_at_256_bytes(make, length):
    content = make(length)
    value = AmqpValue(T.BINARY if isinstance(content, bytes) else T.STRING, content)
    data = encode(value)
    assert len(data) == length + (2 if length < 256 else 5)
    assert decode(data) == value


@pytest.mark.parametrize("count", [253, 254, 255, 256, 300])
def test_a_list_grows_at_256_bytes_with_its_count(count):
    value = AmqpList((NULL,) * count)
    data = encode(value)
    assert data[0] == (0xC0 if count <= 254 else 0xD0)
    assert decode(data) == value


def test_an_array_of_values_without_bytes_grows_at_256_items():
    value = AmqpArray(T.NULL, (NULL,) * 256)
    assert encode(value).hex() == "f0000000050000010040"
    assert decode(encode(value)) == value


def test_a_map_keeps_the_order_of_its_entries():
    keys = [AmqpValue(T.SYMBOL, name) for name in "zbya"]
    value = AmqpMap(tuple((key, ONE) for key in keys))
    assert [key for key, _ in decode(encode(value)).entries] == keys


def test_a_sequence_of_values_says_where_each_one_stands():
    located = decode_all(bytes.fromhex("40" + "5401" + "a30161"))
    assert located == ((NULL, Span(0, 1)), (ONE, Span(1, 3)), (A, Span(3, 6)))
    assert decode_all(b"") == ()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (AmqpValue(T.UBYTE, 256), "256 as ubyte (0x50): it is not in the range 0 to 255"),
        (AmqpValue(T.BYTE, -129), "-129 as byte (0x51): it is not in the range -128 to 127"),
        (AmqpValue(T.ULONG, 2**64), "it is not in the range 0 to 18446744073709551615"),
        (AmqpValue(T.TIMESTAMP, 2**63), "as timestamp"),
        (AmqpValue(T.INT, True), "it is not a Python int"),
        (AmqpValue(T.INT, "1"), "it is not a Python int"),
        (AmqpValue(T.BOOLEAN, 1), "it is not a Python bool"),
        (AmqpValue(T.NULL, False), "it is not None"),
        (AmqpValue(T.DOUBLE, 1), "it is not a Python float"),
        (AmqpValue(T.FLOAT, 0.1), "the nearest value is 0.10000000149011612"),
        (AmqpValue(T.FLOAT, 1e39), "it is too large"),
        (AmqpValue(T.CHAR, "ab"), "a Python str of one character"),
        (AmqpValue(T.CHAR, "\ud800"), "surrogates not allowed"),
        (AmqpValue(T.STRING, "\ud800"), "surrogates not allowed"),
        (AmqpValue(T.STRING, b""), "it is not a Python str"),
        (AmqpValue(T.SYMBOL, "é"), "ordinal not in range(128)"),
        (AmqpValue(T.BINARY, ""), "it is not Python bytes"),
        (AmqpValue(T.UUID, ID.bytes), "it is not a Python UUID"),
        (AmqpValue(T.DECIMAL32, 1.0), "it is not a Python Decimal"),
        (AmqpValue(T.DECIMAL32, Decimal("12345678")), "more than 7 digits"),
        (AmqpValue(T.DECIMAL32, Decimal("1E97")), "an exponent out of -101 to 90"),
        (AmqpArray(T.INT, (A,)), "symbol is not encoded as int"),
        (AmqpMap(((A, ONE), (A, TRUE))), "a map has the same key twice"),
    ],
)
def test_a_value_out_of_its_type_cannot_be_encoded(value, reason):
    with pytest.raises(DecodeError) as caught:
        encode(value)
    assert caught.value.diagnostics[0].code == "amqp.cannot-encode"
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("code", "value", "element"),
    [
        (0x43, AmqpValue(T.UINT, 1), None),
        (0x41, AmqpValue(T.BOOLEAN, False), None),
        (0xA1, AmqpValue(T.STRING, "x" * 256), None),
        (0x52, ONE, None),
        (0x3F, ONE, None),
        (0xC0, ONE, None),
        (0x45, AmqpList((NULL,)), None),
        (0xC0, AmqpList((NULL,) * 256), None),
        (0xE0, AmqpArray(T.INT), 0xA1),
        (0xE0, AmqpArray(T.UINT, (AmqpValue(T.UINT, 1),)), 0x43),
    ],
)
def test_an_encoding_refuses_what_it_cannot_hold(code, value, element):
    with pytest.raises(DecodeError, match=r"amqp\.cannot-encode"):
        encode_as(code, value, element)


def test_the_encoder_stops_where_the_decoder_would():
    value = NULL
    for _ in range(32):
        value = AmqpList((value,))
    assert decode(encode(value)) == value
    for outer in (
        AmqpList((value,)),
        Described(A, value),
        Described(value, A),
        AmqpArray(value.type, (value,)),
    ):
        with pytest.raises(DecodeError, match="deep"):
            encode(outer)


def test_arrays_within_arrays_are_encoded_in_linear_time():
    value = AmqpArray(T.NULL, (NULL,) * 300)
    for _ in range(31):
        value = AmqpArray(CompoundType.ARRAY, (value,))
    assert decode(encode(value)) == value


def test_each_type_lists_its_encodings_from_the_smallest():
    for rows in ENCODINGS.values():
        assert rows
        assert [row.width for row in rows] == sorted(row.width for row in rows)


def test_identity_distinguishes_what_python_calls_equal():
    different = [
        (AmqpValue(T.DOUBLE, 0.0), AmqpValue(T.DOUBLE, -0.0)),
        (AmqpValue(T.DECIMAL64, Decimal("1.0")), AmqpValue(T.DECIMAL64, Decimal(1))),
        (AmqpValue(T.INT, 1), AmqpValue(T.LONG, 1)),
        (AmqpValue(T.STRING, "a"), AmqpValue(T.SYMBOL, "a")),
        (AmqpList((ONE,)), AmqpArray(T.INT, (ONE,))),
        (AmqpList((A, ONE)), AmqpMap(((A, ONE),))),
        (AmqpList(), AmqpMap()),
        (AmqpArray(T.INT), AmqpArray(T.LONG)),
        (Described(A, ONE), AmqpList((A, ONE))),
    ]
    for left, right in different:
        assert identity(left) != identity(right)
    nan = (AmqpValue(T.DOUBLE, math.nan), AmqpValue(T.DOUBLE, float("nan")))
    assert identity(nan[0]) == identity(nan[1])
