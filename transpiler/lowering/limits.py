"""The limit of a selector's size as a predicate."""

from __future__ import annotations

from collections.abc import Iterable

from transpiler import ir
from transpiler.errors import UnsupportedFeatureError
from transpiler.source import Source, Span

#: Nodes of the core that one selector may become; beyond it neither Spark's parser nor a reader could follow.
MAX_NODES = 250_000


class SizeLimit:
    """The limit for one selector. An operation holds its operands several times, so a chain of them grows fast, and is
    refused where it grows: before anything walks it as the tree that it would be as text."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.sizes = ir.Sizes()

    def check(self, parts: Iterable[ir.Node], span: Span) -> None:
        """``UnsupportedFeatureError`` where the parts together are too large."""
        if sum(map(self.sizes.of, parts)) > MAX_NODES:
            raise UnsupportedFeatureError.at(
                "limit.size",
                f"over this layout the selector becomes more than {MAX_NODES:,} SQL operations",
                self.source,
                span,
                "split it, or keep the properties that it computes with in typed columns",
            )
