"""selector-spark verify: compare Spark's results with those of the reference evaluator, on rows of files."""

from __future__ import annotations

from spark_ext.cli.jobs import click
from spark_ext.cli.selector_job import SelectorJob, selector_job
from transpiler.cli.group import say
from transpiler.cli.manual import Example, ManualCommand


@click.command(
    short_help="Compare Spark's answers with the reference.",
    cls=ManualCommand,
    examples=[
        Example("Compare a thousand rows", "selector-spark verify \"area = 'Viking' AND speed > 5\" messages.jsonl"),
        Example(
            "Compare all rows of a table",
            'selector-spark verify "weight > 2500" records.parquet --layout kafka-headers --all',
        ),
    ],
    exits={0: "all answers agree", 1: "some answers do not agree"},
)
@selector_job
@click.option("--sample", type=click.IntRange(min=1), default=1000, show_default=True, help="The rows to compare.")
@click.option("--all", "whole", is_flag=True, help="Compare all rows.")
def verify(job: SelectorJob, sample: int, whole: bool) -> None:
    """Compare Spark's results for SELECTOR with those of the reference evaluator, on rows of INPUT.

    The rows are drawn at random, the same ones each time.
    """
    from spark_ext.reports.verification import verify as verify_rows

    verification = verify_rows(job.messages, job.selector, job.layout, sample=None if whole else sample, **job.options)
    say(str(verification))
    if not verification.agrees:
        raise SystemExit(1)
