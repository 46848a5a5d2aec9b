"""A headless Chromium controlled by its DevTools protocol: pages with scripts, their requests and screenshots.

The protocol uses a pair of pipes (``--remote-debugging-pipe``), so that no package and no port is needed.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.browser import OPTIONS, SCREENSHOTS, browser

#: Maximum time that a test waits for a page, in seconds. The value is large because the machine may be busy.
PATIENCE = 60.0

#: Script that runs a program with two more descriptors: Chromium reads commands from 3 and writes events to 4.
_WITH_PIPES = """
import fcntl, os, sys
commands, events = (fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3])
os.dup2(commands, 3)
os.dup2(events, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""


class Page:
    """A page in a browser. ``requests`` contains the URLs that the page and its workers have requested."""

    def __init__(self, commands: int, events: int) -> None:
        self._commands, self._events = commands, events
        self._buffer = b""
        self._count = 0
        self._session: str | None = None
        self.requests: list[str] = []
        self.failures: list[str] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._call(f"{domain}.enable")
        # Workers have their own sessions. Each worker is paused until its requests are recorded.
        self._call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True)

    def open(self, address: str) -> None:
        """Navigate to the URL ``address``."""
        self._call("Page.navigate", url=address)

    def run(self, script: str) -> Any:
        """Return the value of the JavaScript ``script``, awaited. Raise ``AssertionError`` if it throws."""
        done = self._call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"].get("exception", done)
        return done["result"].get("value")

    def wait_for(self, condition: str) -> Any:
        """Wait until the JavaScript expression ``condition`` is true, and return its value."""
        end = time.monotonic() + PATIENCE
        while not (value := self.run(condition)):
            assert time.monotonic() < end, f"{condition}: not true after {PATIENCE} s; {self.failures}"
            time.sleep(0.02)
        return value

    def type(self, text: str) -> None:
        """Type ``text`` into the focused element, as a keyboard does."""
        for character in text:
            self._call("Input.dispatchKeyEvent", type="char", text=character)

    def press(self, key: str, code: int = 0) -> None:
        """Press ``key``, such as Tab, whose Windows key code is 9."""
        for kind in ("rawKeyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def resize(self, width: int, height: int, *, dark: bool = False) -> None:
        """Set the size of the page, in pixels, and its colour scheme."""
        self._call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])

    def screenshot(self, name: str) -> Path:
        """Take a screenshot of the whole page for a person to look at, and return its file."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        target = SCREENSHOTS / f"{name}.png"
        taken = self._call("Page.captureScreenshot", captureBeyondViewport=True)
        target.write_bytes(base64.b64decode(taken["data"]))
        return target

    def _call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        number = self._send(method, session or self._session, parameters)
        while True:
            message = self._receive()
            if message.get("id") == number:
                assert "error" not in message, (method, message["error"])
                result: dict[str, Any] = message["result"]
                return result
            self._note(message)

    def _send(self, method: str, session: str | None, parameters: dict[str, Any]) -> int:
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        return self._count

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            read = os.read(self._events, 1 << 16)
            assert read, "the browser has ended"
            self._buffer += read
        message, _, self._buffer = self._buffer.partition(b"\0")
        decoded: dict[str, Any] = json.loads(message)
        return decoded

    def _note(self, message: dict[str, Any]) -> None:
        parameters = message.get("params", {})
        match message.get("method"):
            case "Target.attachedToTarget":
                session = parameters["sessionId"]
                for method in ("Network.enable", "Runtime.enable", "Runtime.runIfWaitingForDebugger"):
                    # The next call that waits reads the answers to these commands and drops them.
                    self._send(method, session, {})
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                self.failures.append(details.get("exception", {}).get("description", details["text"]))
            case "Log.entryAdded" if parameters["entry"]["level"] == "error":
                self.failures.append(parameters["entry"]["text"])


@contextmanager
def open_browser(profile: Path, *options: str) -> Iterator[Page]:
    """Start a browser with the profile folder ``profile`` and yield a page. The browser ends with the block."""
    commands_out, commands_in = os.pipe()
    events_out, events_in = os.pipe()
    given = [sys.executable, "-c", _WITH_PIPES, str(commands_out), str(events_in)]
    command = [browser(), *OPTIONS, f"--user-data-dir={profile}", "--remote-debugging-pipe", *options]
    with subprocess.Popen(
        [*given, *command],
        pass_fds=(commands_out, events_in),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(commands_out)
        os.close(events_in)
        try:
            yield Page(commands_in, events_out)
        finally:
            os.close(commands_in)
            os.close(events_out)
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
