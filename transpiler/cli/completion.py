"""Names that a command takes in any case, and that the shell completes: dialects, layouts, virtual hosts, exchanges."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from transpiler.cli.group import click


class Name(click.types.StringParamType):
    """A name of a known set, in any case; another one stays as it is, for the command says what is wrong with it."""

    def __init__(self, what: str, names: Callable[[], Iterable[str]]) -> None:
        self.name = what
        self._names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name as it is spelled in the set."""
        text = super().convert(value, param, ctx)
        known = {name.casefold(): name for name in self._names()}
        return known.get(text.casefold(), text)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG002
        """Return the names that begin like the word."""
        return completions(self._names(), incomplete)


def completions(names: Iterable[str], incomplete: str) -> list[Any]:
    """Return the names that begin like a word, whatever their case, for a shell."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in names if name.casefold().startswith(incomplete.casefold())]


def _dialects() -> Iterable[str]:
    from transpiler.selector.dialects import DIALECTS

    return DIALECTS


def _layouts() -> Iterable[str]:
    from transpiler.stores import STORES

    return ("amqp", "amqp-0-10", *STORES)


#: The types of the options for a dialect and for a layout.
DIALECT = Name("dialect", _dialects)
LAYOUT = Name("layout", _layouts)


def complete_vhosts(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG001
    """Complete the name of a virtual host of the topology's file before it."""
    return _of_file(ctx, "vhosts", incomplete)


def complete_exchanges(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG001
    """Complete the name of an exchange of the topology's file before it."""
    return _of_file(ctx, "exchanges", incomplete)


def _of_file(ctx: click.Context, what: str, incomplete: str) -> list[Any]:
    from transpiler.topology.files import parse_topology, vhosts_of

    name = ctx.params.get("topology") or _first_file()
    if not isinstance(name, str) or name == "-":
        return []
    try:
        with open(name, encoding="utf-8-sig") as file:
            text = file.read()
        if what == "vhosts":
            return completions(vhosts_of(text, name), incomplete)
        topology = parse_topology(text, name, vhost=ctx.params.get("vhost"))
        return completions(filter(None, topology.exchange_by_name), incomplete)
    except (OSError, ValueError):
        # A shell has no place for an error.
        return []


def _first_file() -> str | None:
    """Return the first file on the command line that the shell completes.

    click gives an argument no value where the option before the word has none yet.
    """
    from click.shell_completion import split_arg_string

    words = split_arg_string(os.environ.get("COMP_WORDS", ""))
    return next((word for word in words[1:] if os.path.isfile(word)), None)
