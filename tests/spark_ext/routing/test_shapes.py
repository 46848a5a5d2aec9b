"""Shapes of bindings from real topologies are routed as the reference router routes them, by plans that do not grow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_ext import explain_routing, route
from tests.benchmarks.routing_shapes import COLUMNS, SHAPES, Shape, as_message, topology
from tests.sizes import size
from transpiler import TopologyError, read_topology
from transpiler.compiler import ir
from transpiler.compiler.presets import find_layout
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.route import route_message
from transpiler.routing import tuning
from transpiler.routing.plan import RoutingPlan, build_plan
from transpiler.topology.broker_rules import QPID_JAVA
from transpiler.topology.model import Topology
from transpiler.topology.records import SELECTOR_ARGUMENT, Alternate, Binding, Exchange, Queue

SCHEMA = (
    "originatingCountry STRING, messageType STRING, quadTree STRING, publisherId STRING, region STRING, weight BIGINT, "
    "price DOUBLE, amount DECIMAL(12, 2), sent TIMESTAMP, plain STRING, note STRING"
)
MESSAGES = size(30, 400)


def all_shapes(count: int) -> Topology:
    """Return a topology with the bindings of all shapes at one exchange."""
    bindings: list[Binding] = []
    for number, shape in enumerate(SHAPES):
        for binding in topology(shape, count).bindings:
            bindings.append(Binding("x", f"{number}-{binding.destination}", "", binding.arguments))
    queues = tuple(Queue(binding.destination) for binding in bindings)
    return Topology(QPID_JAVA, (Exchange("x", "fanout"),), queues, tuple(bindings), default_exchange="x")


def plan_of(where: Topology) -> RoutingPlan:
    return build_plan(where, find_layout(SCHEMA), "error", "x")


@pytest.mark.parametrize("merged", [False, True])
def test_every_shape_is_routed_as_the_reference_does(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, merged: bool
) -> None:
    if merged:
        for name, value in {"MAX_TABLES": 0, "UNMERGED_TABLES": 0, "MAX_KEYED": 0, "MAX_KEY_SETS": 2}.items():
            monkeypatch.setattr(tuning, name, value)
    where = all_shapes(size(60, 150))
    columns = [f"{sql} AS {name}" for name, sql in COLUMNS.items()]
    # Few distinct values, so that messages and bindings meet.
    frame = spark.range(MESSAGES).selectExpr("id % 7 * 1000 + id AS id").selectExpr(*columns).coalesce(1)
    rows = route(frame, where, frame, exchange="x").collect()
    expected = [list(route_message(where, as_message(row), "x")) for row in rows]
    assert [row.queues for row in rows] == expected
    assert sum(map(len, expected)) > size(80, 200) * len(rows)


def extent(plan: RoutingPlan) -> tuple[Any, ...]:
    """Return the size of the elements of ``plan`` that become text of the query: compiled and table conditions."""
    conditions = [(table.signature, type(table.index)) for table in plan.tables]
    return len(plan.compiled), len(conditions), sum(ir.size(table.signature.residual) for table in plan.tables)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_no_shape_costs_text_by_the_number_of_its_bindings(shape: Shape) -> None:
    if shape.name == "2,000 shapes":
        # More bindings have more shapes here, up to 2,000. Each shape would be a table, but tables are merged.
        plan = plan_of(topology(shape, size(400, 20_000)))
        assert len(plan.compiled) == 0
        assert len(plan.tables) <= tuning.MAX_TABLES
    else:
        small, large = (plan_of(topology(shape, count)) for count in (400, 1_600))
        assert extent(small) == extent(large)
        assert extent(large)[:2] == (0, 1)


OTHER = {
    "an escape": "region = 'r5' AND quadTree LIKE '%!_{n}%' ESCAPE '!'",
    "a comment": "region = 'r5' AND quadTree LIKE '%{n}%' /* {n} */",
    "many digits": "amount > {n}.123456789",
    "a time": "sent BETWEEN 17{n:04d}e8 AND 18e11",
    "an exponent": "price > {n}e2 AND region = 'r1'",
    "zero": "weight > 0 AND region = 'r{n}' AND price < 0.0",
    "long lists": "region NOT IN ('a{n}', 'b', 'c') AND plain IN ('c1', 'c{n}')",
    "no likeness": "region NOT LIKE '%{n}%' AND plain = 'c{n}'",
    "nested": "NOT (region = 'r{n}' OR quadTree LIKE '%{n}%') AND weight = {n}",
}


@pytest.mark.parametrize("form", OTHER)
def test_no_spelling_costs_text_by_the_number_of_its_bindings(form: str) -> None:
    def plan(count: int) -> RoutingPlan:
        texts = [OTHER[form].format(n=number + 1) for number in range(count)]
        arguments = [{SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, text)} for text in texts]
        bindings = tuple(Binding("x", f"q{number}", "", each) for number, each in enumerate(arguments))
        queues = tuple(Queue(f"q{number}") for number in range(count))
        return plan_of(Topology(QPID_JAVA, (Exchange("x", "fanout"),), queues, bindings, default_exchange="x"))

    small, large = plan(150), plan(250)
    assert extent(small) == extent(large)
    assert len(large.compiled) == 0


def test_the_report_names_classes_and_bindings_that_are_evaluated_one_by_one() -> None:
    report = explain_routing(all_shapes(100), SCHEMA, exchange="x")
    classes = {each.name: each for each in report.classes}
    assert list(classes) == [
        "one condition",
        "hash key",
        "substring index",
        "interval index",
        "tried one by one",
    ]
    assert {binding.destination.split("-")[0] for binding in report.tried} == {"12"}
    assert repr(report).startswith("<RoutingReport one condition: 100, hash key: ")
    text = str(report)
    assert "Every message tests:\n  x -> 12-q0: selector \"note <> 'n0'\"\n" in text
    assert "  and 95 more" in text
    assert report._repr_html_().count("<table") == 2
    unbound = Topology(QPID_JAVA, (Exchange("x", "fanout", Alternate("q", "queue")),), (Queue("q"),))
    by_alternate = str(explain_routing(unbound, SCHEMA, exchange="x"))
    assert by_alternate == "No binding of the topology has a condition or a queue."
    nothing = "No message to the default exchange reaches a queue: no binding leads from there to one."
    assert str(explain_routing(Topology(QPID_JAVA), SCHEMA)) == nothing
    with pytest.raises(TopologyError, match="there is no exchange called 'typo'"):
        explain_routing(Topology(QPID_JAVA), SCHEMA, exchange="typo")


ARTEMIS_FILE = """<core xmlns="urn:activemq:core">
<diverts><divert name="large"><address>orders</address><forwarding-address>review</forwarding-address>
<filter string="amount &gt; 950"/><exclusive>true</exclusive></divert></diverts>
<addresses><address name="orders"><multicast>
<queue name="audit"/><queue name="europe"><filter string="region = 'DE'"/></queue>
</multicast></address></addresses></core>"""
ACTIVEMQ_FILE = """<broker xmlns="http://activemq.apache.org/schema/core"><destinationInterceptors>
<virtualDestinationInterceptor><virtualDestinations><compositeQueue name="orders"><forwardTo>
<filteredDestination selector="region = 'DE'" queue="germany"/>
</forwardTo></compositeQueue></virtualDestinations></virtualDestinationInterceptor>
</destinationInterceptors></broker>"""


@pytest.mark.parametrize(
    ("name", "text", "ends"),
    [
        ("broker.xml", ARTEMIS_FILE, {("orders", "review", "amount > 950"), ("orders", "europe", "region = 'DE'")}),
        ("activemq.xml", ACTIVEMQ_FILE, {("queue://orders", "queue://germany", "region = 'DE'")}),
    ],
)
def test_the_report_names_the_addresses_of_a_jms_broker(
    tmp_path: Path, name: str, text: str, ends: set[tuple[str, str, str]]
) -> None:
    (tmp_path / name).write_text(text)
    tried = explain_routing(read_topology(tmp_path / name), SCHEMA).tried
    assert {(each.source, each.destination, each.text(SELECTOR_ARGUMENT)) for each in tried} == ends
    assert len(tried) == len(ends)
