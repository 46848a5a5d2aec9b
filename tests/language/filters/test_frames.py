"""Filter sets are found inside a source, an attach, or frames of a connection; other bytes have no filter set."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from transpiler import DecodeError, TranspilerError, transpile_filter
from transpiler.cli import main
from transpiler.language.filters.sets import read_filters
from transpiler.message.amqp.encoder import encode
from transpiler.message.amqp.values import AmqpList, AmqpMap, Described, Value
from transpiler.message.types import AmqpType, AmqpValue

NULL = AmqpValue(AmqpType.NULL, None)
FILTERS = AmqpMap(
    (
        (
            AmqpValue(AmqpType.SYMBOL, "s"),
            Described(
                AmqpValue(AmqpType.SYMBOL, "apache.org:selector-filter:string"), AmqpValue(AmqpType.STRING, "a = 1")
            ),
        ),
    )
)


def text(value: str) -> AmqpValue:
    return AmqpValue(AmqpType.STRING, value)


def composite(name: int | str, *fields: Value) -> Described:
    kind = AmqpType.ULONG if isinstance(name, int) else AmqpType.SYMBOL
    return Described(AmqpValue(kind, name), AmqpList(fields))


def source(filters: Value = FILTERS, name: int | str = 0x28) -> Described:
    return composite(name, text("q"), *[NULL] * 6, filters)


def attach(link: str = "link", name: int | str = 0x12, of: Value | None = None) -> Described:
    role = AmqpValue(AmqpType.BOOLEAN, True)
    return composite(name, text(link), NULL, role, NULL, NULL, source() if of is None else of)


def frame(value: Value | None, more: bytes = b"", extended: bytes = b"", kind: int = 0) -> bytes:
    body = extended + (b"" if value is None else encode(value)) + more
    return (8 + len(body)).to_bytes(4) + bytes([2 + len(extended) // 4, kind, 0, 1]) + body


OPEN, TRANSFER = composite(0x10, text("me")), composite(0x14, AmqpValue(AmqpType.UINT, 0))


@pytest.mark.parametrize(
    "data",
    [
        encode(FILTERS),
        encode(source()),
        encode(source(name="amqp:source:list")),
        encode(attach()),
        encode(attach(name="amqp:attach:list")),
        frame(attach()),
        frame(attach(), extended=b"\0" * 8),
        b"AMQP\0\1\0\0" + frame(OPEN) + frame(None) + frame(attach()) + frame(TRANSFER, b"\xff payload"),
        b"AMQP\3\1\0\0" + frame(composite(0x41), kind=1) + b"AMQP\0\1\0\0" + frame(attach()),
        frame(attach()) + frame(attach("other", of=source(NULL))),
        frame(attach()) + frame(attach("sender", of=NULL)),
    ],
)
def test_the_filter_set_inside_is_found(data: bytes) -> None:
    assert read_filters(data).to_dict() == read_filters(encode(FILTERS)).to_dict()
    assert "'a'" in transpile_filter(data).sql


def test_a_source_or_attach_made_in_python_is_read_as_its_bytes_are() -> None:
    for value in (source(), attach()):
        assert read_filters(value).to_dict() == read_filters(FILTERS_BYTES).to_dict()


FILTERS_BYTES = encode(FILTERS)


@pytest.mark.parametrize(
    "data", [encode(source(NULL)), encode(composite(0x28, text("q"))), frame(attach(of=source(NULL)))]
)
def test_a_source_without_filters_says_so(data: bytes) -> None:
    found = read_filters(data)
    assert found.filters == ()
    assert [finding.code for finding in found.findings] == ["filters.none"]


@pytest.mark.parametrize(
    ("data", "expected_text"),
    [
        (encode(OPEN), "the value is AMQP's open, which contains no filter set"),
        (encode(composite(0x29, text("q"))), "the value is AMQP's target"),
        (encode(Described(AmqpValue(AmqpType.ULONG, 0x77), text("x"))), "the value is AMQP's message"),
        (encode(attach(of=NULL)), "this attach frame has no source"),
        (frame(OPEN) + frame(TRANSFER, b"\xff"), "the frames contain no source with a filter set: open, transfer"),
        (frame(None), "the frames contain no source with a filter set: nothing"),
        (frame(attach("a")) + frame(attach("b")), "the frames attach 2 links with filters: a, b"),
        (frame(attach())[:-3], r"the frame at byte 0 should have \d+ bytes"),
    ],
)
def test_what_holds_no_filter_set_is_named_and_no_hint_leaves_it_out(data: bytes, expected_text: str) -> None:
    with pytest.raises(DecodeError, match=expected_text) as error:
        read_filters(data, unknown="ignore")
    assert "ignore" not in str(error.value)


def test_a_source_in_json_is_no_unknown_filter() -> None:
    for name in ("amqp:source:list", "0x00000000:0x00000028"):
        with pytest.raises(TranspilerError, match="is the descriptor of AMQP's source, not of a filter") as error:
            read_filters({"descriptor": name, "value": []})
        assert "ignore" not in str(error.value)


@pytest.mark.parametrize("size", range(0, 40))
def test_cut_frames_are_refused_or_read(size: int) -> None:
    for data in (frame(attach()), b"AMQP\0\1\0\0" + frame(OPEN)):
        with pytest.raises(DecodeError):
            read_filters(data[:size])


def test_the_hint_of_a_command_is_the_commands_spelling(tmp_path: Path) -> None:
    file = tmp_path / "f.json"
    file.write_text('{"f": {"descriptor": "example:x", "value": "a"}}', encoding="utf-8")
    for command in (["sql"], ["match"]):
        result = CliRunner().invoke(main, [*command, "--filter", str(file)], catch_exceptions=True)
        shown = result.output + str(result.exception or "")
        assert re.search(
            "hint: perhaps skip filters with unknown descriptors, as most brokers do: --unknown ignore", shown
        ), shown
        assert "unknown='ignore'" not in shown
    with pytest.raises(
        TranspilerError,
        match="hint: perhaps skip filters with unknown descriptors, as most brokers do: unknown='ignore'",
    ):
        read_filters(file.read_text(encoding="utf-8"))
