"""The plans of the recorded topologies have not changed.

Most tests of routing ask for the deliveries of messages, which a change that only moves work between the tables of a
plan leaves alone. The recorded plans contain the tables, the SQL, the report and the names that bindings read.
"""

from __future__ import annotations

from tests.golden.findings import changed, kind, recorded_lines

#: The kinds of the recorded findings that ask about plans and their reports.
KINDS = ("plan of", "shape", "inner plan_facts", "inner asked", "inner displays", "call explain_route")


def test_every_recorded_plan_is_what_it_was() -> None:
    lines = [line for line in recorded_lines() if kind(line) in KINDS]
    assert {kind(line) for line in lines} == {*KINDS}
    different = changed(lines)
    assert not different, f"{len(different)} plans changed:\n" + "\n\n".join(different[:5])
