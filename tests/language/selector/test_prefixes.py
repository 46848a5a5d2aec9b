"""The prefixes of Artemis' selector parser, in any number and order: the last prefix of a kind counts."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from spark_ext import create_messages
from tests.spark_ext.harness import answers, numbered
from transpiler import Message, SelectorSyntaxError, evaluate, transpile_selector
from transpiler.cli import main
from transpiler.tools.dialect_tools.port import port_selector

CONVERT, HYPHENS = "convert_string_expressions:", "hyphenated_props:"
PREFIXES = (CONVERT, HYPHENS, f"no_{CONVERT}", f"no_{HYPHENS}")
#: Every sequence of up to three prefixes, including repetitions, and every order of all prefixes.
CHAINS = ["".join(chain) for size in range(4) for chain in product(PREFIXES, repeat=size)] + [
    "".join(chain) for chain in permutations(PREFIXES)
]
#: Messages with a number as text and with a hyphenated name. Only the prefixes for conversion and for hyphens make
#: selectors match them.
MESSAGES = [
    Message.from_dict({"application_properties": properties})
    for properties in (
        {"n": "5", "a-b": 3},
        {"n": "5", "a": 7, "b": 4},
        {"n": {"type": "int", "value": 5}, "a-b": 3},
        {"n": {"type": "int", "value": 5}, "a": 7, "b": 4},
    )
]
TEST = "n = 5 AND a-b = 3"


def switched(chain: str, prefix: str) -> bool:
    """Return True if the last prefix of a kind in ``chain`` switches this kind on."""
    last = chain.rfind(prefix)
    return last >= 0 and not chain[:last].endswith("no_")


def matching(chain: str) -> list[bool]:
    convert, hyphens = switched(chain, CONVERT), switched(chain, HYPHENS)
    return [(number or convert) and name is hyphens for number in (False, True) for name in (True, False)]


def test_the_reference_takes_every_chain_of_prefixes() -> None:
    for chain in CHAINS:
        assert [evaluate(chain + TEST, message, "artemis") is True for message in MESSAGES] == matching(chain), chain


def test_spark_takes_every_chain_of_prefixes(spark: SparkSession) -> None:
    texts = {chain: transpile_selector(chain + TEST, dialect="artemis").sql for chain in CHAINS}
    sqls = list(dict.fromkeys(texts.values()))
    assert len(sqls) == 4
    found = dict(zip(sqls, answers(numbered(create_messages(spark, MESSAGES)), sqls), strict=True))
    for chain, sql in texts.items():
        assert [answer is True for answer in found[sql]] == matching(chain), chain


@pytest.mark.parametrize("dialect", ["jms", "activemq", "qpid-java", "qpid-cpp", "rabbitmq", "rabbitmq-jms"])
@pytest.mark.parametrize("prefix", [f"no_{CONVERT}", f"no_{HYPHENS}"])
def test_only_artemis_has_the_negated_prefixes(dialect: str, prefix: str) -> None:
    with pytest.raises(SelectorSyntaxError):
        transpile_selector(f"{prefix}n = 5", dialect=dialect)


def test_activemq_takes_one_prefix() -> None:
    assert evaluate(f"{CONVERT}n = 5", MESSAGES[0], "activemq") is True
    with pytest.raises(SelectorSyntaxError, match="accepts only one prefix"):
        transpile_selector(f"{CONVERT}{CONVERT}n = 5", dialect="activemq")


@pytest.mark.parametrize("dialect", ["activemq", "artemis"])
def test_white_space_before_a_prefix_is_what_is_wrong(dialect: str) -> None:
    with pytest.raises(
        SelectorSyntaxError, match=r"white space is not allowed before a prefix\n.*\n.*\n.*remove the white"
    ):
        transpile_selector(f" {CONVERT}n = 5", dialect=dialect)


@pytest.mark.parametrize("space", [" ", "\n"])
def test_white_space_ends_the_prefixes(space: str) -> None:
    with pytest.raises(SelectorSyntaxError):
        transpile_selector(f"no_{HYPHENS}{space}{HYPHENS}a-b = 1", dialect="artemis")


def test_explain_shows_what_the_prefixes_leave() -> None:
    text = f"{HYPHENS}no_{CONVERT}a-b = 1"
    found = CliRunner().invoke(main, ["explain", text, "--dialect", "artemis"])
    assert found.exit_code == 0, found.output
    assert found.output.splitlines()[0] == 'selector   "a-b" = 1'


@pytest.mark.parametrize(
    ("target", "text", "ported"),
    [
        ("qpid-cpp", f"no_{CONVERT}{HYPHENS}my-prop = 1", '"my-prop" = 1'),
        ("artemis", f"{CONVERT}no_{HYPHENS}a-b = 1", f"{CONVERT}a - b = 1"),
        ("activemq", f"no_{HYPHENS}{CONVERT}n = 5", f"{CONVERT}n = 5"),
    ],
)
def test_a_port_carries_what_the_prefixes_mean(target: str, text: str, ported: str) -> None:
    assert port_selector(text, "artemis", target, changes="any").text == ported
