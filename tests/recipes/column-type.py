"""To a selector, a DATE is a time: the milliseconds of its midnight in UTC."""

from datetime import date

from transpiler import evaluate, transpile_selector
from transpiler.compiler.presets import find_layout

SELECTOR = "day >= 1704067200000"

layout = find_layout("day DATE, color STRING")
sql = transpile_selector(SELECTOR, layout).sql
assert sql == "(unix_date(day) * 86400000L >= 1704067200000)"
for day in (date(2024, 1, 1), "2024-01-01"):
    assert evaluate(SELECTOR, layout.message({"day": day, "color": "red"})) is True
    assert evaluate("day = 1704067200000", layout.message({"day": day})) is True
assert evaluate(SELECTOR, layout.message({"day": date(2023, 12, 31)})) is False
assert evaluate(SELECTOR, layout.message({"day": None})) is None
