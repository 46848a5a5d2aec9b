"""selector-sql diff: a message on which two selectors, filters or topologies part."""

from __future__ import annotations

from typing import Any

import click

from transpiler import Topology
from transpiler.cli.comparables import read_pair
from transpiler.cli.completion import complete_exchanges
from transpiler.cli.group import fail
from transpiler.cli.layouts import ChosenLayout, layout_options
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.message_changes import MessageChanges, condition
from transpiler.cli.options import (
    connection_option,
    destination_option,
    dialect_option,
    new_dialect_option,
    say_result,
    text_or_json,
)
from transpiler.cli.topologies import topology_options
from transpiler.dialect_tools.diff import ConditionDiff, TopologyDiff, diff_filters, diff_selectors, diff_topologies
from transpiler.filters.sets import FilterSet
from transpiler.reference.receiving import Receiver


@click.command(
    short_help="Find a message on which OLD and NEW part.",
    cls=ManualCommand,
    examples=[
        Example("Find a message that a change wins or loses", 'selector-sql diff "weight > 2500" "weight >= 2500"'),
        Example(
            "Find a message on which two brokers disagree",
            'selector-sql diff "color <> 5" "color <> 5" --new-dialect activemq',
        ),
        Example("Compare two topologies", "selector-sql diff old.json new.json"),
        Example(
            "Count the messages of a file that a change wins and loses",
            'selector-sql diff "speed > 5" "speed >= 5" messages.jsonl',
        ),
    ],
    exits={
        0: "there is no difference, which is proved; or none of MESSAGES changes",
        1: "there is a difference, with a message for each direction; or some of MESSAGES change",
        3: "it is not decided, and the output says why",
    },
)
@click.argument("old")
@click.argument("new")
@click.argument("files", nargs=-1, metavar="[MESSAGES]...")
@layout_options
@dialect_option
@new_dialect_option
@connection_option
@destination_option
@topology_options
@click.option("--exchange", shell_complete=complete_exchanges, help="The exchange of MESSAGES that name none.")
@text_or_json("How to print the result.")
@click.option("--examples", type=click.IntRange(min=0), default=5, show_default=True, help="Messages to show.")
def diff(
    old: str,
    new: str,
    files: tuple[str, ...],
    layout: ChosenLayout,
    dialect: str,
    new_dialect: str | None,
    connection: str | None,
    destination: str | None,
    form: Any,
    vhost: str | None,
    exchange: str | None,
    output_format: str,
    examples: int,
) -> None:
    """Find a message on which OLD and NEW part: two selectors, two filters, or two topologies.

    OLD and NEW are the text of a selector, or a file (NAME or @NAME; - is standard input): a selector, a filter or
    filter set in JSON, or a topology, as the contents show. For topologies the parts that differ are listed as well.
    With MESSAGES, files as match and route read them, the messages that change are counted, and some are shown;
    selector-spark diff does so on what is too much for one process.
    """
    first, second = read_pair(old, new, form, vhost)
    first.check(dialect)
    second.check(new_dialect or dialect)
    if files:
        changes = MessageChanges(examples)
        if isinstance(first.value, Topology) and isinstance(second.value, Topology):
            changes.of_topologies(first.value, second.value, files, layout, exchange)
        else:
            # All messages are received at one time.
            now = Receiver(None).time
            before = condition(first.value, dialect, connection, now, destination)
            after = condition(second.value, new_dialect or dialect, connection, now, destination)
            changes.of_conditions(before, after, files, layout)
        say_result(changes, output_format)
        raise SystemExit(1 if changes.changed else 0)
    if layout != ChosenLayout():
        fail("--layout and --schema say how to read messages: give the files that have some behind NEW")
    result: ConditionDiff | TopologyDiff
    if isinstance(first.value, Topology) and isinstance(second.value, Topology):
        if new_dialect is not None:
            fail("--new-dialect is for selectors and filters: a topology has the dialect of its broker")
        result = diff_topologies(first.value, second.value, examples=examples)
    elif isinstance(first.value, str) and isinstance(second.value, str):
        result = diff_selectors(first.value, second.value, dialect, new_dialect, destination=destination)
    else:
        assert isinstance(first.value, FilterSet)
        assert isinstance(second.value, FilterSet)
        result = diff_filters(
            first.value, second.value, dialect, new_dialect, connection=connection, destination=destination
        )
    say_result(result, output_format)
    if result.differs:
        raise SystemExit(1)
    raise SystemExit(3 if isinstance(result, ConditionDiff) and result.not_decided else 0)
