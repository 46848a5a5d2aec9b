"""Properties of the codec that hold for all values and all bytes."""

import random
import struct
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import size
from transpiler.base.errors import DecodeError
from transpiler.message.amqp.constructors import CONSTRUCTORS, ENCODINGS, Form
from transpiler.message.amqp.decimals import DECIMAL32, DECIMAL64, DECIMAL128
from transpiler.message.amqp.decoder import decode, decode_all
from transpiler.message.amqp.encoder import encode, encode_as
from transpiler.message.amqp.values import AmqpArray, AmqpList, AmqpMap, CompoundType, Described, identity
from transpiler.message.types import AmqpType, AmqpValue

T = AmqpType
CHARACTERS = st.characters(exclude_categories=["Cs"])


def _decimals(interchange):
    return st.binary(min_size=interchange.width, max_size=interchange.width).map(interchange.read)


#: Python values of each primitive type. Bounds are frequent, so that values of each width occur.
CONTENTS = {
    T.NULL: st.none(),
    T.BOOLEAN: st.booleans(),
    T.UBYTE: st.integers(0, 2**8 - 1),
    T.USHORT: st.integers(0, 2**16 - 1),
    T.UINT: st.sampled_from([0, 1, 255, 256]) | st.integers(0, 2**32 - 1),
    T.ULONG: st.sampled_from([0, 1, 255, 256]) | st.integers(0, 2**64 - 1),
    T.BYTE: st.integers(-(2**7), 2**7 - 1),
    T.SHORT: st.integers(-(2**15), 2**15 - 1),
    T.INT: st.integers(-130, 130) | st.integers(-(2**31), 2**31 - 1),
    T.LONG: st.integers(-130, 130) | st.integers(-(2**63), 2**63 - 1),
    T.FLOAT: st.floats(width=32),
    T.DOUBLE: st.floats(),
    T.DECIMAL32: _decimals(DECIMAL32) | st.integers(-(10**7) + 1, 10**7 - 1).map(Decimal),
    T.DECIMAL64: _decimals(DECIMAL64) | st.integers(-(10**16) + 1, 10**16 - 1).map(Decimal),
    T.DECIMAL128: _decimals(DECIMAL128) | st.integers(-(10**33), 10**33).map(Decimal),
    T.CHAR: CHARACTERS,
    T.TIMESTAMP: st.integers(-(2**63), 2**63 - 1),
    T.UUID: st.uuids(),
    T.BINARY: st.binary(max_size=300),
    T.STRING: st.text(CHARACTERS, max_size=20) | st.integers(250, 260).map("x".__mul__),
    T.SYMBOL: st.text(st.characters(max_codepoint=127), max_size=20),
}


def _primitives(kind):
    return CONTENTS[kind].map(lambda content: AmqpValue(kind, content))


PRIMITIVES = st.sampled_from(AmqpType).flatmap(_primitives)


def _lists(values):
    return st.lists(values, max_size=4).map(lambda items: AmqpList(tuple(items)))


def _maps(values):
    entries = st.lists(st.tuples(values, values), max_size=4, unique_by=lambda entry: identity(entry[0]))
    return entries.map(lambda pairs: AmqpMap(tuple(pairs)))


def _arrays(values):
    def of(kind):
        if isinstance(kind, AmqpType):
            items = _primitives(kind)
        elif kind is CompoundType.LIST:
            items = _lists(values)
        elif kind is CompoundType.MAP:
            items = _maps(values)
        else:
            items = st.lists(PRIMITIVES, max_size=2).map(
                lambda found: AmqpArray(found[0].type if found else T.INT, tuple(found[:1]))
            )
        return st.builds(
            AmqpArray,
            st.just(kind),
            st.lists(items, max_size=4).map(tuple),
            st.lists(values, max_size=2).map(tuple),
        )

    return st.sampled_from([*AmqpType, *CompoundType]).flatmap(of)


def _compounds(values):
    return _lists(values) | _maps(values) | _arrays(values) | st.builds(Described, values, values)


VALUES = st.recursive(PRIMITIVES, _compounds, max_leaves=12)


