"""The end of a command's help, as of a manual's page: examples that can be pasted, and the exit codes.

``docs/cheat_sheet.py`` writes its page from the same records, and tests run every example.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from transpiler.cli.group import EXIT_CODES, click, write_exit_codes


class Example(NamedTuple):
    """A command line for a shell, with the purpose that it serves as an imperative without a full stop."""

    purpose: str
    command: str


class ManualCommand(click.Command):
    """A command whose help ends with its examples and exit codes.

    ``exits`` says what 0 and 1 mean, and 2 where an error is not all of it; the other codes are every command's.
    """

    def __init__(
        self, *args: Any, examples: Sequence[Example] = (), exits: Mapping[int, str] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)
        common = {code: meaning for code, meaning in EXIT_CODES.items() if code != 1}
        self.exits = common | dict(exits or {})

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the sections Examples and Exit codes."""
        if self.examples:
            with formatter.section("Examples"):
                for number, example in enumerate(self.examples):
                    if number:
                        formatter.write_paragraph()
                    # A command stays on its line, whatever the width, so that it can be pasted.
                    formatter.write(f"{'':{formatter.current_indent}}{example.purpose}:\n")
                    formatter.write(f"{'':{formatter.current_indent}}  $ {example.command}\n")
        write_exit_codes(formatter, self.exits)
