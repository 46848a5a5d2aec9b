"""Cases for the page and for CPython: selectors from real use, each with a message that contains its names."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import NamedTuple

from transpiler import TranspilerError, evaluate, parse_selector
from transpiler.language.selector import ast

SELECTORS = Path(__file__).parent.parent / "data" / "real_selectors.txt"

#: Results as the page writes them in ``data-verdict``. A rejected selector has none of these.
WORDS = {True: "true", False: "false", None: "unknown"}

#: Selectors that only an attacker would write, who looks for a limit.
HOSTILE = (
    "(" * 20_000 + "a" + ")" * 20_000,
    "NOT " * 5_000 + "a",
    "a = " + "1" * 10_000,
    "a+" * 3_000 + "a > 1",
    "😀" * 50,
)


class Case(NamedTuple):
    """A selector, its dialect, a message as JSON text, and the expected result."""

    selector: str
    dialect: str
    message: str
    verdict: str


def cases(count: int) -> list[Case]:
    """Return ``count`` cases, the same in every run. Messages contain the values of the selector, and others."""
    random_source = random.Random(26)
    read, dialect = [], "jms"
    for line in SELECTORS.read_text(encoding="utf-8").splitlines():
        if line.startswith("# dialect: "):
            dialect = line.removeprefix("# dialect: ")
        elif line.startswith("# illegal"):
            dialect = "jms"
        elif not line.startswith("#"):
            read.append((line, dialect))
    chosen = random_source.sample(read, count)
    return [_case(selector, dialect, random_source) for selector, dialect in chosen]


def _case(selector: str, dialect: str, random_source: random.Random) -> Case:
    try:
        tree = parse_selector(selector, dialect)
    except TranspilerError:
        return Case(selector, dialect, '{"a": 1}', "none")
    nodes = [] if tree is None else list(ast.walk(tree))
    values = [node.value for node in nodes if isinstance(node, ast.StringLiteral | ast.IntegerLiteral)]
    values += [text.strip("%") for text in values if isinstance(text, str)] + [1, 5, "x", True, 2.5]
    names = [node.name for node in nodes if isinstance(node, ast.Identifier) and not node.name.startswith("JMS")]
    message = {name: random_source.choice(values) for name in dict.fromkeys(names) if random_source.random() < 0.85}
    if "JMSType" in selector:
        message["JMSType"] = str(random_source.choice(values))
    if "JMSPriority" in selector:
        message["JMSPriority"] = random_source.randrange(10)
    return Case(selector, dialect, json.dumps(message), WORDS[evaluate(selector, message, dialect)])
