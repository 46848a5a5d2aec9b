"""Values of maps, read once for each message because the lookup of a key takes longer than the tests of its value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import Key, Path
from transpiler.routing import tuning
from transpiler.routing.columns import labelled
from transpiler.routing.signatures import Signature


@dataclass
class MapValueColumns:
    """Columns that replace values of maps in conditions; ``paths`` maps each column's name to the path of its value."""

    prefix: str
    paths: dict[str, Path] = field(default_factory=dict)
    _names: dict[Path, str] = field(init=False)

    def __post_init__(self) -> None:
        self._names = {path: name for name, path in self.paths.items()}

    def predicate(self, node: ir.Predicate) -> ir.Predicate:
        """Rewrite ``node`` so that it reads the columns of this object instead of the values of maps."""
        return ir.replace_columns(node, self._column)

    def signature(self, signature: Signature) -> Signature:
        """Rewrite ``signature`` so that it reads the columns of this object instead of the values of maps."""
        return replace(
            signature,
            keys=tuple(ir.replace_columns_in(value, self._column) for value in signature.keys),
            guard=self.predicate(signature.guard),
            residual=self.predicate(signature.residual),
        )

    def _column(self, column: ir.Column) -> ir.Value:
        keys = [index for index, step in enumerate(column.path) if isinstance(step, Key)]
        if not keys or not tuning.COMMON_LOOKUPS:
            return column
        looked_up, rest = column.path[: keys[-1] + 1], column.path[keys[-1] + 1 :]
        name = self._names.get(looked_up)
        if name is None:
            name = self._names[looked_up] = labelled(f"{self.prefix}{len(self._names)}", [looked_up])
            self.paths[name] = looked_up
        return ir.Column((name, *rest), column.type)
