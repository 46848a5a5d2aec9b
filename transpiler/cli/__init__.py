"""selector-sql: the commands that need neither Spark nor a JVM. The module of a command is imported when it is called.

Results go to standard output, and warnings to standard error. ``group`` defines the exit codes and ends every command,
``manual`` writes the examples at the end of each help text, and ``inputs`` opens every file.
"""

from __future__ import annotations

from importlib import import_module

from transpiler import __version__
from transpiler.cli.group import Program, click

__all__ = ["main"]

#: The module of each command, by the command's name.
_MODULES = {
    "sql": "sql",
    "check": "check",
    "rule": "check",
    "explain": "explain",
    "match": "match",
    "compare": "port",
    "diff": "diff",
    "port": "port",
    "test": "test",
    "cases": "cases",
    "route": "route",
    "backtest": "route",
    "topology": "topology",
    "playground": "playground",
}


class _LazyProgram(Program):
    """A group of commands that imports the module of a command only when the user calls this command."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands."""
        return sorted(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command ``cmd_name`` and return it; None if there is no such command."""
        if cmd_name in _MODULES and cmd_name not in self.commands:
            self.add_command(getattr(import_module(f"transpiler.cli.{_MODULES[cmd_name]}"), cmd_name))
        return super().get_command(ctx, cmd_name)


@click.group(cls=_LazyProgram, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="selector-sql")
def main() -> None:
    """JMS selectors as Spark SQL: print it, lint it, explain it, try it.

    Completion: eval "$(_SELECTOR_SQL_COMPLETE=bash_source selector-sql)", likewise zsh_source and fish_source.
    """
