"""Reports find bindings that are dead, duplicate or in a loop. Containment is compared with routing itself."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sizes import size
from tests.tools.analysis.claims import contains
from transpiler.base.topics import MANY_WORDS, ONE_WORD, TopicPattern
from transpiler.reference.conditions import matches_words
from transpiler.tools.topology_report.findings import TopologyReport, report
from transpiler.tools.topology_report.listing import listing
from transpiler.tools.topology_report.picture import draw
from transpiler.tools.topology_report.summary import Summary
from transpiler.topology import RABBITMQ, Binding, Exchange, Queue, Topology, topology_from_dict
from transpiler.topology.broker_rules import QPID_JAVA, RULES
from transpiler.topology.displayed_addresses import addresses_of
from transpiler.topology.files import parse_topology
from transpiler.topology.graph import narrow
from transpiler.topology.importers.rabbitmq import topology_from_definitions


def topology(broker: str = "rabbitmq", **parts: Any) -> Topology:
    return topology_from_dict({"broker": broker, "queues": ["q", "r"], **parts})


def orders(*bindings: dict[str, Any], kind: str = "topic", broker: str = "qpid-java") -> Topology:
    exchange = {"name": "orders", "type": kind}
    placed = [{"source": "orders", "queue": "q", **binding} for binding in bindings]
    return topology(broker, exchanges=[exchange], bindings=[*placed, {"source": "orders", "queue": "r", "key": "r"}])


X = {"name": "x", "type": "topic"}
Y = {"name": "y", "type": "topic"}
INTERNAL = {"name": "x", "type": "topic", "internal": True}


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        (topology(), [("queue-without-bindings", "q"), ("queue-without-bindings", "r")]),
        (topology(queues=["q"], exchanges=[X], bindings=[{"source": "x", "queue": "q", "key": "a"}]), []),
        (
            topology(queues=["q"], exchanges=[INTERNAL], bindings=[{"source": "x", "queue": "q", "key": "a"}]),
            [("exchange-without-way-in", "x")],
        ),
        (
            topology(
                queues=["q"],
                exchanges=[INTERNAL, Y],
                bindings=[{"source": "y", "exchange": "x", "key": "a"}, {"source": "x", "queue": "q", "key": "a"}],
            ),
            [],
        ),
        (topology(queues=[], exchanges=[X]), [("exchange-without-way-out", "x")]),
        (
            topology(
                queues=[],
                exchanges=[X, Y],
                bindings=[{"source": "x", "exchange": "y", "key": "a"}, {"source": "y", "exchange": "x", "key": "a"}],
            ),
            [("exchange-without-way-out", "x"), ("exchange-without-way-out", "y"), ("exchange-loop", "x")],
        ),
        (orders({"key": "a"}, {"key": "a"}), [("duplicate-binding", "orders → q: a")]),
        (orders({"key": "a.#"}, {"key": "a.*"}), [("contained-binding", "orders → q: a.*")]),
        # The broker drops an empty word at the end of a key, so that the key `a.` does not match `a.*`, and `a.x` does.
        (orders({"key": "#", "selector": "n > 5"}, {"key": "a.*"}), []),
        (orders({"key": "#"}, {"key": "a", "selector": "n > 5"}), [("contained-binding", "orders → q: a | n > 5")]),
        (
            orders({"key": "a", "selector": "n > 5"}, {"key": "a", "selector": "n > 7"}),
            [("contained-binding", "orders → q: a | n > 7")],
        ),
        (orders({"key": "a", "selector": "n > 5"}, {"key": "a", "selector": "m > 7"}), []),
        (orders({"key": "a", "selector": "n > 5 AND n < 2"}), [("never-matches", "orders → q: a | n > 5 AND n < 2")]),
        (
            orders({"key": "a"}, {"key": "b"}, kind="fanout"),
            [("duplicate-binding", "orders → q"), ("fanout-keys", "orders")],
        ),
        (
            orders(
                {"arguments": {"x-match": "all", "a": 1}},
                {"arguments": {"x-match": "all", "a": 1, "b": 2}},
                kind="headers",
            ),
            [("contained-binding", "orders → q: all: a=1, b=2"), ("takes-all", "orders → r: every message")],
        ),
        (
            orders({"arguments": {"x-match": "any"}}, kind="headers", broker="rabbitmq"),
            [("never-matches", "orders → q: no message"), ("takes-all", "orders → r: every message")],
        ),
    ],
)
def test_a_report_names_what_is_dead_double_or_in_a_loop(given_: Topology, expected: list[tuple[str, str]]) -> None:
    assert [(finding.kind, finding.subject) for finding in report(given_).findings] == expected


def test_counts_show_dead_bindings_and_hot_queues() -> None:
    summary = Summary({"orders": 10}, {"q": 10}, {})
    found = report(orders({"key": "a"}), summary)
    assert [tuple(finding)[:3] for finding in found.findings] == [
        ("dead-binding", "orders → r: r", "r got no message"),
        ("hot-queue", "q", "the queue receives 10 of 10 deliveries (100%)"),
    ]
    # A queue that may have got a message is not dead.
    possible = report(orders({"key": "a"}), Summary({"orders": 10}, {"q": 10}, {}, {"r": 1}))
    assert list(possible.by_kind()) == ["hot-queue"]
    unused = report(orders({"key": "a"}), Summary({}, {"q": 1, "r": 1}, {}))
    assert unused.by_kind()["exchange-without-way-in"][0].reason.startswith("no counted message")


#: Bindings of each type of exchange that match other messages than they seem to, and some that do not.
SLIPS = (
    ("direct", {"key": "#"}, ["text-wildcard"]),
    ("direct", {"key": "eu.*"}, ["text-wildcard"]),
    ("direct", {"key": "a#b"}, []),
    ("topic", {"key": "#"}, []),
    ("topic", {}, ["empty-key"]),
    ("direct", {}, []),
    ("headers", {"key": "k"}, ["takes-all"]),
    ("headers", {"arguments": {"x-match": "all"}}, ["takes-all"]),
    ("headers", {"arguments": {"x-match": "any"}}, ["never-matches"]),
    ("headers", {"arguments": {"x-match": "all", "a": 1}}, []),
    ("fanout", {"key": "a"}, []),
)


@pytest.mark.parametrize(("kind", "binding", "expected"), SLIPS)
def test_a_report_names_bindings_that_take_other_messages_than_they_seem_to(
    kind: str, binding: dict[str, Any], expected: list[str]
) -> None:
    found = report(
        topology(
            queues=["q"], exchanges=[{"name": "x", "type": kind}], bindings=[{"source": "x", "queue": "q", **binding}]
        )
    )
    assert [finding.kind for finding in found.findings] == expected


def test_keys_without_wildcards_are_compared_in_a_time_that_grows_with_their_number() -> None:
    bindings = [{"key": f"a.{number}"} for number in range(1_000)]
    found = report(orders(*bindings, {"key": "a.7"}))
    assert [finding.kind for finding in found.findings] == ["duplicate-binding"]
    assert found.not_compared == 0


def test_many_bindings_between_two_ends_are_looked_at_for_equal_ones_only() -> None:
    found = report(orders(*({"key": f"a.{number}"} for number in range(300)), {"key": "a.7"}, {"key": "#"}))
    assert [finding.kind for finding in found.findings] == ["duplicate-binding"]
    assert found.not_compared == 301
    assert "301 bindings stand beside more than 200 others" in str(found)


def test_a_report_is_text_json_and_html() -> None:
    found = report(orders({"key": "a"}, {"key": "a"}))
    assert str(found).splitlines() == [
        "qpid-java: 1 exchange, 2 queues, 3 bindings",
        "",
        "bindings that are there twice: 1",
        "  orders → q: a  the same binding is there",
    ]
    assert found.to_dict()["findings"][0]["kind"] == "duplicate-binding"
    assert "bindings that are there twice" in found._repr_html_()
    assert "nothing is dead" in str(report(orders({"key": "a"})))
    assert repr(found) == "TopologyReport(Topology(qpid-java: 1 exchange, 2 queues, 3 bindings), 1 finding)"


def test_equal_findings_of_many_are_one_line_with_their_number() -> None:
    names = [f"w{number}" for number in range(20)]
    links = [
        {"kind": "dead-letter", "when": "rejected", "from": {"queue": name}, "to": {"exchange": "x"}, "key": "gone"}
        for name in names
    ]
    bindings = [{"source": "x", "queue": name, "key": "k"} for name in names]
    form = {"queues": names, "exchanges": [{"name": "x", "type": "topic"}], "bindings": bindings, "links": links}
    found = report(topology_from_dict({"broker": "rabbitmq"} | form))
    assert str(found).splitlines()[2:] == [
        "dead letters that reach no queue: 20",
        "  20 of them (w0, w1, w2, …), dead-letter  nothing in x takes the key 'gone'",
    ]
    assert [one["queue"] for one in found.to_dict()["findings"]] == names


@pytest.mark.parametrize(
    ("found", "severities", "failing"),
    [
        (report(orders({"key": "a"})), [], ""),
        (report(orders({"key": "a"}, {"key": "a"})), ["warning"], "warning"),
        (report(orders({"key": "a", "selector": "a = 1 AND a = 2"})), ["error"], "error"),
        (report(orders({"key": "a"}), Summary({"orders": 2}, {"q": 1, "r": 1}, {})), ["info", "info"], ""),
    ],
)
def test_a_finding_has_a_severity(found: TopologyReport, severities: list[str], failing: str) -> None:
    assert [one["severity"] for one in found.to_dict()["findings"]] == severities
    assert (found.has("error"), found.has("warning")) == (failing == "error", failing != "")


WORDS = st.lists(st.sampled_from(["a", "b", ONE_WORD, MANY_WORDS]), max_size=4).map(tuple)
KEYS = [[]] + [[a] for a in "abc"] + [[a, b] for a in "abc" for b in "abc"]
KEYS += [[a, b, c] for a in "abc" for b in "abc" for c in "abc"] + [[*"abca"], [*"aaaa"], [*"babac"], [*"aabba"]]


@given(WORDS, WORDS)
def test_a_pattern_that_contains_another_matches_all_of_its_keys(outer: TopicPattern, inner: TopicPattern) -> None:

    keys = [{"source": "x", "queue": "q", "key": ".".join(map(str, words))} for words in (outer, inner)]
    both = topology(exchanges=[X], bindings=keys)
    contained = contains(both, both.bindings[0], both.bindings[-1])
    parted = [key for key in KEYS if matches_words(inner, key) and not matches_words(outer, key)]
    # If patterns of four words over two letters differ, they differ on a key of up to five words, or on one with a
    # third letter.
    assert not (contained and parted)
    if not contained and max(map(len, (outer, inner))) <= 2:
        assert parted


@pytest.mark.parametrize(
    ("names", "exchanges", "queues"),
    [
        ({}, {"x", "y", "z"}, {"q", "r", "s"}),
        ({"exchanges": ["x"]}, {"x", "y"}, {"q", "r"}),
        ({"exchanges": ["y"]}, {"y"}, {"r"}),
        ({"queues": ["r"]}, {"x", "y"}, {"r"}),
        ({"around": ["y"]}, {"x", "y"}, {"r"}),
        ({"around": ["y"], "distance": 2}, {"x", "y"}, {"q", "r"}),
        ({"around": ["y"], "distance": 0}, {"y"}, set()),
        ({"exchanges": ["z"], "queues": ["q"]}, {"x", "z"}, {"q", "s"}),
    ],
)
def test_a_part_of_a_topology_is_what_a_name_leads_to(names: Any, exchanges: set[str], queues: set[str]) -> None:
    whole = Topology(
        RABBITMQ,
        tuple(Exchange(name, "fanout") for name in "xyz"),
        tuple(Queue(name) for name in "qrs"),
        (
            Binding("x", "q"),
            Binding("x", "y", destination_type="exchange"),
            Binding("y", "r"),
            Binding("z", "s"),
        ),
    )
    part = narrow(whole, **names)
    assert {exchange.name for exchange in part.exchanges} == exchanges
    assert {queue.name for queue in part.queues} == queues


def test_an_alternate_outside_of_the_part_is_left_out() -> None:
    parts = {"exchanges": [{"name": "x", "type": "topic", "alternate": {"queue": "r"}}], "queues": ["q", "r"]}
    whole = topology("qpid-java", **parts, bindings=[{"source": "x", "queue": "q", "key": "a"}])
    assert narrow(whole, queues=["q"]).exchanges[0].alternate is None
    assert narrow(whole, exchanges=["x"]) == whole


@pytest.mark.parametrize("names", [{"queues": ["qq"]}, {"exchanges": ["order"]}, {"around": ["order"]}])
def test_an_unknown_name_is_an_error_with_the_nearest_one(names: dict[str, list[str]]) -> None:
    with pytest.raises(ValueError, match=r"there is no .* called '.*'\n  hint: did you mean (q|orders)\?"):
        narrow(orders({"key": "a"}), **names)


def test_without_a_near_name_those_of_the_file_come_before_the_predeclared() -> None:
    with pytest.raises(ValueError, match=r"\n  hint: the known names are orders, amq\.direct, amq\.fanout, "):
        narrow(orders({"key": "a"}), exchanges=["zzz"])


def test_a_topology_of_a_hundred_thousand_bindings_is_reported_on() -> None:
    count = size(5_000, 100_000)
    queues = tuple(Queue(f"q{number}") for number in range(count))
    bindings = tuple(Binding("x", f"q{number}", f"a.{number}") for number in range(count))
    assert not report(Topology(QPID_JAVA, (Exchange("x", "topic"),), queues, bindings)).findings


def exported(version: str = "4.1.0", **parts: Any) -> Topology:
    """Return RabbitMQ's export: the queues q and dead, the exchange x of a type with bindings to q, and ``parts``."""
    queues = [{"name": name} | parts.pop(name, {}) for name in ("q", "dead")]
    exchange = {"name": "x", "type": parts.pop("type", "direct"), **parts.pop("x", {})}
    bindings = [
        {"source": "x", "destination": "q", "destination_type": "queue", "routing_key": "", **binding}
        for binding in parts.pop("bindings", [{}])
    ]
    return topology_from_definitions(
        {"rabbitmq_version": version, "queues": queues, "exchanges": [exchange], "bindings": bindings} | parts
    )


