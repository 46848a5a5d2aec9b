"""invert_text: a condition on a text that is computed from a column becomes a condition on the column."""

from __future__ import annotations

from uuid import UUID

import pytest

from tests.compiler.rewrites.nodes import N, S, column, compare, is_null, not_null, one_of
from transpiler.base.comparison import Comparison
from transpiler.base.text_pattern import Wildcard
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BINARY, STRING
from transpiler.compiler.rewrites.invert_text import invert_text

BYTES = column("bytes", BINARY)
ID = UUID("12345678-1234-5678-1234-567812345678")
ULONG, BINARY_ID, UUID_ID = "ID:AMQP_ULONG:", "ID:AMQP_BINARY:", "ID:AMQP_UUID:"


def text(function: ir.Function, inner: ir.Value) -> ir.Apply:
    return ir.Apply(function, (inner,), STRING)


ULONG_TEXT = text(ir.Function.ULONG_ID, N)
UUID_TEXT = text(ir.Function.UUID_ID, BYTES)
BINARY_TEXT = text(ir.Function.BINARY_ID, BYTES)
MESSAGE_ID = text(ir.Function.STRING_MESSAGE_ID, S)
CORRELATION_ID = text(ir.Function.STRING_CORRELATION_ID, S)
UTF8 = text(ir.Function.TEXT, BYTES)


def equals_bytes(found: bytes, operator: str = "=") -> ir.Compare:
    return ir.Compare(Comparison(operator), BYTES, ir.Constant(found, BINARY))


def like(left: ir.Value, start: str, *, negated: bool = False) -> ir.Like:
    return ir.Like(left, (start, Wildcard.ANY), negated)


PREFIXED = text(ir.Function.PREFIXED_STRING, S)
PREFIXED_ULONG = text(ir.Function.PREFIXED_ULONG, N)
PREFIXED_UUID = text(ir.Function.PREFIXED_UUID, BYTES)
PREFIXED_BINARY = text(ir.Function.PREFIXED_BINARY, BYTES)


def bytes_in(*found: bytes, negated: bool = False) -> ir.In:
    return ir.In(BYTES, tuple(ir.Constant(octets, BINARY) for octets in found), negated)


