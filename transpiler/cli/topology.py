"""selector-sql topology: list or draw a topology, and report dead or duplicate entries and loops in it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace

import click

from transpiler import Topology
from transpiler.base.documents.jsontext import json_text
from transpiler.cli.group import fail, say_data
from transpiler.cli.inputs import FileOrDirectory, InputFile, read_text_file
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.topologies import TopologyForm, topology_options
from transpiler.tools.message_files.record_errors import load_record
from transpiler.tools.topology_report.findings import VERSION, alike, rows
from transpiler.tools.topology_report.findings import report as make_report
from transpiler.tools.topology_report.labels import Finding
from transpiler.tools.topology_report.listing import listing
from transpiler.tools.topology_report.operator_questions import QUESTIONS
from transpiler.tools.topology_report.operator_questions import reads as who_reads
from transpiler.tools.topology_report.permissions import allowed
from transpiler.tools.topology_report.picture import draw, draw_page, draw_svg
from transpiler.tools.topology_report.summary import Summary
from transpiler.tools.topology_report.ways_in import fills as what_fills
from transpiler.topology.graph import narrow
from transpiler.topology.importers.native_format import topology_to_dict
from transpiler.topology.shown_addresses import addresses_of, counts_of

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
    """List or draw the exchanges, bindings and queues of TOPOLOGY, or report what is wrong with them.

    Alike bindings and queues are one line of the listing. From 200 exchanges and queues on, alike ones are drawn as
    groups. Several files, with all virtual hosts or brokers of each, have their listings, reports or graphs for
    Graphviz one after the other. Of a directory, RabbitMQ's definitions in its files are one topology.
    """
    questions = (("--ask", ask), ("--fills", fills), ("--reads", reads), ("--user", user))
    asked = [name for name, value in questions if value is not None]
    if len(asked) + report > 1:
        fail("--report, --ask, --fills, --reads and --user are answers in the place of the listing: give one of them")
    if fail_on is not None and not report:
        fail("--fail-on is about the findings of a report: give --report as well")
    all_of_each = report or len(topology) > 1
    read = form.read_all(topology, every=report) if all_of_each else [("", form.read(name)) for name in topology]
    if len(read) > 1:
        forms = ("text", "json") if report else ("text", "dot")
        if asked or (picture or "text") not in forms or counts is not None or exchanges or queues or around:
            together = "a report together as text or json, or a listing each as text or dot"
            fail(f"several topologies have {together}: give --report or --format text or dot, or one file")
        if report:
            _report_all(read, picture or "text", fail_on)
        else:
            _show_all(read, picture or "text")
        return
    [(_, routing)] = read
    whole = addresses_of(routing) if report or asked or picture != "json" else routing
    where = narrow(whole, exchanges=exchanges, queues=queues, around=around, distance=distance)
    summary = None
    if counts is not None:
        summary = _within(where, whole, Summary.from_dict(load_record(read_text_file(counts), counts)))
    chosen = picture or "text"
    columns = {"columns": shutil.get_terminal_size().columns} if sys.stdout.isatty() else {}
    if asked:
        if chosen not in ("text", "json"):
            fail(f"an answer is text or json, not {chosen}")
        if ask is not None:
            answers = QUESTIONS[ask](where)
        elif fills is not None:
            answers = what_fills(routing, fills)
        else:
            answers = who_reads(where, reads) if reads is not None else allowed(where, user or "")
        _answer([*answers], chosen, columns)
        return
    if report and chosen not in ("text", "json", "html"):
        fail(f"a report is text, json or html, not {chosen}")
    found = make_report(where, summary) if report or chosen == "html" else None
    if chosen == "html":
        assert found is not None
        title = "Topology" if topology == ("-",) else topology[0].replace("\\", "/").rpartition("/")[2]
        click.echo(draw_page(where, found, summary, title))
    elif chosen == "json":
        data = topology_to_dict(where) if found is None else found.to_dict()
        click.echo(json_text(data, indent=2))
    elif found is not None:
        say_data(found.render(**columns))
    elif chosen == "text":
        say_data(listing(where, summary, **columns))
    elif chosen == "svg":
        say_data(draw_svg(where, summary).rstrip("\n"))
    else:
        say_data(draw(where, "dot" if chosen == "dot" else "mermaid", summary).rstrip("\n"))
    if fail_on is not None and found is not None and found.has(fail_on):
        raise SystemExit(1)


def _show_all(read: list[tuple[str, Topology]], form: str) -> None:
    """Print the listings of several topologies, each after its name, or their graphs, which Graphviz reads together."""
    shown = [(name, addresses_of(one)) for name, one in read]
    if form == "dot":
        say_data("\n".join(draw(one, "dot").rstrip("\n") for _, one in shown))
        return
    columns = {"columns": shutil.get_terminal_size().columns} if sys.stdout.isatty() else {}
    say_data("\n\n".join(f"{name}\n{listing(one, None, **columns)}" for name, one in shown))


def _report_all(read: list[tuple[str, Topology]], form: str, fail_on: str | None) -> None:
    """Print the reports of several topologies, each after the name of its topology."""
    found = [(name, make_report(addresses_of(one))) for name, one in read]
    if form == "json":
        reports = [{"topology": name, **one.to_dict()} for name, one in found]
        click.echo(json_text({"version": VERSION, "reports": reports}, indent=2))
    else:
        columns = {"columns": shutil.get_terminal_size().columns} if sys.stdout.isatty() else {}
        say_data("\n\n".join(f"{name}\n{one.render(**columns)}" for name, one in found))
    if fail_on is not None and any(one.has(fail_on) for _, one in found):
        raise SystemExit(1)


def _answer(found: list[Finding], form: str, columns: Mapping[str, int]) -> None:
    if form == "json":
        named = [{**one.names(), "subject": one.subject, "reason": one.reason, **one.details} for one in found]
        click.echo(json_text({"version": VERSION, "answers": named}, indent=2))
        return
    lines = rows(alike(found), columns.get("columns", 10_000), most=len(found))
    say_data("\n".join(line[2:] for line in lines) if lines else "none")


def _within(topology: Topology, whole: Topology, summary: Summary) -> Summary:
    """Return the counts in ``summary`` of the exchanges and queues of ``topology``, which is a part of ``whole``.

    If ``topology`` is ``whole``, the result includes the counts of queues that the configuration does not contain.
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
