"""Control characters in a user's names and texts never act on the terminal; they are only displayed.

Captured output cannot test this, because click removes escape sequences if there is no terminal.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from transpiler import Message
from transpiler.cli import main
from transpiler.tools.topology_report.picture import draw, draw_svg
from transpiler.topology import topology_from_dict

pty = pytest.importorskip("pty", reason="only POSIX has pseudo-terminals")

#: Control characters that set a window's title, a colour (with two bytes and with one), and the direction of writing.
EVIL = "\x1b]0;owned\x07\x1b[31mred\x9b31m\u202e\r"

SCRIPT = """
import json, sys
from transpiler.cli import main
for words in json.load(open(sys.argv[1])):
    try:
        main(words)
    except SystemExit:
        pass
"""


def topology() -> dict[str, object]:
    """Return a topology with a loop of two exchanges with control characters in their names, and an unbound queue."""
    names = [f"a{EVIL}", f"b{EVIL}"]
    return {
        "broker": "qpid-java",
        "queues": [f"q{EVIL}", "lonely"],
        "exchanges": [{"name": name, "type": "direct"} for name in names],
        "bindings": [
            {"source": names[0], "exchange": names[1], "key": f"k{EVIL}"},
            {"source": names[1], "exchange": names[0], "key": f"k{EVIL}"},
            {"source": names[0], "queue": f"q{EVIL}", "key": "k", "selector": f"c = '{EVIL}'"},
        ],
    }


@pytest.mark.full
def test_nothing_that_people_read_acts_on_their_terminal(tmp_path: Path) -> None:
    exchanges, messages = tmp_path / "t.json", tmp_path / "m.jsonl"
    exchanges.write_text(json.dumps(topology()))
    message = Message.from_dict({"properties": {"subject": f"k{EVIL}"}, "application_properties": {"c": EVIL}})
    messages.write_text(json.dumps(message.to_dict()) + "\n")
    where, selector = str(exchanges), f"c = '{EVIL}' AND n > 1"
    commands = [
        ["topology", where, "--report"],
        ["topology", where, "--format", "dot"],
        ["topology", where],
        ["route", where, str(messages), "--exchange", f"a{EVIL}", "--why"],
        ["route", where, str(messages), "--exchange", f"b{EVIL}x", "--why"],
        ["topology", where, "--exchange", f"c{EVIL}"],
        ["explain", selector, "--message", str(messages)],
        ["explain", selector],
        ["compare", selector, "--message", str(messages)],
        ["diff", selector, f"c = '{EVIL}' OR n > 2"],
        ["port", f"c = '{EVIL}'", "--from", "jms", "--to", "artemis"],
        ["check", f"c = '{EVIL}' AND c = '{EVIL}'"],
    ]
    listed = tmp_path / "commands.json"
    listed.write_text(json.dumps(commands))
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", SCRIPT, str(listed)]
    ended = {**os.environ, "NO_COLOR": "1"}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=ended) as process:
        os.close(theirs)
        written = b""
        try:
            while read := os.read(ours, 65536):
                written += read
        except OSError:
            # On Linux, a closed terminal raises an error instead of returning an end of file.
            pass
    os.close(ours)
    assert process.returncode == 0
    text = written.decode().replace("\r\n", "\n")
    assert text.count("red") > len(commands)
    acting = {character for character in text if not character.isprintable() and character not in "\n\t"}
    assert not acting, [line for line in text.splitlines() if not acting.isdisjoint(line)][:5]


def test_a_picture_of_any_names_is_xml() -> None:
    drawn = topology_from_dict(topology())
    assert draw(drawn, "dot").replace("\n", "").isprintable()
    assert ElementTree.fromstring(draw_svg(drawn)).tag.endswith("svg")


@pytest.mark.full
def test_a_long_file_shows_its_progress_on_a_terminal_alone(tmp_path: Path) -> None:
    # The path is longer than a line of the terminal. The name of the file is still displayed.
    folder = tmp_path / ("folder" * 20)
    folder.mkdir()
    long = folder / "long.jsonl"
    long.write_text(('{"color": "red"}' + " " * 9_000 + "\n") * 600, encoding="utf-8")
    words = [sys.executable, "-m", "transpiler.cli", "match", "color = 'red'", str(long), "--count"]
    ours, theirs = pty.openpty()
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=theirs, check=True, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    assert (done.stdout, b"long.jsonl" in os.read(ours, 65_536)) == (b"600\n", True)
    done = subprocess.run(words, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"600\n", b"")


@pytest.mark.full
def test_a_command_says_on_a_terminal_that_it_starts_spark_before_it_does(tmp_path: Path) -> None:
    messages, java = tmp_path / "a.jsonl", tmp_path / "bin" / "java"
    messages.write_text("{}\n", encoding="utf-8")
    # A Java that exits at once: the message before its start is still on the terminal.
    java.parent.mkdir()
    java.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    java.chmod(0o755)
    script = "import sys; from spark_ext.cli import main; sys.argv[0] = 'selector-spark'; main()"
    words = [sys.executable, "-c", script, "filter", "color = 'red'", str(messages)]
    ours, theirs = pty.openpty()
    done = subprocess.run(words, stdout=theirs, stderr=theirs, env={**os.environ, "JAVA_HOME": str(tmp_path)})
    os.close(theirs)
    output = os.read(ours, 65_536).decode().splitlines()
    os.close(ours)
    assert (done.returncode, output[0]) == (2, "starting Spark …")
    assert output[1].startswith("Java cannot be started")


def test_warnings_of_a_kind_about_an_import_are_one_line_with_a_count(tmp_path: Path) -> None:
    exchanges = [{"name": f"x{number}", "vhost": "/", "type": "x-odd", "arguments": {}} for number in range(40)]
    definitions = {"rabbit_version": "3.13.7", "vhosts": [{"name": "/"}], "exchanges": exchanges, "queues": []}
    file = tmp_path / "definitions.json"
    file.write_text(json.dumps({**definitions, "bindings": []}), encoding="utf-8")
    routed = CliRunner().invoke(main, ["route", str(file)], input='{"exchange": "x0"}').stderr
    reported = CliRunner().invoke(main, ["topology", str(file), "--report"]).stderr
    # The line of the file and the carets are printed below the message.
    line, *_ = routed.splitlines()
    assert len(routed.splitlines()) == 3
    assert "exchanges[0].type" in line
    assert line.endswith("39 more like it, which selector-sql topology --report shows")
    assert reported.count("import.exchange-type") == 40


@pytest.mark.full
def test_a_report_of_a_topology_fits_the_terminal(tmp_path: Path) -> None:
    exchanges = [{"name": "h", "vhost": "/", "type": "headers", "arguments": {}}]
    queues = [{"name": f"queue.{number}", "vhost": "/", "arguments": {}} for number in range(3)]
    bindings = [
        {
            "source": "h",
            "vhost": "/",
            "destination": queue["name"],
            "destination_type": "queue",
            "arguments": {"x-a": 1},
        }
        for queue in queues
    ]
    definitions = {"rabbitmq_version": "3.13.7", "exchanges": exchanges, "queues": queues, "bindings": bindings}
    file = tmp_path / "definitions.json"
    file.write_text(json.dumps(definitions), encoding="utf-8")
    words = [sys.executable, "-m", "transpiler.cli", "topology", str(file), "--report"]
    whole = subprocess.run(words, capture_output=True, check=True, text=True).stdout
    ours, theirs = pty.openpty()
    subprocess.run(words, stdout=theirs, check=True, env={**os.environ, "COLUMNS": "60"})
    os.close(theirs)
    shown = os.read(ours, 65_536).decode()
    os.close(ours)
    assert max(map(len, whole.splitlines())) > 60 >= max(map(len, shown.splitlines()))
    assert shown.split() == whole.split()
