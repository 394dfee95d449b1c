"""What the repository offers for CI: the action, run as a runner does, and the recipes of docs/ci.md."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from front import TRAIN, environment, run
from test_since import BY_OPTION
from test_unjudged import BROKEN, SCRIPT

ROOT = Path(__file__).parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
INSTALL, FETCH, RUN = ACTION["runs"]["steps"]
SETTINGS = "[tool.ms-perflint]\nselect = ['MSP301']\n"
_RECIPE = re.compile(r"^```\w+ file=(?P<name>\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
RECIPES = {match["name"]: match["text"] for match in _RECIPE.finditer((ROOT / "docs" / "ci.md").read_text("utf-8"))}
SCHEMAS = {
    ".github/workflows/ms-perflint.yml": "vendor.github-workflows",
    ".gitlab-ci.yml": "vendor.gitlab-ci",
    "action.yml": "vendor.github-actions",
}
on_bash = pytest.mark.skipif(shutil.which("bash") is None or sys.platform == "win32", reason="needs bash")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with one finding."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    (root / "train.py").write_text(TRAIN, encoding="utf-8")
    return root


@pytest.mark.parametrize("name", SCHEMAS)
def test_recipes_and_action_fit_the_schemas_of_their_services(name: str, tmp_path: Path) -> None:
    pytest.importorskip("check_jsonschema")
    file = ROOT / name if name == "action.yml" else tmp_path / "recipe.yml"
    if name in RECIPES:
        file.write_text(RECIPES[name], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", SCHEMAS[name], str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_inputs_that_the_documentation_names_are_those_of_the_action() -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == set(ACTION["inputs"])
    steps = yaml.safe_load(RECIPES[".github/workflows/ms-perflint.yml"])["jobs"]["ms-perflint"]["steps"]
    used = [step for step in steps if "ms-perflint@" in step["uses"]]
    assert [set(step["with"]) <= set(ACTION["inputs"]) for step in used] == [True]


def test_no_input_is_part_of_a_script() -> None:
    assert [step for step in ACTION["runs"]["steps"] if "${{" in step.get("run", "")] == []


def stepped(step: Mapping[str, Any], cwd: Path, temporary: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the action as a runner does, with these inputs."""
    values = {f"inputs.{name}": str(known["default"]) for name, known in ACTION["inputs"].items()}
    values |= {f"inputs.{name}": value for name, value in inputs.items()} | {"github.action_path": str(ROOT)}
    given = {key: re.sub(r"\$\{\{ (\S+) \}\}", lambda at: values[at[1]], text) for key, text in step["env"].items()}
    script = temporary / "step.sh"
    script.write_text(step["run"], encoding="utf-8")
    (temporary / "summary.md").unlink(missing_ok=True)
    (temporary / "output").unlink(missing_ok=True)
    files = {"GITHUB_STEP_SUMMARY": str(temporary / "summary.md"), "GITHUB_OUTPUT": str(temporary / "output")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    outside = {key: value for key, value in environment().items() if key != "PYTHONPATH"}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        cwd=cwd,
        env={**outside, "PATH": path, "RUNNER_TEMP": str(temporary), **files, **given},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the temporary directory of a runner on which the action has installed the linter of this repository."""
    temporary = tmp_path_factory.mktemp("runner temp")
    done = stepped(INSTALL, temporary, temporary)
    if "No matching distribution found" in done.stderr:
        pytest.skip("pip finds no packages to install")
    assert done.returncode == 0, done.stderr
    return temporary


@on_bash
def test_the_action_annotates_and_fails(runner: Path, project: Path) -> None:
    done = stepped(RUN, project, runner, sarif="a report.sarif")
    assert done.returncode == 1, done.stderr
    assert re.search(r"^::\w+ .*file=train\.py,line=8,", done.stdout, re.MULTILINE), done.stdout
    report = json.loads((project / "a report.sarif").read_text(encoding="utf-8"))
    assert [result["ruleId"] for result in report["runs"][0]["results"]] == ["MSP301"]


@on_bash
def test_inputs_of_the_action(runner: Path, project: Path) -> None:
    (project / "a b").mkdir()
    shutil.move(str(project / "train.py"), str(project / "a b" / "c d.py"))
    (project / "clean.py").write_text("", encoding="utf-8")

    def code(**inputs: str) -> int:
        return stepped(RUN, project, runner, **inputs).returncode

    assert code() == 1
    assert code(src="clean.py\n") == 0
    assert code(src="clean.py\na b/c d.py\n") == 1
    assert code(src="a b", args="--select  MSP6\n--mindspore-version 2.4") == 0
    assert code(src="a b", args="--exit-zero") == 0
    assert code(src="gone.py") == 2
    assert code(args="--no-such-option") == 2


@on_bash
def test_arguments_with_blanks_and_quotes(runner: Path, project: Path) -> None:
    (project / "my settings.toml").write_text("[tool.ms-perflint]\nselect = ['MSP6']\n", encoding="utf-8")
    assert stepped(RUN, project, runner, args="--config 'my settings.toml'").returncode == 0
    assert stepped(RUN, project, runner, args='--exit-zero\n --config  "pyproject.toml"').returncode == 0
    assert stepped(RUN, project, runner, args=r"--config my\ settings.toml --select MSP301").returncode == 1
    unbalanced = stepped(RUN, project, runner, args="--select 'MSP301")
    assert unbalanced.returncode == 2
    assert "the input `args` cannot be split: No closing quotation" in unbalanced.stderr


@on_bash
def test_the_summary_of_a_job(runner: Path, project: Path) -> None:
    name = "a|b`<img src=x>.py"
    shutil.move(str(project / "train.py"), str(project / name))
    stepped(RUN, project, runner)
    lines = (runner / "summary.md").read_text(encoding="utf-8").splitlines()
    assert lines[:4] == ["### ms-perflint: 1 finding", "", "| Where | Rule | What |", "|---|---|---|"]
    (row,) = lines[4:]
    assert row.startswith("| a&#124;b&#96;&#60;img src&#61;x&#62;.py:8 | MSP301 | ")
    assert row.count("|") == 4 and "<" not in row
    (project / name).unlink()
    stepped(RUN, project, runner)
    assert (runner / "summary.md").read_text(encoding="utf-8") == "### ms-perflint: no findings\n"
    stepped(RUN, project, runner, summary="false")
    assert not (runner / "summary.md").exists()


@on_bash
def test_the_summary_tells_what_was_not_judged(runner: Path, project: Path) -> None:
    (project / "src").mkdir()
    (project / "src" / "net.py").write_text(BROKEN, encoding="utf-8")
    (project / "train.py").write_text(SCRIPT, encoding="utf-8")
    done = stepped(RUN, project, runner, args="--select MSP101")
    assert done.returncode == 2, done.stderr
    lines = (runner / "summary.md").read_text(encoding="utf-8").splitlines()
    assert lines[:4] == ["### ms-perflint: no findings", "", "Not judged:", ""]
    broken, program = lines[4:]
    assert broken.startswith("- src/net.py:4: syntax error: ")
    assert program.startswith("- train.py: not judged for MSP101: syntax error: ")


@on_bash
def test_the_summary_names_the_cells_of_notebooks(runner: Path, project: Path) -> None:
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": TRAIN}]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (project / "train.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    (project / "train.py").unlink(missing_ok=True)
    stepped(RUN, project, runner, args="--select MSP301")
    lines = (runner / "summary.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| train.ipynb")]
    assert rows and all(re.match(r"\| train\.ipynb:cell 1:[0-9]+ \| MSP", row) for row in rows), lines


@on_bash
def test_the_arguments_of_a_program(runner: Path, project: Path) -> None:
    (project / "train.py").write_text(BY_OPTION, encoding="utf-8")
    assert stepped(RUN, project, runner, src="train.py", args="-- --wait 0").returncode == 0
    done = stepped(RUN, project, runner, src="train.py", args="--strict -- --wait 1")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::warning ")


@on_bash
def test_there_is_something_to_upload_only_where_it_was_written(runner: Path, project: Path) -> None:
    stepped(RUN, project, runner, sarif="a report.sarif")
    assert (runner / "output").read_text(encoding="utf-8").splitlines()[1] == "a report.sarif"
    for inputs in ({}, {"sarif": "new.sarif", "args": "--no-such-option"}):
        stepped(RUN, project, runner, **inputs)
        assert not (runner / "output").exists()


@on_bash
def test_what_was_found_is_kept_where_the_next_run_fetches_it(runner: Path, project: Path) -> None:
    shutil.rmtree(runner / "ms-perflint-cache", ignore_errors=True)
    stepped(RUN, project, runner)
    assert FETCH["with"]["path"] == "${{ runner.temp }}/ms-perflint-cache"
    assert list((runner / "ms-perflint-cache").glob("*.cache"))
    assert stepped(INSTALL, project, runner).returncode == 0  # each job installs anew
    again = stepped(RUN, project, runner, args="-v")
    assert "cache: 1 of 1 files had not changed" in again.stderr


@on_bash
@pytest.mark.parametrize("word", ["$(touch made)", "`touch made`", "; touch made", "' ; touch made '", "--help", "*"])
def test_what_stands_in_an_input_is_not_run(runner: Path, project: Path, word: str) -> None:
    codes = [stepped(RUN, project, runner, **{name: word}).returncode for name in ("src", "sarif")]
    assert codes == [2, 1]  # no such file; the report has that name
    stepped(RUN, project, runner, args=word)
    assert not (project / "made").exists()


def commanded(command: str, project: Path) -> int:
    """Run a command of a recipe and return its exit code."""
    _program, *arguments = command.split()
    return run(*arguments, cwd=project).code


def test_the_commands_for_gitlab(project: Path) -> None:
    job = yaml.safe_load(RECIPES[".gitlab-ci.yml"])["ms-perflint"]
    install, command = job["script"]
    assert install == "pip install git+URL-OF-THE-REPOSITORY"
    assert commanded(command, project) == 1
    report = json.loads((project / job["artifacts"]["reports"]["codequality"]).read_text(encoding="utf-8"))
    assert [(issue["check_name"], issue["location"]["path"]) for issue in report] == [("MSP301", "train.py")]


def test_the_commands_for_jenkins(project: Path) -> None:
    recipe = RECIPES["Jenkinsfile"]
    install, command = re.findall(r"\bsh '([^']+)'", recipe)
    assert install.endswith(".venv/bin/pip install git+URL-OF-THE-REPOSITORY")
    assert commanded(command, project) == 0
    (pattern,) = re.findall(r"sarif\(pattern: '([^']+)'\)", recipe)
    report = json.loads((project / pattern).read_text(encoding="utf-8"))
    assert len(report["runs"][0]["results"]) == 1
    assert recipe.count("{") == recipe.count("}")


def test_the_hooks_for_pre_commit(tmp_path: Path) -> None:
    clientlib = pytest.importorskip("pre_commit.clientlib")
    file = tmp_path / ".pre-commit-config.yaml"
    file.write_text(RECIPES[".pre-commit-config.yaml"], encoding="utf-8")
    (repo,) = clientlib.load_config(str(file))["repos"]
    offered = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {hook["id"] for hook in repo["hooks"]} < {hook["id"] for hook in offered}


@on_bash
def test_the_proof_runs_beside_an_environment(tmp_path: Path) -> None:
    """`.ci/run` in a tree where a contributor works: it takes an environment of its own, and leaves `.venv` alone."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    (tmp_path / ".venv").mkdir()
    python = tmp_path / "bin" / "python3"  # makes environments whose programs print how they are called
    python.parent.mkdir()
    python.write_text('#!/bin/sh\nmkdir -p "$3/bin"\nprintf "#!/bin/sh\\necho \\"\\$@\\"\\n" > "$3/bin/nox"\n')
    with python.open("a", encoding="utf-8") as file:
        file.write('cp "$3/bin/nox" "$3/bin/pip"\nchmod +x "$3/bin/nox" "$3/bin/pip"\n')
    python.chmod(0o755)
    path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", str(tmp_path / ".ci" / "run"), "lint"],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].endswith("--sessions lint")
    assert list((tmp_path / ".venv").iterdir()) == []
