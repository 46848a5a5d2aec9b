"""Bytes that are not AMQP 1.0: each failure has a code, a sentence, and the range of the wrong bytes."""

import pickle
import tracemalloc

import pytest

from transpiler.base.errors import DecodeError
from transpiler.base.source import Span
from transpiler.message.amqp.decoder import MAX_BYTES, MAX_DEPTH, MAX_VALUES, decode, decode_all


def _error(data, read=decode):
    with pytest.raises(DecodeError) as caught:
        read(data)
    return caught.value.diagnostics[0]


@pytest.mark.parametrize(
    ("data", "code", "span", "message"),
    [
        ("", "truncated", (0, 0), "a constructor needs 1 byte, and 0 are left, at byte 0"),
        ("71000000", "truncated", (0, 4), "an int needs 4 bytes, and 3 are left, at byte 0"),
        ("a105616263", "truncated", (0, 5), "a string needs 5 bytes, and 3 are left, at byte 0"),
        ("b1000000", "truncated", (0, 4), "a string needs 4 bytes, and 3 are left, at byte 0"),
        ("b1ffffffff61", "truncated", (0, 6), "a string needs 4294967295 bytes, and 1 is left, at byte 0"),
        ("c0", "truncated", (0, 1), "a list needs 1 byte, and 0 are left, at byte 0"),
        ("d0ffffffff0000000140", "truncated", (0, 10), "a list needs 4294967295 bytes"),
        ("00", "truncated", (1, 1), "a constructor needs 1 byte, and 0 are left, at byte 1"),
        ("00a30161", "truncated", (4, 4), "a constructor needs 1 byte, and 0 are left, at byte 4"),
        ("00a30561", "truncated", (1, 4), "a symbol needs 5 bytes, and 1 is left, at byte 1"),
        ("c000", "truncated", (0, 2), "the count of a list needs 1 byte"),
        ("d000000002000040", "size-mismatch", (0, 7), "the count of a list needs 4 bytes, and"),
        ("c00101", "size-mismatch", (0, 3), "a list of 1 value has 0 bytes for them, at byte 0"),
        ("c00302404040", "trailing-bytes", (5, 6), "1 byte is left after the value, at byte 5"),
        ("c003014040", "size-mismatch", (4, 5), "a list has 1 byte left after its last value, at byte 4"),
        (
            "c003017100000040",
            "size-mismatch",
            (3, 5),
            "an int needs 4 bytes, and the value that holds it ends after 1, at byte 3",
        ),
        ("c1010000", "trailing-bytes", (3, 4), "1 byte is left"),
        ("c10201a1", "odd-map", (0, 4), "a map of 1 item has a key without a value, at byte 0"),
        ("c105045401540140", "size-mismatch", (7, 7), "a constructor needs 1 byte"),
        (
            "c10904a3016140a3016141",
            "duplicate-key",
            (7, 10),
            "a map has the key 'a' a second time, at byte 7",
        ),
        ("c10a04540140710000000140", "duplicate-key", (6, 11), "a map has the key 1 a second time"),
        ("c1050445404540", "duplicate-key", (5, 6), "a map has the key AmqpList(…) a second time"),
        ("e00100", "truncated", (3, 3), "a constructor needs 1 byte"),
        ("e0020154", "truncated", (4, 4), "an int needs 1 byte, and 0 are left"),
        ("e0040054010240", "size-mismatch", (4, 6), "an array has 2 bytes left after its last value"),
        ("3f", "unknown-constructor", (0, 1), "0x3f is not a constructor of AMQP 1.0, at byte 0"),
        ("c00201ff", "unknown-constructor", (3, 4), "0xff is not a constructor"),
        ("5602", "boolean", (1, 2), "0x02 is neither 0x00 nor 0x01, in a boolean, at byte 1"),
        ("730000d800", "char", (1, 5), "0x0000d800 is not a Unicode character, in a char, at byte 1"),
        ("7300110000", "char", (1, 5), "0x00110000 is not a Unicode character"),
        ("a10361ff61", "utf8", (3, 5), "the byte 0xff is not UTF-8 here, in a string, at byte 3"),
        ("a103eda080", "utf8", (2, 5), "the byte 0xed is not UTF-8 here"),
        ("a102c080", "utf8", (2, 4), "the byte 0xc0 is not UTF-8 here"),
        ("a102c3a9c3", "trailing-bytes", (4, 5), "1 byte is left after the value"),
        ("a302c3a9", "ascii", (2, 4), "the byte 0xc3 is not ASCII here, in a symbol, at byte 2"),
        ("4040", "trailing-bytes", (1, 2), "1 byte is left after the value, at byte 1"),
        ("404142", "trailing-bytes", (1, 3), "2 bytes are left after the value, at byte 1"),
    ],
)
def test_bad_bytes_are_explained_with_their_place(data, code, span, message):
    diagnostic = _error(bytes.fromhex(data))
    assert (diagnostic.code, diagnostic.span) == (f"amqp.{code}", Span(*span))
    assert message in diagnostic.message
    assert diagnostic.message.endswith(f"at byte {diagnostic.span.start}")


