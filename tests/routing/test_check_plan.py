"""A plan from a file is refused if one of its numbers points outside of the plan."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from tests.routing import topologies
from tests.sizes import size
from transpiler import TranspilerError
from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, BOOLEAN, DOUBLE, STRING, TIMESTAMP, ColumnType, Element
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.presets import find_layout
from transpiler.routing import tuning
from transpiler.routing.check_plan import check_plan
from transpiler.routing.columns import ROW
from transpiler.routing.constant_rows import Delivery
from transpiler.routing.exchange_graph import Hop, Visit
from transpiler.routing.plan import RoutingPlan, Table, build_plan
from transpiler.routing.topic_automaton import TopicAutomaton
from transpiler.topology import topology_from_dict
from transpiler.topology.broker_rules import Rules

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
        "too few ends": {"ends": trie.ends[:-1]},
    }


def test_a_plan_of_the_compiler_passes(plan: RoutingPlan) -> None:
    check_plan(plan)


@pytest.mark.parametrize(
    "name", ["owners", "following", "otherwise", "lists", "ends", "starts", "a short member", "too few ends"]
)
def test_a_number_that_points_outside_of_the_automaton_is_refused(plan: RoutingPlan, name: str) -> None:
    assert plan.trie is not None
    changed = replace(plan, trie=replace(plan.trie, **far_numbers(plan.trie)[name]))
    with pytest.raises(ValueError, match="which no plan has"):
        check_plan(changed)


@pytest.mark.parametrize("rules", topologies.BROKERS, ids=lambda rules: rules.name)
@given(data=st.data())
@settings(max_examples=size(15, 40))
def test_a_plan_of_each_broker_passes(rules: Rules, data: st.DataObject) -> None:
    topology = data.draw(topologies.topologies(rules))
    try:
        made = build_plan(topology, AmqpLayout(), "null")
    except TranspilerError:
        # Random topologies can exceed the limits of a plan.
        reject()
    check_plan(made)


def test_a_plan_with_topics_and_conditions_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A topic pattern whose binding has a condition has no delivery of its own."""
    monkeypatch.setattr(tuning, "TOPIC_LOOK_UPS", 0)
    bindings = [
        {"source": "t", "queue": "q", "key": "a.*", "arguments": {"x-filter-jms-selector": "n > 5"}},
        {"source": "t", "queue": "q", "key": "#.b"},
    ]
    described = {"broker": "qpid-java", "queues": ["q"], "exchanges": [{"name": "t", "type": "topic"}]}
    made = build_plan(topology_from_dict(described | {"bindings": bindings}), AmqpLayout(), "null", "t")
    assert sorted(each is None for each in made.patterns) == [False, True]
    check_plan(made)


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


@pytest.fixture(scope="module")
def walk() -> RoutingPlan:
    """A plan with several entries, steps between exchanges, an alternate exchange and a table."""
    bindings = [{"source": "a", "queue": "q", "key": f"k{number}"} for number in range(20)]
    described = {
        "broker": "rabbitmq",
        "queues": ["q", "r"],
        "exchanges": [{"name": "a", "type": "direct", "alternate": "b"}, {"name": "b", "type": "direct"}],
        "bindings": [
            *bindings,
            {"source": "a", "exchange": "b", "key": "k1"},
            {"source": "b", "queue": "r", "key": "k1"},
        ],
    }
    return build_plan(topology_from_dict(described), find_layout(COLUMNS + ", exchange STRING"), "null", None)


@pytest.fixture(scope="module")
def rows() -> RoutingPlan:
    """A plan with one entry, whose table has two keys and a residual predicate with a parameter, and with a condition.

    All messages go to the topic exchange, so no alternate is asked for, and the plan is simple.
    """
    texts = [f"long <> {number} AND name = 'x{number}'" for number in range(20)]
    bindings = [
        {"source": "t", "queue": "q", "key": "k", "arguments": {"x-filter-jms-selector": text}} for text in texts
    ]
    exchanges = [{"name": "t", "type": "topic"}]
    described = {"broker": "qpid-java", "queues": ["q"], "exchanges": exchanges, "bindings": bindings}
    return build_plan(topology_from_dict(described), find_layout(COLUMNS), "null", "t")


def with_entry(plan: RoutingPlan, name: str, **changed: Any) -> RoutingPlan:
    return replace(plan, entries={**plan.entries, name: replace(plan.entries[name], **changed)})


def with_delivery(plan: RoutingPlan, delivery: Delivery) -> RoutingPlan:
    return replace(plan, compiled=[plan.compiled[0]._replace(delivery=delivery)])


def with_signature(plan: RoutingPlan, **changed: Any) -> RoutingPlan:
    [table] = plan.tables
    return replace(plan, tables=[Table(replace(table.signature, **changed), table.rows)])


