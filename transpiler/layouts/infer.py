"""The layout that a schema shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transpiler.layouts.amqp import SECTIONS, AmqpLayout
from transpiler.layouts.amqp_0_10 import SCHEMA, ZeroTenLayout
from transpiler.layouts.flat import FlatLayout, fits, flat_layout, is_section, is_struct


def layout_from_schema(
    schema: Mapping[str, Any], struct: str | None = None, *, case_sensitive: bool = False
) -> AmqpLayout | ZeroTenLayout | FlatLayout:
    """The layout that a schema shows: canonical where it has the map of application properties, AMQP 0-10 where it has
    both structs of that protocol's properties, else typed columns.

    A struct in the place of that map holds the properties as its fields.
    """
    fields = {field["name"]: field for field in schema["fields"]}
    if struct is None and is_section("application_properties", fields.get("application_properties")):
        return AmqpLayout(sections=tuple(name for name in SECTIONS if is_section(name, fields.get(name))))
    if struct is None and all(name in fields and fits(fields[name]["type"], SCHEMA[name]) for name in SCHEMA):
        return ZeroTenLayout()
    properties = fields.get("application_properties")
    if struct is None and properties is not None and is_struct(properties):
        struct = "application_properties"
    return flat_layout(schema, struct, case_sensitive=case_sensitive)