DEAD = {"arguments": {"x-dead-letter-exchange": "x"}}
TO_DEAD = {"destination": "dead"}
SHOVEL = {"src-uri": "amqp://", "dest-uri": "amqp://other"}
MANY = [{"routing_key": "#.a.#.b.#"}]
TO_DEFAULT = {
    "broker": "rabbitmq",
    "queues": [],
    "exchanges": [{"name": "x", "type": "fanout"}],
    "bindings": [],
    "links": [{"kind": "dead-letter", "from": {"queue": "gone"}, "to": {"exchange": ""}}],
}


def lettered(key: str | None, *bindings: dict[str, Any], type: str = "topic", **parts: Any) -> Topology:
    """Return a queue work, bound to in with the key a.#, with dead letters to dlx, and ``bindings`` from
    dlx to dead.
    """
    own = {"x-dead-letter-exchange": "dlx"} | ({} if key is None else {"x-dead-letter-routing-key": key})
    queues = [{"name": "work", "arguments": own}, {"name": "dead"}]
    exchanges = [{"name": "in", "type": "topic"}, {"name": "dlx", "type": type, "internal": True}]
    given_ = [{"source": "in", "destination": "work", "routing_key": "a.#"}]
    given_ += [{"source": "dlx", "destination": "dead", "routing_key": ""} | binding for binding in bindings]
    made = {"queues": queues, "exchanges": exchanges, "bindings": given_}
    return topology_from_definitions({"rabbitmq_version": "4.1.0"} | made | parts)


