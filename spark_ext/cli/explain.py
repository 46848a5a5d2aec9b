"""selector-spark explain: count the messages in files by the first subexpression of a selector that rejected them."""

from __future__ import annotations

from spark_ext.cli.jobs import click
from spark_ext.cli.selector_job import SelectorJob, selector_job
from transpiler.base.documents.jsontext import json_text
from transpiler.cli.group import say
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.options import text_or_json


@click.command(
    short_help="Count messages by what kept them out.",
    cls=ManualCommand,
    examples=[
        Example(
            "Count the messages by the part that kept them out",
            "selector-spark explain \"area = 'Viking' AND speed > 5\" messages.jsonl",
        ),
    ],
)
@selector_job
@click.option(
    "--examples", type=click.IntRange(min=0), default=3, show_default=True, help="Messages of each group, at most."
)
@text_or_json("The counts and the examples, as text or as one JSON object.")
def explain(job: SelectorJob, examples: int, output_format: str) -> None:
    """Count the messages in INPUT that SELECTOR rejects, by the first part of SELECTOR that is not true.

    A part that is unknown is counted apart from one that is false, with the property that is missing. Where OR is
    outermost, the messages are counted by the first alternative that let them in. Examples say why.
    """
    from spark_ext.reports.match_explanations import explain_matches

    explanation = explain_matches(job.messages, job.selector, job.layout, examples=examples, **job.options)
    if output_format == "json":
        click.echo(json_text(explanation.to_dict(), indent=2))
    else:
        say(str(explanation))
