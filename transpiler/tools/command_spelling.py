"""Hints rewritten as command-line options: ``--missing null``, ``--layout variant --layout-option column=payload``.

Hints of the library propose arguments and layouts in Python syntax. Text about a DataFrame stays unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.hints import Hint, Setting, StoreCall

#: Names of the arguments in a hint that are command-line options of the same name. All other arguments are options of a
#: layout.
_OPTIONS = ("exchange", "missing", "unknown")


def for_command(finding: Diagnostic) -> Diagnostic:
    """Return ``finding`` with the options and layouts of its hint written in command-line syntax."""
    return finding if finding.hint is None else replace(finding, hint=spelled(finding.hint))


def spelled(hint: str) -> str:
    """Return the text of ``hint`` with its proposed Python arguments written as command-line options."""
    if not isinstance(hint, Hint):
        return hint
    return "".join(part if isinstance(part, str) else " ".join(_words(part)) for part in hint.parts)


def _words(proposal: StoreCall | Setting) -> Iterator[str]:
    """Yield the command-line options that mean the same as the layout call or argument ``proposal``."""
    # Import ``shlex`` here and not at the start, because few commands print a hint.
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
    """Return ``value`` as the text of an option. A call such as ``stores.time('ts', unit='s')`` becomes JSON."""
    import json

    if isinstance(value, StoreCall):
        return json.dumps({value.function: value.column, **value.options})
    return str(value).lower() if isinstance(value, bool) else str(value)
