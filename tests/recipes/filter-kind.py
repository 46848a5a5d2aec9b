"""A filter of message annotations is read, written, evaluated and compiled, and two such filters can be compared."""

from transpiler import matches, transpile_filter
from transpiler.language.filters.sets import read_filters
from transpiler.tools.dialect_tools.diff import diff_filters


def annotations(**entries: object) -> dict[str, object]:
    value = {f"x-opt-{name}": reference for name, reference in entries.items()}
    return {"descriptor": "amqp:message-annotations-filter", "value": value}


FILTER = annotations(area="&p:Vik", speed=5)
VIKING = {"message_annotations": {"x-opt-area": "Viking", "x-opt-speed": 5}}

compiled = transpile_filter(FILTER)
assert "startswith(message_annotations['x-opt-area'].string, 'Vik')" in compiled.sql
assert matches(FILTER, VIKING)
assert not matches(FILTER, {"application_properties": VIKING["message_annotations"]})
assert not matches(FILTER, {"message_annotations": {"x-opt-area": "Viking"}})

filters = read_filters(FILTER)
[echo] = filters.to_dict().values()
assert echo == FILTER
assert read_filters(filters.to_amqp()) == filters

assert diff_filters(FILTER, FILTER).is_same
won = diff_filters(annotations(speed=5), annotations(speed=6)).won
assert won is not None
assert "x-opt-speed" in won.message.message_annotations
