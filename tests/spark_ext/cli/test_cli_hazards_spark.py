"""selector-spark with unreadable inputs or unwritable outputs: one line of error, and no partial output."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pyspark.sql import SparkSession

from spark_ext.cli.commands import main
from spark_ext.cli.inputs import _below, find_inputs
from spark_ext.cli.jobs import Output, click, fail
from tests.hostile.test_files import OTHERS, as_nobody
from tests.sizes import is_full
from tests.spark_ext.harness import java_options
from transpiler.language.filters.sets import read_filters

pytestmark = pytest.mark.usefixtures("spark")

TOPOLOGY = '{"broker": "qpid-java", "exchanges": [{"name": "é", "type": "direct"}], "queues": ["q"]}'
FILTER = '{"f": {"descriptor": "apache.org:legacy-amqp-topic-binding:string", "value": "é.#"}}'
NO_LOCAL = '{"f": {"descriptor": "apache.org:no-local-filter:list", "value": []}}'
UNKNOWN = '{"f": {"descriptor": "example.com:x", "value": 1}}'
ENTRY = {"exchange": "é", "routing_keys": ["a"], "routed_queues": [], "properties": {}}
MESSAGES = [{"properties": {"subject": subject}} for subject in ("é", "é.x", "b")]
#: Each command with @ for its input.
COMMANDS = ("filter a=1 @", "route topology.json @ --exchange é", "backtest @ topology.json")
ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def in_a_directory_with_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("topology.json").write_text(TOPOLOGY, encoding="utf-8")
    Path("filter.json").write_text(FILTER, encoding="utf-8")
    Path("filter.bin").write_bytes(read_filters(FILTER.replace("é", "b")).to_amqp())
    Path("messages.jsonl").write_text(lines(MESSAGES), encoding="utf-8")


def lines(values: list[dict[str, object]], end: str = "\n") -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + end for value in values)


def run(words: str, file: str = "messages.jsonl", given: bytes | None = None) -> Result:
    return CliRunner().invoke(main, [file if word == "@" else word for word in words.split(" ")], input=given)


def assert_one_line(result: Result, error: str) -> None:
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    assert "internal error" not in result.output
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert error in result.stderr


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize(
    ("file", "data", "error"),
    [
        ("nowhere.jsonl", None, "there is no file nowhere.jsonl"),
        ("*.nothing", None, "there is no file *.nothing"),
        ("a\0b.jsonl", None, "there is no file a"),
        ("bytes.jsonl", b'{}\r\n{"properties": {"to": "\xff"}}\n', "bytes.jsonl:2:24: this is not UTF-8: byte 0xff"),
        ("nul.jsonl", b'{"properties": {"to": "\0"}}\n', "nul.jsonl:1:24: this is not JSON"),
        ("text.jsonl", b"{}\n{oops\n", "text.jsonl:2:2: this is not JSON"),
        ("list.jsonl", b"[1]\n", "list.jsonl:1: message.not-an-object"),
        ("broken.jsonl.gz", gzip.compress(b"{}\n" * 99, mtime=0)[:-9], "'broken.jsonl.gz' cannot be decompressed"),
        ("none.jsonl.gz", b"no gzip", "'none.jsonl.gz' cannot be read: Not a gzipped file"),
        ("text.parquet", b"no Parquet", "text.parquet is not a Parquet file"),
        ("text.orc", b"no ORC, and long enough to have a tail", "text.orc"),
        ("empty.parquet", b"", "empty.parquet: [UNABLE_TO_INFER_SCHEMA]"),
        ("nowhere://x/y.parquet", None, "nowhere"),
    ],
)
def test_an_input_that_cannot_be_read_is_one_line(words: str, file: str, data: bytes | None, error: str) -> None:
    if data is not None:
        Path(file).write_bytes(data)
    assert_one_line(run(words, file), error)


@pytest.mark.parametrize("layout", ["flat", "rabbitmq-trace"])
@pytest.mark.parametrize(
    ("data", "location"),
    [(b"{oops\n", "2:2"), (b"[1]\n", "2"), (b'{"a": "\0"}\n', "2:8"), (b'{"a": "\xff"}\n', "2:8")],
)
def test_a_wrong_line_of_a_log_is_reported_by_its_place(layout: str, data: bytes, location: str) -> None:
    Path("log.jsonl").write_bytes(lines([ENTRY]).encode() + data)
    assert_one_line(run(f"route topology.json @ --layout {layout}", "log.jsonl"), f"log.jsonl:{location}: ")


@pytest.mark.full
def test_a_byte_order_mark_crlf_gzip_patterns_and_directories_simply_work() -> None:
    mark, end = "\ufeff", "\r\n"
    text = (mark + lines(MESSAGES, end)).encode()
    log = (mark + lines([ENTRY, ENTRY], end)).encode()
    flat = (mark + lines([ENTRY | {"routing_key": "a"}] * 2, end)).encode()
    Path("job").mkdir()
    for name, data in (
        ("p[1]*.jsonl", text),
        ("z é%20:.jsonl.gz", gzip.compress(text)),
        ("job/part-0.json", text),
        ("job/_SUCCESS", b""),
        ("log[1].jsonl", log),
        ("log.jsonl.gz", gzip.compress(flat)),
    ):
        Path(name).write_bytes(data)
    Path("filter.json").write_text(mark + FILTER + end, encoding="utf-8")
    Path("topology.json").write_text(mark + TOPOLOGY + end, encoding="utf-8")
    files = ["p[1]*.jsonl", "z*.gz", Path("p[1]*.jsonl").absolute().as_uri(), "job --input-format json"]
    for file in files if is_full() else [" ".join(files)]:
        result = run(f"filter --filter filter.json {file}")
        count = 2 * len(file.replace(" --input-format json", "").split(" "))
        assert result.stderr.startswith(f"{count} of {count // 2 * 3} messages match"), result.output
    for layout, file in (("rabbitmq-trace", "log[1].jsonl"), ("flat", "log.jsonl.gz")):
        result = run(f"backtest @ topology.json --layout {layout}", file)
        assert result.exit_code == 0, result.output
        assert result.stdout == "2 of 2 messages have exactly the broker's queues (0 deliveries)\n  é  2 of 2\n"


@pytest.mark.parametrize(
    ("words", "given", "code", "expected_text"),
    [
        ("filter --filter filter.json @", None, 0, "2 of 3 messages match"),
        ("filter --filter-bytes filter.bin @", None, 0, "1 of 3 messages match"),
        ("filter --filter - @ @", FILTER, 0, "4 of 6 messages match"),
        ("filter --filter - @ --dialect qpid-java", FILTER, 0, "2 of 3 messages match"),
        ("filter --filter - @ --unknown ignore", UNKNOWN, 0, "warning: filters.unknown: filters.f: "),
        ("filter --filter - @", UNKNOWN, 2, "-: filters.unknown: filters.f: there is no filter with the descriptor"),
        ("filter --filter - @", NO_LOCAL, 2, "a no-local filter rejects messages from the receiver's own connection"),
        ("filter --filter - @ --connection c", NO_LOCAL, 0, "3 of 3 messages match"),
        ("filter --filter - @", '{"f": ', 2, "-: filters:1:7: filters.json: this is not JSON"),
        ("filter --filter nowhere @", None, 2, "'nowhere' does not exist"),
        ("filter --filter filter.json --filter-bytes filter.bin @", None, 2, "give one of them"),
        ("filter --filter filter.json", None, 2, "Missing argument"),
        ("filter a=1", None, 2, "nothing to filter: give INPUT after SELECTOR"),
        ("filter a==1 @", None, 2, "syntax.operator"),
        ("filter - @", "amqp.subject='b'", 0, "1 of 3 messages match"),
    ],
)
def test_messages_are_filtered_by_a_filter_set(words: str, given: str | None, code: int, expected_text: str) -> None:
    result = run(words, given=given.encode() if given is not None else None)
    assert result.exit_code == code, result.output
    assert expected_text in result.stderr


def test_a_filter_set_filters_parquet_by_the_layout_that_it_shows(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, "a"), (2, None)], "a INT, b STRING")
    frame.write.parquet(str(Path("typed.parquet").absolute()))
    selector = '{"f": {"descriptor": "apache.org:selector-filter:string", "value": "a = 1 AND b = \'a\'"}}'
    Path("typed.json").write_text(selector)
    result = run("filter --filter typed.json @ --output out", "typed.parquet")
    assert result.stderr.startswith("1 of 2 messages match"), result.output
    assert spark.read.parquet(str(Path("out").absolute())).collect() == [(1, "a")]
    Path("typed.json").write_text(selector.replace("a = 1", "c = 1"))
    result = run("filter --filter typed.json @", "typed.parquet")
    assert result.exit_code == 2
    assert "names.unknown" in result.stderr or "layout" in result.stderr
    assert run("filter --filter typed.json @ --missing null", "typed.parquet").stderr.startswith("0 of 2")


@pytest.mark.parametrize(
    "words", ["filter JMSPriority=4 @ --output out", "route topology.json @ --exchange é --output out"]
)
def test_an_output_appears_when_it_is_complete(words: str) -> None:
    result = run(words)
    assert result.exit_code == 0, result.output
    assert Path("out/_SUCCESS").exists()
    assert [name for name in os.listdir() if "incomplete" in name] == []
    before = sorted(os.listdir("out"))
    assert_one_line(run(words), "out already exists: name another output, or remove it first")
    assert sorted(os.listdir("out")) == before
    Path("file").write_text("x")
    assert_one_line(run(words.replace("output out", "output file/out")), "file")
    assert_one_line(run(words.replace("output out", "output nowhere://out")), "nowhere")


def test_an_output_that_fails_half_way_leaves_nothing(spark: SparkSession) -> None:
    frame = spark.range(4).selectExpr("id", "named_struct('x', id) AS s")
    frame.repartition(4).write.parquet(str(Path("some").absolute()))
    part = next(name for name in sorted(os.listdir("some"), reverse=True) if name.endswith(".parquet"))
    data = (Path("some") / part).read_bytes()
    Path("some", part).write_bytes(data[:4] + b"\xff" * (len(data) - 40) + data[-36:])
    Path("some", f".{part}.crc").unlink()
    result = run("filter id>=0 @ --output out", "some")
    assert_one_line(result, part)
    assert sorted(name for name in os.listdir() if "out" in name) == []


@pytest.mark.parametrize("words", ["--help", "filter --help", "route --help", "backtest --help"])
def test_help_has_the_exit_codes(words: str) -> None:
    expected_text = " ".join(run(words).output.split())
    assert "Exit codes: 0 " in expected_text
    assert "130 interrupted 141" in expected_text


@pytest.mark.full
def test_a_process_is_quiet_in_every_locale_and_an_interrupt_leaves_no_output() -> None:
    Path("é.jsonl").write_text(lines(MESSAGES), encoding="utf-8")
    environ = os.environ | {"PYTHONPATH": str(ROOT), "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    environ |= {"SPARK_SUBMIT_OPTS": java_options()}
    command = [sys.executable, "-m", "spark_ext.cli", "filter", "--master", "local[1]"]
    words = ["amqp.subject='é'".encode(), "é.jsonl".encode(), b"--output", "oué".encode(), b"--show", b"1"]
    result = subprocess.run([*command, *words], env=environ, capture_output=True)
    assert result.returncode == 0, result.stderr
    assert len(result.stderr.decode().splitlines()) == 1, result.stderr
    assert result.stderr.startswith(b"1 of 3 messages match")
    assert "é" in result.stdout.decode()
    assert Path("oué/_SUCCESS").exists()
    # Interrupted when its first file appears, the command must leave a complete output or no output.
    many = ["filter", "--master", "local[1]", "JMSPriority = 4", "many.jsonl", "--output", "out"]
    Path("many.jsonl").write_text(lines(MESSAGES) * 500, encoding="utf-8")
    command = [sys.executable, "-m", "spark_ext.cli", *many]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        while running.poll() is None and not any("incomplete" in name for name in os.listdir()):
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        assert running.stderr is not None
        assert running.stderr.read() == b"interrupted\n"
    assert running.returncode == 130
    assert not Path("out").exists() or Path("out/_SUCCESS").exists()


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_a_job_leaves_nothing_of_its_output(number: signal.Signals) -> None:
    environ = os.environ | {"PYTHONPATH": str(ROOT), "SPARK_SUBMIT_OPTS": java_options()}
    Path("many.jsonl").write_text(lines(MESSAGES) * 20_000, encoding="utf-8")
    before = {*os.listdir()}
    words = ["route", "--master", "local[1]", "topology.json", "many.jsonl", "--exchange", "é", "--output", "out"]
    with subprocess.Popen([sys.executable, "-m", "spark_ext.cli", *words], env=environ) as running:
        while running.poll() is None and not any("incomplete" in name for name in os.listdir()):
            time.sleep(0.02)
        running.send_signal(number)
    assert running.returncode == -number
    # Java ends a moment later, and removes what a task has started again.
    for _ in range(100):
        if {*os.listdir()} == before:
            break
        time.sleep(0.1)
    time.sleep(2)
    assert {*os.listdir()} == before


def test_of_two_jobs_that_write_one_output_the_first_to_end_keeps_it_whole(spark: SparkSession) -> None:
    first, second = Output(spark, "both"), Output(spark, "both")
    second.write(spark.range(2))
    with pytest.raises(click.ClickException, match="both already exists"):
        first.write(spark.range(3))
    assert sorted(row.id for row in spark.read.parquet(str(Path("both").absolute())).collect()) == [0, 1]
    assert not any("incomplete" in name for name in [*os.listdir(), *os.listdir("both")])


def test_an_output_that_comes_up_at_the_last_moment_is_left_as_it_is(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = Output(spark, "late")
    looks = iter([None])

    def look() -> None:
        # At the first look the output does not exist. Immediately afterwards the other job creates it.
        if next(looks, "again") is None:
            Path("late").mkdir()
            Path("late/part").write_text("x")
        else:
            fail("late already exists: name another output, or remove it first")

    monkeypatch.setattr(output, "_refuse_existing", look)
    with pytest.raises(click.ClickException, match="late already exists"):
        output.write(spark.range(1))
    assert os.listdir("late") == ["part"]


def test_directories_with_links_in_a_circle_are_read_once(tmp_path: Path) -> None:
    root = tmp_path / "linked"
    below = root / "a" / "b" / "c"
    below.mkdir(parents=True)
    for number, folder in enumerate((below, below.parent, below.parent.parent)):
        (folder / "up").symlink_to(root)
        (folder / "self").symlink_to(folder)
        (folder / f"{number}.jsonl").write_text("{}\n")
    assert sorted(Path(name).name for name in _below(str(root))) == ["0.jsonl", "1.jsonl", "2.jsonl"]


@pytest.mark.full
@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("record", [{"application_properties": {"a": 1}}, {"a": 1}], ids=["messages", "properties"])
def test_a_directory_may_have_what_is_no_file(kind: str, record: dict[str, object]) -> None:
    make, expected_text = OTHERS[kind]
    Path("mixed").mkdir()
    Path("mixed/a.jsonl").write_text(lines([record]))
    for name in ("b.jsonl", "c.jsonl.gz"):
        make(Path("mixed", name).absolute())
    # A pattern matches the same files.
    for given in ("mixed", "mixed/*"):
        result = run("filter a=1 @", given)
        assert result.exit_code == 0, result.output
        *reported, counted = result.stderr.splitlines()
        assert [line.partition(": ")[0] for line in reported] == ["mixed/b.jsonl", "mixed/c.jsonl.gz"]
        assert all("skipped: " in line and expected_text in line for line in reported)
        assert counted.startswith("1 of 1 messages match")


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
@pytest.mark.parametrize("words", COMMANDS)
def test_an_input_that_is_no_file_is_one_line(words: str, kind: str) -> None:
    make, expected_text = OTHERS[kind]
    make(Path("other.jsonl").absolute())
    assert_one_line(run(words, "other.jsonl"), expected_text)
    assert "there is no file other.*" in run(words, "other.*").stderr


@pytest.mark.full
def test_a_topology_may_come_from_a_pipe() -> None:
    """The command looks at the first bytes for a compiled topology, but the bytes of a pipe can be read only once."""
    os.mkfifo("pipe")
    code = f"open('pipe', 'w', encoding='utf-8').write({TOPOLOGY!r})"
    with subprocess.Popen([sys.executable, "-c", code]):
        result = run("route pipe @ --exchange é")
    assert result.exit_code == 0, result.output
    assert "0 deliveries of 3 messages" in result.stderr


def test_a_directory_without_permission_is_one_line() -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        closed = Path(name, "closed")
        closed.mkdir()
        with as_nobody(closed), pytest.raises(click.ClickException, match="closed cannot be read: Permission denied"):
            find_inputs((name,), None)
        closed.chmod(0o700)
