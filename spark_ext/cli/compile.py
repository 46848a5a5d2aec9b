"""selector-spark compile-topology: compile a topology once, for all archives with the same columns."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from spark_ext.cli.archives import StartJob
from spark_ext.cli.jobs import click, fail
from spark_ext.cli.routing import Routing, routing_options
from transpiler.cli.group import say
from transpiler.cli.inputs import InputFile, shown
from transpiler.cli.manual import Example, ManualCommand
from transpiler.routing.compiled_topology import CompiledTopology


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
@routing_options
@click.option("--output", required=True, metavar="FILE", help="Write the compiled topology there.")
@click.option("--version", "version", metavar="NAME", help="The version's name  [default: a digest]")
def compile_topology(
    routing: Routing,
    inputs: tuple[str, ...],
    start_job: StartJob,
    output: str,
    version: str | None,
) -> None:
    """Compile TOPOLOGY for messages with the same columns as in INPUT, and write the result to a file.

    route and backtest take the file in the place of TOPOLOGY, and start sooner by the time that this takes. Of INPUT
    only the columns are read. FILE is replaced when it is complete, so that a stream may be reading it.
    """
    if isinstance(routing.given, CompiledTopology):
        fail(f"{shown(routing.name)} is already compiled: give the topology that it was compiled from")
    job = start_job(inputs)
    from spark_ext.routing.plans import compile_topology as compiled_for

    archive = job.read()
    started = time.perf_counter()
    compiled = compiled_for(
        routing.given,
        archive.layout,
        messages=archive.messages,
        version=version,
        progress=_show_progress if sys.stderr.isatty() else None,
        **routing.parameters,
    )
    seconds = time.perf_counter() - started
    try:
        compiled.save(Path(output))
    except OSError as error:
        fail(f"{shown(output)} cannot be written: {error.strerror or error}")
    count = len(routing.given.bindings)
    say(f"{count:,} binding{'s' * (count != 1)} compiled as version {compiled.version} ({seconds:.1f} s)", err=True)


def _show_progress(done: int, total: int) -> None:
    click.echo(f"\r{done:,} of {total:,} bindings" + "\n" * (done == total), err=True, nl=False)
