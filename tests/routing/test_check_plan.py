"""A plan from a file is refused if one of its numbers points outside of the plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.presets import find_layout
from transpiler.routing import tuning
from transpiler.routing.check_plan import check_plan
from transpiler.routing.plan import RoutingPlan, build_plan
from transpiler.routing.topic_automaton import TopicAutomaton
from transpiler.topology import topology_from_dict

FAR = 1_000_000


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> RoutingPlan:
    # The automaton matches all keys, instead of look-ups of their words.
    monkeypatch.setattr(tuning, "TOPIC_LOOK_UPS", 0)
    keys = [form.format(number) for number in range(60) for form in ("a{}.*.b", "#.c{}", "a.#.d{}.*", "*.e{}")]
    bindings = [{"source": "t", "queue": "q", "key": key} for key in keys]
    exchanges = [{"name": "t", "type": "topic"}]
    topology = topology_from_dict({"broker": "rabbitmq", "queues": ["q"], "exchanges": exchanges, "bindings": bindings})
    return build_plan(topology, AmqpLayout(), "null", "t")


def far_numbers(trie: TopicAutomaton) -> dict[str, dict[str, Any]]:
    """Return a change of each member of ``trie``, in which a number points outside of the member that it indexes."""
    ends = [list(each) for each in trie.ends]
    ends[1] = [*ends[1], FAR]
    return {
        "owners": {"owners": [FAR, *trie.owners[1:]]},
        "following": {"following": [FAR, *trie.following[1:]]},
        "otherwise": {"otherwise": [FAR, *trie.otherwise[1:]]},
        "lists": {"lists": [[FAR], *trie.lists[1:]]},
        "ends": {"ends": ends},
        "starts": {"starts": {state: [FAR] for state in trie.starts}},
        "a short member": {"owners": trie.owners[1:]},
    }


def test_a_plan_of_the_compiler_passes(plan: RoutingPlan) -> None:
    check_plan(plan)


@pytest.mark.parametrize("name", ["owners", "following", "otherwise", "lists", "ends", "starts", "a short member"])
def test_a_number_that_points_outside_of_the_automaton_is_refused(plan: RoutingPlan, name: str) -> None:
    assert plan.trie is not None
    changed = replace(plan, trie=replace(plan.trie, **far_numbers(plan.trie)[name]))
    with pytest.raises(ValueError, match="which no plan has"):
        check_plan(changed)


COLUMNS = (
    "tiny TINYINT, small SMALLINT, whole INT, long BIGINT, single FLOAT, double DOUBLE, exact DECIMAL(12,2), "
    "name STRING, sent TIMESTAMP, routing_key STRING"
)


@pytest.mark.parametrize("column", ["tiny", "small", "whole", "long", "single", "double", "exact", "name"])
@pytest.mark.parametrize("test", ["{column} = {value}", "{column} <> {value} AND name <> 'x{number}'"])
def test_a_plan_over_columns_of_each_type_passes(column: str, test: str) -> None:
    values = [f"'x{n}'" if column == "name" else f"{n}.25" if column in FRACTIONS else str(n) for n in range(20)]
    texts = [test.format(column=column, value=value, number=n) for n, value in enumerate(values)]
    bindings = [
        {"source": "t", "queue": "q", "key": "k", "arguments": {"x-filter-jms-selector": text}} for text in texts
    ]
    exchanges = [{"name": "t", "type": "topic"}]
    described = {"broker": "qpid-java", "queues": ["q"], "exchanges": exchanges, "bindings": bindings}
    made = build_plan(topology_from_dict(described), find_layout(COLUMNS), "null", "t")
    assert any(table.signature.types or len(table.signature.key_types) > 1 for table in made.tables)
    check_plan(made)


#: The columns whose values can be fractions.
FRACTIONS = ("single", "double", "exact")
