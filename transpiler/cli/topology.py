"""selector-sql topology: a picture of who receives what, and a report of what is dead, double or in a loop."""

from __future__ import annotations

import json
import shutil
import sys

import click

from transpiler import Topology
from transpiler.cli.group import fail, say_data
from transpiler.cli.inputs import InputFile, read_text_file
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.options import load_json_line
from transpiler.cli.topologies import TopologyForm, topology_options
from transpiler.tools.topology_report.findings import report as make_report
from transpiler.tools.topology_report.picture import draw, draw_page, draw_svg
from transpiler.tools.topology_report.summary import Summary
from transpiler.topology.graph import narrow
from transpiler.topology.importers.native_format import topology_to_dict
from transpiler.topology.shown_addresses import addresses_of, counts_of

_PICTURES = ("mermaid", "dot", "svg", "html", "json")


@click.command(
    short_help="Draw TOPOLOGY, or report what is wrong in it.",
    cls=ManualCommand,
    examples=[
        Example(
            "List queues that nothing reaches and bindings that never match",
            "selector-sql topology definitions.json --report",
        ),
        Example("Draw what is near a queue", "selector-sql topology definitions.json --around orders.3"),
        Example(
            "Write one page with the picture, a search and the report",
            "selector-sql topology definitions.json --format html > topology.html",
        ),
    ],
)
@click.argument("topology", type=InputFile())
@topology_options
@click.option(
    "--format",
    "picture",
    type=click.Choice((*_PICTURES, "text"), case_sensitive=False),
    help="Mermaid, Graphviz, SVG, one HTML page, or the topology in this project's own form  [default: mermaid]; "
    "with --report text, json or html  [default: text].",
)
@click.option("--report", is_flag=True, help="What is dead, double or in a loop, in the place of the picture.")
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
    topology: str,
    form: TopologyForm,
    picture: str | None,
    report: bool,
    counts: str | None,
    exchanges: tuple[str, ...],
    queues: tuple[str, ...],
    around: tuple[str, ...],
    distance: int,
) -> None:
    """Draw the exchanges, bindings and queues of TOPOLOGY, or report what is wrong with them.

    From 200 exchanges and queues on, alike ones are drawn as groups.
    """
    whole = form.read(topology, every=report)
    if report or picture != "json":
        whole = addresses_of(whole)
    where = narrow(whole, exchanges=exchanges, queues=queues, around=around, distance=distance)
    summary = None
    if counts is not None:
        summary = _within(where, whole, Summary.from_dict(load_json_line(read_text_file(counts), counts)))
    chosen = picture or ("text" if report else "mermaid")
    if report and chosen not in ("text", "json", "html"):
        fail(f"a report is text, json or html, not {chosen}")
    if chosen == "text" and not report:
        fail("a picture is not text: give --report as well")
    if chosen == "html":
        title = "Topology" if topology == "-" else topology.replace("\\", "/").rpartition("/")[2]
        click.echo(draw_page(where, make_report(where, summary), summary, title))
    elif chosen == "json":
        data = make_report(where, summary).to_dict() if report else topology_to_dict(where)
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    elif report:
        columns = {"columns": shutil.get_terminal_size().columns} if sys.stdout.isatty() else {}
        say_data(make_report(where, summary).render(**columns))
    elif chosen == "svg":
        say_data(draw_svg(where, summary).rstrip("\n"))
    else:
        say_data(draw(where, "dot" if chosen == "dot" else "mermaid", summary).rstrip("\n"))


def _within(topology: Topology, whole: Topology, summary: Summary) -> Summary:
    """Return the counts of a part; of the whole also those of queues that no configuration shows."""
    exchanges = counts_of(whole, summary.exchanges)
    if topology is whole:
        return Summary(exchanges, summary.queues, summary.outcomes)
    return Summary(
        {name: count for name, count in exchanges.items() if name in topology.exchange_by_name},
        {name: count for name, count in summary.queues.items() if name in topology.queue_names},
        summary.outcomes,
    )