def test_a_sequence_reports_offsets_from_its_beginning():
    assert _error(bytes.fromhex("4041a105"), decode_all).span == Span(2, 4)


def test_the_error_pickles_with_its_span():
    with pytest.raises(DecodeError) as caught:
        decode(b"\x3f")
    assert pickle.loads(pickle.dumps(caught.value)).diagnostics == caught.value.diagnostics


def _nested_lists(depth):
    """Return an empty list inside ``depth`` lists, with correct sizes."""
    sizes = range(9 * depth - 4, 0, -9)
    return b"".join(b"\xd0" + size.to_bytes(4) + (1).to_bytes(4) for size in sizes) + b"\x45"


def _keys_within_keys(depth, width):
    data = b"\x40" * width
    data = b"\xd0" + (len(data) + 4).to_bytes(4) + width.to_bytes(4) + data
    for _ in range(depth):
        data = b"\xd1" + (len(data) + 5).to_bytes(4) + (2).to_bytes(4) + data + b"\x40"
    return data


def _map_of(keys):
    data = b"".join(key + b"\x40" for key in keys)
    return b"\xd1" + (len(data) + 4).to_bytes(4) + (2 * len(keys)).to_bytes(4) + data


BOMBS = {
    "lists 100,000 deep": (_nested_lists(100_000), "too-deep"),
    "list headers 100,000 deep, with sizes that lie": (b"\xc0\xff\x01" * 100_000, "size-mismatch"),
    "100,000 descriptors of a value": (b"\x00\x40" * 100_000 + b"\x40", "too-deep"),
    "100,000 descriptors of descriptors": (b"\x00" * 100_000, "too-deep"),
    "4 billion nulls in an array": (bytes.fromhex("f000000005ffffffff40"), "too-many-values"),
    "4 billion trues in an array": (bytes.fromhex("f000000005ffffffff41"), "too-many-values"),
    "4 billion empty lists in an array": (bytes.fromhex("f000000005ffffffff45"), "too-many-values"),
    "4 billion described nulls in an array": (bytes.fromhex("f000000008ffffffff00534040"), "too-many-values"),
    "4 billion ints in an array of none": (bytes.fromhex("f000000005ffffffff71"), "too-many-values"),
    "4 billion items in a list of none": (bytes.fromhex("d000000004ffffffff"), "size-mismatch"),
    "4 billion items in a map of none": (bytes.fromhex("d100000004fffffffe"), "size-mismatch"),
    "4,096 arrays of 4,095 nulls in an array": (
        b"\xf0" + (9 * 4096 + 5).to_bytes(4) + (4096).to_bytes(4) + b"\xf0" + b"\0\0\0\5\0\0\x0f\xff@" * 4096,
        "too-many-values",
    ),
    "a million nulls in a list": (
        b"\xd0" + (10**6 + 4).to_bytes(4) + (10**6).to_bytes(4) + b"@" * 10**6,
        "too-many-values",
    ),
    "keys within keys": (_keys_within_keys(MAX_DEPTH - 1, MAX_VALUES - 100), "too-many-values"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_ends_in_an_error_and_in_little_memory(name):
    data, code = BOMBS[name]
    tracemalloc.start()
    diagnostic = _error(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert diagnostic.code == f"amqp.{code}"
    assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(data)
    assert peak < 64 * 2**20


def test_values_are_counted_over_a_whole_sequence():
    assert len(decode_all(b"\x40" * MAX_VALUES)) == MAX_VALUES
    assert _error(b"\x40" * (MAX_VALUES + 1), decode_all).span == Span(MAX_VALUES, MAX_VALUES + 1)


def test_arrays_of_nulls_share_one_limit():
    assert _error(bytes.fromhex("f0000000050000ffff40") * 2, decode_all).code == "amqp.too-many-values"


def test_the_deepest_value_decodes_and_one_level_more_does_not():
    decode(_nested_lists(MAX_DEPTH - 1))
    assert _error(_nested_lists(MAX_DEPTH)).code == "amqp.too-deep"


def test_an_input_of_the_largest_size_decodes_and_one_byte_more_does_not():
    size = MAX_BYTES - 5
    assert len(decode(b"\xb0" + size.to_bytes(4) + bytes(size)).value) == size
    diagnostic = _error(bytes(MAX_BYTES + 1))
    assert (diagnostic.code, diagnostic.span) == ("amqp.too-large", Span(MAX_BYTES, MAX_BYTES + 1))
