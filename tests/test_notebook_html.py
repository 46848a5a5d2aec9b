"""The HTML of objects in notebooks, in a browser on a light page and on a dark page."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_ext import DialectComparison
from spark_ext.reports.match_report import MatchExample, MatchExplanation, RowGroup
from tests.browser import run_in_page, screenshot
from tests.test_representations import TOPOLOGY, backtest
from transpiler import Message, explain_selector, transpile_selector
from transpiler.base.diagnostics import Diagnostic
from transpiler.tools.topology_report.findings import report

#: Script that measures the page: elements wider than the page, elements without enough contrast to their background,
#: and the text.
MEASURE = """
const wide = [...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth);
const rgb = colour => colour.match(/[0-9.]+/g).slice(0, 3).map(Number);
const light = ([r, g, b]) => (0.299 * r + 0.587 * g + 0.114 * b) / 255;
const page = light(rgb(getComputedStyle(document.querySelector("main")).backgroundColor));
const texts = [...document.querySelectorAll("main span, main td, main th, main pre")];
const contrast = texts.map(e => Math.abs(light(rgb(getComputedStyle(e).color)) - page));
return {wide: wide.length, contrast: Math.min(...contrast), shown: document.querySelector("main").innerText};
"""


def fragments() -> list[str]:
    """Return the HTML of objects of each kind."""
    long = " AND ".join(f"(property_{number} = 'a long value' OR other > {number})" for number in range(30))
    message = {"color": "<b>red</b>", "weight": 2400, "other": 100}
    groups = (
        RowGroup(None, True, None, 204, ()),
        RowGroup("color = 'red'", False, None, 790, (MatchExample({}, "color is '<i>', not 'red'"),)),
        RowGroup("color = 'red'", None, "color", 6, ()),
    )
    refused = Diagnostic("syntax.unexpected-token", "error", "there is no BETWEEN")
    objects = [
        explain_selector("color = '<b>red</b>' AND weight > 2500", message),
        explain_selector("weight > 2000 AND region <> 'eu'", message),
        explain_selector("color - 1 = 0", message, dialect="activemq"),
        explain_selector(long, message),
        MatchExplanation("color = 'red'", "flat", "jms", False, groups, None),
        transpile_selector(long),
        transpile_selector("a = 'x'", "a BIGINT"),
        Message.of(**message, JMSPriority=7),
        TOPOLOGY,
        report(TOPOLOGY),
        backtest(),
        DialectComparison(None, {"jms": 1200, "activemq": 1100}, 100, {"rabbitmq": refused}),  # type: ignore[arg-type]
    ]
    return [one._repr_html_() for one in objects]


@pytest.mark.live
@pytest.mark.parametrize(("background", "colour"), [("#ffffff", "#000000"), ("#1e1e1e", "#dddddd")])
def test_a_browser_shows_all_of_it(tmp_path: Path, background: str, colour: str) -> None:
    style = f"<style>body {{ margin: 0 }} main {{ background: {background}; color: {colour}; padding: 1em }}</style>"
    file = tmp_path / "page.html"
    parts = "<hr>".join(fragments()).replace("<details>", "<details open>")
    file.write_text(
        f"<!doctype html><head><meta charset=utf-8>{style}</head><body><main>{parts}</main></body>", "utf-8"
    )
    measured = run_in_page(file, MEASURE, tmp_path / "profile")
    assert measured["wide"] == 0
    assert measured["contrast"] > 0.2
    for text in (
        "does not match",
        "weight is 2400, not above 2500",
        "color = '<b>red</b>'",
        "204 of 1,000 messages match",
        "color is '<i>', not 'red'",
        "<us>.#",
        "1 of 2 messages",
        "there is no BETWEEN",
    ):
        assert text in measured["shown"]
    name = "notebook-light" if background == "#ffffff" else "notebook-dark"
    assert screenshot(file, name, tmp_path / "profile", (900, 4000)).stat().st_size > 10_000
