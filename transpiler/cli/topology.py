"""selector-sql topology: a picture of who receives what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from transpiler.cli.group import fail
from transpiler.cli.options import warn
from transpiler.cli.topologies import read_topology_file, topology_options
from transpiler.jsontext import JsonTextError, load_json
from transpiler.topology.form import topology_to_dict
from transpiler.topology.picture import Summary, draw


@click.command()
@click.argument("topology", type=click.Path(exists=True, dir_okay=False, path_type=Path))
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
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What route --summary counted: messages at each exchange and queue.",
)
def topology(topology: Path, form: Any, vhost: str | None, picture: Any, counts: Path | None) -> None:
    """Draw the exchanges, bindings and queues of TOPOLOGY."""
    where = read_topology_file(topology, form, vhost)
    warn(where.findings)
    if picture == "json":
        click.echo(json.dumps(topology_to_dict(where), ensure_ascii=False, indent=2))
        return
    summary = None
    if counts is not None:
        try:
            text = counts.read_text(encoding="utf-8")
            summary = Summary.from_dict(load_json(text))
        except JsonTextError as error:
            fail(f"{counts}{error.place(text)}: {error.message}")
    click.echo(draw(where, picture, summary), nl=False)