OF_HEADERS = [
    {"source": "amq.headers", "destination": "work", "arguments": {"x-match": "all", "color": "red"}},
    {"source": "dlx", "destination": "dead", "arguments": {"x-match": "all", "color": "blue"}},
]
BY_NAME = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"}

#: Findings about dead letters that depend on the key of the link, on the messages of the queue, and on the broker's own
#: declarations.
LETTERS = [
    (lettered("a.b", {"routing_key": "zzz"}), "dead-letters-lost", ["nothing in dlx takes the key 'a.b'"]),
    (lettered("a.b", {"routing_key": "*.b"}), "dead-letters-lost", []),
    (lettered("a.b", {"routing_key": "zzz"}, parameters=[]), "queue-without-bindings", []),
    (lettered(None, {"routing_key": "b.#"}), "dead-letters-lost", ["nothing in dlx takes what its bindings bring"]),
    (lettered(None, {"routing_key": "*.b"}), "dead-letters-lost", []),
    (lettered(None, type="headers", bindings=OF_HEADERS), "dead-letters-lost", ["nothing in dlx takes what its"]),
    (
        lettered(None, {"arguments": {"x-match": "all-with-x", "x-first-death-reason": "expired"}}, type="headers"),
        "dead-letters-lost",
        [],
    ),
    (lettered(None, {"arguments": {"x-match": "all", "color": "blue"}}, type="headers"), "dead-letters-lost", []),
    # The most common pattern: the default exchange, and the name of the queue as key.
    (exported(bindings=[{}], q={"arguments": BY_NAME}), "queue-without-bindings", []),
    (exported(bindings=[{}], q={"arguments": BY_NAME}), "dead-letters-lost", []),
    (
        exported(
            parameters=[
                {
                    "component": "shovel",
                    "value": SHOVEL | {"src-queue": "q", "dest-uri": "amqp://", "dest-queue": "made"},
                }
            ]
        ),
        "missing-target",
        [],
    ),
    (
        exported(
            parameters=[
                {
                    "component": "shovel",
                    "value": {
                        "src-uri": "amqp://",
                        "src-queue": "q",
                        "dest-uri": "amqp://",
                        "dest-queue": "made",
                        "dest-predeclared": True,
                    },
                }
            ]
        ),
        "missing-target",
        ["the file has no queue called 'made'"],
    ),
    # The key of the link matches no binding of the same exchange, so that nothing returns.
    (exported(q={"arguments": {"x-dead-letter-exchange": "x", "x-dead-letter-routing-key": "k"}}), "link-loop", []),
    (
        exported(
            q={"arguments": {"x-dead-letter-exchange": "x", "x-dead-letter-routing-key": "k"}},
            bindings=[{"routing_key": "k"}],
        ),
        "link-loop",
        ["x → q → x: a message that is rejected or expired may come back"],
    ),
]


