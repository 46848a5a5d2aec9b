"""Lazy imports: a module of a package is imported at the first use of one of its names, so that programs start fast."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any


def names_on_demand(
    package: str, modules_by_name: Mapping[str, str], modules: Collection[str] = (), before: str | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the functions ``__getattr__`` and ``__dir__`` of a package that imports its modules on first use.

    Args:
        package: The name of the package.
        modules_by_name: For each name that the package offers, the module that defines it.
        modules: The submodules that the package offers themselves, by name.
        before: A module to import before any other, which raises an error if a requirement is missing; None for none.
    """

    def get(name: str) -> Any:
        if name not in modules_by_name and name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if before is not None:
            import_module(before)
        if name in modules:
            return import_module(f"{package}.{name}")
        value = getattr(import_module(modules_by_name[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules_by_name, *modules})

    return get, listed
