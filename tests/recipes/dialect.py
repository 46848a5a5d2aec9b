"""HornetQ is a dialect in Python and in every command."""

from click.testing import CliRunner

from transpiler import evaluate, port_selector, transpile_selector
from transpiler.cli import main


def run(*words: str, given: str | None = None) -> str:
    return CliRunner().invoke(main, words, input=given).output


assert transpile_selector("HQPriority > 6", dialect="hornetq").sql == "(header.priority > 6)"
assert evaluate("HQDurable = 'DURABLE'", {"header": {"durable": True}}, "hornetq") is True
assert evaluate("NOT a = 1", {"a": 2}, "hornetq") is True
assert port_selector("HQPriority > 6", "hornetq", "artemis").text == "JMSPriority > 6"

assert run("sql", "HQPriority > 6", "--dialect", "hornetq") == "(header.priority > 6)\n"
assert run("match", "HQPriority > 6", "--dialect", "hornetq", "--count", given='{"JMSPriority": 7}') == "1\n"
assert "hornetq" in run("compare", "NOT a = 1")
