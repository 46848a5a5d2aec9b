"""An input that cannot be read, or an output that cannot be written, gives one line of error and exit code 2."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import CliRunner, Result

from tests.sizes import sample
from transpiler.cli import main
from transpiler.tools.message_files.file_lines import MAX_LINE

MESSAGE = '{"application_properties": {"a": "é"}}'
FILTER = '{"f": {"descriptor": "apache.org:legacy-amqp-topic-binding:string", "value": "usd.é"}}'
SCHEMA = '{"type": "struct", "fields": [{"name": "a", "type": "string", "nullable": true, "metadata": {}}]}'
TOPOLOGY = '{"broker": "qpid-java", "exchanges": [{"name": "é", "type": "direct"}], "queues": ["q"]}'
SELECTOR = "a = 'é'"

#: Each command with @ for one of its inputs, and a text with which the command exits with code 0.
INPUTS = {
    "sql -": ("sql -", SELECTOR),
    "sql --schema": ("sql a='é' --schema @", SCHEMA),
    "sql --filter": ("sql --filter @", FILTER),
    "check --file": ("check --as selectors --file @", SELECTOR),
    "check -": ("check -", SELECTOR),
    "check --schema": ("check a='é' --schema @", SCHEMA),
    "explain -": ("explain -", SELECTOR),
    "explain --message": ("explain a='é' --message @", MESSAGE),
    "explain --schema": ("explain a='é' --schema @", SCHEMA),
    "match": ("match a='é' @", MESSAGE),
    "match stdin": ("match a='é'", MESSAGE),
    "match --filter": ("match --invert --filter @ message.jsonl", FILTER),
    "compare": ("compare a='é' --message @", MESSAGE),
    "compare -": ("compare -", SELECTOR),
    "diff -": ("diff a='é' -", SELECTOR),
    "port --file": ("port --from jms --to activemq --file @", SELECTOR),
    "port -": ("port --from jms --to activemq -", SELECTOR),
    "route": ("route @ empty.jsonl", TOPOLOGY),
    "route messages": ("route topology.json @ --exchange é", MESSAGE),
    "route stdin": ("route topology.json --exchange é", MESSAGE),
    "topology": ("topology @", TOPOLOGY),
    "topology --counts": ("topology topology.json --counts @", '{"exchanges": {"é": 1}, "queues": {}, "outcomes": {}}'),
}
FROM_STANDARD_INPUT = [name for name, (words, _) in INPUTS.items() if "@" not in words]
NAMED = [name for name in INPUTS if name not in FROM_STANDARD_INPUT]
#: The length of a name, and the number of errors that contain it: together more than a pipe buffers, which is 64 KB.
LONG, ERRORS = "x" * 200, 300
#: A command that prints something, for each way of printing.
PRINTING = (
    "sql a=1",
    "check a==1",
    "check a==1 --format json",
    "explain a=1",
    "match --invert a=1 message.jsonl",
    "match --count a=1 message.jsonl",
    "compare a=1",
    "diff a=1 a=1",
    "port --from jms --to activemq a=1",
    "route topology.json message.jsonl --exchange é",
    "route topology.json message.jsonl --exchange é --summary",
    "topology topology.json",
    "--help",
    "--version",
)


@pytest.fixture(autouse=True)
def in_a_directory_with_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.jsonl").write_text("")
    Path("message.jsonl").write_text(MESSAGE + "\n", encoding="utf-8")
    Path("topology.json").write_text(TOPOLOGY, encoding="utf-8")


def run(words: str, data: bytes = b"", file: str = "given") -> Result:
    """Run a command with ``file`` in place of @ and with ``data`` as its standard input.

    Write ``data`` to ``file`` if it does not exist.
    """
    if not os.path.lexists(file):
        Path(file).write_bytes(data)
    return CliRunner().invoke(main, [file if word == "@" else word for word in words.split()], input=data)


def process(
    words: str, *, environment: dict[str, str] | None = None, **options: object
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in its own process."""
    command = [sys.executable, "-m", "transpiler.cli", *map(os.fsencode, words.split())]
    environ = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])} | (environment or {})
    return subprocess.run(command, env=environ, stderr=subprocess.PIPE, timeout=60, **options)  # type: ignore[call-overload, no-any-return]


