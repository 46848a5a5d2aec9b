"""Messages in JMS brokers' own stores, routed by the brokers' topologies: exports and browses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from spark_ext.cli.commands import main

pytestmark = pytest.mark.usefixtures("spark")

BROKER = """<configuration><core><addresses><address name="orders">
<multicast><queue name="audit"/><queue name="large"><filter string="amount &gt; 100"/></queue></multicast>
</address></addresses></core></configuration>"""

EXPORT = """<activemq-journal><messages>{}</messages></activemq-journal>"""
MESSAGE = """<message id="{0}" priority="4" expiration="0" timestamp="1" type="text"><properties>
<property name="amount" value="{1}" type="integer"/></properties><queues>{2}</queues><body/></message>"""


def exported(number: int, amount: int, *queues: str) -> str:
    return MESSAGE.format(number, amount, "".join(f'<queue name="{name}"/>' for name in queues))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Run the command in a directory with a broker's file, in the Spark session of the tests."""
    monkeypatch.chdir(tmp_path)
    Path("broker.xml").write_text(BROKER, encoding="utf-8")

    def invoke(file: str, text: str, *options: str) -> Result:
        Path(file).write_text(text, encoding="utf-8")
        return CliRunner().invoke(main, ["backtest", str(tmp_path / file), "broker.xml", *options])

    return invoke


@pytest.mark.full
def test_an_export_of_artemis_is_compared_with_the_queues_that_hold_each_message(run) -> None:  # type: ignore[no-untyped-def]
    right = exported(1, 5, "audit"), exported(2, 500, "large"), exported(3, 500, "audit", "large")
    wrong = exported(4, 5, "large")
    result = run("export.xml", EXPORT.format("".join((*right, wrong))), "--exchange", "orders", "--partial")
    assert result.exit_code == 1, result.output
    assert "3 of 4 messages go to the queue that they were read from (5 deliveries)" in result.output
    assert "missed 1 times: orders → large" in result.output
    absent_text = run("export.xml", EXPORT.format(exported(1, 5, "large")), "--partial")
    assert absent_text.exit_code == 2
    assert "messages to artemis need a destination" in absent_text.output


@pytest.mark.full
def test_a_browse_of_an_artemis_queue_is_compared_with_that_queue(run) -> None:  # type: ignore[no-untyped-def]
    def browsed(amount: int) -> str:
        maps = {
            f"{kind}Properties": {} for kind in ("Boolean", "Byte", "Double", "Float", "Int", "Long", "Short", "String")
        }
        return json.dumps({"address": "orders", "userID": "ID:1", **maps, "IntProperties": {"amount": amount}})

    options = ("--layout", "artemis-jolokia", "--recorded-queue", "large")
    schema = (
        "--schema",
        "address STRING, userID STRING, IntProperties MAP<STRING, INT>, "
        + ", ".join(
            f"{kind}Properties MAP<STRING, {name}>"
            for kind, name in {
                "Boolean": "BOOLEAN",
                "Byte": "TINYINT",
                "Double": "DOUBLE",
                "Float": "FLOAT",
                "Long": "BIGINT",
                "Short": "SMALLINT",
                "String": "STRING",
            }.items()
        ),
    )
    right = run("browse.jsonl", browsed(500), *options, *schema)
    assert right.exit_code == 0, right.output
    wrong = run("browse.jsonl", browsed(5), *options, *schema)
    assert wrong.exit_code == 1, wrong.output
    assert "missed 1 times: orders → large" in wrong.output
