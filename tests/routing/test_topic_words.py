"""Binding keys with wildcards as conditions on words: they hold if the key matches, and are looked up if that pays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import pytest

from transpiler.base.comparison import Comparison
from transpiler.base.topics import TOPIC_SYNTAX, AnyWord
from transpiler.compiler import ir
from transpiler.compiler.presets import find_layout
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.conditions import matches_words
from transpiler.routing.columns import COUNT, word_column
from transpiler.routing.explain import explain_plan
from transpiler.routing.plan import build_plan
from transpiler.routing.signatures import Parameter, parameter_number
from transpiler.routing.topic_words import signatures_to_look_up, words_signature
from transpiler.topology.broker_rules import QPID_JAVA, RABBITMQ
from transpiler.topology.model import Topology
from transpiler.topology.records import SELECTOR_ARGUMENT, Binding, Queue

KEYS = [list(words) for count in range(6) for words in product("ab", repeat=count)]


def columns(words: Sequence[str]) -> Mapping[str, Parameter]:
    """Return the columns for a routing key with ``words``."""
    made: dict[str, Parameter] = {COUNT: len(words)}
    made |= {word_column(index): word for index, word in enumerate(words)}
    return made | {word_column(index, back=True): word for index, word in enumerate(reversed(words))}


def holds(condition: ir.Predicate, constants: Sequence[Parameter], row: Mapping[str, Parameter]) -> bool:
    match condition:
        case ir.And(terms=terms):
            return all(holds(term, constants, row) for term in terms)
        case ir.Compare(operator=operator, left=ir.Column(path=(str() as name,)), right=right):
            number = parameter_number(right)
            wanted = right.value if isinstance(right, ir.Constant) else constants[number or 0]
            found = row.get(name)
            if found is None:
                return False
            return found == wanted if operator is Comparison.EQ else int(str(found)) >= int(str(wanted))
        case _:
            assert condition == ir.TRUE
            return True


@pytest.mark.parametrize("length", range(5))
def test_a_condition_holds_for_the_keys_that_match(length: int) -> None:
    rows = [(key, columns(key)) for key in KEYS]
    for pattern in product(("a", "b", *AnyWord), repeat=length):
        found = words_signature(pattern)
        if found is None:
            assert pattern.count(AnyWord.MANY) > 1
            continue
        condition, constants = found[0].predicate, found[1]
        matched = [key for key, row in rows if holds(condition, constants, row)]
        assert matched == [key for key in KEYS if matches_words(pattern, key)], pattern


@pytest.mark.parametrize(
    ("one", "other"),
    [("a.*", "b.*"), ("*.#.a", "#.*.b"), ("a.#", "b.#.#"), ("*.*", "*"), ("a.*.*", "a.*")],
)
def test_keys_that_differ_in_words_or_in_length_have_one_signature(one: str, other: str) -> None:
    found = [words_signature(TOPIC_SYNTAX.pattern(key)) for key in (one, other)]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0][0] == found[1][0]


def topology(keys: Sequence[str], selector: str | None = None, source: str = "amq.topic") -> Topology:
    arguments = {} if selector is None else {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, selector)}
    bindings = tuple(Binding(source, f"q{number}", key, arguments) for number, key in enumerate(keys))
    queues = tuple(Queue(f"q{number}") for number in range(len(keys)))
    return Topology(RABBITMQ if selector is None else QPID_JAVA, (), queues, bindings, default_exchange=source)


#: Keys with many signatures: the words of each key are at other positions.
RARE = [".".join("a" if bits >> index & 1 else "*" for index in range(5)) + ".#" for bits in range(1, 32)]
DEVICES = [f"device.d{number}.#" for number in range(200)]


@pytest.mark.parametrize(
    ("keys", "count"),
    [
        (DEVICES, 1),
        (RARE[:16], 16),
        (RARE[:17], 16),
        (RARE, 0),
        (DEVICES + RARE, 16),
        (DEVICES + ["#.x.#"] * 20, 1),
        (DEVICES + ["#.x.#"] * 23, 0),
        (["a.b", "a"], 0),
    ],
)
def test_signatures_are_looked_up_where_few_have_most_keys(keys: list[str], count: int) -> None:
    assert len(signatures_to_look_up(topology(keys))) == count


def test_keys_of_other_exchanges_have_no_words() -> None:
    assert not signatures_to_look_up(topology(DEVICES, source="amq.direct"))


def rows(where: Topology) -> dict[str, tuple[int, float]]:
    plan = build_plan(where, find_layout("amqp"), "error", "amq.topic")
    return {each.name: (each.rows, each.tests) for each in explain_plan(where, plan).classes}


def test_keys_with_wildcards_are_a_table() -> None:
    assert rows(topology(DEVICES)) == {"hash key": (200, 0.0)}


@pytest.mark.parametrize(
    ("keys", "name"),
    [(DEVICES, "hash key"), ([f"#.d{number}.#" for number in range(200)], "matched binding key")],
)
def test_a_selector_beside_wildcards_is_tested_where_the_key_matches(keys: list[str], name: str) -> None:
    assert rows(topology(keys, "weight > 5"))[name] == (200, 1.0)
    keyed = rows(topology(keys, "region = 'eu' AND weight > 5"))
    assert set(keyed) - {"topic automaton"} == {name if name == "hash key" else f"hash key and {name}"}
