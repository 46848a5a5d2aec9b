"""The program selector-sql: its commands, each imported when it is asked for."""

from __future__ import annotations

from importlib import import_module

from transpiler import __version__
from transpiler.cli.group import Program, click

#: The commands in the order of the pipeline; each is in the module of its name.
_COMMANDS = (
    "sql",
    "check",
    "rule",
    "explain",
    "match",
    "compare",
    "diff",
    "port",
    "test",
    "route",
    "backtest",
    "topology",
    "playground",
)


class _LazyProgram(Program):
    """A program that imports the module of a command only when the command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands."""
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of that name and return it."""
        if cmd_name in _COMMANDS and cmd_name not in self.commands:
            self.add_command(getattr(import_module(f"transpiler.cli.{cmd_name}"), cmd_name))
        return super().get_command(ctx, cmd_name)


@click.group(cls=_LazyProgram, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="selector-sql")
def main() -> None:
    """JMS selectors as Spark SQL: print it, lint it, explain it, try it.

    Completion: eval "$(_SELECTOR_SQL_COMPLETE=bash_source selector-sql)", likewise zsh_source and fish_source.
    """
