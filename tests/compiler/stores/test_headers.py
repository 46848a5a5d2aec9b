"""Every header field of every store in one row, written by hand from the producers' documentation.

SQL and Python read a field by the same definition, so that their agreement does not prove that the definition is right.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.compiler.stores.frames import make_frame
from tests.compiler.stores.tables import DIRECTORY, LAYOUTS, layout, schema
from tests.spark_ext.harness import INTERPRETED
from tests.spark_ext.harness import settings as spark_settings
from transpiler import evaluate, transpile_selector
from transpiler.compiler.layouts.named_fields import FIELDS
from transpiler.compiler.lowering.names.column_values import at
from transpiler.compiler.sql import emit_value
from transpiler.compiler.stores import text_map

ROWS: dict[str, dict[str, Any]] = json.loads((DIRECTORY / "headers.json").read_text(encoding="utf-8"))

#: Tables in the user's own format, with header fields in columns of the same name, and record headers without header
#: fields.
OWN = {"json_string", "kafka_ibm_mq", "kafka_json_headers", "plain_map", "props_struct", "variant_column"}

#: Header fields that a selector names with AMQP's names.
NAMES = {"content-type": "amqp.content_type", "content-encoding": "amqp.content_encoding"}


def _octets(value: Any, spark_type: Any) -> Any:
    """Return ``value`` with bytes instead of text if the schema has bytes."""
    match spark_type:
        case _ if value is None:
            return None
        case "binary":
            return value.encode()
        case {"fields": fields}:
            types = {field["name"]: field["type"] for field in fields}
            return {name: _octets(item, types[name]) for name, item in value.items()}
        case {"elementType": element}:
            return [_octets(item, element) for item in value]
        case {"valueType": of_value}:
            return {name: _octets(item, of_value) for name, item in value.items()}
        case _:
            return value


def test_every_store_has_a_row_with_all_of_its_header_fields() -> None:
    assert set(ROWS) == set(LAYOUTS) - OWN
    for table, case in ROWS.items():
        expected_text = " ".join(case["true"])
        for name in layout(table, "string").headers:
            if name not in ("exchange", "routing-key"):
                assert NAMES.get(name, name) in expected_text, f"{table}: {name}"
        published = [name for name in ("exchange", "routing-key") if name in layout(table, "string").headers]
        assert len(published) == len(case.get("published", [])), table


@pytest.mark.parametrize("table", ROWS)
def test_each_header_field_is_read_where_its_producer_writes_it(spark: SparkSession, table: str) -> None:
    case, own = ROWS[table], layout(table, "string")
    row = {field["name"]: None for field in schema(table)["fields"]} | case["row"]
    published = case.get("published", [])
    fields = [own.field(FIELDS[name]) for name in ("exchange", "routing-key")[: len(published)]]
    values = [emit_value(at(stored).alternatives[0].value) for stored in fields if stored is not None]
    sqls = [transpile_selector(text, own).sql for text in case["true"]]
    with spark_settings(spark, INTERPRETED):
        frame = make_frame(spark, [_octets(row, schema(table))], schema(table))
        columns = [f"{sql} AS c{number}" for number, sql in enumerate((*sqls, *values))]
        found = frame.selectExpr("*", *columns).collect()[0]
    message, empty = own.message(found), own.message(dict.fromkeys(row))
    for number, text in enumerate(case["true"]):
        assert evaluate(text, message) is True, text
        assert found[f"c{number}"] is True, text
        # No default value may look like the expected value, except the delivery mode of a store that has durable
        # messages only.
        assert evaluate(text, empty) is not True or (table, text[:15]) == ("artemis_xml", "JMSDeliveryMode"), text
    assert [found[f"c{len(sqls) + number}"] for number in range(len(published))] == published


def test_the_column_of_a_header_field_is_looked_up_in_each_schema() -> None:
    def fields(**types: Any) -> dict[str, Any]:
        listed = [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in types.items()]
        return {"type": "struct", "fields": listed}

    texts = {"type": "map", "keyType": "string", "valueType": "string", "valueContainsNull": True}
    of_one = text_map("p", types="by-use", headers={"JMSType": "kind"}, schema=fields(p=texts))
    assert transpile_selector("JMSType = 'x'", of_one).sql == "(p['kind'] = 'x')"
    assert transpile_selector("JMSType = 'x'", of_one.over(fields(p=texts, kind="string"))).sql == "(kind = 'x')"
