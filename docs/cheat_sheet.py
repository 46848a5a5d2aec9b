"""Writes docs/cheat_sheet.md from the help of the commands: python docs/cheat_sheet.py > docs/cheat_sheet.md."""

from __future__ import annotations

import click
from click.testing import CliRunner

from spark_ext.cli.commands import main as selector_spark
from transpiler.cli import main as selector_sql
from transpiler.cli.manual import ManualCommand

PROGRAMS = {
    "selector-sql": (selector_sql, "These commands need neither Spark nor Java, and start in a fraction of a second."),
    "selector-spark": (
        selector_spark,
        "These commands run Spark jobs on files. They need the extra `spark` and Java 17.",
    ),
}


def help_text(program: click.Group, words: list[str], name: str) -> str:
    """Return the help of a command, in 100 columns."""
    return CliRunner().invoke(program, [*words, "--help"], prog_name=name, terminal_width=100).output


def sentence(command: click.Command) -> str:
    """Return the first paragraph of a command's help, in one line."""
    return " ".join((command.help or "").partition("\n\n")[0].split())


def section(program: click.Group, name: str, command: ManualCommand) -> str:
    """Return the section of a command: its sentence, its examples, and its help to unfold."""
    lines = [f"### {name} {command.name}", "", sentence(command), "", "```sh"]
    for number, example in enumerate(command.examples):
        lines += [""] * bool(number) + [f"# {example.purpose}", example.command]
    lines += ["```", "", '<details markdown="1">', "<summary>All options, and the exit codes</summary>", ""]
    lines += ["```text", help_text(program, [command.name or ""], name).strip(), "```", "", "</details>", ""]
    return "\n".join(lines)


INTRODUCTION = """# Cheat sheet

This page shows the help of each command, as `--help` prints it. [The page on commands](commands.md) describes the input
and the output of the commands in full.

## Completion

If completion is set up, the Tab key completes the names of commands, options, files, dialects and layouts, and the
virtual hosts and exchanges in a topology's file. To set it up, add the line for your shell to the shell's startup file:

```sh
# bash: ~/.bashrc
eval "$(_SELECTOR_SQL_COMPLETE=bash_source selector-sql)"

# zsh: ~/.zshrc
eval "$(_SELECTOR_SQL_COMPLETE=zsh_source selector-sql)"

# fish: ~/.config/fish/config.fish
_SELECTOR_SQL_COMPLETE=fish_source selector-sql | source
```

For `selector-spark` the variable is `_SELECTOR_SPARK_COMPLETE`.
"""


def commands(program: click.Group) -> list[ManualCommand]:
    """Return the commands of a program, in the order of its help."""
    context = click.Context(program)
    listed = [program.get_command(context, name) for name in program.list_commands(context)]
    return [command for command in listed if isinstance(command, ManualCommand)]


def main() -> None:
    """Print the page."""
    parts = [INTRODUCTION]
    for name, (program, about) in PROGRAMS.items():
        rows = [
            f"| [`{each.name}`](#{name}-{each.name}) | {each.get_short_help_str(100)} |" for each in commands(program)
        ]
        parts.append("\n".join([f"## {name}", "", about, "", "| command | |", "|---|---|", *rows, ""]))
        parts += [section(program, name, command) for command in commands(program)]
    print("\n".join(parts).strip())


if __name__ == "__main__":
    main()