def with_rows(plan: RoutingPlan, rows: Any) -> RoutingPlan:
    [table] = plan.tables
    return replace(plan, tables=[Table(table.signature, rows)])


def equals(*path: Any, column_type: ColumnType = BIGINT) -> ir.Predicate:
    return ir.Compare(Comparison.EQ, ir.Column(path, column_type), ir.constant(1))


#: A value and a condition that no SQL can be written for, because the function has too few arguments.
UNWRITTEN = ir.Apply(ir.Function.CONTAINS, (), BOOLEAN)
NO_CONDITION = ir.IsTrue(UNWRITTEN)

#: A delivery of the state 0 to the queue 0, and a group of rows with this delivery.
HERE = Delivery(0, None, 0)
GROUP = {(1,): [HERE]}

#: For each name: a change of the plan ``walk`` that makes it invalid, and what is refused.
OF_WALK: dict[str, tuple[Callable[[RoutingPlan], RoutingPlan], str]] = {
    "a read that is none": (lambda plan: replace(plan, reads={"color": ("color",)}), "a column 'color'"),
    "a read of a strange column": (
        lambda plan: replace(plan, reads={"_routing_read0": ("_routing_KEY", "a")}),
        "a column '_routing_KEY'",
    ),
    "no states": (lambda plan: with_entry(plan, "a", states=()), "no state of 'a'"),
    "a negative state": (lambda plan: with_entry(plan, "a", states=(-1,)), "a number out of its range"),
    "a state too large": (lambda plan: with_entry(plan, "a", states=(2**31 - 1,)), "a number out of its range"),
    "a path too long": (lambda plan: with_entry(plan, "a", length=2**31 - 1), "a number out of its range"),
    "a negative length": (lambda plan: with_entry(plan, "a", length=-1), "a number out of its range"),
    "an alternate of no state": (
        lambda plan: with_entry(plan, "a", alternates=((-1, 7, None),)),
        "a number out of its range",
    ),
    "an alternate at no state": (
        lambda plan: with_entry(plan, "a", alternates=((6, -7, None),)),
        "a number out of its range",
    ),
    "a stop of no state": (lambda plan: with_entry(plan, "a", steps=(Visit(-1),)), "a number out of its range"),
    "a stop before no state": (
        lambda plan: with_entry(plan, "a", steps=(Visit(7), Visit(6, ((-1, Hop(0)),)))),
        "a number out of its range",
    ),
    "a hop to the same stop": (
        lambda plan: with_entry(plan, "a", steps=(Visit(7), Visit(6, ((7, Hop(1)),)))),
        "a number out of its range",
    ),
    "an alternate hop to the same stop": (
        lambda plan: with_entry(plan, "a", steps=(Visit(7), Visit(6, alternate=Hop(1)))),
        "a number out of its range",
    ),
    "other entries": (lambda plan: replace(plan, exchange="a"), "entries of other exchanges"),
    "a key of no entry": (
        lambda plan: replace(plan, key_exchanges=frozenset({"x"})),
        "an exchange that compares keys and is no entry",
    ),
    "patterns alone": (lambda plan: replace(plan, patterns=[HERE]), "patterns without an automaton"),
    "a strange whole state": (lambda plan: replace(plan, whole=frozenset({-1})), "a number out of its range"),
    "a key without an exchange": (
        lambda plan: with_rows(plan, {("k",): {(): [HERE]}}),
        "a row of another length",
    ),
}

