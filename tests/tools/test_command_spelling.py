"""Proposals of hints as a command line spells them."""

from __future__ import annotations

import pytest

from transpiler.tools.command_spelling import spelled

#: Hints of the library, and those of a command.
HINTS = {
    "missing='null' reads it as absent": "--missing null reads it as absent",
    "perhaps unknown='ignore'": "perhaps --unknown ignore",
    "stores.variant('v'); b: stores.variant('w', json=True)": "--layout variant --layout-option column=v; b: "
    "--layout variant --layout-option column=w --layout-option json=true",
    "stores.text_map('my tags', types='by-use'), or": "--layout text-map --layout-option 'column=my tags' "
    "--layout-option types=by-use, or",
    "stores.struct('s', schema=df.schema)": "--layout struct --layout-option column=s --schema SCHEMA",
    "types='by-use' or types={'a': 'DOUBLE', '*': 'json'} always": "--layout-option types=by-use or "
    "--layout-option types.a=DOUBLE --layout-option 'types.*=json' always",
    "perhaps infer_layout(df, headers={'JMSType': 'kind'}), or": "perhaps --layout-option headers.JMSType=kind, or",
    "headers={'JMSType': 'kind'} reads it": "--layout-option headers.JMSType=kind reads it",
    "headers={'JMSPriority': stores.number('p')}": '--layout-option \'headers.JMSPriority={"number": "p"}\'',
    "headers={'JMSTimestamp': stores.time('t', unit='s')}": "--layout-option "
    '\'headers.JMSTimestamp={"time": "t", "unit": "s"}\'',
}

#: Hints that are about a DataFrame, or cut short.
KEPT = (
    "infer_layout(df, struct='kind'), or x",
    "stores.text_map('p', types=…), with 'x'",
    "write missing = 'null'",
    "types=' and stores.variant(",
    "did you mean red?",
    "the columns are stores.variant(x), types={a}, headers={**b}, missing='",
    "stores.variant(" + "(" * 300 + ")",
)


@pytest.mark.parametrize(("hint", "command"), HINTS.items())
def test_a_hint_is_spelled_as_a_command(hint: str, command: str) -> None:
    assert spelled(hint) == command


@pytest.mark.parametrize("hint", KEPT)
def test_a_hint_about_something_else_is_kept(hint: str) -> None:
    assert spelled(hint) == hint
