"""Proposals of hints in the spelling of a command line."""

from __future__ import annotations

import pickle

import pytest

from transpiler import TranspilerError, transpile_selector
from transpiler.base.hints import Hint, Setting, StoreCall, Verbatim, joined
from transpiler.tools.command_spelling import spelled

#: Hints in Python's spelling, and in the spelling of a command.
HINTS = (
    (
        Hint("perhaps treat the field as absent: ", Setting("missing", "null")),
        "perhaps treat the field as absent: missing='null'",
        "perhaps treat the field as absent: --missing null",
    ),
    (
        Hint(Setting("exchange", Verbatim("NAME")), "; ", Setting("exchange", ""), " is the default one"),
        "exchange=NAME; exchange='' is the default one",
        "--exchange NAME; --exchange '' is the default one",
    ),
    (Hint("perhaps ", Setting("unknown", "ignore")), "perhaps unknown='ignore'", "perhaps --unknown ignore"),
    (
        joined([Hint(StoreCall("variant", "v")), Hint("b: ", StoreCall("variant", "w", {"json": True}))]),
        "stores.variant('v'); b: stores.variant('w', json=True)",
        "--layout variant --layout-option column=v; b: "
        "--layout variant --layout-option column=w --layout-option json=true",
    ),
    (
        Hint(StoreCall("text_map", "my tags", {"types": "by-use"}), ", or"),
        "stores.text_map('my tags', types='by-use'), or",
        "--layout text-map --layout-option 'column=my tags' --layout-option types=by-use, or",
    ),
    (
        Hint(StoreCall("struct", "s", {"schema": Verbatim("df.schema")})),
        "stores.struct('s', schema=df.schema)",
        "--layout struct --layout-option column=s --schema SCHEMA",
    ),
    (
        Hint(Setting("types", {"a": "DOUBLE", "*": "json"}), " always"),
        "types={'a': 'DOUBLE', '*': 'json'} always",
        "--layout-option types.a=DOUBLE --layout-option 'types.*=json' always",
    ),
    (
        Hint("perhaps ", Setting("headers", {"JMSType": "kind"}, of_schema=True), ", or"),
        "perhaps infer_layout(df, headers={'JMSType': 'kind'}), or",
        "perhaps --layout-option headers.JMSType=kind, or",
    ),
    (
        Hint(Setting("headers", {"JMSPriority": StoreCall("number", "p")})),
        "headers={'JMSPriority': stores.number('p')}",
        '--layout-option \'headers.JMSPriority={"number": "p"}\'',
    ),
    (
        Hint(Setting("headers", {"JMSTimestamp": StoreCall("time", "t", {"unit": "s"})})),
        "headers={'JMSTimestamp': stores.time('t', unit='s')}",
        '--layout-option \'headers.JMSTimestamp={"time": "t", "unit": "s"}\'',
    ),
)

#: Hints that propose no option, whatever they quote. They stay unchanged.
KEPT = (
    "infer_layout(df, struct='kind'), or x",
    "write missing = 'null'",
    "perhaps stores.map('x')",
)


@pytest.mark.parametrize(("hint", "text", "command"), HINTS)
def test_a_hint_is_spelled_in_python_and_as_a_command(hint: Hint, text: str, command: str) -> None:
    assert (hint, spelled(hint)) == (text, command)
    assert spelled(pickle.loads(pickle.dumps(hint))) == command


@pytest.mark.parametrize("hint", KEPT)
def test_a_hint_that_proposes_nothing_is_kept(hint: str) -> None:
    assert spelled(hint) == spelled(Hint(hint)) == hint


#: Selectors and schemas, and the proposal that a command prints.
REFUSED = (
    ("colour = 'red'", "color STRING", "did you mean color"),
    ("tenant = 'a'", "weight INT", "perhaps treat unknown names as missing properties: --missing null"),
    ("tags = 'a'", "tags MAP<STRING, STRING>", "--layout text-map --layout-option column=tags"),
    (
        "x = 1 AND tags > 'a'",
        "x INT, tags VARIANT",
        "perhaps read the properties from this column: --layout variant --layout-option column=tags",
    ),
)


@pytest.mark.parametrize(("selector", "schema", "command"), REFUSED)
def test_the_hint_of_an_error_keeps_its_proposals(selector: str, schema: str, command: str) -> None:
    with pytest.raises(TranspilerError) as caught:
        transpile_selector(selector, schema)
    assert command in spelled(caught.value.diagnostics[0].hint or "")
