"""selector-sql topology: list or draw a topology, and report dead or duplicate entries and loops in it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

import click

from transpiler import Topology
from transpiler.base.documents.jsontext import json_text
from transpiler.base.errors import TopologyError
from transpiler.cli.group import fail, say_data
from transpiler.cli.inputs import FileOrDirectory, InputFile, read_text_file
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.topologies import TopologyForm, topology_options
from transpiler.tools.message_files.record_errors import load_record
from transpiler.tools.topology_report.findings import VERSION, TopologyReport, alike, rows
from transpiler.tools.topology_report.findings import report as make_report
from transpiler.tools.topology_report.labels import Finding
from transpiler.tools.topology_report.listing import listing
from transpiler.tools.topology_report.operator_questions import QUESTIONS
from transpiler.tools.topology_report.operator_questions import reads as who_reads
from transpiler.tools.topology_report.permissions import allowed
from transpiler.tools.topology_report.picture import draw_all, draw_page
from transpiler.tools.topology_report.summary import Summary
from transpiler.tools.topology_report.ways_in import fills as what_fills
from transpiler.topology.displayed_addresses import addresses_of, counts_of
from transpiler.topology.graph import narrow
from transpiler.topology.importers.native_format import topology_to_dict
from transpiler.topology.model import unknown_name

_PICTURES = ("mermaid", "dot", "svg", "html", "json")


@click.command(
    short_help="List or draw TOPOLOGY, or report what is wrong in it.",
    cls=ManualCommand,
    examples=[
        Example(
            "List queues that nothing reaches and bindings that never match",
            "selector-sql topology definitions.json --report",
        ),
        Example(
            "Report on several files, and on all virtual hosts of each",
            "selector-sql topology old.json new.json --report",
        ),
        Example("List what is near a queue", "selector-sql topology definitions.json --around orders.3"),
        Example(
            "List queues that lose what is rejected, expires or exceeds a limit",
            "selector-sql topology definitions.json --ask losses",
        ),
        Example("Say which policy is in effect at each queue", "selector-sql topology definitions.json --ask policies"),
        Example(
            "Say how often a queue retries, and how long it waits",
            "selector-sql topology definitions.json --ask retries",
        ),
        Example(
            "Say by which ways messages come to a queue, each with one",
            "selector-sql topology definitions.json --fills orders.3",
        ),
        Example("Say which bindings read a header", "selector-sql topology definitions.json --reads area"),
        Example("Draw it for a page of Markdown", "selector-sql topology definitions.json --format mermaid"),
        Example(
            "Fail a build whose topology loses messages",
            "selector-sql topology definitions.json --report --fail-on error",
        ),
        Example(
            "Write one page with the picture, a search and the report",
            "selector-sql topology definitions.json --format html > topology.html",
        ),
    ],
    exits={
        0: "it is listed, drawn or reported on; with --fail-on there is no finding, or none that is an error",
        1: "with --fail-on: there is one",
    },
)
@click.argument("topology", nargs=-1, required=True, type=FileOrDirectory())
@topology_options
@click.option(
    "--format",
    "picture",
    type=click.Choice((*_PICTURES, "text"), case_sensitive=False),
    help="A listing, Mermaid, Graphviz, SVG, one HTML page, or the topology in this project's own form; with --report "
    "text, json or html  [default: text].",
)
@click.option("--report", is_flag=True, help="What is dead, double or in a loop, in the place of the listing.")
@click.option(
    "--ask",
    type=click.Choice([*QUESTIONS], case_sensitive=False),
    help="In the place of the listing: queues that lose a message when it is rejected, expires or exceeds a limit; "
    "which policy or address setting is in effect, with its values and those that it hides, and which match nothing; "
    "retries, with the waits, the number of deliveries and the end; "
    "two bindings that overlap, with a message; shapes of bindings; selectors that are slow in the broker.",
)
@click.option(
    "--fills",
    metavar="QUEUE",
    help="In the place of the listing: each way by which messages come to a queue, with one.",
)
@click.option("--reads", metavar="NAME", help="In the place of the listing: who reads a property, by which tests.")
@click.option(
    "--user",
    metavar="NAME",
    help="In the place of the listing: what a user of RabbitMQ may do at exchanges and queues.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["warning", "error"], case_sensitive=False),
    help="With --report: exit with 1 if there is a finding, or one that is an error.",
)
@click.option(
    "--counts",
    type=InputFile(),
    help="What route --summary counted: messages at each exchange and queue.",
)
@click.option("--exchange", "exchanges", multiple=True, metavar="NAME", help="Only what this exchange leads to.")
@click.option("--queue", "queues", multiple=True, metavar="NAME", help="Only what leads to this queue.")
@click.option("--around", multiple=True, metavar="NAME", help="Only what is near this exchange or queue.")
@click.option("--distance", default=1, show_default=True, type=click.IntRange(0), help="Bindings away, for --around.")
def topology(
    topology: tuple[str, ...],
    form: TopologyForm,
    picture: str | None,
    report: bool,
    ask: str | None,
    fills: str | None,
    reads: str | None,
    user: str | None,
    fail_on: str | None,
    counts: str | None,
    exchanges: tuple[str, ...],
    queues: tuple[str, ...],
    around: tuple[str, ...],
    distance: int,
) -> None:
    """List or draw the exchanges, bindings and queues of TOPOLOGY, or report mistakes in it.

    Alike bindings and queues are one line of the listing. From 200 exchanges and queues on, alike ones are drawn as
    groups. Of several files, all virtual hosts and brokers have their listings, reports and answers one after the
    other, and a frame each in one picture; files without a name in --exchange, --queue, --around, --fills or --user are
    left out. Of a directory, RabbitMQ's definitions in its files are one topology.
    """
    questions = (("--ask", ask), ("--fills", fills), ("--reads", reads), ("--user", user))
    asked = [name for name, value in questions if value is not None]
    if len(asked) + report > 1:
        fail("--report, --ask, --fills, --reads and --user each replace the listing: give only one of them")
    if fail_on is not None and not report:
        fail("--fail-on selects findings of a report, but no report is requested: add --report")
    chosen = picture or "text"
    if asked and chosen not in ("text", "json"):
        fail(f"an answer can be printed as text or json, not as {chosen}")
    if report and chosen not in ("text", "json", "html"):
        fail(f"a report can be printed as text, json or html, not as {chosen}")
    read = form.read_all(topology, every=report)
    names = _Names(exchanges, queues, around, distance)
    if asked:
        if ask is not None:
            answers = _answers(names.narrowed(_shown(read)), QUESTIONS[ask])
        elif fills is not None:
            answers = _answers(read, lambda one: what_fills(one, fills))
        elif reads is not None:
            answers = _answers(names.narrowed(_shown(read)), lambda one: who_reads(one, reads))
        else:
            answers = _answers(names.narrowed(_shown(read)), lambda one: allowed(one, user or ""))
        _answer(answers, chosen)
        return
    whole = read if chosen == "json" and not report else _shown(read)
    where = names.narrowed(whole)
    counted = summary = None
    if counts is not None:
        if len(whole) > 1:
            fail("--counts applies to a single topology: give one file, and --vhost if it has several virtual hosts")
        counted = Summary.from_dict(load_record(read_text_file(counts), counts))
        summary = _within(where[0][1], whole[0][1], counted)
    found: list[tuple[str, TopologyReport]] = []
    if report or chosen == "html":
        of_whole = None if counted is None else _within(whole[0][1], whole[0][1], counted)
        topologies = dict(whole)
        found = [(name, make_report(topologies[name], of_whole).within(one)) for name, one in where]
    if chosen == "html":
        click.echo(draw_page(found, summary, _title(topology, len(where))))
    elif report:
        _print_reports(found, chosen)
    elif chosen == "json":
        _print_forms(where)
    elif chosen == "text":
        _print_texts([(name, listing(one, summary, **_columns())) for name, one in where])
    else:
        say_data(draw_all(where, chosen, summary).rstrip("\n"))
    if fail_on is not None and any(one.has(fail_on) for _, one in found):
        raise SystemExit(1)


#: Topologies, each with the name of its file, and of its virtual host or broker if the file has several.
_Named = list[tuple[str, Topology]]


class _Names(NamedTuple):
    """The names of exchanges and queues that the user chose, to show only a part of a topology."""

    exchanges: tuple[str, ...]
    queues: tuple[str, ...]
    around: tuple[str, ...]
    distance: int

    def narrowed(self, topologies: _Named) -> _Named:
        """Return the parts of ``topologies`` around the chosen names; topologies without any of the names are left out.

        End the command with an error if no topology has one of the names.
        """
        if not (self.exchanges or self.queues or self.around):
            return topologies
        if len(topologies) == 1:
            return [(name, narrow(one, **self._asdict())) for name, one in topologies]
        kept = [(name, one, self._of(one)) for name, one in topologies]
        for option, chosen in self._asdict().items():
            for name in chosen if option != "distance" else ():
                if not any(name in getattr(of, option) for _, _, of in kept):
                    what = {"exchanges": "exchange", "queues": "queue"}.get(option, "exchange or queue")
                    known = [other for _, one in topologies for other in (*one.exchange_by_name, *one.queue_names)]
                    raise unknown_name(what, name, dict.fromkeys(known), topologies[0][1].rules.predeclared)
        return [(name, narrow(one, **of._asdict())) for name, one, of in kept if of.exchanges or of.queues or of.around]

    def _of(self, topology: Topology) -> _Names:
        """Return the chosen names that occur in ``topology``."""
        exchanges = tuple(name for name in self.exchanges if name in topology.exchange_by_name)
        queues = tuple(name for name in self.queues if name in topology.queue_names)
        known = {*topology.exchange_by_name, *topology.queue_names}
        return _Names(exchanges, queues, tuple(name for name in self.around if name in known), self.distance)


def _shown(topologies: _Named) -> _Named:
    """Return the topologies as reports show them: a JMS broker has addresses instead of exchanges."""
    return [(name, addresses_of(one)) for name, one in topologies]


def _title(files: tuple[str, ...], count: int) -> str:
    """Return the title of the page of ``count`` topologies in ``files``."""
    if len(files) > 1:
        return f"{count:,} topologies"
    return "Topology" if files == ("-",) else files[0].replace("\\", "/").rstrip("/").rpartition("/")[2]


def _columns() -> Mapping[str, int]:
    return {"columns": shutil.get_terminal_size().columns} if sys.stdout.isatty() else {}


def _print_texts(texts: list[tuple[str, str]]) -> None:
    """Print texts about topologies, each after the name of its topology if it has one."""
    say_data("\n\n".join(f"{name}\n{text}" if name else text for name, text in texts))


def _print_forms(topologies: _Named) -> None:
    """Print topologies in the project's own form as JSON."""
    forms = [{"topology": name, "form": topology_to_dict(one)} for name, one in topologies]
    several = {"version": VERSION, "topologies": forms}
    click.echo(json_text(several if topologies[0][0] else forms[0]["form"], indent=2))


