"""Random regular expressions that Java and Python interpret in the same way, and texts that they may match."""

from __future__ import annotations

from hypothesis import strategies as st

_ATOMS = st.sampled_from(["a", "b", "c", "[ab]", "[^a]", ".", "aa", "ab", r"\w", r"[b-c]"])
_REPEATS = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{2,}", "{0,3}"])


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda branches: f"(?:{'|'.join(branches)})"),
        st.tuples(inner, _REPEATS).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
        st.tuples(_ATOMS.filter(lambda atom: len(atom) == 1 or atom[0] in "[\\"), _REPEATS).map("".join),
        inner.map(lambda body: f"({body})"),
    )


_BODIES = st.recursive(_ATOMS, _larger, max_leaves=6)

#: Regular expressions, some of them with anchors.
expressions = st.tuples(st.sampled_from(["", "", "^"]), _BODIES, st.sampled_from(["", "", "$", r"\z", "c$"])).map(
    "".join
)

texts = st.text(st.sampled_from("aaabbc \n"), max_size=9)