@pytest.mark.parametrize(
    ("given_", "kind", "expected"),
    [
        (exported(x={"internal": True}), "exchange-without-way-in", ["it is internal, and no exchange"]),
        (exported(x={"internal": True}, dead=DEAD), "exchange-without-way-in", []),
        (
            exported(
                x={"internal": True},
                policies=[{"name": "p", "pattern": "q", "definition": {"dead-letter-exchange": "x"}}],
            ),
            "exchange-without-way-in",
            [],
        ),
        (
            exported(
                x={"internal": True},
                policies=[{"name": "p", "pattern": "x", "definition": {"federation-upstream": "u"}}],
                parameters=[{"component": "federation-upstream", "name": "u", "value": {"uri": "amqp://far.example"}}],
            ),
            "exchange-without-way-in",
            [],
        ),
        (exported(bindings=[]), "exchange-without-way-out", ["it leads to no queue"]),
        (
            exported(bindings=[], parameters=[{"component": "shovel", "value": SHOVEL | {"src-exchange": "x"}}]),
            "exchange-without-way-out",
            [],
        ),
        (exported(dead={"arguments": {"x-dead-letter-exchange": "no"}}), "missing-target", ["no exchange called 'no'"]),
        (exported(x={"arguments": {"alternate-exchange": "no"}}), "missing-target", ["no exchange called 'no'"]),
        (
            exported(policies=[{"name": "p", "pattern": "x", "definition": {"alternate-exchange": "no"}}]),
            "missing-target",
            ["no exchange called 'no'"],
        ),
        (exported(dead=DEAD, bindings=[]), "dead-letters-lost", ["x leads to no queue"]),
        (
            exported(dead={"arguments": {"x-dead-letter-exchange": "x", "x-dead-letter-routing-key": "k"}}),
            "dead-letters-lost",
            ["nothing in x takes the key 'k'"],
        ),
        (
            exported(dead={"arguments": {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "gone"}}),
            "missing-target",
            ["the file has no queue called 'gone'"],
        ),
        *LETTERS,
        # The default exchange may deliver to queues that are not in the file.
        (topology_from_dict(TO_DEFAULT), "dead-letters-lost", []),
        (exported(q=DEAD), "link-loop", ["x → q → x: a message that is rejected or expired may come back"]),
        (exported(q=DEAD, bindings=[TO_DEAD]), "link-loop", []),
        (
            exported(type="headers", bindings=[{"arguments": {"x-match": "all", "x-priority": 1}}]),
            "ignored-argument",
            ["a headers exchange does not compare x-priority; from RabbitMQ 3.10 on x-match all-with-x"],
        ),
        (
            exported(type="headers", bindings=[{"arguments": {"x-match": "all-with-x", "x-priority": 1}}]),
            "ignored-argument",
            [],
        ),
        (
            exported(bindings=[{"arguments": {"x-match": "any", "type": "new"}}]),
            "ignored-argument",
            ["a direct exchange does not look at x-match, type"],
        ),
        (
            exported(type="fanout", bindings=[{"arguments": {"a": 1}}]),
            "ignored-argument",
            ["a fanout exchange does not"],
        ),
        (exported("4.3.5", type="topic", bindings=MANY), "refused-binding", ["from RabbitMQ 4.3.5 on a key has 2 #"]),
        (exported("4.3.4", type="topic", bindings=MANY), "refused-binding", []),
        (exported("4.4", type="topic", bindings=[{"routing_key": "#.a.#"}]), "refused-binding", []),
    ],
)
def test_a_report_says_where_messages_go_on_and_what_a_broker_ignores(
    given_: Topology, kind: str, expected: list[str]
) -> None:
    found = [finding.reason for finding in report(given_).by_kind().get(kind, [])]
    assert len(found) == len(expected)
    assert all(text in reason for text, reason in zip(expected, found, strict=True))


