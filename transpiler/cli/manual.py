"""The end of a command's help, like that of a manual page: examples that can be pasted, and the exit codes.

``docs/cheat_sheet.py`` generates a page from the same examples, and tests run every example.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from transpiler.cli.group import EXIT_CODES, click, write_exit_codes


class Example(NamedTuple):
    """An example in a command's help: a command line, and its purpose as an imperative sentence without a full stop."""

    purpose: str
    command: str


#: For options of earlier versions or of other commands, the option to use instead. In all commands, ``--format`` is the
#: form of the output, ``--input-format`` that of the messages, and ``--form`` that of a topology.
_NOW = {"--json": "--format json", "--format": "--input-format"}


class ManualCommand(click.Command):
    """A command whose help ends with examples and with its exit codes.

    ``exits`` contains the meanings of exit codes that differ from ``EXIT_CODES`` or are missing there.
    """

    def __init__(
        self, *args: Any, examples: Sequence[Example] = (), exits: Mapping[int, str] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)
        common = {code: meaning for code, meaning in EXIT_CODES.items() if code != 1}
        self.exits = common | dict(exits or {})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. If an option has another name in this command, the error gives that name."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            options = {option for parameter in self.params for option in parameter.opts}
            now = _NOW.get(error.option_name)
            if now is None or now.partition(" ")[0] not in options:
                raise
            raise click.UsageError(f"{error.option_name} is {now} in this command", ctx) from None
        except click.BadOptionUsage as error:
            # Add an example to the error only if the option needs several values, which click's message does not
            # explain.
            option = next((one for one in self.params if error.option_name in one.opts), None)
            examples = [each.command for each in self.examples if f"{error.option_name} " in each.command]
            if option is None or option.nargs < 2 or not examples:
                raise
            message = f"{error.option_name} takes {option.metavar}, as in: {examples[0]}"
            raise click.UsageError(message, ctx) from None
        except click.BadParameter as error:
            parameter = error.param
            of_output = parameter is not None and "--format" in parameter.opts
            if of_output and any("--input-format" in other.opts for other in self.params):
                message = f"{error.message} What the input is, --input-format says."
                raise click.BadParameter(message, ctx, parameter) from None
            raise
        except click.UsageError as error:
            if "extra argument" in error.message and any("--message" in parameter.opts for parameter in self.params):
                raise click.UsageError(f"{error.message}. --message FILE or JSON gives messages.", ctx) from None
            raise

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the sections "Examples" and "Exit codes"."""
        if self.examples:
            with formatter.section("Examples"):
                for number, example in enumerate(self.examples):
                    if number:
                        formatter.write_paragraph()
                    # Click would wrap long lines at the terminal's width. Write the example directly, so that users can
                    # copy the command.
                    formatter.write(f"{'':{formatter.current_indent}}{example.purpose}:\n")
                    formatter.write(f"{'':{formatter.current_indent}}  $ {example.command}\n")
        write_exit_codes(formatter, self.exits)