@given(VALUES, st.booleans())
@settings(max_examples=size(100, 1_000))
def test_a_value_is_the_same_after_encoding_and_decoding(value, compact):
    data = encode(value, compact)
    assert identity(decode(data)) == identity(value)
    # A decoded value is encoded to the same bytes: the encoding is a function of the value.
    assert encode(decode(data), compact) == data


@given(st.lists(VALUES, max_size=5))
@settings(max_examples=size(25, 250))
def test_a_sequence_splits_where_its_values_were_joined(values):
    parts = [encode(value) for value in values]
    located = decode_all(b"".join(parts))
    assert [identity(found.value) for found in located] == [identity(value) for value in values]
    assert [found.span.end - found.span.start for found in located] == [len(part) for part in parts]


@given(st.sampled_from(AmqpType).flatmap(lambda kind: st.lists(_primitives(kind), min_size=1, max_size=3)))
@settings(max_examples=size(100, 1_000))
def test_every_encoding_of_a_type_holds_the_value_or_refuses_it_and_the_widest_never_does(values):
    kind = values[0].type
    for row in ENCODINGS[kind]:
        try:
            data = encode_as(row.code, values[0])
            array = encode_as(0xF0, AmqpArray(kind, tuple(values)), row.code)
        except DecodeError:
            assert row is not ENCODINGS[kind][-1]
            continue
        assert identity(decode(data)) == identity(values[0])
        assert identity(decode(array)) == identity(AmqpArray(kind, tuple(values)))


def _check(data):
    """Check that any bytes decode and are encoded again to the same values, or fail with a position within ``data``.

    Return True if the bytes decode.
    """
    try:
        located = decode_all(data)
    except DecodeError as error:
        diagnostic = error.diagnostics[0]
    else:
        for value, span in located:
            assert identity(decode(data[span.start : span.end])) == identity(value)
            assert identity(decode(encode(value))) == identity(value)
        return True
    start, end = diagnostic.span
    assert 0 <= start <= end <= len(data)
    assert diagnostic.message.endswith(f"at byte {start}")
    return False


@given(st.binary(max_size=200))
@settings(max_examples=size(125, 1_250))
def test_any_bytes_decode_or_raise_an_error_within_them(data):
    _check(data)


#: Bytes with a meaning, so that a random sequence is decoded beyond its first constructor.
PIECES = st.sampled_from([bytes((code,)) for code in (0, *CONSTRUCTORS)]) | st.integers(0, 8).map(
    lambda number: bytes((number,))
)


@given(st.lists(PIECES | st.binary(max_size=4), max_size=60).map(b"".join))
@settings(max_examples=size(125, 1_250))
def test_any_sequence_of_constructors_decodes_or_raises_an_error_within_it(data):
    _check(data)


def _mutate(data, chance):
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(6):
            case 0:
                data[at : at + 1] = bytes((chance.randrange(256),))
            case 1:
                data[at : at + 1] = bytes((chance.choice((0, *CONSTRUCTORS)),))
            case 2:
                del data[at : at + chance.choice((1, 1, 4, 20))]
            case 3:
                data[at:at] = data[chance.randrange(len(data) + 1) :][: chance.choice((1, 4, 20))]
            case 4:
                data[at : at + 4] = struct.pack(">I", chance.choice((0, 1, 255, 2**31, 2**32 - 1)))
            case _:
                del data[at:]
    return bytes(data)


def test_mutated_messages_and_filter_sets_decode_or_raise_an_error_within_them(messages, filter_sets):
    chance = random.Random(1)
    seeds = [row["amqp"] for row in messages + filter_sets]
    good = sum(_check(_mutate(chance.choice(seeds), chance)) for _ in range(5_000))
    # Both outcomes occur often, so that the test is not empty.
    assert 100 < good < 4_900


def test_every_prefix_of_a_message_decodes_or_raises_an_error_within_it(messages):
    for row in messages[:20]:
        for end in range(len(row["amqp"])):
            _check(row["amqp"][:end])


def test_only_compounds_have_no_codec():
    for row in CONSTRUCTORS.values():
        assert (row.codec is None) == isinstance(row.type, CompoundType) == (row.form is Form.COMPOUND)