def test_a_long_pattern_is_refused_by_newer_brokers() -> None:
    for length, expected in ((1024, []), (1025, ["refused-binding"])):
        placed = [{"source": "x", "queue": "q", "selector": f"a LIKE '{'x' * length}'"}]
        found = report(topology(queues=["q"], exchanges=[{"name": "x", "type": "x-jms-topic"}], bindings=placed))
        assert [finding.kind for finding in found.findings] == expected


def test_a_report_is_headed_by_the_version_of_the_file() -> None:
    assert str(report(exported("3.8.9"))).startswith("rabbitmq 3.8.9: 1 exchange, 2 queues, 1 binding\n")
    assert str(report(topology())).startswith("rabbitmq: 0 exchanges, 2 queues, 0 bindings\n")


def test_a_report_names_equal_subjects_once_and_holds_eighty_columns() -> None:
    name = "a.queue.whose.name.is.rather.long.for.a.terminal"
    placed = [{"source": "x", "queue": name, "key": "k", "arguments": {"n": 1}}] * 9
    given_ = topology(queues=[name], exchanges=[{"name": "x", "type": "direct"}], bindings=placed)
    lines = report(given_).render(columns=80).splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(name in line for line in lines) == 2


def test_two_bindings_that_look_alike_are_distinguished_by_the_argument() -> None:
    pair = [{"x-match": "all", "a": value, "x-note": note} for value, note in ((1, "first"), (1, "second"))]
    bound = [{"source": "orders", "queue": "q", "arguments": arguments} for arguments in pair]
    found = report(topology(queues=["q"], exchanges=[{"name": "orders", "type": "headers"}], bindings=bound))
    reason = found.by_kind()["contained-binding"][0].reason
    assert reason.endswith("takes all of its messages: they differ in x-note")


