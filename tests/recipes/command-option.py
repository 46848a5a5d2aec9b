"""The option --column of the command sql prints a column for a SELECT, with the name quoted if necessary."""

from click.testing import CliRunner

from transpiler.cli import main


def sql(*words: str) -> str:
    return CliRunner().invoke(main, ["sql", "a = 1", "--schema", "a INT", *words]).output


assert sql("--column", "is_one") == "(a = 1) AS is_one\n"
assert sql("--column", "is one") == "(a = 1) AS `is one`\n"
assert sql() == "(a = 1)\n"
assert "--column NAME" in sql("--help")
