"""selector-sql diff: find a message for which two selectors, filters or topologies differ; count such messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import click

from transpiler import Topology
from transpiler.base.diagnostics import one_line
from transpiler.cli.comparables import Condition, condition, read_pair
from transpiler.cli.group import fail
from transpiler.cli.inputs import InputFile, read_text_file, shown
from transpiler.cli.layouts import ChosenLayout, layout_options
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.messages import read_messages
from transpiler.cli.options import (
    connection_option,
    destination_option,
    dialect_option,
    new_dialect_option,
    say_result,
    text_or_json,
)
from transpiler.cli.publications import VirtualHosts, hint_exchange, hint_subscribers, published
from transpiler.cli.topologies import TopologyForm, exchange_option, topology_options
from transpiler.language.filters.sets import FilterSet
from transpiler.message.receiver import Receiver
from transpiler.reference.route import publish
from transpiler.tools.dialect_tools.diff import (
    ConditionDiff,
    TopologyDiff,
    diff_filters,
    diff_selectors,
    diff_topologies,
)
from transpiler.tools.dialect_tools.diff.name_matching import Names
from transpiler.tools.dialect_tools.diff.running_comparison import with_answers
from transpiler.tools.message_files.read_message import ReadMessage
from transpiler.tools.message_files.record_errors import load_record
from transpiler.topology.model import check_exchange


@click.command(
    short_help="Find a message that OLD and NEW treat differently.",
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
        0: "there is no difference, which is proved, and of topologies in no setting; or none of MESSAGES changes",
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
@exchange_option("The exchange that all MESSAGES were published to.")
@click.option(
    "--map",
    "names",
    metavar="FILE",
    type=InputFile(),
    help="For topologies: JSON that maps names of exchanges, queues or destinations of OLD to those of NEW.",
)
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
    form: TopologyForm,
    exchange: str | None,
    names: str | None,
    output_format: str,
    examples: int,
) -> None:
    """Find a message that two selectors, filters or topologies, OLD and NEW, treat differently.

    OLD and NEW are the text of a selector, or a file (NAME or @NAME; - is standard input) that contains a selector, a
    filter or filter set in JSON, or a topology. For topologies, the command also lists the elements that differ.
    Settings that do not affect the routes of messages, such as a time to live, are listed but not judged. Destinations
    of ActiveMQ and Artemis with the same meaning are matched; --map matches others.
    NEW may be the output of a running broker, or a directory of such files: GET /api/queues, /api/exchanges,
    /api/bindings or /api/policies, rabbitmqctl list_queues and its like, artemis queue stat, or Jolokia's responses
    about Artemis and ActiveMQ.
    With MESSAGES, files in the forms that match and route read, the command counts the messages that the change
    affects, and shows some of them; selector-spark diff does the same for more messages than one process can handle.
    """
    first, second = read_pair(old, new, form)
    mapping = {} if names is None else _mapping(names)
    if names is not None and not isinstance(first.value, Topology):
        fail("--map applies only to topologies, not to selectors and filters")
    first.check(dialect)
    second.check(new_dialect or dialect)
    hint_subscribers(first.value, second.value)
    if files:
        changes = _MessageChanges(examples)
        if isinstance(first.value, Topology) and isinstance(second.value, Topology):
            changes.of_topologies(Names(first.value, second.value, mapping), files, layout, exchange)
        else:
            # Use the same current time for all messages.
            receiver = Receiver(destination=destination).timed
            before = condition(first.value, dialect, connection, receiver)
            after = condition(second.value, new_dialect or dialect, connection, receiver)
            changes.of_conditions(before, after, files, layout)
        say_result(changes, output_format)
        raise SystemExit(1 if changes.changed else 0)
    if layout != ChosenLayout():
        fail("--layout and --schema describe files of messages, but no file is given: name the files after NEW")
    result: ConditionDiff | TopologyDiff
    if isinstance(first.value, Topology) and isinstance(second.value, Topology):
        if new_dialect is not None:
            fail("--new-dialect applies only to selectors and filters: a topology has the dialect of its broker")
        result = diff_topologies(first.value, second.value, examples=examples, names=mapping)
        if second.running is not None:
            result = with_answers(result, first.value, second.running)
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


def _mapping(name: str) -> dict[str, str]:
    """Return the mapping in the JSON file ``name``: from names in OLD to names in NEW."""
    data = load_record(read_text_file(name), name)
    if not isinstance(data, dict) or not all(isinstance(of, str) for of in data.values()):
        fail(f'{shown(name)}: a map of names must be an object such as {{"name in OLD": "name in NEW"}}')
    return data


#: Version number of the JSON form of ``_MessageChanges``.
VERSION = 1


class _MessageChanges:
    """The messages that change: those that only OLD, or only NEW, selects or routes to a queue.

    It contains their counts and some examples.
    """

    def __init__(self, max_examples: int) -> None:
        self.messages = self.changed = 0
        self.gained: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self._examples: list[dict[str, Any]] = []
        self._max_examples = max_examples
        self._of_queues = False

    def of_conditions(self, old: Condition, new: Condition, files: Sequence[str], layout: ChosenLayout) -> None:
        """Compare two selectors or filters on the messages in ``files``."""
        for read in read_messages(files, layout, progress=True):
            before, after = old(read.message), new(read.message)
            self._count(
                read.place,
                read.record.text,
                ["messages"] * (after and not before),
                ["messages"] * (before and not after),
            )

    def of_topologies(self, names: Names, files: Sequence[str], layout: ChosenLayout, exchange: str | None) -> None:
        """Compare two topologies on the messages in ``files``, published to ``exchange``.

        If ``exchange`` is None, each message names its exchange.
        """
        # An exchange that only one topology has is a difference to report. It is an error only if both lack it.
        check_exchange(exchange, names.old, names.new)
        self._of_queues = True
        unnamed = 0
        hosts = VirtualHosts(names.old, names.new)
        for read in read_messages(files, layout, progress=True):
            if not hosts.has(read):
                continue
            before, after = _queues(names, read, exchange, of_old=True), _queues(names, read, exchange, of_old=False)
            self._count(read.place, read.record.text, sorted(after - before), sorted(before - after))
            unnamed += exchange is None and not before and not after and read.sent().exchange is None
        hint_exchange(unnamed)
        hosts.hint()

    def _count(self, location: str, text: str, gained: Iterable[str], lost: Iterable[str]) -> None:
        gained, lost = list(gained), list(lost)
        self.messages += 1
        if not gained and not lost:
            return
        self.changed += 1
        self.gained.update(gained)
        self.lost.update(lost)
        if len(self._examples) < self._max_examples:
            self._examples.append({"place": location, "gained": gained, "lost": lost, "message": text})

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form. ``gained`` and ``lost`` count messages; for topologies, messages for each queue."""
        result: dict[str, Any] = {"version": VERSION, "messages": self.messages, "changed": self.changed}
        for name, counts in (("gained", self.gained), ("lost", self.lost)):
            result[name] = dict(sorted(counts.items())) if self._of_queues else counts.total()
        names = ("place", "gained", "lost") if self._of_queues else ("place", "change")
        examples = [one | {"change": "gained" if one["gained"] else "lost"} for one in self._examples]
        result["examples"] = [{name: one[name] for name in names} for one in examples]
        return result

    def __str__(self) -> str:
        if not self.changed:
            return f"none of {self.messages:,} messages changes"
        if not self._of_queues:
            lines = [
                f"{self.changed:,} of {self.messages:,} messages change: "
                f"{self.gained.total():,} won, {self.lost.total():,} lost"
            ]
            for one in self._examples:
                lines.append(f"{'+' if one['gained'] else '-'} {one['place']}: {one_line(one['message'])}")
            return "\n".join(lines)
        lines = [f"{self.changed:,} of {self.messages:,} messages change"]
        for queue in sorted({*self.gained, *self.lost}):
            lines.append(f"  {one_line(queue)}: {self.gained[queue]:,} won, {self.lost[queue]:,} lost")
        for one in self._examples:
            signed = [f"+{queue}" for queue in one["gained"]] + [f"-{queue}" for queue in one["lost"]]
            lines.append(f"{one['place']}: {one_line(' '.join(signed))}")
        return "\n".join(lines)


def _queues(names: Names, read: ReadMessage, exchange: str | None, *, of_old: bool) -> set[str]:
    """Return the names of the queues that the message of ``read`` reaches in OLD (if ``of_old`` is True) or in NEW.

    Queues of OLD are called by their names in NEW. " (possible)" follows the name of a queue that the message reaches
    only if an exchange chooses it, by a hash or at random.
    """
    topology = names.old if of_old else names.new
    target, keys, routing_type = published(read, topology, exchange)
    if not of_old and target is not None:
        target, routing_type = names.send(target, routing_type)
    routed = publish(topology, read.message, target, keys, routing_type=routing_type)
    name = names.of if of_old else str
    return {*map(name, routed.queues), *(f"{name(queue)} (possible)" for queue in routed.possible_queues)}