@pytest.mark.parametrize(
    ("broker", "kind", "zeros_are_one"), [("qpid-java", "topic", False), ("rabbitmq", "x-jms-topic", True)]
)
def test_selectors_of_bindings_are_compared_by_equal_values(broker: str, kind: str, zeros_are_one: bool) -> None:
    texts = ("a <> 0.0", "a <> -0.0"), ("a = 0.0", "a = -0.0")
    for first, second in texts:
        for pair in ((first, second), (second, first)):
            bound = [{"source": "x", "queue": "q", "key": "k", "selector": text} for text in pair]
            given_ = topology(broker, exchanges=[{"name": "x", "type": kind}], bindings=bound)
            findings = report(given_).by_kind()
            assert ("contained-binding" in findings) is zeros_are_one, (broker, pair)
            assert "duplicate-binding" not in findings


def test_a_part_is_judged_by_the_whole_topology() -> None:
    letters = {"work": {"x-dead-letter-exchange": "dead"}, "lost": {"x-dead-letter-exchange": "empty"}, "rest": {}}
    whole = topology_from_definitions(
        {
            "exchanges": [{"name": name, "type": "direct"} for name in ("in", "dead", "empty")],
            "queues": [{"name": name, "arguments": arguments} for name, arguments in letters.items()],
            "bindings": [
                {"source": source, "destination": queue, "destination_type": "queue", "routing_key": "work"}
                for source, queue in (("in", "work"), ("dead", "rest"))
            ],
        }
    )
    judged = report(whole)
    parts = {name: narrow(whole, around=[name]) for name in (*whole.queue_names, "in", "dead", "empty")}
    kinds = {name: {one.kind for one in judged.within(part).findings} for name, part in parts.items()}
    assert kinds == {
        "in": set(),
        "work": set(),
        "dead": set(),
        "rest": set(),
        "empty": {"exchange-without-way-out", "dead-letters-lost", "queue-without-bindings"},
        "lost": {"exchange-without-way-out", "dead-letters-lost", "queue-without-bindings"},
    }
    for name, part in parts.items():
        claims = [text for text in (listing(part), draw(part, "mermaid")) if "nothing is bound to it" in text]
        assert len(claims) == (2 if name in ("empty", "lost") else 0), name
        assert ("only by its own name" in listing(part)) == (name in ("empty", "lost")), name
    assert "dead (direct): what it leads to is not in this part" in listing(parts["work"])
    assert "work: from exchanges that are not in this part" in listing(parts["dead"])


@pytest.mark.parametrize("broker", ["rabbitmq", "qpid-java", "artemis", "activemq"])
def test_a_report_of_nothing_says_that_the_file_declares_nothing(broker: str) -> None:
    nothing = Topology(RULES[broker])
    sentence = nothing.rules.addressing.nothing_declared
    judged = report(nothing)
    assert sentence in str(judged)
    assert sentence in judged._repr_html_()
    assert sentence in listing(nothing)
    assert "nothing is dead" not in str(judged) + judged._repr_html_()


def test_a_divert_whose_filter_reads_the_size_of_messages_is_not_contained_in_another_one() -> None:
    # The size is not in a message here, so the filter may match any message.
    diverts = "".join(
        f"<divert name='d{number}'><address>a</address><forwarding-address>b</forwarding-address>"
        f"<filter string='{text}'/></divert>"
        for number, text in enumerate(("NOT (n = 1)", "AMQSize &gt; 3"))
    )
    text = f"<configuration><core><diverts>{diverts}</diverts></core></configuration>"
    assert "contained-binding" not in report(addresses_of(parse_topology(text, "broker.xml"))).by_kind()
