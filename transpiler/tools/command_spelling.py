"""Hints in the spelling of a command line: ``--missing null``, ``--layout variant --layout-option column=payload``.

A hint of the library proposes arguments and layouts as Python has them. What is about a DataFrame stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.base.diagnostics import Diagnostic

if TYPE_CHECKING:
    import ast

#: The beginning of a layout, or of an argument; that of a call which has no command stays as it is.
_PROPOSAL = re.compile(r"(?<![\w.(])(?:(infer_layout\()|stores\.\w+\(|(?:missing|unknown|types|headers)=(?=['{]))")
_ENDS = re.compile(r"[)}'\"]")

#: The arguments that are options of a command; all others are a layout's.
_OPTIONS = ("missing", "unknown")

#: The argument of a store's function that may stand without its name.
_COLUMN = "column"


def for_command(finding: Diagnostic) -> Diagnostic:
    """Return a finding with the options and layouts of its hint as they are spelled on a command line."""
    return finding if finding.hint is None else replace(finding, hint=spelled(finding.hint))


def spelled(hint: str) -> str:
    """Return a hint whose proposals are options of a command."""
    parts: list[str] = []
    at = 0
    for found in _PROPOSAL.finditer(hint):
        call = _call(hint, found.start()) if found.start() >= at else None
        # The hint may quote anything.
        with suppress(ValueError):
            if call is not None:
                tree, end = call
                # Of a schema's own layout a command has the header fields as options.
                is_kept = found[1] and {each.arg for each in tree.keywords} != {"headers"}
                words = hint[found.start() : end] if is_kept else " ".join(_words(tree))
                parts += [hint[at : found.start()], words]
                at = end
    return "".join(parts) + hint[at:]


def _call(hint: str, start: int) -> tuple[ast.Call, int] | None:
    """Return the call at a place, or the argument as one of a call, and its end; None where it is neither."""
    import ast

    for found in _ENDS.finditer(hint, start):
        code = hint[start : found.end()]
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            tree = ast.parse(code if code.endswith(")") else f"_({code})", mode="eval").body
            if isinstance(tree, ast.Call):
                return tree, found.end()
    return None


def _words(call: ast.Call) -> Iterator[str]:
    """Yield the words of a command line that say what a call of a store's function says, or its arguments alone."""
    import ast
    import shlex

    if isinstance(call.func, ast.Attribute):
        yield f"--layout {call.func.attr.replace('_', '-')}"
    positional = call.args if isinstance(call.func, ast.Attribute) else ()
    arguments = [(_COLUMN, argument) for argument in positional]
    arguments += [(keyword.arg or "", keyword.value) for keyword in call.keywords]
    for name, value in arguments:
        if name in _OPTIONS:
            yield f"--{name} {shlex.quote(_text(value))}"
        elif name == "schema":
            yield "--schema SCHEMA"
        elif isinstance(value, ast.Dict):
            for key, inner in zip(value.keys, value.values, strict=True):
                yield f"--layout-option {shlex.quote(f'{name}.{_text(key)}={_text(inner)}')}"
        else:
            yield f"--layout-option {shlex.quote(f'{name}={_text(value)}')}"


def _text(value: ast.expr | None) -> str:
    """Return a value as the text that an option has: of a reading, ``stores.time('ts', unit='s')``, an object.

    ``ValueError`` where it is no value.
    """
    import ast
    import json

    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        [place] = value.args
        others = {keyword.arg or "": _text(keyword.value) for keyword in value.keywords}
        return json.dumps({value.func.attr: _text(place), **others})
    if value is None:
        raise ValueError(value)
    constant = ast.literal_eval(value)
    return str(constant).lower() if isinstance(constant, bool) else str(constant)
