"""Functions that open pages in a headless browser, for tests of their appearance and of their scripts."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

#: The folder of the last run's screenshots, for a person to look at. Git ignores it.
SCREENSHOTS = Path(__file__).parent.parent / "build" / "screenshots"

#: Command-line options of every run: no window, no connections to the vendor's services, the same colours on every
#: machine.
OPTIONS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --force-color-profile=srgb"
).split()

_NAMES = ("chromium", "chromium-browser", "google-chrome")


def browser() -> str:
    """Return the path of a headless browser. If none is installed, skip the test."""
    program = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(_NAMES)} is installed")
    return program


def _run(profile: Path, *arguments: str) -> str:
    command = [browser(), *OPTIONS, f"--user-data-dir={profile}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def screenshot(page: Path, name: str, profile: Path, size: tuple[int, int] = (1200, 900)) -> Path:
    """Take a screenshot of ``page`` and return its file, a PNG of ``size`` (width, height) in pixels."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    target = SCREENSHOTS / f"{name}.png"
    _run(profile, f"--window-size={size[0]},{size[1]}", f"--screenshot={target}", page.as_uri())
    return target


def run_in_page(page: Path, script: str, profile: Path) -> Any:
    """Run ``script``, the body of a JavaScript function, in a copy of ``page`` and return its value, as JSON.

    Fail if one of the page's own scripts raises an error.
    """
    text = page.read_text(encoding="utf-8")
    watch = "<script>window.errors = []; window.onerror = (message) => window.errors.push(message);</script>"
    # A closing tag inside a string of the script would end the script element.
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
