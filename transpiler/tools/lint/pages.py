"""The pages of the rules, as the command ``rule`` prints them and ``docs/rules/pages.py`` writes them."""

from __future__ import annotations

from transpiler.base.diagnostics import shortened
from transpiler.compiler.layouts.schemas import parse_ddl
from transpiler.language.selector.dialects import find_dialect
from transpiler.tools.lint.check import Checker
from transpiler.tools.lint.formats import human
from transpiler.tools.lint.registry import RULES, WITHOUT_EXAMPLE, Selection
from transpiler.tools.lint.report import NOUNS, Report
from transpiler.tools.lint.rule import Rule
from transpiler.tools.lint.run import Run, Text

#: Maximum length of an example on a page, in characters.
_LONGEST = 160
_SUBJECTS = {
    "lint": "Legal, and probably not meant",
    "syntax": "Not a selector",
    "type": "Operands of the wrong type",
    "name": "Names",
    "id": "Names",
    "portability": "Names",
    "layout": "Names",
    "limit": "Limits",
    "spark": "Legal, and not available in Spark",
}


def page_without_example(code: str) -> str:
    """Return the documentation page of the finding ``code``, which no selector alone can cause."""
    title, text = WITHOUT_EXAMPLE[code]
    return f"# {code}\n\n{title}\n\n{text}"


def report_of(rule: Rule, example: str, selection: Selection | None = None) -> Report:
    """Check ``example``, which has one selector on each line, with the dialect and schema of ``rule``."""
    checker = Checker(None if rule.schema is None else parse_ddl(rule.schema), selection=selection or Selection())
    # Pass the lines as single selectors and not as a selector file, in which a blank line would be skipped: here, a
    # blank line is an empty selector.
    texts = [Text(line) for line in example.split("\n")]
    return Run(checker, (find_dialect(rule.dialect),)).report(texts)


def page(rule: Rule) -> str:
    """Return the documentation page of ``rule``, in Markdown."""
    report = report_of(rule, rule.wrong, Selection((rule.id,)))
    output = human(report)
    options = "" if rule.dialect == "jms" else f" --dialect {rule.dialect}"
    options += "" if rule.schema is None else f' --schema "{rule.schema}"'
    checked_with = f" The example is checked with `{options.strip()}`." if options else ""
    wrong = []
    is_printed = bool(output) and len(rule.wrong) <= _LONGEST
    if not (is_printed and all(f" | {line}\n" in output for line in rule.wrong.split("\n"))):
        wrong.append(f"```sql\n{shortened(rule.wrong, _LONGEST)}\n```")
    if is_printed:
        wrong.append(f"```text\n{output.rstrip()}\n```")
    parts = [
        f"# {rule.id}",
        f"{rule.title} ({NOUNS[rule.severity]}).{checked_with}",
        "Wrong:",
        *wrong,
        f"Right:\n\n```sql\n{rule.right}\n```",
        rule.why,
    ]
    parts.append("[All rules, and how to ignore a rule](README.md)")
    return "\n\n".join(parts) + "\n"


def index() -> str:
    """Return the index of all documentation pages, in Markdown."""
    lines = [
        "# Rules of `selector-sql check`",
        "",
        "This page is for everybody who runs [`selector-sql check`](../commands.md#check), to look up a rule or to",
        "ignore one. To choose rules, pass to `--select` or `--ignore` the id of a rule, the first part of an id",
        "(`lint`, `syntax`), the last part (`unquoted-word`), or a severity (`error`, `warning`, `info`). To ignore a",
        "rule in one place, write the comment `# selector-sql: ignore[unquoted-word]` on the line of the selector, or",
        "alone on the line before it.",
    ]
    subject = None
    for rule in RULES:
        own = _SUBJECTS[rule.id.split(".")[0]]
        if own != subject:
            subject = own
            lines += ["", f"## {subject}", "", "| rule | what it reports | severity |", "|---|---|---|"]
        lines.append(f"| [{rule.id}]({rule.id}.md) | {rule.title} | {NOUNS[rule.severity]} |")
    return "\n".join(lines) + "\n"
