"""Arguments and options of the commands that apply one selector to files, and the job that they describe."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

from spark_ext.cli.archives import StartJob, archive_options
from spark_ext.cli.jobs import click
from transpiler import parse_selector
from transpiler.cli.layouts import rules_options
from transpiler.cli.options import read_text, receiver_options, together
from transpiler.message.receiver import Receiver


class SelectorJob(NamedTuple):
    """A selector, the messages to which it is applied, their layout, and the selector's options as keywords."""

    selector: str
    messages: Any
    layout: Any
    options: dict[str, Any]


def selector_job(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the arguments SELECTOR INPUT... and their options. The command receives them as its parameter ``job``.

    If the selector cannot be parsed or a file does not exist, the command ends before Spark starts, because starting
    takes seconds.
    """

    @wraps(command)
    def with_job(
        selector: str,
        files: tuple[str, ...],
        start_job: StartJob,
        dialect: str,
        missing: str,
        receiver: Receiver,
        **others: Any,
    ) -> Any:
        text = read_text(selector)
        parse_selector(text, dialect)
        rows, where = start_job(files).read()
        options = {"dialect": dialect, "missing": missing, **receiver.keywords}
        return command(job=SelectorJob(text, rows, where, options), **others)

    options = together(
        click.argument("selector"),
        click.argument("files", nargs=-1, required=True, metavar="INPUT..."),
        archive_options,
        rules_options,
        receiver_options,
    )
    return options(with_job)
