"""The comparison with a broker's answer: what it counts, and the text that a person reads."""

from __future__ import annotations

from transpiler.tools.backtest import Backtest
from transpiler.topologies import topology_from_dict


def compared() -> Backtest:
    backtest = Backtest(max_examples=1)
    backtest.add("1", "orders", "new", ["b", "a"], ["a", "b"])
    backtest.add("2", "orders", "new", ["a", "b"], ["b", "c"])
    backtest.add("3", "", "q", [], ["q"])
    backtest.add("4", "", None, ["q"], ["q"])
    return backtest


def test_the_order_of_queues_does_not_matter() -> None:
    assert Backtest().add("1", "x", None, ["a", "b", "a"], ["b", "a"]) is True


def test_a_partial_record_has_no_extra_queues() -> None:
    backtest = Backtest(partial=True)
    assert backtest.add("1", "x", None, ["a"], ["a", "b"]) is True
    assert backtest.add("2", "x", None, ["a"], ["b"]) is False
    assert (backtest.to_dict()["missed"], backtest.extra) == ([{"exchange": "x", "queue": "a", "messages": 1}], {})
    assert (
        backtest.render().splitlines()[0] == "1 of 2 messages go to the queue that they were read from (2 deliveries)"
    )


def test_misses_and_extras_are_counted_by_exchange_and_queue() -> None:
    assert compared().to_dict() == {
        "version": 1,
        "messages": 4,
        "agreed": 2,
        "deliveries": 5,
        "exchanges": [
            {"exchange": "", "messages": 2, "agreed": 1},
            {"exchange": "orders", "messages": 2, "agreed": 1},
        ],
        "missed": [{"exchange": "orders", "queue": "a", "messages": 1}],
        "extra": [
            {"exchange": "", "queue": "q", "messages": 1},
            {"exchange": "orders", "queue": "c", "messages": 1},
        ],
        "unknown": [],
        "absent_queues": [],
        "absent_exchanges": [],
        "left_out": [],
        "examples": [
            {"message": "2", "exchange": "orders", "routing_key": "new", "missed": ["a"], "extra": ["c"]},
        ],
    }


def test_a_person_reads_the_verdict_first() -> None:
    assert compared().render().splitlines() == [
        "2 of 4 messages have exactly the broker's queues (5 deliveries)",
        "  (default exchange)  1 of 2",
        "  orders              1 of 2",
        "missed 1 times: orders → a",
        "extra 1 times: orders → c",
        "extra 1 times: (default exchange) → q",
        "example 2: to orders with key 'new': missed a; extra c",
    ]


def test_only_full_agreement_on_something_passes() -> None:
    assert Backtest().passed is False
    assert Backtest().render() == "no messages were compared"
    assert compared().passed is False
    agreed = Backtest()
    agreed.add("1", "x", None, [], [])
    assert agreed.passed is True


def test_a_queue_that_the_topology_does_not_have_is_no_disagreement_of_the_default_exchange() -> None:
    backtest = Backtest()
    assert backtest.add("1", "", "gone", ["gone"], [])
    assert not backtest.add("2", "orders", "new", ["gone"], [])
    assert backtest.to_dict()["unknown"] == [{"queue": "gone", "messages": 1}]
    # The file does not state which queue messages of orders reached.
    assert backtest.render().splitlines()[0] == "the topology does not have the queue gone (1)"
    # The queue exists in this topology and is missed, because the default exchange delivers to it by its name.
    known = Backtest(
        topology=topology_from_dict({"broker": "rabbitmq", "queues": ["q"], "exchanges": [], "bindings": []})
    )
    assert not known.add("1", "", "other", ["q", "gone"], [])
    assert (known.missed, known.unknown) == ({("", "q"): 1}, {"gone": 1})
