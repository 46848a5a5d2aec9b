"""Chained comparisons, which most dialects refuse: ``a < b < c``, seen in the tokens before the grammar reads them."""

from __future__ import annotations

_OPERAND_ENDS = frozenset("IDENTIFIER STRING INTEGER FLOAT BINARY SECTION NULL NULL_LITERAL TRUE FALSE RPAREN".split())
_COMPARISONS = frozenset("EQ NE LT LE GT GE IS LIKE IN BETWEEN".split())
#: The tokens that decide whether a comparison chains.
CHAINING = _COMPARISONS | frozenset("LPAREN RPAREN AND OR COMMA NOT".split())


class Chains:
    """Detect chained comparisons: track if the condition being read already has its comparison."""

    def __init__(self) -> None:
        self.compared = [False]
        self.bounded = [False]

    def breaks(self, kind: str, before: str) -> bool:
        """Return True if a token of ``CHAINING`` chains onto a comparison; ``before`` is the previous token."""
        if kind == "LPAREN":
            self.compared.append(False)
            self.bounded.append(False)
        elif kind == "RPAREN":
            if len(self.compared) > 1:
                self.compared.pop()
                self.bounded.pop()
        elif kind == "AND" and self.bounded[-1]:
            self.bounded[-1] = False
        elif kind in ("AND", "OR", "COMMA"):
            self.compared[-1] = self.bounded[-1] = False
        elif kind in _COMPARISONS or kind == "NOT":
            if before in _OPERAND_ENDS and self.compared[-1]:
                # Behind BETWEEN its AND is still missing, and that is the better message.
                return not self.bounded[-1]
            if kind in _COMPARISONS:
                self.compared[-1] = True
                self.bounded[-1] = kind == "BETWEEN"
        return False

    def narrow(self, legal: set[str], kind: str, before: tuple[str, str]) -> set[str]:
        """The legal next tokens at one that would chain, without those that only a chain could have.

        ``before`` are the two tokens before it.
        """
        after_pattern = before in (("LIKE", "STRING"), ("ESCAPE", "STRING"))
        chains = kind in _COMPARISONS or kind == "NOT" or after_pattern
        if chains and self.compared[-1] and "IDENTIFIER" not in legal:
            return legal - _COMPARISONS - {"NOT"}
        return legal
