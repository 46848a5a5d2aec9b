"""Writes docs/cheat_sheet.md from the help of the commands: python docs/cheat_sheet.py > docs/cheat_sheet.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from textwrap import wrap

import click

from spark_ext.cli.commands import main as selector_spark
from transpiler.cli import main as selector_sql
from transpiler.cli.group import EXIT_CODES, write_exit_codes
from transpiler.cli.manual import ManualCommand

PROGRAMS = {
    "selector-sql": (selector_sql, "These commands need neither Spark nor Java, and start in a fraction of a second."),
    "selector-spark": (
        selector_spark,
        "These commands run Spark jobs on files. They need the extra `spark` and Java 17.",
    ),
}


#: The number of commands from which on the page describes an option once, and not at each of these commands.
SHARED_BY = 3

#: The name of an option with its values, and the description of the option.
Record = tuple[str, str]


def commands(program: click.Group) -> list[ManualCommand]:
    """Return the commands of a program, in the order of its help."""
    context = click.Context(program)
    listed = [program.get_command(context, name) for name in program.list_commands(context)]
    return [command for command in listed if isinstance(command, ManualCommand)]


def context_of(name: str, command: click.Command) -> click.Context:
    """Return the context in which the help of a command of the program ``name`` has 100 columns."""
    return click.Context(command, info_name=f"{name} {command.name}", terminal_width=100)


def options(name: str, command: click.Command) -> list[Record]:
    """Return the options of a command, except ``--help``."""
    context = context_of(name, command)
    records = [parameter.get_help_record(context) for parameter in command.params]
    return [record for record in records if record is not None and record[1]]


def shared_options() -> dict[Record, set[str]]:
    """Return the options that several commands have in the same form, each with the names of their programs."""
    counts: Counter[Record] = Counter()
    programs: dict[Record, set[str]] = {}
    for name, (program, _) in PROGRAMS.items():
        for command in commands(program):
            for record in options(name, command):
                counts[record] += 1
                programs.setdefault(record, set()).add(name)
    return {record: names for record, names in programs.items() if counts[record] >= SHARED_BY}


def formatted(records: Sequence[Record]) -> str:
    """Return a block with the names and descriptions of options, in 100 columns."""
    formatter = click.HelpFormatter(width=100)
    formatter.write_dl(sorted(records, key=lambda record: record[0].lower()))
    return f"```text\n{formatter.getvalue().rstrip()}\n```"


def long_name(record: Record) -> str:
    """Return the long name of an option, in code marks."""
    return "`" + next(word for word in record[0].replace(",", "").split() if word.startswith("--")) + "`"


def sentence(command: click.Command) -> str:
    """Return the first paragraph of a command's help, in one line."""
    return " ".join((command.help or "").partition("\n\n")[0].split())


def manual(name: str, command: ManualCommand, shared: Collection[Record]) -> str:
    """Return the usage, the options and the exit codes of a command, without those that other commands also have."""
    context = context_of(name, command)
    formatter = context.make_formatter()
    command.format_usage(context, formatter)
    if own := [record for record in options(name, command) if record not in shared]:
        with formatter.section("Options"):
            formatter.write_dl(own)
    if exits := {code: text for code, text in command.exits.items() if EXIT_CODES.get(code) != text}:
        write_exit_codes(formatter, exits)
    return formatter.getvalue().strip()


def section(name: str, command: ManualCommand, shared: Collection[Record]) -> str:
    """Return the section of a command: its sentence, its examples, and its manual to unfold."""
    lines = [f"### {name} {command.name}", "", sentence(command), "", "```sh"]
    for number, example in enumerate(command.examples):
        lines += [""] * bool(number) + [f"# {example.purpose}", example.command]
    lines += ["```", "", '<details markdown="1">', "<summary>All options, and the exit codes</summary>", ""]
    lines += ["```text", manual(name, command, shared), "```", ""]
    if others := [long_name(record) for record in options(name, command) if record in shared]:
        text = f"Further [options of several commands](#options-of-several-commands): {', '.join(others)}."
        lines += [*wrap(text, 120, break_on_hyphens=False), ""]
    return "\n".join([*lines, "</details>", ""])


INTRODUCTION = """# Cheat sheet

This page is for users of the command line who look for a command, an option or an exit code. `--help` also describes
what a command does:

```sh
selector-sql match --help
```

[The page on commands](commands.md) describes the input and the output of the commands, and [the exit codes that all
commands have](commands.md#what-all-commands-share).

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

## Options of several commands

The section of each command says which of these options the command has:

{both}

Options of `selector-sql`:

{selector-sql}

Options of `selector-spark`:

{selector-spark}
"""


def introduction(shared: Mapping[Record, set[str]]) -> str:
    """Return the part of the page before the programs."""
    text = INTRODUCTION.replace("{both}", formatted([record for record in shared if len(shared[record]) > 1]))
    for name in PROGRAMS:
        text = text.replace(f"{{{name}}}", formatted([record for record in shared if shared[record] == {name}]))
    return text


def main() -> None:
    """Print the page."""
    shared = shared_options()
    parts = [introduction(shared)]
    for name, (program, about) in PROGRAMS.items():
        rows = [
            f"| [`{each.name}`](#{name}-{each.name}) | {each.get_short_help_str(100)} |" for each in commands(program)
        ]
        parts.append("\n".join([f"## {name}", "", about, "", "| command | |", "|---|---|", *rows, ""]))
        parts += [section(name, command, shared) for command in commands(program)]
    print("\n".join(parts).strip())


if __name__ == "__main__":
    main()
