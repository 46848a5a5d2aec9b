"""Griffe extension: a table of parameters behind the docstring of every function, method and class that users call.

What each parameter means is in ``parameters.toml``; a test asks that nothing on the API pages is without.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import griffe

_MEANINGS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
#: Classes that their users construct; of others only the library makes objects.
_CONSTRUCTED = {"Publisher"}
#: Parameters that a caller does not give.
_BOUND = {"self", "cls"}


class Parameters(griffe.Extension):
    """Show the options of a function as parameters, and append tables, when a package is loaded."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Expand the options of a function, and append the table of a docstring without arguments."""
        if func.docstring is not None and "Args:" in func.docstring.value:
            _expand(func)
        _append(func, func)

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Append the table of a constructor."""
        if cls.name in _CONSTRUCTED:
            _append(cls, cls)


def _expand(func: griffe.Function) -> None:
    """Put the keys of a TypedDict in the place of ``**options: Unpack[TypedDict]``."""
    for parameter in list(func.parameters):
        annotation = parameter.annotation
        if isinstance(annotation, griffe.ExprSubscript) and annotation.canonical_path == "typing.Unpack":
            keys = func.modules_collection[annotation.slice.canonical_path]
            del func.parameters[parameter.name]
            for key in keys.all_members.values():
                if key.is_attribute:
                    func.parameters[key.name] = griffe.Parameter(
                        key.name, annotation=key.annotation, kind=griffe.ParameterKind.keyword_only, default="..."
                    )


def _append(shown: griffe.Object, called: griffe.Function | griffe.Class) -> None:
    owner = shown.parent
    name = f"{owner.name}.{shown.name}" if owner is not None and owner.is_class else shown.name
    meant = _MEANINGS["shared"] | _MEANINGS.get(name, {})
    parameters = [one for one in called.parameters if one.name not in _BOUND]
    if shown.docstring is None or "Args:" in shown.docstring.value:
        return
    if not parameters or any(one.name not in meant for one in parameters):
        return
    rows = [f"| `{one.name}` | {_default(one)} | {meant[one.name]} |" for one in parameters]
    shown.docstring.value += "\n".join(["\n", "| parameter | default | |", "|---|---|---|", *rows])


def _default(parameter: griffe.Parameter) -> str:
    if parameter.kind in (griffe.ParameterKind.var_keyword, griffe.ParameterKind.var_positional):
        return ""
    if parameter.default is None:
        return "required"
    return {"NO_HEADERS": "none", "tuple(DIALECTS)": "all"}.get(text := str(parameter.default), f"`{text}`")