REWRITTEN = {
    "a string that may lack ID:": (compare(PREFIXED, "=", "ID:a"), one_of(S, "ID:a", "a")),
    "not a string that may lack ID:": (compare(PREFIXED, "<>", "ID:a"), one_of(S, "ID:a", "a", negated=True)),
    "a string that has ID: in any case": (compare(PREFIXED, "=", "ID:ID:a"), compare(S, "=", "ID:ID:a")),
    "a text that no id is read as": (compare(PREFIXED, "=", "a"), ir.FALSE),
    "a list of strings that may lack ID:": (one_of(PREFIXED, "ID:a", "b"), one_of(S, "ID:a", "a")),
    "digits of a ulong": (compare(PREFIXED_ULONG, "=", f"ID:{2**64 - 1}"), compare(N, "=", -1)),
    "digits beyond a ulong": (compare(PREFIXED_ULONG, "=", f"ID:{2**64}"), ir.FALSE),
    "digits that no ulong has": (compare(PREFIXED_ULONG, "<>", "ID:05"), not_null(N)),
    "digits of a uuid": (compare(PREFIXED_UUID, "=", f"ID:{ID}"), equals_bytes(ID.bytes)),
    "upper case that no uuid has": (compare(PREFIXED_UUID, "=", f"ID:{UUID(int=10)}".upper()), ir.FALSE),
    "escaped bytes": (compare(PREFIXED_BINARY, "=", r"ID:a\x5c\xff"), bytes_in(b"ID:a\\\xff", b"a\\\xff")),
    "bytes that need no escape": (compare(PREFIXED_BINARY, "=", r"ID:\x61"), ir.FALSE),
    "a backslash that is not escaped": (compare(PREFIXED_BINARY, "=", "ID:\\"), ir.FALSE),
    "a pattern that fits no prefix": (like(PREFIXED, "a"), ir.FALSE),
    "a ulong": (compare(ULONG_TEXT, "=", ULONG + "5"), compare(N, "=", 5)),
    "not a ulong": (compare(ULONG_TEXT, "<>", ULONG + "5"), compare(N, "<>", 5)),
    "the largest ulong, a negative long": (compare(ULONG_TEXT, "=", ULONG + str(2**64 - 1)), compare(N, "=", -1)),
    "a ulong that is written in another way": (compare(ULONG_TEXT, "=", ULONG + "05"), ir.FALSE),
    "not a ulong that is written in another way": (compare(ULONG_TEXT, "<>", ULONG + "05"), not_null(N)),
    "a text that is no ulong": (compare(ULONG_TEXT, "=", "ID:5"), ir.FALSE),
    "a uuid": (compare(UUID_TEXT, "=", UUID_ID + str(ID)), equals_bytes(ID.bytes)),
    "a uuid in upper case, which no text of a uuid is": (
        compare(UUID_TEXT, "=", UUID_ID + str(UUID(int=10)).upper()),
        ir.FALSE,
    ),
    "bytes of an id": (compare(BINARY_TEXT, "=", BINARY_ID + "0AFF"), equals_bytes(b"\x0a\xff")),
    "bytes in lower case, which no text of bytes is": (compare(BINARY_TEXT, "=", BINARY_ID + "0aff"), ir.FALSE),
    "a message id": (compare(MESSAGE_ID, "=", "ID:a"), compare(S, "=", "ID:a")),
    "a message id without its prefix": (compare(MESSAGE_ID, "=", "ID:AMQP_NO_PREFIX:a"), compare(S, "=", "a")),
    "a text that lacks the prefix of message ids": (compare(MESSAGE_ID, "=", "a"), ir.FALSE),
    "a correlation id": (compare(CORRELATION_ID, "=", "a"), compare(S, "=", "a")),
    "a correlation id that reads as a ulong": (compare(CORRELATION_ID, "=", ULONG + "5"), ir.FALSE),
    "bytes as text": (compare(UTF8, "=", "é"), equals_bytes("é".encode())),
    "not bytes as text": (compare(UTF8, "<>", "a"), equals_bytes(b"a", "<>")),
    "a list": (one_of(ULONG_TEXT, ULONG + "1", ULONG + "2"), one_of(N, 1, 2)),
    "a list with a text that is no ulong": (one_of(ULONG_TEXT, ULONG + "1", "a"), compare(N, "=", 1)),
    "a list of texts that are no ulongs": (one_of(ULONG_TEXT, "a", "b"), ir.FALSE),
    "a negated list": (
        one_of(ULONG_TEXT, ULONG + "1", ULONG + "2", negated=True),
        one_of(N, 1, 2, negated=True),
    ),
    "a negated list of texts that are no ulongs": (one_of(ULONG_TEXT, "a", "b", negated=True), not_null(N)),
    "a pattern that fits another type": (like(ULONG_TEXT, UUID_ID), ir.FALSE),
    "a negated pattern that fits another type": (like(ULONG_TEXT, UUID_ID, negated=True), not_null(N)),
    "a pattern of message ids": (like(MESSAGE_ID, "ID:a"), like(S, "ID:a")),
    "a pattern of correlation ids": (like(CORRELATION_ID, "a"), like(S, "a")),
    "a negated pattern of correlation ids": (like(CORRELATION_ID, "a", negated=True), like(S, "a", negated=True)),
    "a text IS NULL": (is_null(ULONG_TEXT), is_null(N)),
    "a text IS NOT NULL": (not_null(UTF8), not_null(BYTES)),
    "a text of a text IS NULL": (is_null(text(ir.Function.STRING_MESSAGE_ID, UTF8)), is_null(BYTES)),
}

KEPT = {
    "a bare column": compare(S, "=", "ID:a"),
    "an ordering": compare(ULONG_TEXT, ">", ULONG + "5"),
    "a text and a column": compare(ULONG_TEXT, "=", S),
    "a text with U+FFFD, which many bytes become": compare(UTF8, "=", "a\ufffd"),
    "a list with U+FFFD": one_of(UTF8, "a", "\ufffd"),
    "a function that is no text of a column": compare(text(ir.Function.LOWER, S), "=", "a"),
    "a pattern of ulongs": like(ULONG_TEXT, ULONG + "5"),
    "a pattern that fits several types": like(ULONG_TEXT, "ID:AMQP_"),
    "a pattern of message ids without their prefix": like(MESSAGE_ID, "a"),
    "a pattern of what message ids are escaped for": like(MESSAGE_ID, "ID:AMQP_ULONG:"),
    "a pattern of bytes as text": like(UTF8, "a"),
    "a pattern with a wildcard in front": ir.Like(ULONG_TEXT, (Wildcard.ANY, "5")),
    "a column IS NULL": is_null(S),
    "a text in lower case IS NULL": is_null(text(ir.Function.LOWER, S)),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_condition_on_a_text_is_one_on_its_column(before: ir.Predicate, after: ir.Predicate) -> None:
    assert invert_text(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_a_condition_that_no_column_value_decides_stays(node: ir.Predicate) -> None:
    assert invert_text(node) is node
