"""Griffe extension: shows ``**options: Unpack[TypedDict]`` of a function as the keywords that they are."""

from __future__ import annotations

from typing import Any

import griffe


class Parameters(griffe.Extension):
    """Show the options of a function as parameters, when a package is loaded."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Put the keys of a TypedDict in the place of the options of a function."""
        _expand(func)


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
