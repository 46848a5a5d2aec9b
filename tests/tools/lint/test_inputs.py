"""The files that selector-sql check reads: kinds, skipped files that it names, the printed hook and workflow."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from transpiler.cli import main
from transpiler.tools.lint.embedded import KINDS

ROOT = Path(__file__).parents[3]

WRONG = 'class A { void a() { s.createConsumer(q, "kind == 1"); } } // jms\n'
#: A repository with one wrong selector, many files without selectors, and a checkout of this program.
REPOSITORY = {
    "src/A.java": WRONG,
    "README.md": "# Orders\n\nSome prose about a = selector.\n",
    "Makefile": "all:\n\techo selector = $(X)\n",
    "Jenkinsfile": "pipeline { agent any }\n",
    "Dockerfile": "FROM scratch\n",
    "LICENSE": "Do what you like.\n",
    ".gitignore": "/build/\nnode_modules/\n",
    "package.json": '{"name": "orders"}\n',
    "chart/templates/s.yaml": "{{- if .Values.x }}\nselector: {{ .Values.selector }}\n{{- end }}\n",
    "chart/values.yaml": "service:\n  selector:\n    app: x\n",
    "build/B.java": WRONG,
    "selector-sql/pyproject.toml": '[project]\nname = "selector-sql"\n',
    "selector-sql/tests/a.sel": "kind == 2\n",
    "selector-sql/tests/C.java": WRONG,
}


def check(*arguments: str, given: str = "") -> Result:
    result = CliRunner().invoke(main, ["check", *arguments], input=given)
    assert "Traceback" not in result.output
    return result


def write(directory: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text, encoding="utf-8")


def files_of(output: str) -> list[str]:
    return re.findall(r"^(\S+?):\d+:\d+: syntax", output, re.MULTILINE)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, REPOSITORY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_directory_is_searched_and_what_is_left_out_is_counted(repository: Path) -> None:
    result = check(".")
    assert result.exit_code == 1
    assert files_of(result.stdout) == ["src/A.java"]
    assert result.stderr.splitlines()[-1] == (
        "1 error in 1 selector, 3 files; left out: build, selector-sql (a checkout of selector-sql)"
    )
    assert "chart/templates/s.yaml:1:3: skipped: this is not YAML" in result.stderr
    (repository / ".gitignore").unlink()
    assert files_of(check(".").stdout) == ["build/B.java", "src/A.java"]


@pytest.mark.parametrize("name", ["bin", "out", "build", "vendor"])
@pytest.mark.parametrize(
    ("ignore", "is_read"),
    [
        ("", True),
        ("NAME", False),
        ("NAME/", False),
        ("# NAME\n/NAME\n", True),
        ("p/NAME", False),
        ("**/NAME\n!/p/NAME", True),
        ("*[!x]", False),
    ],
)
def test_a_directory_of_builds_is_left_out_where_a_gitignore_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, ignore: str, is_read: bool
) -> None:
    write(tmp_path, {f"p/{name}/A.java": WRONG, "p/B.java": "class B {}", ".gitignore": ignore.replace("NAME", name)})
    monkeypatch.chdir(tmp_path)
    result = check("p")
    assert (f"p/{name}/A.java:1:" in result.stdout) is is_read
    assert (f"left out: p/{name}" in result.stderr) is not is_read


def test_minified_programs_are_left_out_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "const a = {messageSelector: \"kind == 'a'\"}; "
    files = {"a.min.js": code, "b.mjs": code * 300, "c.js": f"{code}\n" * 300, "d.js": code, "e.cs": code * 300}
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    result = check(".")
    assert dict.fromkeys(files_of(result.stdout)) == {"c.js": None, "d.js": None, "e.cs": None}
    assert result.stderr.splitlines()[-1].endswith("left out: a.min.js (minified), b.mjs (minified)")
    # A file that the user names is read.
    assert check("a.min.js").exit_code == 1


@pytest.mark.parametrize("files", [{}, {"Jenkinsfile": "x"}, {"README.md": "x", "node_modules/a.sel": "a == 1"}])
def test_a_directory_without_a_file_to_read_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]
) -> None:
    (tmp_path / "d").mkdir()
    write(tmp_path / "d", files)
    monkeypatch.chdir(tmp_path)
    result = check("d")
    assert result.exit_code == 2
    assert "d: there is no file that check reads: .sel, .xml, .jmx" in result.stderr


@pytest.mark.parametrize("name", ["README.md", "Makefile", "Jenkinsfile", "LICENSE"])
@pytest.mark.usefixtures("repository")
def test_a_named_file_of_another_kind_is_refused_with_the_kinds(name: str) -> None:
    result = check(name, "src/A.java")
    assert result.exit_code == 2
    message = f"{name}: check does not know this kind of file; --as selectors reads it as one selector a line"
    assert message in result.stderr
    assert "groovy" in result.stderr
    assert "src/A.java:1:" in result.stdout
    assert check("-", "--stdin-filename", name, given="a = 1").exit_code == 2


@pytest.mark.parametrize(
    ("kind", "text", "line"),
    [
        ("selectors", "a = 1\na == 2\n", 2),
        ("groovy", "\nc.setMessageSelector('a == 2')\n", 2),
        ("yaml", "messageSelector: a == 2\n", 1),
        ("xml", "<a messageSelector='a == 2'/>", 1),
        ("jmx", "<a messageSelector='a == 2'/>", 1),
    ],
)
def test_as_says_what_a_file_is(repository: Path, kind: str, text: str, line: int) -> None:
    (repository / "unknown.x").write_text(text, encoding="utf-8")
    for result in (check("--as", kind, "unknown.x"), check("--as", kind, "--file", "unknown.x")):
        assert result.exit_code == 1
        assert result.stdout.startswith(f"unknown.x:{line}:")
    assert check("--as", kind, "-", given=text).stdout.startswith(f"standard input:{line}:")
    assert check("--as", "nonsense", "unknown.x").exit_code == 2


def _hooks() -> list[dict[str, str]]:
    page = (ROOT / "docs" / "how-to" / "ci.md").read_text(encoding="utf-8")
    printed = page.partition("```yaml .pre-commit-config.yaml\n")[2].partition("```")[0]
    published = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    return [*yaml.safe_load(published), *yaml.safe_load(printed)["repos"][0]["hooks"]]


@pytest.mark.parametrize("hook", _hooks(), ids=["published", "printed"])
def test_a_pre_commit_hook_runs_on_all_files_of_a_repository(repository: Path, hook: dict[str, str]) -> None:
    program, *words = shlex.split(hook["entry"])
    assert program == "selector-sql"
    names = sorted(str(path.relative_to(repository)) for path in repository.rglob("*") if path.is_file())
    files = [name for name in names if re.search(hook.get("files", ""), name)]
    result = CliRunner().invoke(main, [*words, *files])
    assert files_of(result.stdout) == ["build/B.java", "src/A.java"]
    assert result.exit_code == 1
    others = [name for name in files if not name.endswith(("A.java", "B.java"))]
    assert CliRunner().invoke(main, [*words, *others]).exit_code == 0


def test_the_published_hook_takes_the_files_of_all_kinds() -> None:
    pattern = _hooks()[0]["files"]
    ends = {*KINDS.values(), ".selector", ".selectors"}
    assert all(re.search(pattern, f"a{end}") for end in ends)
    assert len(ends) == len(pattern.partition("(?i)")[2].split("|"))


@pytest.mark.usefixtures("repository")
def test_the_steps_of_the_workflow_run_in_a_repository_of_other_files() -> None:
    workflow = yaml.safe_load((ROOT / "examples" / "github" / "check-selectors.yml").read_text(encoding="utf-8"))
    steps = workflow["jobs"]["check"]["steps"]
    commands = [shlex.split(step["run"]) for step in steps if step.get("run", "").startswith("selector-sql")]
    assert len(commands) == 2
    codes = []
    for command in commands:
        words = command[1 : command.index(">")] if ">" in command else command[1:]
        result = CliRunner().invoke(main, words)
        codes.append(result.exit_code)
        if ">" in command:
            assert command[-1] == steps[-1]["with"]["sarif_file"]
            locations = [
                one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
                for one in json.loads(result.stdout)["runs"][0]["results"]
            ]
            assert locations == ["src/A.java"]
        else:
            assert result.stdout.startswith("::error file=src/A.java,line=1")
            assert len(result.stdout.splitlines()) == 1
    assert codes == [1, 0]
