"""Options and files that the commands about topologies share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from transpiler import Topology
from transpiler.cli.completion import complete_vhosts
from transpiler.cli.inputs import read_text_file
from transpiler.topology.files import Form, parse_topology


def topology_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how to read a topology's file."""
    options: list[Callable[..., Any]] = [
        click.option(
            "--form",
            type=click.Choice(["topology", "rabbitmq", "broker-j"]),
            help="What the topology's file is  [default: as it shows]",
        ),
        click.option("--vhost", shell_complete=complete_vhosts, help="The virtual host, where the file has several."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def read_topology_file(name: str, form: Form | None, vhost: str | None) -> Topology:
    """The topology in a file; - is standard input, whose text shows whether it is YAML."""
    return parse_topology(read_text_file(name), "standard input" if name == "-" else name, form=form, vhost=vhost)
