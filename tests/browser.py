"""Pages in a headless browser: what they look like, and what their scripts do."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

#: The folder of the last run's screenshots, for a person to look at; it is not in the tree.
SCREENSHOTS = Path(__file__).parent.parent / "build" / "screenshots"

#: The options of every run: without a window, without services of its vendor, with the same colours everywhere.
OPTIONS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --force-color-profile=srgb"
).split()

_NAMES = ("chromium", "chromium-browser", "google-chrome")


def browser() -> str:
    """Return the program of a headless browser; the test is skipped where there is none."""
    program = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(_NAMES)} is installed")
    return program


def _run(profile: Path, *arguments: str) -> str:
    command = [browser(), *OPTIONS, f"--user-data-dir={profile}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def screenshot(page: Path, name: str, profile: Path, size: tuple[int, int] = (1200, 900)) -> Path:
    """Take a screenshot of a page and return its file, a PNG of that many pixels."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    target = SCREENSHOTS / f"{name}.png"
    _run(profile, f"--window-size={size[0]},{size[1]}", f"--screenshot={target}", page.as_uri())
    return target


def run_in_page(page: Path, script: str, profile: Path) -> Any:
    """Run the body of a function in a copy of a page and return its value, which JSON can hold.

    Errors of the page's own scripts are errors here.
    """
    text = page.read_text(encoding="utf-8")
    watch = "<script>window.errors = []; window.onerror = (message) => window.errors.push(message);</script>"
    # A closing tag in a string of the script would end it.
    script = script.replace("</", "<\\/")
    probe = (
        '<pre id="probe"></pre><script>document.getElementById("probe").textContent = '
        f"JSON.stringify({{errors: window.errors, value: (() => {{ {script} }})()}});</script>"
    )
    copy = profile.parent / f"probe-{page.name}"
    copy.write_text(text.replace("<head>", f"<head>{watch}", 1).replace("</body>", f"{probe}</body>"), encoding="utf-8")
    dumped = _run(profile, "--dump-dom", copy.as_uri())
    content = dumped.split('<pre id="probe">')[1].split("</pre>")[0]
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        content = content.replace(entity, character)
    answer = json.loads(content)
    assert not answer["errors"]
    return answer["value"]
