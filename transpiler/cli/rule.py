"""selector-sql rule: the page of a rule of ``check``."""

from __future__ import annotations

import click

from transpiler.cli.completion import Name
from transpiler.cli.group import fail
from transpiler.cli.manual import Example, ManualCommand
from transpiler.diagnostics import did_you_mean
from transpiler.lint.pages import index, page
from transpiler.lint.registry import RULES, find_rule, full_id


@click.command(
    short_help="Print the page of a rule of check.",
    cls=ManualCommand,
    examples=[
        Example("Say what a finding means, with an example", "selector-sql rule lint.may-be-absent"),
        Example("List all rules", "selector-sql rule"),
    ],
    exits={0: "the page is printed"},
)
@click.argument("rule_id", metavar="[ID]", required=False, type=Name("rule", lambda: [one.id for one in RULES]))
def rule(rule_id: str | None) -> None:
    """Print the page of the rule called ID, or the list of all rules; no network is needed."""
    if rule_id is None:
        click.echo(index(), nl=False)
        return
    name = full_id(rule_id)
    found = find_rule(name)
    if found is None:
        hint = did_you_mean(name, [one.id for one in RULES]) or "selector-sql rule, without an id, lists them"
        fail(f"there is no rule called {rule_id!a}\n  hint: {hint}")
    click.echo(page(found), nl=False)
