"""Hints in the spelling of a command line: ``--missing null``, ``--layout variant --layout-option column=payload``.

A hint of the library proposes arguments and layouts, which have Python's spelling as text. What is about a DataFrame
stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.hints import Hint, Setting, StoreCall

#: The arguments that are options of a command; all others are a layout's.
_OPTIONS = ("exchange", "missing", "unknown")


def for_command(finding: Diagnostic) -> Diagnostic:
    """Return a finding with the options and layouts of its hint as they are spelled on a command line."""
    return finding if finding.hint is None else replace(finding, hint=spelled(finding.hint))


def spelled(hint: str) -> str:
    """Return a hint whose proposals are options of a command."""
    if not isinstance(hint, Hint):
        return hint
    return "".join(part if isinstance(part, str) else " ".join(_words(part)) for part in hint.parts)


def _words(proposal: StoreCall | Setting) -> Iterator[str]:
    """Yield the words of a command line that say what a call or an argument says."""
    # Few commands show a hint.
    import shlex

    if isinstance(proposal, StoreCall):
        yield f"--layout {proposal.function.replace('_', '-')}"
    arguments = (
        {proposal.name: proposal.value}
        if isinstance(proposal, Setting)
        else {**({} if proposal.column is None else {"column": proposal.column}), **proposal.options}
    )
    for name, value in arguments.items():
        if name in _OPTIONS:
            yield f"--{name} {shlex.quote(_text(value))}"
        elif name == "schema":
            yield "--schema SCHEMA"
        elif isinstance(value, Mapping):
            for key, inner in value.items():
                yield f"--layout-option {shlex.quote(f'{name}.{key}={_text(inner)}')}"
        else:
            yield f"--layout-option {shlex.quote(f'{name}={_text(value)}')}"


def _text(value: object) -> str:
    """Return a value as an option's text: an object for a reading, such as ``stores.time('ts', unit='s')``."""
    import json

    if isinstance(value, StoreCall):
        return json.dumps({value.function: value.column, **value.options})
    return str(value).lower() if isinstance(value, bool) else str(value)