def assert_one_line(code: int, reported: str, error: str = "") -> None:
    assert code == 2, reported
    assert "Traceback" not in reported
    assert "internal error" not in reported
    assert reported.endswith("\n")
    assert len(reported.splitlines()) == 1, reported
    assert error in reported


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("hazard", ["plain", "mark", "mark and CRLF"])
def test_a_byte_order_mark_and_crlf_simply_work(name: str, hazard: str) -> None:
    words, text = INPUTS[name]
    plain = run(words, text.encode())
    assert plain.exit_code == 0, plain.output
    mark = "" if hazard == "plain" else "\ufeff"
    end = "\r\n" if "CRLF" in hazard else "\n"
    Path("given").unlink(missing_ok=True)
    result = run(words, f"{mark}{text}{end}".encode())
    assert (result.exit_code, result.output) == (0, plain.output)


@pytest.mark.parametrize("name", INPUTS)
def test_bytes_that_are_not_utf8_are_reported_with_their_line_and_column(name: str) -> None:
    words, text = INPUTS[name]
    file = "-" if name in FROM_STANDARD_INPUT else "given"
    before = text[: text.index("é")] if "é" in text else '{"'
    result = run(words, before.encode() + b"\xff" + text[len(before) + 1 :].encode())
    assert_one_line(result.exit_code, result.stderr, f"{file}:1:{len(before) + 1}: this is not UTF-8: byte 0xff")
    lines = b"\xef\xbb\xbf" + "é\r\n".encode() * 2 + b"# \xc3("
    Path("given").unlink(missing_ok=True)
    result = run("check --as selectors --file @", lines)
    assert_one_line(result.exit_code, result.stderr, "given:3:3: this is not UTF-8")


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("nowhere/x", "'nowhere/x' does not exist"),
        ("file:/nowhere/x", "'file:/nowhere/x' does not exist"),
        ("s3a://bucket/x", "'s3a://bucket/x' does not name a local file: copy it, or give -"),
        ("dbfs:/x", "'dbfs:/x' does not name a local file"),
        (".", "'.' is a directory"),
        # Not even the superuser can read this file.
        ("/proc/self/mem", "'/proc/self/mem' cannot be read: "),
        ("a\0b", "is not the name of a file"),
        ("nowhere\n::error::x", "does not exist"),
    ],
)
def test_an_unreadable_file_gives_one_line_of_error(name: str, file: str, why: str) -> None:
    if file == "." and name in ("topology", "route"):
        # The directory of the test contains a topology that is not in RabbitMQ's form.
        why = "topology.json is not a file of RabbitMQ's definitions"
    if file.startswith("/proc") and not os.path.exists(file):
        file, why = "nowhere/x", "does not exist"
    words, _ = INPUTS[name]
    result = CliRunner().invoke(main, [file if word == "@" else word for word in words.split()])
    assert_one_line(result.exit_code, result.stderr, why)


@pytest.mark.parametrize("words", ["check s3a://bucket/x", "diff s3a://bucket/x s3a://bucket/y"])
def test_a_uri_is_no_selector(words: str) -> None:
    result = run(words, b"")
    assert_one_line(result.exit_code, result.stderr, "'s3a://bucket/x' does not name a local file")


@pytest.mark.full
def test_a_file_without_permission_is_one_line() -> None:
    Path("secret").write_text(MESSAGE)
    Path("secret").chmod(0)
    # The superuser becomes the user nobody after Python has loaded its modules, which only the superuser may be able to
    # read.
    program = (
        "import os, sys; from click.testing import CliRunner; from transpiler.cli import main\n"
        "CliRunner().invoke(main, ['match', 'a=1'], input='')\n"
        "os.getuid() or os.setuid(65534)\n"
        "main(sys.argv[1:])"
    )
    command = [sys.executable, "-c", program, "match", "a=1", "secret"]
    environ = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    result = subprocess.run(command, env=environ, capture_output=True, timeout=60)
    assert_one_line(result.returncode, result.stderr.decode(), "cannot be read: Permission denied")


@pytest.mark.parametrize("name", INPUTS)
def test_a_nul_is_an_error_of_what_has_it(name: str) -> None:
    words, text = INPUTS[name]
    result = run(words, text.replace("a", "a\0", 1).encode())
    assert result.exit_code == (1 if words.startswith("check -") else 0 if words == "compare -" else 2), result.output
    assert "Traceback" not in result.output
    assert "\0" not in result.output
    assert result.output


