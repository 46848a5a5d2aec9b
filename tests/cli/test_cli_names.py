"""Names in the commands: choices in any case, shell completion, virtual hosts, topologies on standard input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from transpiler.cli import main
from transpiler.language.selector.dialects import DIALECTS

DEFINITIONS = {
    "rabbit_version": "3.13.0",
    "vhosts": [{"name": "orders"}, {"name": "billing"}],
    "exchanges": [{"name": "shop", "vhost": "orders", "type": "direct", "durable": True, "auto_delete": False}],
    "queues": [{"name": name, "vhost": name, "durable": True, "auto_delete": False} for name in ("orders", "billing")],
    "bindings": [],
}
OWN = {"broker": "qpid-java", "exchanges": [{"name": "shop", "type": "topic"}], "queues": ["q"]}
MESSAGE = '{"properties": {"subject": "orders"}, "exchange": ""}\n'


@pytest.fixture(autouse=True)
def in_a_directory_with_topologies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("definitions.json").write_text(json.dumps(DEFINITIONS), encoding="utf-8")
    Path("own.json").write_text(json.dumps(OWN), encoding="utf-8")


def complete(words: str) -> list[str]:
    """Return the completions that bash offers for the last word of ``words``."""
    environment = {
        "_SELECTOR_SQL_COMPLETE": "bash_complete",
        "COMP_WORDS": f"selector-sql {words}",
        "COMP_CWORD": str(len(words.split(" "))),
    }
    result = CliRunner(env=environment).invoke(main, [], prog_name="selector-sql")
    return [line.partition(",")[2] for line in result.output.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("match --dialect act", ["activemq"]),
        ("match --dialect ", [*DIALECTS]),
        ("check --dialect QPID", ["qpid-java", "qpid-cpp"]),
        ("port --from rab", ["rabbitmq", "rabbitmq-jms"]),
        ("port --from jms --to qpid-c", ["qpid-cpp"]),
        ("diff --new-dialect art", ["artemis", "artemis-core"]),
        ("sql --layout kafka", ["kafka-headers"]),
        ("sql --layout amqp", ["amqp", "amqp-0-10"]),
        ("sql --result bo", ["boolean"]),
        ("topology --format d", ["dot"]),
        ("port --format j", ["json"]),
        ("route --publish-to ex", ["exchange"]),
        ("route definitions.json --vhost b", ["billing"]),
        ("route own.json --exchange sh", ["shop"]),
        ("route own.json --exchange amq.t", ["amq.topic"]),
        ("route nowhere.json --exchange a", []),
        ("dif", ["diff"]),
    ],
)
def test_the_shell_completes_names_and_choices(words: str, offered: list[str]) -> None:
    assert complete(words) == offered


@pytest.mark.parametrize(
    "words",
    [
        "sql a=1 --dialect ActiveMQ --result Boolean --layout AMQP",
        "sql a=1 --layout Kafka-Headers",
        "check a='x' --format JSON --dialect JMS",
        "port a=1 --from JMS --to QPID-java",
        "diff a=1 a=1 --dialect Artemis --format TEXT",
        "topology own.json --format DOT --form Topology",
        "explain a=1 --dialect RabbitMQ",
    ],
)
def test_case_does_not_matter_in_names_and_choices(words: str) -> None:
    result = CliRunner().invoke(main, words.split(" "))
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("words", "expected_text"),
    [
        ("route definitions.json --vhost order", "there is no virtual host 'order'\n  hint: did you mean orders?\n"),
        (
            "route definitions.json --vhost zzz",
            "there is no virtual host 'zzz'\n  hint: the names are orders, billing\n",
        ),
        ("route definitions.json", "there are 2 virtual hosts\n  hint: choose one of orders, billing: --vhost NAME"),
        ("topology own.json --vhost x", "there is no virtual host 'x'\n  hint: perhaps omit the virtual host: "),
    ],
)
def test_a_virtual_host_that_is_not_there_is_an_error_with_those_that_are(words: str, expected_text: str) -> None:
    result = CliRunner().invoke(main, words.split(" "), input=MESSAGE)
    assert result.exit_code == 2
    assert expected_text in result.stderr


def test_a_file_without_a_virtual_host_is_an_error() -> None:
    result = CliRunner().invoke(main, ["topology", "-"], input='{"modelVersion": "9.0", "virtualhostnodes": []}')
    assert (result.exit_code, result.stdout) == (2, "")
    assert "standard input: topology.vhost: the file contains no virtual host" in result.stderr


@pytest.mark.parametrize(
    ("cluster", "hint"),
    [
        ("", "queues are there\n"),
        ("<cluster-connection name='c'/>", "there, but not which messages the other brokers of the cluster take\n"),
    ],
)
def test_the_hint_to_give_the_state_says_that_a_cluster_is_not_in_it(cluster: str, hint: str) -> None:
    connections = f"<cluster-connections>{cluster}</cluster-connections>"
    addresses = "<addresses><address name='q'><anycast><queue name='q'/></anycast></address></addresses>"
    other = "<addresses><address name='t'><multicast/></address></addresses>"
    Path("broker.xml").write_text(
        f"<configuration><core>{connections}{addresses if cluster else other}</core></configuration>", encoding="utf-8"
    )
    words = ["route", "broker.xml", "--exchange", "q" if cluster else "t"]
    result = CliRunner().invoke(main, words, input='{"properties": {}}')
    assert result.exit_code == 0
    assert result.stderr.endswith(hint), result.stderr


def test_a_virtual_host_that_is_there_is_chosen() -> None:
    result = CliRunner().invoke(main, ["route", "definitions.json", "--vhost", "orders"], input=MESSAGE)
    assert (result.exit_code, '"queues": ["orders"]' in result.output) == (0, True)


def test_an_export_that_names_no_virtual_host_cannot_be_checked_and_says_so() -> None:
    Path("one.json").write_text(json.dumps({"rabbit_version": "3.13.0", "queues": [{"name": "q"}]}), encoding="utf-8")
    result = CliRunner().invoke(main, ["topology", "one.json", "--vhost", "prod"])
    assert result.exit_code == 0
    assert "it may describe another virtual host than 'prod'" in result.stderr


@pytest.mark.parametrize("text", [json.dumps(OWN), "broker: qpid-java\nqueues: [q]\n"], ids=["json", "yaml"])
def test_a_topology_is_read_from_standard_input(text: str) -> None:
    result = CliRunner().invoke(main, ["topology", "-"], input=text)
    assert (result.exit_code, result.output.partition(":")[0]) == (0, "qpid-java")
    Path("m.jsonl").write_text('{"exchange": "", "properties": {"subject": "q"}}\n', encoding="utf-8")
    result = CliRunner().invoke(main, ["route", "-", "m.jsonl"], input=text)
    assert (result.exit_code, '"queues": ["q"]' in result.output) == (0, True)
    broken = CliRunner().invoke(main, ["topology", "-"], input='{"broker": ')
    assert (broken.exit_code, broken.stderr.startswith("standard input:1:")) == (2, True)
