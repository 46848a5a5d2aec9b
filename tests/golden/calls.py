"""The answer to a call of a public function: its result, or its error.

An argument in JSON stands for itself, except for an object with one of the keys ``$layout`` (``layouts`` describes it),
``$topology``, ``$message`` (the forms of the dictionaries that the public functions read), ``$publisher`` (its
attributes) and ``$bytes`` (base64).
"""

from __future__ import annotations

import base64
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import transpiler
from tests.golden.layouts import described_layout
from transpiler import Message, Transpiled, TranspilerError, stores, testing, topologies, topology_from_dict
from transpiler.base.diagnostics import Diagnostic
from transpiler.topology.publishing import Publisher

Finding = Callable[[Diagnostic], Any]


def call(name: str, arguments: Iterable[Any], options: Mapping[str, Any], finding: Finding) -> Any:
    """Return the result of the public function ``name``, in a form for JSON, with the warnings that it issues."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            given = {key: _argument(value) for key, value in options.items()}
            result = _shown(_function(name)(*map(_argument, arguments), **given), finding)
        except TranspilerError as error:
            result = {"errors": list(map(finding, error.diagnostics))}
        except (TypeError, ValueError, KeyError) as error:
            result = {type(error).__name__: str(error)}
    return {"result": result, "warnings": [str(each.message) for each in warned]} if warned else result


def _function(name: str) -> Callable[..., Any]:
    modules = (transpiler, topologies, testing, stores)
    return next(getattr(module, name) for module in modules if name in module.__all__)


def _argument(value: Any) -> Any:
    match value:
        case {"$layout": described}:
            return described_layout(described)
        case {"$topology": described}:
            return topology_from_dict(described)
        case {"$message": described}:
            return Message.from_dict(described)
        case {"$publisher": described}:
            return Publisher(**described)
        case {"$bytes": str() as text}:
            return base64.b64decode(text)
        case _:
            return value


def _shown(result: Any, finding: Finding) -> Any:
    match result:
        case Transpiled():
            effect = None if result.in_effect is None else repr(result.in_effect)
            return [result.sql, *map(finding, result.diagnostics), *([effect] if effect else [])]
        case list() | tuple():
            return [_shown(each, finding) for each in result]
        case topologies.Topology():
            return topologies.topology_to_dict(result)
        case str() | bool() | int() | None:
            return result
        case _ if hasattr(result, "to_dict"):
            return result.to_dict()
        case _:
            return repr(result)