@pytest.mark.parametrize("name", ["match", "route messages"])
def test_a_compressed_archive_is_read_and_a_broken_one_is_one_line(name: str) -> None:
    words = INPUTS[name][0]
    packed = gzip.compress((MESSAGE + "\n").encode())
    assert run(words, packed, "a.jsonl.gz").exit_code == 0
    for file, data in (("b.gz", packed[:-9]), ("c.gz", b"no gzip"), ("d.gz", packed[:10] + b"\xff" * 9 + packed[19:])):
        result = run(words, data, file)
        assert_one_line(result.exit_code, result.stderr, f"file '{file}' cannot be")


@pytest.mark.full
@pytest.mark.parametrize("words", sample(PRINTING, 5))
def test_an_output_that_cannot_be_written_is_one_line(words: str) -> None:
    if not os.path.exists("/dev/full"):
        return
    with open("/dev/full", "wb") as full:
        printed = process(words, stdout=full)
    assert_one_line(printed.returncode, printed.stderr.decode(), "standard output: No space left on device")


def closed(*descriptors: int) -> dict[str, object]:
    def close() -> None:
        for descriptor in descriptors:
            os.close(descriptor)

    return {"preexec_fn": close}


@pytest.mark.full
@pytest.mark.parametrize("words", ["sql a=1", "check a==1 --format json", "--version"])
def test_a_closed_output_gives_one_line_of_error(words: str) -> None:
    result = process(words, **closed(1))
    assert_one_line(result.returncode, result.stderr.decode(), "standard output: Bad file descriptor")


@pytest.mark.full
def test_a_closed_standard_error_hides_the_error_and_keeps_the_exit_code() -> None:
    assert process("sql a==1", **closed(2)).returncode == 2
    assert process("sql a=1", stdout=subprocess.DEVNULL, **closed(2)).returncode == 0
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "transpiler.cli", "sql", "a=1"]
        assert subprocess.run(command, cwd=Path(__file__).parents[2], stdout=full, stderr=full).returncode == 2


@pytest.mark.full
@pytest.mark.parametrize(
    "words", sample([*(INPUTS[name][0] for name in FROM_STANDARD_INPUT), "sql --filter-bytes -"], 4)
)
def test_a_closed_standard_input_is_one_line(words: str) -> None:
    output = process(words, stdout=subprocess.DEVNULL, **closed(0))
    assert_one_line(output.returncode, output.stderr.decode(), "standard input is closed")


def test_standard_input_is_read_once() -> None:
    for words in ("explain - --message -", "route - -", "match - -", "route topology.json - -"):
        result = run(words, TOPOLOGY.encode() if "- -" in words and "json" not in words else MESSAGE.encode())
        assert result.exit_code == 2
        assert "Traceback" not in result.output


@pytest.mark.full
@pytest.mark.parametrize(
    "words",
    [
        "match --invert a=1 many.jsonl",
        "route topology.json many.jsonl --exchange é",
        f"check --as selectors --file {LONG}",
    ],
    ids=["match", "route", "check"],
)
def test_a_reader_that_goes_away_ends_the_command_quietly(words: str) -> None:
    Path("many.jsonl").write_text((MESSAGE + "\n") * 5_000, encoding="utf-8")
    Path(LONG).write_text("a == 1\n" * ERRORS)
    command = [sys.executable, "-m", "transpiler.cli", *words.split()]
    # Without a buffer, Python would treat a partial write to the pipe as complete.
    environ = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 141


@pytest.mark.full
def test_an_interrupt_is_one_line_and_exit_code_130() -> None:
    command = [sys.executable, "-m", "transpiler.cli", "match", "--invert", "a=1"]
    environ = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # A background process of a shell ignores interrupts, and its children would inherit that.
    pipes["preexec_fn"] = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, env=environ, **pipes) as running:  # type: ignore[call-overload]
        running.stdin.write((MESSAGE + "\n").encode())
        running.stdin.flush()
        # The first answer shows that the command is running its main loop.
        assert running.stdout.readline()
        running.send_signal(signal.SIGINT)
        # A signal that arrives right before the read call is handled only when that call returns.
        running.stdin.close()
        assert running.stderr.read() == b"interrupted\n"
        assert running.wait(60) == 130


