"""selector-sql route and backtest accept logs that are cut off, empty, of several virtual hosts or definitions."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from transpiler.cli import main

#: Definitions of two virtual hosts: a topic exchange in /, a fanout exchange in b.
DEFINITIONS: dict[str, Any] = {
    "rabbitmq_version": "4.1.0",
    "vhosts": [{"name": "/"}, {"name": "b"}],
    "queues": [{"name": "q", "vhost": "/"}, {"name": "z", "vhost": "b"}],
    "exchanges": [{"name": "e", "vhost": "/", "type": "topic"}, {"name": "f", "vhost": "b", "type": "fanout"}],
    "bindings": [
        {"source": source, "vhost": vhost, "destination": queue, "destination_type": "queue", "routing_key": key}
        for source, vhost, queue, key in (("e", "/", "q", "a.#"), ("f", "b", "z", ""))
    ],
}
#: The export of one virtual host, which does not contain the host's name.
NAMELESS = {
    name: [
        {key: value for key, value in entry.items() if key != "vhost"}
        for entry in DEFINITIONS[name]
        if entry["vhost"] == "/"
    ]
    for name in ("queues", "exchanges", "bindings")
}
GOOD = '{"exchange": "e", "routing_key": "a.1", "color": "red", "routed_queues": ["q"]}'


def entry(exchange: str = "e", key: str = "a.b", queues: object = ("q",), vhost: str | None = "/") -> dict[str, object]:
    sent = {"exchange": exchange, "routing_keys": [key], "routed_queues": queues, "properties": {}}
    return {"type": "published", **sent} | ({} if vhost is None else {"vhost": vhost})


def run(*words: str, log: list[object] | bytes = b"", topology: object = DEFINITIONS) -> Result:
    """Run a command in the current directory with the files ``log``, ``log.gz`` and ``t.json``."""
    data = log if isinstance(log, bytes) else "".join(json.dumps(line) + "\n" for line in log).encode()
    Path("log").write_bytes(data)
    Path("log.gz").write_bytes(gzip.compress(data))
    Path("t.json").write_text(json.dumps(topology), encoding="utf-8")
    return CliRunner().invoke(main, words)


@pytest.fixture(autouse=True)
def in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


ROUTE, BACKTEST = ("route", "t.json", "log", "--vhost", "/"), ("backtest", "log", "t.json", "--vhost", "/")


@pytest.mark.parametrize(
    ("bad", "expected_text"),
    [
        ('{"exchange": "e", "prop', "log:2:19: this is not JSON"),
        ('{"exchange": 5}', "log:2: message.exchange: exchange: expected text"),
        ('{"routing_type": "X", "exchange": "e"}', "log:2: message.routing-type"),
        ("[1]", "log:2: "),
    ],
)
def test_a_bad_record_is_left_out_of_a_day_and_the_count_is_last(bad: str, expected_text: str) -> None:
    log = f"{GOOD}\n{bad}\n{GOOD}\n".encode()
    for words, printed in ((ROUTE, '"queues": ["q"]'), (BACKTEST, "2 of 2 messages have exactly the broker's queues")):
        result = run(*words, "--keep-going", log=log)
        assert result.exit_code == 2, result.output
        assert printed in result.stdout
        assert result.stderr.splitlines()[0].startswith(expected_text)
        assert result.stderr.splitlines()[-1] == "1 bad record was left out"
        stopped = run(*words, log=log)
        assert (stopped.exit_code, stopped.stderr.startswith(expected_text)) == (2, True)
        assert "left out" not in stopped.output


def test_a_queue_that_is_no_text_is_left_out_of_a_backtest() -> None:
    bad = '{"exchange": "e", "routed_queues": [5]}'
    result = run(*BACKTEST, "--keep-going", log=f"{bad}\n{GOOD}\n".encode())
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, "1 bad record was left out")
    assert "1 of 1 messages" in result.stdout


def test_a_summary_of_a_day_counts_what_could_be_read() -> None:
    result = run(*ROUTE, "--summary", "--keep-going", log=f"{GOOD}\n{{oops\n".encode())
    assert (result.exit_code, json.loads(result.stdout)["queues"]) == (2, {"q": 1})
    assert run(*ROUTE, "--keep-going", log=f"{GOOD}\n".encode()).exit_code == 0
    nothing = run(*BACKTEST, "--keep-going", log=b"{oops\n")
    assert (nothing.exit_code, nothing.stdout) == (2, "no messages were compared\n")


LOG: list[object] = [entry(), entry("f", "", ["z"], "b"), entry("f", "x", ["z"], "b"), entry(vhost=None)]
LEFT_OUT = "2 messages of other virtual hosts are left out: b (2)"


def test_messages_of_other_virtual_hosts_are_left_out_and_counted() -> None:
    compared = run(*BACKTEST, log=LOG)
    assert compared.exit_code == 0, compared.output
    assert compared.stdout.splitlines()[0] == "2 of 2 messages have exactly the broker's queues (2 deliveries)"
    assert LEFT_OUT in compared.stdout
    data = json.loads(run(*BACKTEST, "--format", "json", log=LOG).stdout)
    assert (data["messages"], data["left_out"]) == (2, [{"vhost": "b", "messages": 2}])
    routed = run(*ROUTE, log=LOG)
    assert (routed.exit_code, len(routed.stdout.splitlines()), routed.stderr) == (0, 2, f"{LEFT_OUT}\n")
    Path("new.json").write_text(json.dumps(DEFINITIONS).replace("a.#", "c.#"), encoding="utf-8")
    changed = CliRunner().invoke(main, ["diff", "t.json", "new.json", "log", "--vhost", "/"])
    assert changed.stdout.startswith("2 of 2 messages change\n")
    assert changed.stderr == f"{LEFT_OUT}\n"


def test_the_virtual_host_of_the_definitions_alone_is_enough() -> None:
    alone = {
        name: [one for one in entries if one.get("vhost", one.get("name")) == "/"]
        for name, entries in DEFINITIONS.items()
        if name != "rabbitmq_version"
    }
    assert LEFT_OUT in run("backtest", "log", "t.json", log=LOG, topology=alone).stdout


def test_definitions_that_name_no_virtual_host_say_so() -> None:
    result = run("backtest", "log", "t.json", log=LOG, topology=NAMELESS)
    assert "2 of 4 messages" in result.stdout
    assert "the messages are of several virtual hosts, and the topology's file names none: /, b" in result.stderr
    assert LEFT_OUT in run(*BACKTEST, log=LOG, topology=NAMELESS).stdout
    assert run("backtest", "log", "t.json", log=[entry()], topology=NAMELESS).stderr == ""


def test_the_text_form_of_a_log_names_its_virtual_host() -> None:
    rule, keys = "=" * 80, 'Routing keys: [<<"x">>]\nRouted queues: [<<"z">>]\nProperties:   []\nPayload: \n\n'
    text = f"{rule}\nnow: Message published\n\nVirtual host: b\nExchange:     f\n{keys}"
    result = run(*BACKTEST, log=text.encode())
    assert result.exit_code == 2
    assert result.stderr == (
        "log has no message of the topology's virtual host: 1 message of another virtual host is left out: b (1)\n"
    )


@pytest.mark.parametrize(
    ("log", "first"),
    [
        ([entry(queues=["q", "gone"])], "the topology does not have the queue gone (1)"),
        ([entry("x", queues=[]), entry("x", queues="none")], "the topology does not have the exchange x (2)"),
        (
            [entry("x", queues=["a"]), entry("", "b", ["b"]), entry("y", queues=["a", "q"])],
            "the topology does not have the exchanges x (1), y (1) and the queues a (2), b (1)",
        ),
        (
            [entry(queues=[f"g{number}" for number in range(7)])],
            "the topology does not have the queues g0 (1), g1 (1), g2 (1), g3 (1), g4 (1) and 2 more",
        ),
        ([entry()], "1 of 1 messages have exactly the broker's queues (1 deliveries)"),
    ],
)
def test_what_the_definitions_lack_is_the_first_line(log: list[object], first: str) -> None:
    assert run(*BACKTEST, log=log).stdout.splitlines()[0] == first


@pytest.mark.parametrize(
    ("log", "expected_text"),
    [
        (b"", "log has no published message: there is nothing to compare"),
        (b"\n  \n", "log has no published message"),
        (b"[]", "log has no published message"),
        ([entry() | {"type": "received"}], "log has no published message"),
        ([entry(vhost="b")], "log has no message of the topology's virtual host: 1 message of another virtual host"),
    ],
)
def test_a_log_without_a_message_is_an_error_of_use(log: list[object] | bytes, expected_text: str) -> None:
    for words in (BACKTEST, ("backtest", "log.gz", "t.json", "--vhost", "/", "--format", "json")):
        result = run(*words, log=log)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.removeprefix("log.gz ").removeprefix("log ").startswith(expected_text.removeprefix("log "))


#: Topologies whose text cannot be a message, by their file names, and messages in files with the same endings.
TOPOLOGIES = {
    "other.json": json.dumps(DEFINITIONS),
    "own.json": json.dumps({"broker": "rabbitmq", "queues": ["q"]}),
    "host.json": json.dumps({"name": "h", "modelVersion": "9.0", "queues": []}),
    "broker.xml": "<configuration><core><addresses/></core></configuration>",
    "activemq.xml": "<beans><broker/></beans>",
}
MESSAGES = {
    "message.json": GOOD,
    "routed.json": '{"exchange": "e", "routing_key": "a", "queues": ["q"], "outcome": "delivered", "version": 1}',
    "broker.json": '{"exchange": "e", "routing_key": "a", "broker": "x"}',
}


@pytest.mark.parametrize(("name", "text"), [*TOPOLOGIES.items(), *MESSAGES.items()])
def test_a_topology_in_the_place_of_messages_is_named(name: str, text: str) -> None:
    Path(name).write_text(text, encoding="utf-8")
    for words, hint in (
        (("route", "t.json", name, "--vhost", "/"), "route takes one topology: run it once for each"),
        (("backtest", name, "t.json", "--vhost", "/"), "write the log first"),
    ):
        result = run(*words)
        assert (f"{name} is a topology, but messages are expected" in result.stderr) is (name in TOPOLOGIES)
        assert (hint in result.stderr) is (name in TOPOLOGIES)
        assert (result.exit_code == 2) or name in MESSAGES


def test_a_route_through_a_file_of_several_virtual_hosts_asks_for_one() -> None:
    result = run("route", "t.json", "log", log=[entry()])
    assert result.exit_code == 2
    assert "there are 2 virtual hosts" in result.stderr
    assert "choose one of /, b: --vhost NAME" in result.stderr
