"""transpiler.messages.read accepts every form that the commands read, and its errors have locations."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path

import pytest

from tests.cli.test_cli_forms import COLORS, FORMS
from transpiler import DecodeError, LayoutError, TranspilerError, evaluate
from transpiler.messages import ReadMessage, read

RED, BLUE = '{"color": "red", "weight": 2600}', '{"application_properties": {"color": "blue"}}'


@pytest.fixture(autouse=True)
def in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str, content: str | bytes) -> str:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def colors(found: list[ReadMessage]) -> list[object]:
    return [(one.message.application_properties or {})["color"].value for one in found]


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_the_commands_is_read(name: str) -> None:
    found = list(read(written(name, FORMS[name])))
    assert colors(found) == list(COLORS.values())
    for one in found:
        assert (one.file, one.place) == (name, f"{name}:{one.line}")
        assert one.line >= 1
        assert one.sent().exchange == "orders"
    compressed = list(read(Path(written(f"{name}.gz", gzip.compress(FORMS[name].encode())))))
    assert [(one.line, one.message) for one in compressed] == [(one.line, one.message) for one in found]


def test_messages_are_read_as_they_are_asked_for() -> None:
    given = read(written("m.jsonl", f"{RED}\n{{oops\n"))
    first = next(given)
    assert (repr(first), first.recorded(), first.sent()) == ("ReadMessage(m.jsonl:1)", None, (None, None, None))
    with pytest.raises(DecodeError, match=r"^m.jsonl:2:2: this is not JSON"):
        next(given)


def test_a_bad_record_may_be_left_out() -> None:
    reported: list[DecodeError] = []
    text = f"{RED}\n{{oops\n{BLUE}\n".encode() + b'{"a": "\xff"}\n[1]\n' + RED.encode()
    assert colors(list(read(written("m.jsonl", text), on_error=reported.append))) == ["red", "blue", "red"]
    assert [str(error).partition(": ")[0] for error in reported] == ["m.jsonl:2:2", "m.jsonl:4:8", "m.jsonl:5"]
    assert all(error.diagnostics for error in reported)
    again = pickle.loads(pickle.dumps(reported[2]))
    assert (str(again), again.diagnostics) == (str(reported[2]), reported[2].diagnostics)


def test_a_compressed_file_that_was_cut_off_has_the_messages_before() -> None:
    whole = gzip.compress("".join(f'{{"color": "red", "n": {number}}}\n' for number in range(20_000)).encode())
    name = written("m.jsonl.gz", whole[: len(whole) // 2])
    reported: list[DecodeError] = []
    assert len(list(read(name, on_error=reported.append))) > 1_000
    # The last line may be cut off, too.
    assert str(reported[-1]).startswith("file 'm.jsonl.gz' cannot be decompressed:")
    with pytest.raises(DecodeError):
        list(read(name))


def test_a_layout_or_a_schema_says_what_rows_are() -> None:
    rows = written("rows.jsonl", '{"properties": {"color": "red"}}\n')
    assert colors(list(read(rows, "variant"))) == ["red"]
    csv = written("m.csv", "color,weight\nred,5\n")
    for layout in (None, "color STRING, weight BIGINT"):
        [one] = read(csv, layout)
        assert evaluate("color = 'red' AND weight > 4", one.message) is True
    with pytest.raises(LayoutError, match="there is no layout called 'varaint'"):
        read(rows, "varaint")
    with pytest.raises(
        DecodeError,
        match=r"m.csv:2: row.columns: the row has no column of the layout kafka-headers",
    ):
        list(read(csv, "kafka-headers"))


def test_the_form_may_be_said() -> None:
    name = written("cells", "color\nred\n")
    assert colors(list(read(name, form="csv"))) == ["red"]
    with pytest.raises(DecodeError, match="cells:1:1: this is not JSON"):
        list(read(name))


def test_what_is_no_local_file_is_reported_at_once() -> None:
    with pytest.raises(FileNotFoundError):
        list(read("nowhere.jsonl"))
    for name in ("s3://bucket/m.jsonl", Path("s3://bucket/m.jsonl"), "dbfs:/bucket/m.jsonl"):
        shown = name if isinstance(name, str) else "s3://bucket/m.jsonl"
        with pytest.raises(TranspilerError, match=f": {shown} does not name a local file"):
            read(name)
    with pytest.raises(TypeError, match="path: expected a file's name, found a text"):
        read(RED)


def test_an_empty_file_has_no_messages() -> None:
    for text in ("", "\n \n", "[]", "[ ]\n"):
        assert list(read(written("m", text))) == []
