"""The options of ``check`` for a project, from the table ``[tool.selector-sql]`` of the nearest pyproject.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from transpiler.base.diagnostics import did_you_mean
from transpiler.base.local_files import read_file
from transpiler.cli.group import fail
from transpiler.cli.inputs import shown

_NAME = "pyproject.toml"


class Config(NamedTuple):
    """The options of a project. ``exclude`` and ``baseline`` are relative to ``directory``, where pyproject.toml is."""

    dialect: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    baseline: tuple[str, ...] = ()
    directory: str = "."


_KEYS = Config._fields[:-1]


def read_config(start: Path) -> Config:
    """Return the options from the nearest pyproject.toml in ``start`` or above; an invalid table ends the command."""
    for directory in (start, *start.parents):
        file = directory / _NAME
        try:
            text = read_file(file).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if "selector-sql" not in text:
            continue
        try:
            table = tomllib.loads(text).get("tool", {}).get("selector-sql")
        except (tomllib.TOMLDecodeError, AttributeError) as error:
            fail(f"{shown(str(file))}: this is not TOML: {error}")
        if table is not None:
            return _of_table(table, file)
    return Config()


def _of_table(table: Any, file: Path) -> Config:
    where = f"{shown(str(file))}: [tool.selector-sql]"
    if not isinstance(table, dict):
        fail(f"{where} is no table")
    for key, value in table.items():
        if key not in _KEYS:
            fail(
                f"{where} has no key {key!a}\n  hint: {did_you_mean(key, _KEYS) or 'its keys are ' + ', '.join(_KEYS)}"
            )
        texts = value if isinstance(value, list) and key != "baseline" else [value]
        if not all(isinstance(text, str) for text in texts):
            kind = "a text" if key == "baseline" else "a text, or a list of texts"
            fail(f"{where}: {key} is {kind}")
    listed = {key: tuple(value) if isinstance(value, list) else (value,) for key, value in table.items()}
    return Config(**listed, directory=str(file.parent))
