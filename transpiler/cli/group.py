"""The command group: version, help, and how every command ends for bad input."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from transpiler import TranspilerError, __version__

if TYPE_CHECKING:
    import click
else:
    try:
        import click
    except ImportError:
        sys.exit("the commands need click: pip install 'selector-sql[cli]'")


#: The commands in the order of the pipeline; each is in the module of its name.
_COMMANDS = ("sql", "check", "explain", "match", "compare", "port", "route", "topology")


class _Group(click.Group):
    """Commands that are imported when they are asked for, and whose bad input never ends in a traceback.

    It ends in an error text and exit code 2.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of all commands."""
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"transpiler.cli.{cmd_name}"), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except TranspilerError as error:
            fail(str(error))
        except UnicodeDecodeError as error:
            fail(f"the input is not UTF-8: byte {error.start}")


def fail(message: str) -> NoReturn:
    """Print an error and end with exit code 2."""
    click.echo(message, err=True)
    raise SystemExit(2)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="selector-sql")
def main() -> None:
    """JMS selectors as Spark SQL: print it, lint it, explain it, try it.

    Completion: eval "$(_SELECTOR_SQL_COMPLETE=bash_source selector-sql)", likewise zsh_source and fish_source.
    """
