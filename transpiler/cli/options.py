"""Arguments and options that several commands have: names that the shell completes, filters, receivers, selectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from transpiler import Diagnostic, TranspilerError
from transpiler.base.documents.jsontext import json_text
from transpiler.cli.group import click, command_error_text, fail, say
from transpiler.cli.inputs import InputFile, read_bytes, read_text_file, shown
from transpiler.message.receiver import Receiver
from transpiler.tools.command_spelling import for_command

if TYPE_CHECKING:
    from transpiler.language.filters.sets import FilterSet


class Name(click.types.StringParamType):
    """The type of an option whose value is a name from a list, in upper or lower case.

    ``names`` returns the list. ``others`` maps alternative names, in lower case, to names of the list. An unknown name
    is returned unchanged, and the command reports the error.
    """

    def __init__(
        self, what: str, names: Callable[[], Iterable[str]], others: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.name = what
        self._names = names
        self._others = others

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name of the list that ``value`` means, or ``value`` itself if it is unknown."""
        text = super().convert(value, param, ctx)
        known = {**self._others, **{name.casefold(): name for name in self._names()}}
        return known.get(text.casefold(), text)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG002
        """Return the names that begin with the word ``incomplete``."""
        return completions(self._names(), incomplete)


def completions(names: Iterable[str], incomplete: str) -> list[Any]:
    """Return the completions of the word ``incomplete`` for a shell: the names that begin with it, in any case."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in names if name.casefold().startswith(incomplete.casefold())]


def _dialects() -> Iterable[str]:
    from transpiler.language.selector.dialects import DIALECTS

    return DIALECTS


def _layouts() -> Iterable[str]:
    from transpiler.compiler.stores import STORES

    return ("amqp", "amqp-0-10", *STORES)


#: Types of options: ``DIALECT`` for the name of a dialect, ``LAYOUT`` for the name of a layout.
DIALECT = Name("dialect", _dialects, {"broker-j": "qpid-java"})
LAYOUT = Name("layout", _layouts)


class Result(Protocol):
    """A result that a command can print: as JSON (``to_dict``) or as a text for people (``str``)."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""


def text_or_json(help_text: str) -> Callable[..., Any]:
    """Return the option ``--format`` (text or json), whose parameter is ``output_format``."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help=help_text,
    )


def say_result(result: Result, form: str) -> None:
    """Print ``result`` in the form that ``text_or_json`` chose: "json", or "text" for people."""
    if form == "json":
        click.echo(json_text(result.to_dict(), indent=2))
    else:
        say(str(result))


#: A decorator that adds options to a command.
Options = Callable[[Callable[..., Any]], Callable[..., Any]]


def together(*options: Options) -> Options:
    """Combine decorators into one that adds all their options to a command; the help shows them in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


dialect_option = click.option(
    "--dialect", type=DIALECT, default="jms", show_default=True, help="The broker whose rules hold."
)

new_dialect_option = click.option(
    "--new-dialect", type=DIALECT, help="The broker whose rules hold for NEW  [default: those of OLD]"
)

connection_option = click.option("--connection", help="The receiver's connection, for no-local filters.")

destination_option = click.option(
    "--destination", help="The consumer's destination: JMSDestination of a message that does not say its own."
)


def receiver_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a command with ``--now`` and ``--destination``, and pass their values to it as ``receiver``."""

    @wraps(command)
    def with_receiver(now: int | None, destination: str | None, **others: Any) -> Any:
        return command(receiver=Receiver(now, destination), **others)

    options = together(
        click.option(
            "--now",
            type=int,
            metavar="MILLISECONDS",
            help="The current time since the epoch, for UTC() and for JMSExpiration by a ttl. Default: the clock's.",
        ),
        destination_option,
    )
    return options(with_receiver)


def filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options --filter and --filter-bytes, which replace the selector.

    The command receives the filter set as its parameter ``filters``; None without such an option.
    """

    @wraps(command)
    def with_filters(filter_file: str | None, filter_bytes: str | None, unknown: Any, **others: Any) -> Any:
        return command(filters=_read_filter(filter_file, filter_bytes, unknown), **others)

    options = together(
        click.option(
            "--filter",
            "filter_file",
            type=InputFile(),
            help="A filter or a filter set as JSON, in the place of SELECTOR; - is standard input.",
        ),
        click.option(
            "--filter-bytes",
            type=InputFile(),
            help="The same as AMQP 1.0 bytes: the filter map, a source or attach that has it, or frames.",
        ),
        connection_option,
        click.option(
            "--unknown",
            type=click.Choice(["error", "ignore"]),
            default="error",
            show_default=True,
            help="What a filter with an unknown descriptor is.",
        ),
    )
    return options(with_filters)


def _read_filter(filter_file: str | None, filter_bytes: str | None, unknown: Any) -> FilterSet | None:
    if filter_file is not None and filter_bytes is not None:
        fail("--filter and --filter-bytes are two ways to give one filter set: give one of them")
    name = filter_bytes if filter_file is None else filter_file
    if name is None:
        return None
    # The readers of filters are imported only if the command has a filter.
    from transpiler.language.filters.sets import read_filters

    given = read_bytes(name) if filter_file is None else read_text_file(name)
    try:
        return read_filters(given, unknown)
    except TranspilerError as error:
        fail(f"{shown(name)}: {command_error_text(error)}")


def read_text(selector: str) -> str:
    """Return the argument ``selector``, or the text of standard input if it is "-"."""
    if selector != "-":
        return selector
    return read_text_file("-").strip("\n")


quiet_option = click.option("-q", "--quiet", is_flag=True, help="No warnings.")


def warn(findings: tuple[Diagnostic, ...], every: bool = False) -> None:
    """Print ``findings`` on standard error.

    Unless ``every`` is True, only the first of several findings with the same code is printed, with the number of the
    others. Findings about a position in a selector are all printed.
    """
    counted = [not every and (finding.span is None or finding.path is not None) for finding in findings]
    alike = Counter(finding.code for finding, is_counted in zip(findings, counted, strict=True) if is_counted)
    for finding, is_counted in zip(findings, counted, strict=True):
        others = alike.pop(finding.code, 0) - 1 if is_counted else 0
        if others > 0:
            more = f"{finding.message}; {others:,} more like it, which selector-sql topology --report shows"
            finding = replace(finding, message=more)
        if others >= 0:
            click.echo(for_command(finding).render(), err=True)
