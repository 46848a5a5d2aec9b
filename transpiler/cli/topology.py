"""selector-sql topology: a picture of who receives what."""

from __future__ import annotations

import json
from typing import Any

import click

from transpiler.cli.inputs import InputFile, read_text_file
from transpiler.cli.options import load_json_line, warn
from transpiler.cli.topologies import read_topology_file, topology_options
from transpiler.topology.importers.native_format import topology_to_dict
from transpiler.topology.report.diagram import Summary, draw


@click.command()
@click.argument("topology", type=InputFile())
@topology_options
@click.option(
    "--format",
    "picture",
    type=click.Choice(["mermaid", "dot", "json"]),
    default="mermaid",
    show_default=True,
    help="Mermaid, Graphviz, or the topology in this project's own form.",
)
@click.option(
    "--counts",
    type=InputFile(),
    help="What route --summary counted: messages at each exchange and queue.",
)
def topology(topology: str, form: Any, vhost: str | None, picture: Any, counts: str | None) -> None:
    """Draw the exchanges, bindings and queues of TOPOLOGY."""
    where = read_topology_file(topology, form, vhost)
    warn(where.findings)
    if picture == "json":
        click.echo(json.dumps(topology_to_dict(where), ensure_ascii=False, indent=2))
        return
    summary = None
    if counts is not None:
        summary = Summary.from_dict(load_json_line(read_text_file(counts), counts))
    click.echo(draw(where, picture, summary), nl=False)