#: The same for the plan ``rows``.
OF_ROWS: dict[str, tuple[Callable[[RoutingPlan], RoutingPlan], str]] = {
    "a delivery of no state": (lambda plan: with_delivery(plan, Delivery(-1, None, 0)), "a number out of its range"),
    "a delivery to no queue": (lambda plan: with_delivery(plan, Delivery(0, None, 1)), "a number out of its range"),
    "a delivery to no state": (lambda plan: with_delivery(plan, Delivery(0, -1, None)), "a number out of its range"),
    "a step in a simple plan": (lambda plan: with_delivery(plan, Delivery(0, 0, None)), "a delivery to nowhere"),
    "a delivery to nowhere": (
        lambda plan: with_delivery(replace(plan, simple=False), Delivery(0, None, None)),
        "a delivery to nowhere",
    ),
    "a delivery to both": (
        lambda plan: with_delivery(replace(plan, simple=False), Delivery(0, 0, 0)),
        "a delivery to nowhere",
    ),
    "a delivery of a row to no queue": (
        lambda plan: with_rows(plan, {("k", "x"): {(1,): [Delivery(0, None, 1)]}}),
        "a number out of its range",
    ),
    "a parameter in a condition": (
        lambda plan: replace(plan, compiled=[plan.compiled[0]._replace(condition=equals(ROW, "p0"))]),
        "a parameter ['p0']",
    ),
    "a parameter in a guard": (lambda plan: with_signature(plan, guard=equals(ROW, "p0")), "a parameter ['p0']"),
    "a parameter in a key": (
        lambda plan: with_signature(plan, keys=(ir.Column((ROW, "p0"), BIGINT),) * 2),
        "a parameter ['p0']",
    ),
    "a parameter beyond the last": (
        lambda plan: with_signature(plan, residual=equals(ROW, "p1")),
        "a parameter ['p1']",
    ),
    "a parameter of another type": (
        lambda plan: with_signature(plan, residual=equals(ROW, "p0", column_type=DOUBLE)),
        "a parameter ['p0']",
    ),
    "a parameter with zeros": (lambda plan: with_signature(plan, residual=equals(ROW, "p00")), "a parameter ['p00']"),
    "a parameter without a name": (
        lambda plan: with_signature(plan, residual=equals(ROW, Element("p0"))),
        "a parameter [Element",
    ),
    "a step too many": (
        lambda plan: with_signature(plan, residual=equals(ROW, "p0", "p0")),
        "a parameter ['p0', 'p0']",
    ),
    "no step": (lambda plan: with_signature(plan, residual=equals(ROW)), "a parameter []"),
    "a column without a name": (
        lambda plan: with_signature(plan, residual=equals(Element("x"), "y")),
        "a column without a name",
    ),
    "a strange column": (lambda plan: with_signature(plan, guard=equals("_routing_X", "a")), "a column '_routing_X'"),
    "a key too many": (lambda plan: with_signature(plan, key_types=(STRING,)), "a key without a type"),
    "an empty group": (lambda plan: with_rows(plan, {("k", "x"): {}}), "an empty row"),
    "an empty row": (lambda plan: with_rows(plan, {("k", "x"): {(1,): []}}), "an empty row"),
    "a key too long": (lambda plan: with_rows(plan, {("k", "x", "y"): GROUP}), "a row of another length"),
    "keys of two lengths": (
        lambda plan: with_rows(plan, {("k", "x"): GROUP, ("k",): GROUP}),
        "a row of another length",
    ),
    "a constant too many": (lambda plan: with_rows(plan, {("k", "x"): {(1, 2): [HERE]}}), "a row of another length"),
    "a key of another class": (lambda plan: with_rows(plan, {("k", 1): GROUP}), "a constant that is no STRING"),
    "a truth value": (lambda plan: with_rows(plan, {("k", "x"): {(True,): [HERE]}}), "a constant that is no BIGINT"),
    "a fraction": (lambda plan: with_rows(plan, {("k", "x"): {(1.0,): [HERE]}}), "a constant that is no BIGINT"),
    "an integer too large": (lambda plan: with_rows(plan, {("k", "x"): {(2**63,): [HERE]}}), "an integer too large"),
    "an integer too small": (
        lambda plan: with_rows(plan, {("k", "x"): {(-(2**63) - 1,): [HERE]}}),
        "an integer too large",
    ),
    "no guard": (lambda plan: with_signature(plan, guard=NO_CONDITION), "a condition cannot be written: IndexError"),
    "no residual": (
        lambda plan: with_signature(plan, residual=NO_CONDITION),
        "a condition cannot be written: IndexError",
    ),
    "no value of a key": (
        lambda plan: with_signature(plan, keys=(UNWRITTEN,) * 2),
        "a condition cannot be written: IndexError",
    ),
    "no condition": (
        lambda plan: replace(plan, compiled=[plan.compiled[0]._replace(condition=NO_CONDITION)]),
        "a condition cannot be written: IndexError",
    ),
    "a column of times": (
        lambda plan: with_signature(plan, types=(TIMESTAMP,), residual=ir.TRUE),
        "a constant that is no TIMESTAMP",
    ),
}


def test_the_plans_that_are_changed_pass(walk: RoutingPlan, rows: RoutingPlan) -> None:
    assert not walk.simple
    assert rows.simple
    check_plan(walk)
    check_plan(rows)
    check_plan(with_entry(walk, "a", steps=(Visit(7), Visit(6, ((7, Hop(0)),), alternate=Hop(0)))))
    check_plan(with_entry(walk, "a", states=(2**31 - 2,), length=2**31 - 2))
    check_plan(with_rows(rows, {("k", "x"): {(2**63 - 1,): [HERE], (-(2**63),): [HERE]}}))
    check_plan(with_rows(rows, {}))


@pytest.mark.parametrize("name", OF_WALK)
def test_a_changed_plan_of_several_exchanges_is_refused(walk: RoutingPlan, name: str) -> None:
    change, what = OF_WALK[name]
    with pytest.raises(ValueError, match=re.escape(what)):
        check_plan(change(walk))


@pytest.mark.parametrize("name", OF_ROWS)
def test_a_changed_plan_of_one_exchange_is_refused(rows: RoutingPlan, name: str) -> None:
    change, what = OF_ROWS[name]
    with pytest.raises(ValueError, match=re.escape(what)):
        check_plan(change(rows))