def _of(name: str) -> Mapping[str, str]:
    """Return a JSON member with the topology's name, with which each JSON line about it begins.

    Return no member if ``name`` is empty, because there is only one topology.
    """
    return {"topology": name} if name else {}


def _print_reports(reports: list[tuple[str, TopologyReport]], form: str) -> None:
    if form != "json":
        _print_texts([(name, one.render(**_columns())) for name, one in reports])
        return
    listed = [{**_of(name), **one.to_dict()} for name, one in reports]
    click.echo(json_text({"version": VERSION, "reports": listed} if reports[0][0] else listed[0], indent=2))


def _answers(topologies: _Named, question: Callable[[Topology], Iterable[Finding]]) -> list[tuple[str, list[Finding]]]:
    """Call ``question`` for each topology; return the name of each topology and what ``question`` found in it.

    A topology that lacks the queue or exchange in question is skipped. If every topology is skipped, raise the first
    ``TopologyError``.
    """
    found: list[tuple[str, list[Finding]]] = []
    unknown: list[TopologyError] = []
    for name, one in topologies:
        try:
            found.append((name, [*question(one)]))
        except TopologyError as error:
            if error.diagnostics[0].code != "topology.unknown":
                raise
            unknown.append(error)
    if not found and unknown:
        raise unknown[0]
    return found


def _answer(answers: list[tuple[str, list[Finding]]], form: str) -> None:
    if form != "json":
        columns = _columns().get("columns", 10_000)
        texts = [(name, rows(alike(found), columns, most=len(found))) for name, found in answers]
        _print_texts([(name, "\n".join(line[2:] for line in lines) if lines else "none") for name, lines in texts])
        return
    named = [
        {**_of(name), **one.names(), "subject": one.subject, "reason": one.reason, **one.details}
        for name, found in answers
        for one in found
    ]
    click.echo(json_text({"version": VERSION, "answers": named}, indent=2))


def _within(topology: Topology, whole: Topology, summary: Summary) -> Summary:
    """Reduce ``summary``, the numbers of messages in the topology ``whole``, to its part ``topology``.

    If ``topology`` is ``whole``, the numbers for queues that the configuration does not contain are kept.
    """
    exchanges = counts_of(whole, summary.exchanges)
    if topology is whole:
        return replace(summary, exchanges=exchanges)
    return Summary(
        {name: count for name, count in exchanges.items() if name in topology.exchange_by_name},
        {name: count for name, count in summary.queues.items() if name in topology.queue_names},
        summary.outcomes,
        {name: count for name, count in summary.possible.items() if name in topology.queue_names},
    )
