"""selector-sql test: run test cases from files, which contain selectors, messages and the expected results."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

import click

from transpiler.base.diagnostics import clipped, printable
from transpiler.base.local_files import replace_file, why_skipped
from transpiler.cli.group import fail, say
from transpiler.cli.inputs import check_input, read_text_file, shown, system_path
from transpiler.cli.manual import Example, ManualCommand
from transpiler.tools.test_cases import PATTERNS, Case, Result, find_files, read_cases, run_case
from transpiler.tools.test_cases.coverage import uncovered
from transpiler.tools.test_cases.junit import junit_xml


@click.command(
    short_help="Run test cases of selectors.",
    cls=ManualCommand,
    examples=[
        Example("Run the cases below the current directory", "selector-sql test"),
        Example(
            "Run the cases whose file or name says urgent, a line for each",
            "selector-sql test cases.selectors.yaml -k urgent -v",
        ),
    ],
    exits={0: "all cases pass", 1: "some case fails", 2: "an error, or there is no case"},
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("-k", "keyword", metavar="TEXT", help="Only cases whose file or name has TEXT in it, in any case.")
@click.option("-v", "--verbose", is_flag=True, help="A line for each case.")
@click.option("-x", "--exitfirst", is_flag=True, help="Stop at the first case that fails.")
@click.option("--coverage", is_flag=True, help="Say which conditions never decided, or never had one of their truths.")
@click.option("--junit-xml", "junit", metavar="FILE", help="Write the results as JUnit XML, for a CI server.")
def test(
    paths: tuple[str, ...], keyword: str | None, verbose: bool, exitfirst: bool, coverage: bool, junit: str | None
) -> None:
    """Run files of test cases, which contain selectors, messages and the expected results.

    PATH is a file in YAML or JSON, or a directory, below which files *.selectors.yaml, *.selectors.yml and
    *.selectors.json are found; without PATH it is the current directory. pytest collects the same files.

    \b
    selector: color = 'red' AND JMSPriority > 4
    cases:
      - name: an urgent red one
        message: {color: red, JMSPriority: 7}
        expect: matches          # or: does not match, unknown
    """
    began = time.perf_counter()
    files = list(dict.fromkeys(_files(paths or (".",))))
    by_file = {file: read_cases(file, read_text_file(file)) for file in files}
    total = sum(map(len, by_file.values()))
    selected = {file: [case for case in cases if _has(case, keyword)] for file, cases in by_file.items()}
    if not total:
        fail(
            "the files contain no test cases"
            if files
            else f"no file is called *{PATTERNS[0]} here: name a file of test cases"
        )
    left = sum(map(len, selected.values()))
    if not left:
        fail(f"no case has {keyword!r} in its file or name")
    results: list[Result] = []
    for file, cases in selected.items():
        if exitfirst and any(not result.passed for result in results):
            break
        results += _run(file, cases, verbose, exitfirst)
    failed = [result for result in results if not result.passed]
    for result in failed:
        click.echo(f"\n{_failure(result)}")
    if coverage:
        _print_coverage([result.case for result in results])
    if junit is not None:
        try:
            replace_file(system_path(junit), junit_xml(results, time.perf_counter() - began).encode())
        except OSError as error:
            fail(f"{shown(junit)}: {error.strerror}")
    counts = {"passed": len(results) - len(failed), "failed": len(failed), "deselected": total - left}
    summary = ", ".join(f"{count} {what}" for what, count in counts.items() if count or what == "passed")
    click.echo(_coloured(f"\n{summary} in {time.perf_counter() - began:.2f}s", not failed))
    if failed:
        raise SystemExit(1)


def _print_coverage(cases: list[Case]) -> None:
    for selector, lines in uncovered(cases):
        say(f"\n{clipped(selector, 100)}")
        for line in lines or ["each condition decided, and had each of its truths"]:
            say(f"  {line}")


def _files(paths: Iterable[str]) -> Iterable[str]:
    for path in paths:
        if path != "-" and os.path.isdir(system_path(path)):
            for file in find_files(path, _skipped):
                name = os.path.normpath(file)
                why = why_skipped(system_path(name))
                if why is None:
                    yield name
                else:
                    say(f"{name}: skipped: {why}", err=True)
        else:
            check_input(path)
            yield path


def _skipped(error: OSError) -> None:
    say(f"{error.filename}: skipped: {error.strerror}", err=True)


def _has(case: Case, keyword: str | None) -> bool:
    return keyword is None or keyword.casefold() in f"{case.file}::{case.id}".casefold()


def _run(file: str, cases: list[Case], verbose: bool, exitfirst: bool) -> list[Result]:
    results: list[Result] = []
    if cases and not verbose:
        click.echo(f"{shown(file)} ", nl=False)
    for case in cases:
        results.append(run_case(case))
        click.echo((_line if verbose else _mark)(results[-1]), nl=verbose)
        if exitfirst and not results[-1].passed:
            break
    if cases and not verbose:
        click.echo()
    return results


def _mark(result: Result) -> str:
    return _coloured("." if result.passed else "F", result.passed)


def _line(result: Result) -> str:
    outcome = _coloured("PASSED" if result.passed else "FAILED", result.passed)
    return f"{printable(f'{result.case.file}::{result.case.id}')} {outcome}"


def _failure(result: Result) -> str:
    """Return the text to print for a failed test case: its file, line and name, and the reason."""
    case = result.case
    lines = printable(result.failure or "").splitlines()
    location = printable(f"{case.file}:{case.line}: {case.id}")
    return "\n".join([_coloured(location, False), *(f"  {line}" for line in lines)])


def _coloured(text: str, good: bool) -> str:
    return click.style(text, fg="green" if good else "red")
