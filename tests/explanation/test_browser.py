"""The HTML of explanations as a browser shows it, on a light page and on a dark one."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest

from spark_ext.match_report import MatchExample, MatchExplanation, RowGroup
from transpiler import explain_selector

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

#: Writes down what does not fit the page, and what has no colour of its own against its background.
MEASURE = """
<script>
addEventListener("load", () => {
  const wide = [...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth);
  const rgb = colour => colour.match(/[0-9.]+/g).slice(0, 3).map(Number);
  const light = ([r, g, b]) => (0.299 * r + 0.587 * g + 0.114 * b) / 255;
  const contrast = [...document.querySelectorAll("main span")].map(e => {
    const page = light(rgb(getComputedStyle(e.closest("main")).backgroundColor));
    return Math.abs(light(rgb(getComputedStyle(e).color)) - page);
  });
  const shown = document.querySelector("main").innerText;
  document.body.dataset.seen = JSON.stringify({wide: wide.length, contrast: Math.min(...contrast), shown});
});
</script>
"""


def fragments() -> list[str]:
    """The HTML of explanations of each kind."""
    long = " AND ".join(f"(property_{number} = 'a long value' OR other > {number})" for number in range(30))
    message = {"color": "<b>red</b>", "weight": 2400, "other": 100}
    explanations = [
        explain_selector("color = '<b>red</b>' AND weight > 2500", message),
        explain_selector("weight > 2000 AND region <> 'eu'", message),
        explain_selector("color - 1 = 0", message, dialect="activemq"),
        explain_selector(long, message),
    ]
    groups = (
        RowGroup(None, True, None, 204, ()),
        RowGroup("color = 'red'", False, None, 790, (MatchExample({}, "color is '<i>', not 'red'"),)),
        RowGroup("color = 'red'", None, "color", 6, ()),
    )
    table = MatchExplanation("color = 'red'", "flat", "jms", False, groups, None)
    return [*(one._repr_html_() for one in explanations), table._repr_html_()]


@pytest.mark.skipif(BROWSER is None, reason="there is no browser")
@pytest.mark.parametrize(("background", "colour"), [("#ffffff", "#000000"), ("#1e1e1e", "#dddddd")])
def test_a_browser_shows_all_of_it(tmp_path: Path, background: str, colour: str) -> None:
    style = f"<style>body {{ margin: 0 }} main {{ background: {background}; color: {colour}; padding: 1em }}</style>"
    page = tmp_path / "page.html"
    parts = "<hr>".join(fragments()).replace("<details>", "<details open>")
    page.write_text(f"<!doctype html><meta charset=utf-8>{style}<main>{parts}</main>{MEASURE}", encoding="utf-8")
    assert BROWSER is not None
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=900,1200"]
    # The screenshot is for people: it stays in the directory of the test.
    files = [f"--screenshot={tmp_path / 'page.png'}", f"--user-data-dir={tmp_path / 'profile'}"]
    done = subprocess.run([*command, *files, "--dump-dom", str(page)], capture_output=True, text=True, timeout=120)
    seen = re.search(r'data-seen="([^"]*)"', done.stdout)
    assert seen is not None, done.stderr
    measured = json.loads(unescape(seen[1]))
    assert measured["wide"] == 0
    assert measured["contrast"] > 0.2
    for text in (
        "does not match",
        "weight is 2400, not above 2500",
        "color = '<b>red</b>'",
        "204 of 1,000 messages match",
    ):
        assert text in measured["shown"]
    assert "color is '<i>', not 'red'" in measured["shown"]
