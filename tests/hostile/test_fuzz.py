"""The stored corpus of the fuzzers passes, and so do some seconds of fuzzing: see ``fuzz.targets`` for the promises."""

from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests.hostile.fuzz.targets import ANY, TARGETS, run
from tests.sizes import randomness, size

CORPUS = Path(__file__).parent / "fuzz" / "corpus.jsonl.gz"

#: Number of inputs after the corpus: some seconds in a sample, minutes at full size.
RUNS = size(100, 2_500)


def corpus() -> dict[str, list[bytes]]:
    found: dict[str, list[bytes]] = defaultdict(list)
    with gzip.open(CORPUS, "rt", encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            found[entry["target"]].append(base64.b64decode(entry["data"]))
    return found


KEPT = corpus()


#: Inputs that fuzzers found and that failed before the bug was fixed.
FOUND = (
    ("selector", b"\x00notsageID = 'id:test:1:1:\x7f\x00\x00\x00JMSMessageID = 'id:test:1:1\x00\x00 noJMSM= 1"),
    ("selector", b"\x00a = \x1b[31mb"),
    ("message", b"\x00Sw@"),
    ("address", b"a /c'''':browse,\xa6ss"),
    ("address", b"'\\ud800'"),
    ("topology", b"\xec?"),
    ("topology", b"NNN\xff\xff\x00\x7fNN\x00I/"),
    ("topology", b'\x01{"broker": "rabbitmq", "queues": ["\\ud800"]}'),
    ("xquery", b"/a = '\xa6'"),
    ("dialects", b"XPATH '2/a[@b=1]'"),
)


def test_every_target_has_a_corpus() -> None:
    assert set(KEPT) == set(TARGETS)


@pytest.mark.parametrize("target", TARGETS)
def test_what_the_fuzzers_kept_is_read_or_refused(target: str) -> None:
    for data in KEPT[target]:
        run(target, data)


@pytest.mark.parametrize(("target", "data"), FOUND)
def test_what_the_fuzzers_found_is_mended(target: str, data: bytes) -> None:
    run(target, data)


@pytest.mark.full
def test_some_seconds_of_fuzzing_find_nothing(tmp_path: Path) -> None:
    # One process fuzzes all targets, because instrumenting the package takes longer than fuzzing.
    for number, target in enumerate(TARGETS):
        for index, data in enumerate(KEPT[target]):
            (tmp_path / f"{target}-{index}").write_bytes(bytes([number]) + data)
    kept = sum(map(len, KEPT.values()))
    seed = randomness(7).randrange(1, 2**31)
    options = [f"-runs={kept + RUNS}", f"-seed={seed}", "-max_len=600", "-timeout=60"]
    options.append(f"-artifact_prefix={tmp_path}/found-")
    command = [sys.executable, "-m", "tests.hostile.fuzz", ANY, str(tmp_path), *options]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    output = done.stderr.decode(errors="replace")
    assert done.returncode == 0, output[-3_000:]
    assert re.search(r"Done [0-9]+ runs", output), output[-3_000:]
