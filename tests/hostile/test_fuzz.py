"""The kept corpus of the fuzzers, and some seconds of each: see ``fuzz.targets`` for what must hold."""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests.hostile.fuzz.targets import TARGETS, run

CORPUS = Path(__file__).parent / "fuzz" / "corpus.jsonl.gz"

#: Inputs that a target tries after its corpus: about a second of each.
RUNS = 2_000


def corpus() -> dict[str, list[bytes]]:
    found: dict[str, list[bytes]] = defaultdict(list)
    with gzip.open(CORPUS, "rt", encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            found[entry["target"]].append(base64.b64decode(entry["data"]))
    return found


KEPT = corpus()


#: What the fuzzers found, before it was mended.
FOUND = (
    ("selector", b"\x00notsageID = 'id:test:1:1:\x7f\x00\x00\x00JMSMessageID = 'id:test:1:1\x00\x00 noJMSM= 1"),
    ("selector", b"\x00a = \x1b[31mb"),
    ("address", b"a /c'''':browse,\xa6ss"),
    ("address", b"'\\ud800'"),
    ("topology", b"\xec?"),
    ("topology", b'\x01{"broker": "rabbitmq", "queues": ["\\ud800"]}'),
    ("xquery", b"/a = '\xa6'"),
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


def test_some_seconds_of_fuzzing_find_nothing(tmp_path: Path) -> None:
    running = []
    for target in TARGETS:
        folder = tmp_path / target
        folder.mkdir()
        for number, data in enumerate(KEPT[target]):
            (folder / str(number)).write_bytes(data)
        options = [f"-runs={RUNS + len(KEPT[target])}", "-seed=7", "-max_len=600", f"-artifact_prefix={folder}-"]
        command = [sys.executable, "-m", "tests.hostile.fuzz", target, str(folder), *options]
        running.append(
            (target, subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False))
        )
    for target, done in running:
        assert done.returncode == 0, f"{target}\n{done.stderr.decode(errors='replace')[-3000:]}"