LOCALES = (
    {"LC_ALL": "C"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"},
)


@pytest.mark.full
@pytest.mark.parametrize("environment", sample(LOCALES, 2))
def test_arguments_files_and_output_are_utf8_in_every_locale(environment: dict[str, str]) -> None:
    output = process("sql a='é😀'", environment=environment, stdout=subprocess.PIPE)
    assert (output.returncode, output.stderr) == (0, b"")
    assert output.stdout.decode() == "(application_properties['a'].string = 'é😀')\n"
    Path("é.jsonl").write_text(MESSAGE + "\n", encoding="utf-8")
    output = process("match a='é' é.jsonl", environment=environment, stdout=subprocess.PIPE)
    assert (output.returncode, output.stdout.decode()) == (0, MESSAGE + "\n")
    output = process("sql é=='é'", environment=environment, stdout=subprocess.PIPE)
    assert output.returncode == 2
    assert "é=='é'" in output.stderr.decode()


@pytest.mark.full
def test_an_argument_that_is_not_utf8_is_one_line() -> None:
    for word in (b"a='\xff'", b"\xe9.jsonl"):
        command = [sys.executable.encode(), b"-m", b"transpiler.cli", b"match", word]
        environ = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
        result = subprocess.run(command, env=environ, capture_output=True)
        assert_one_line(result.returncode, result.stderr.decode(), "argument 2 is not UTF-8: ")


def test_half_of_a_surrogate_pair_in_json_is_refused_at_its_place() -> None:
    message = '{"application_properties": {"a": "\\ud800"}}'
    topology = TOPOLOGY.replace("é", "\\udc00")
    for words, text in (("route topology.json @", message), ("match a='x' @", message), ("topology @", topology)):
        Path("given").unlink(missing_ok=True)
        result = run(words, text.encode())
        reported, *shown = result.stderr.splitlines()
        assert_one_line(result.exit_code, f"{reported}\n", "holds half of a surrogate pair")
        assert all(" | " in line for line in shown)


@pytest.mark.full
def test_an_output_without_a_buffer_is_written_whole() -> None:
    Path(LONG).write_text("a == 1\n" * ERRORS)
    words = f"check --as selectors --file {LONG}"
    output = process(words, environment={"PYTHONUNBUFFERED": "1"}, stdout=subprocess.PIPE)
    assert output.returncode == 1
    assert len(output.stdout) > 2**16
    assert len(output.stdout.splitlines()) == 4 * ERRORS


NAMES = (
    "x\n::error file=a.py::injected",
    "x\r::stop-commands::token",
    "x,title=other::y",
    "100%25 a:b,c",
    "sp ace é#?.sel",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_name_injects_no_workflow_command(name: str) -> None:
    result = run("check --as selectors --file @ --format github", b"a == 1\n", name)
    assert result.exit_code == 1
    lines = re.split(r"[\r\n]", result.stdout.removesuffix("\n"))
    assert len(lines) == 1
    location = "line=1,endLine=1,col=3,endColumn=5"
    found = re.fullmatch(rf"::error file=([^:,\r\n]*),{location},title=syntax\.operator::([^\r\n]*)", lines[0])
    assert found is not None, lines
    unescaped = found[1].replace("%3A", ":").replace("%2C", ",").replace("%0A", "\n").replace("%0D", "\r")
    assert unescaped.replace("%25", "%") == name


@pytest.mark.parametrize("name", NAMES)
def test_a_file_name_is_data_in_every_other_format(name: str) -> None:
    result = run("check --as selectors --file @ --format json", b"a == 1\n", name)
    assert json.loads(result.stdout)[0]["file"] == name
    result = run("check --as selectors --file @ --format sarif", b"a == 1\n", name)
    location = json.loads(result.stdout)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == quote(name)
    result = run("check --as selectors --file @", b"a == 1\n", name)
    assert len(re.split(r"[\r\n]+", result.stdout.strip())) == 4
    path = str(Path(name).absolute())
    result = CliRunner().invoke(main, ["check", "--as", "selectors", "--format", "sarif", "--file", path])
    location = json.loads(result.stdout)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "file://" + quote(path)


@pytest.mark.parametrize("words", ["--help", "sql --help", "check --help", "route --help"])
def test_help_has_the_exit_codes(words: str) -> None:
    expected_text = " ".join(run(words).output.split())
    assert "Exit codes: 0 " in expected_text
    assert "130 interrupted 141" in expected_text


@pytest.mark.full
def test_a_line_without_an_end_is_refused_in_little_memory() -> None:
    script = """
import resource, subprocess, sys
command = [sys.executable, "-m", "transpiler", "match", "a = 1"]
with open("/dev/zero", "rb") as zeros:
    done = subprocess.run(command, stdin=zeros, capture_output=True, text=True)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
print(done.stderr)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    numbers, _, output = done.stdout.partition("\n")
    code, megabytes = map(int, numbers.split())
    assert (code, output.strip()) == (2, f"standard input has more than {MAX_LINE:,} bytes in line 1")
    assert megabytes < 300
