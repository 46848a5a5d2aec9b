"""Pictures of topologies: nodes, arrows, counts, and text that cannot break out of its quotes."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from transpiler.tools.topology_report.diagram_languages import Graph
from transpiler.tools.topology_report.picture import Format, build_graph, draw
from transpiler.tools.topology_report.summary import Summary
from transpiler.topology import Queue, Topology, parse_topology, read_topology, topology_from_dict
from transpiler.topology.broker_rules import RULES, Rules
from transpiler.topology.displayed_addresses import addresses_of

EXAMPLES = Path(__file__).parents[3] / "examples" / "data"


def small(**more: Any) -> Topology:
    exchanges = [
        {"name": "orders", "type": "topic", "alternate": {"queue": "lost"}, "unroutable": "reject"},
        {"name": "by country", "type": "headers"},
    ]
    bindings = [
        {"source": "orders", "queue": "new", "key": "#.new", "selector": "price  >\n5"},
        {"source": "orders", "exchange": "by country", "key": "a"},
        *({"source": "orders", "exchange": "by country", "key": f"a.{number}"} for number in range(9)),
        {"source": "by country", "queue": "new", "arguments": {"x-match": "any", "country": "no", "n": 5, "any": None}},
        {"source": "by country", "queue": "lost", "arguments": {"x-match": "all"}},
    ]
    data = {"broker": "qpid-java", "queues": ["new", "lost"], "exchanges": exchanges, "bindings": bindings}
    return topology_from_dict(data | more)


def test_mermaid_draws_exchanges_queues_and_bindings() -> None:
    summary = Summary({"orders": 1200, "": 3}, {"new": 1100, "gone": 3})
    assert draw(small(), "mermaid", summary) == "\n".join(
        [
            "flowchart LR",
            '  e0{{"default exchange<br/><small>direct, each queue is bound to<br/>'
            'it by its name, 3 published</small>"}}',
            '  e1{{"orders<br/><small>topic, unroutable: reject, 1,200 published</small>"}}',
            '  e2{{"by country<br/><small>headers, 0 published</small>"}}',
            '  q3["new<br/><small>1,100 messages</small>"]',
            '  q4["lost<br/><small>0 messages</small>"]',
            '  q5["gone<br/><small>3 messages</small>"]',
            '  e1 -->|"#35;.new #124; price #62; 5"| q3',
            '  e1 -->|"a<br/>a.0<br/>a.1<br/>… and 7 more"| e2',
            '  e2 -->|"any: country=no, n=5, any"| q3',
            '  e2 -->|"every message"| q4',
            '  e1 -.->|"alternate"| q4',
            "",
        ]
    )


def test_dot_draws_the_same() -> None:
    picture = draw(small(), "dot")
    assert '  e0 [shape=hexagon, label="orders\\ntopic, unroutable: reject"];' in picture
    assert '  e0 -> q2 [label="#.new | price > 5", minlen=2];' in picture
    assert '  e0 -> q3 [label="alternate", minlen=2, style=dashed, weight=0];' in picture
    assert picture.startswith("digraph topology {\n")
    assert picture.endswith("}\n")


def linked(*keys: str | None) -> Topology:
    """Return queues that get all messages of one exchange, each with a dead-letter key, or None for no dead letters."""
    queues = [f"w{number:03}" for number in range(len(keys))]
    form = {
        "broker": "rabbitmq",
        "queues": [*queues, "dlq"],
        "exchanges": [{"name": "e", "type": "fanout"}, {"name": "dlx", "type": "topic"}],
        "bindings": [{"source": "e", "queue": name} for name in queues]
        + [{"source": "dlx", "queue": "dlq", "key": "#"}],
        "links": [
            {"kind": "dead-letter", "when": "rejected", "from": {"queue": name}, "to": {"exchange": "dlx"}, "key": key}
            for name, key in zip(queues, keys, strict=True)
            if key is not None
        ],
    }
    return topology_from_dict(form)


@pytest.mark.parametrize(
    ("keys", "label"),
    [
        (["k"] * 210, "dead-letter | k\nrejected"),
        ([f"k{number}" for number in range(210)], "dead-letter\nrejected"),
        (["k"] * 150 + [None] * 60, "150 of 210: dead-letter | k\nrejected"),
    ],
)
def test_the_label_of_a_group_says_what_all_have_and_counts_those_that_have_it(
    keys: list[str | None], label: str
) -> None:
    graph = build_graph(linked(*keys))
    assert [arrow.label for arrow in graph.arrows if arrow.alternate] == [label]


def test_links_between_two_nodes_are_one_arrow() -> None:
    topology = linked("k", "k")
    twice = replace(topology, links=(*topology.links, *(replace(one, when="expired") for one in topology.links)))
    arrows = [arrow for arrow in build_graph(twice).arrows if arrow.alternate]
    assert [arrow.label for arrow in arrows] == ["dead-letter | k\nrejected\ndead-letter | k\nexpired"] * 2


@pytest.mark.parametrize("form", ["mermaid", "dot"])
def test_no_name_breaks_out_of_its_quotes(form: Format) -> None:
    name = '"] --> x; <script>\\'
    picture = draw(topology_from_dict({"broker": "rabbitmq", "queues": [name]}), form)
    [line] = [line for line in picture.splitlines() if "script" in line]
    text = line[line.index('"') + 1 : line.rindex('"')]
    assert '"' not in text.replace('\\"', "")
    if form == "mermaid":
        assert "<script" not in text


def test_a_real_topology_has_all_its_queues_in_the_picture() -> None:
    topology = read_topology(EXAMPLES / "definitions.json")
    for form in ("mermaid", "dot"):
        picture = draw(topology, form)
        assert all(queue.name in picture for queue in topology.queues)
        assert "amq." not in picture


def test_a_summary_reads_back_what_it_wrote() -> None:
    summary = Summary({"x": 1}, {"q": 2}, {"routed": 1}, {"r": 3})
    assert Summary.from_dict(json.loads(json.dumps(summary.to_dict()))) == summary


@pytest.mark.parametrize("data", [5, {"queues": 5}, {"queues": {"q": "many"}}])
def test_what_is_no_summary_is_refused(data: Any) -> None:
    with pytest.raises(ValueError, match=r"topology\.type"):
        Summary.from_dict(data)


def test_a_picture_says_where_messages_end_and_draws_no_way_through_another_broker() -> None:
    bridge = "<bridge-to-queue name='t' address-match='work'/><bridge-from-address name='f'><include address-match='"
    text = (
        "<configuration><core><broker-connections><amqp-connection uri='tcp://a:1' name='c'><bridge>"
        f"{bridge}news'/></bridge-from-address></bridge></amqp-connection></broker-connections>"
        "<address-settings><address-setting match='#'><dead-letter-address>DLQ</dead-letter-address></address-setting>"
        "</address-settings><addresses><address name='news'><multicast/></address>"
        "<address name='work'><anycast><queue name='work'/></anycast></address></addresses></core></configuration>"
    )
    drawn = draw(addresses_of(parse_topology(text, "broker.xml")), "mermaid")
    assert drawn.splitlines() == [
        "flowchart LR",
        '  e0{{"news<br/><small>which queues subscribers have<br/>made here is not in the file</small>"}}',
        '  e1{{"work"}}',
        '  e2{{"DLQ<br/><small>nothing is bound to it</small>"}}',
        '  q3["work"]',
        '  b4["another broker"]',
        '  b5["another broker"]',
        "  e1 --> q3",
        '  q3 -.->|"dead-letter<br/>rejected or delivered 10 times"| e2',
        '  q3 -.->|"bridge<br/>moved by the connection c"| b4',
        '  b5 -.->|"bridge<br/>copied by the connection c"| e0',
    ]


def test_ways_on_beside_routing_are_drawn_with_their_conditions() -> None:
    links = [
        {"kind": "dead-letter", "when": "expired", "from": {"queue": "q"}, "to": {"exchange": "x"}, "key": "k"},
        {"kind": "shovel", "when": "moved", "from": {"queue": "r"}},
        {"kind": "federation", "when": "published upstream", "to": {"exchange": "x"}},
        {"kind": "dead-letter", "when": "expired", "from": {"queue": "r"}, "to": {"exchange": "gone"}},
    ]
    data = {"broker": "rabbitmq", "queues": ["q", "r"], "exchanges": [{"name": "x", "type": "direct"}], "links": links}
    drawn = [line.strip() for line in draw(topology_from_dict(data), "mermaid").splitlines() if "->" in line]
    assert drawn == [
        'q1 -.->|"dead-letter #124; k<br/>expired"| e0',
        'q2 -.->|"shovel<br/>moved"| b3',
        'b4 -.->|"federation<br/>published upstream"| e0',
        'q2 -.->|"dead-letter<br/>expired"| b5',
    ]


def test_an_alternate_is_drawn_where_it_has_no_effect() -> None:
    exchange = {"name": "x", "type": "topic", "alternate": {"exchange": ""}}
    bound = {"source": "x", "queue": "q", "key": "#"}
    topology = topology_from_dict({"broker": "rabbitmq", "queues": ["q"], "exchanges": [exchange], "bindings": [bound]})
    picture = draw(topology, "mermaid")
    assert "default exchange" in picture
    assert '-.->|"alternate"|' in picture


@pytest.mark.parametrize("rules", RULES.values(), ids=lambda rules: rules.name)
def test_a_topology_is_pickled(rules: Rules) -> None:
    topology = Topology(rules, (), (Queue("q"),), ())
    assert pickle.loads(pickle.dumps(topology)) == topology


def test_what_many_dashed_arrows_to_a_node_say_is_said_at_the_node() -> None:
    def graph(count: int) -> Graph:
        queues = [f"q{number}" for number in range(count)]
        to_dlq = (
            {"kind": "dead-letter", "when": "rejected", "from": {"queue": q}, "to": {"queue": "dlq"}} for q in queues
        )
        return build_graph(topology_from_dict({"broker": "rabbitmq", "queues": [*queues, "dlq"], "links": [*to_dlq]}))

    for count, detail, label in ((3, "", "dead-letter\nrejected"), (4, "from 4: dead-letter\nrejected", "")):
        drawn = graph(count)
        assert drawn.nodes[-1].detail == detail
        assert [arrow.label for arrow in drawn.arrows] == [label] * count


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("_a_b_", "#95;a_b_"),
        ("_AMQ_X = a_b", "_AMQ_X = a_b"),
        ("1. list", "1#46; list"),
        ("2024) list", "2024#41; list"),
        ("- item", "#45; item"),
        ("=== a - b", "#61;== a - b"),
        ("www.a.b", "www#46;a.b"),
        ("a[b] end", "a#91;b#93; end"),
    ],
)
def test_mermaid_takes_no_part_of_a_name_for_markdown(name: str, text: str) -> None:
    assert f'["{text}"]' in draw(topology_from_dict({"broker": "rabbitmq", "queues": [name]}), "mermaid")


def test_a_long_key_is_shortened_in_a_picture() -> None:
    exchange = {"name": "x", "type": "topic"}
    bindings = [{"source": "x", "queue": "q", "key": "word." * 40 + "#"}]
    topology = topology_from_dict(
        {"broker": "rabbitmq", "queues": ["q"], "exchanges": [exchange], "bindings": bindings}
    )
    [arrow] = build_graph(topology).arrows
    assert len(arrow.label) == 80


def test_a_dead_letter_without_a_target_is_drawn_as_lost_and_the_type_of_a_queue_is_marked() -> None:
    arguments = {"x-dead-letter-exchange": "gone", "x-queue-type": "quorum"}
    topology = topology_from_dict({"rabbitmq_version": "4.1.0", "queues": [{"name": "q", "arguments": arguments}]})
    text = draw(topology, "mermaid")
    assert "lost" in text
    assert "quorum" in text
    assert text.count("-.->") == 1
