"""selector-spark compile-topology: a topology compiled once, for all archives with the same columns."""

from __future__ import annotations

import sys
import time
from typing import Any

from spark_ext.cli_archives import read_archive
from spark_ext.cli_inputs import find_inputs, read_schema
from spark_ext.cli_jobs import click, fail, start_session
from spark_ext.cli_routing import archive_options
from transpiler.cli.inputs import InputFile, shown
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.options import warn
from transpiler.cli.publishing import read_destination
from transpiler.cli.topologies import read_topology_file
from transpiler.routing.compiled_file import is_compiled
from transpiler.topology.publishing import PublishTo


@click.command(
    "compile-topology",
    cls=ManualCommand,
    short_help="Compile TOPOLOGY once, for messages such as those in INPUT.",
    examples=[
        Example(
            "Compile for messages with the columns of a log",
            "selector-spark compile-topology definitions.json trace.jsonl.gz --output routing.compiled",
        ),
    ],
)
@click.argument("topology", type=InputFile())
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@archive_options
@click.option("--output", required=True, metavar="FILE", help="Write the compiled topology there.")
@click.option("--version", "version", metavar="NAME", help="The version's name  [default: a digest]")
def compile_topology(
    topology: str,
    inputs: tuple[str, ...],
    input_format: str | None,
    layout: str | None,
    layout_option: tuple[str, ...],
    schema: str | None,
    form: Any,
    vhost: str | None,
    exchange: str | None,
    address: str | None,
    publish_to: PublishTo,
    missing: Any,
    master: str,
    packages: str | None,
    output: str,
    version: str | None,
) -> None:
    """Compile TOPOLOGY for messages with the columns of those in INPUT, and write it to a file.

    route and backtest take the file in the place of TOPOLOGY, and start sooner by the time that this takes. Of INPUT
    only the columns are read. FILE is replaced when it is complete, so that a stream may be reading it.
    """
    if topology != "-" and is_compiled(topology):
        fail(f"{shown(topology)} is compiled: give the topology that it was compiled from")
    where = read_topology_file(topology, form, vhost)
    warn(where.findings)
    sender = read_destination(where, exchange, address, publish_to)
    archives = find_inputs(inputs, input_format)
    types = read_schema(schema)
    session = start_session(master, packages)
    from spark_ext.routing.plans import compile_topology as compiled_for

    archive = read_archive(session, archives, layout, types, layout_option)
    started = time.perf_counter()
    compiled = compiled_for(
        where,
        archive.layout,
        messages=archive.messages,
        exchange=exchange,
        missing=missing,
        address=sender,
        publish_to=publish_to,
        version=version,
        progress=_show_progress if sys.stderr.isatty() else None,
    )
    seconds = time.perf_counter() - started
    try:
        compiled.save(output)
    except OSError as error:
        fail(f"{shown(output)} cannot be written: {error.strerror or error}")
    count = len(where.bindings)
    click.echo(
        f"{count:,} binding{'s' * (count != 1)} compiled as version {compiled.version} ({seconds:.1f} s)", err=True
    )


def _show_progress(done: int, total: int) -> None:
    click.echo(f"\r{done:,} of {total:,} bindings" + "\n" * (done == total), err=True, nl=False)
