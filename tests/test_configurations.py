"""Each file has the nearest table: on the command line, in flake8, in editors, in the API."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from editor import editing
from front import FIXED, TRAIN, Ran, environment, run
from test_config import configured

import ms_perflint

SHARED = "from mindspore.train import CheckpointConfig\n\nCONFIG = CheckpointConfig(save_checkpoint_steps=100)\n"
USES = TRAIN.replace("import mindspore as ms\n", "import mindspore as ms\nfrom lib.ckpt import CONFIG\n").replace(
    "config = CheckpointConfig(save_checkpoint_steps=100)", "config = CONFIG"
)


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """Return a repository: `new` and `old` with tables of their own, `plain` under that of the root."""
    for name, table in {
        "": 'select = ["MSP101", "MSP301"]\n',
        "new": 'select = ["MSP301"]\nmindspore-version = "2.4"\n',
        "old": 'select = ["MSP301"]\nmindspore-version = "1.10"\n',
        "off": 'ignore = ["ALL"]\n',
        "plain": "",
    }.items():
        (tmp_path / name / "deep").mkdir(parents=True, exist_ok=True)
        if name != "plain":
            configured(tmp_path / name, table)
        if name:
            (tmp_path / name / "deep" / "train.py").write_text(TRAIN, encoding="utf-8")
    return tmp_path


def reported(*arguments: str, cwd: Path) -> list[tuple[str, str, str | None]]:
    """Return file, rule and how far the fix is trusted of what a run reports."""
    ran = run("--no-cache", "--output-format", "json", *arguments, cwd=cwd)
    assert ran.code in (0, 1), ran.err
    found = json.loads(ran.out)
    return [
        (
            Path(each["filename"]).relative_to(cwd).as_posix(),
            each["code"],
            each["fix"] and each["fix"]["applicability"],
        )
        for each in found
    ]


NEW = ("new/deep/train.py", "MSP301", "safe")
OLD = ("old/deep/train.py", "MSP301", "unsafe")
PLAIN = [("plain/deep/train.py", "MSP301", "safe"), ("plain/deep/train.py", "MSP101", "unsafe")]


def test_a_run_over_two_parts_uses_the_table_of_each(parts: Path) -> None:
    assert reported(".", cwd=parts) == [NEW, OLD, *PLAIN]
    assert reported("new/deep/train.py", "old", cwd=parts) == [NEW, OLD]
    assert reported("old/deep", "plain", cwd=parts) == [OLD, *PLAIN]


def test_a_file_is_judged_the_same_however_it_is_given(parts: Path) -> None:
    everywhere = reported(".", cwd=parts)
    for file in sorted(parts.rglob("train.py")):
        name = file.relative_to(parts).as_posix()
        assert reported(name, cwd=parts) == [each for each in everywhere if each[0] == name]


def test_the_command_line_is_on_top_of_each_table(parts: Path) -> None:
    found = reported("--select", "MSP301", "--mindspore-version", "2.4", ".", cwd=parts)
    assert {each[:2] for each in found} == {
        (f"{name}/deep/train.py", "MSP301") for name in ("new", "old", "off", "plain")
    }
    assert {each[2] for each in found} == {"safe"}


def test_a_file_that_is_named_holds_for_all(parts: Path) -> None:
    assert [each[0] for each in reported("--config", "new/pyproject.toml", ".", cwd=parts)] == [
        f"{name}/deep/train.py" for name in ("new", "off", "old", "plain")
    ]
    assert len({each[0] for each in reported("--isolated", ".", cwd=parts)}) == 4


def test_fixes_are_trusted_as_the_table_of_their_file_says(parts: Path) -> None:
    configured(parts / "old", 'select = ["MSP301"]\nmindspore-version = "1.10"\nunsafe-fixes = true\n')
    configured(parts, 'select = ["MSP301"]\nmindspore-version = "1.10"\n')
    ran = run("--no-cache", "--fix", "--no-interactive", ".", cwd=parts)
    assert ran.code == 1, ran.err
    texts = {name: (parts / name / "deep" / "train.py").read_text("utf-8") for name in ("new", "old", "off", "plain")}
    assert texts == {"new": FIXED, "old": FIXED, "off": TRAIN, "plain": TRAIN}


def test_what_a_table_excludes_is_left_out_below_it(parts: Path) -> None:
    configured(parts / "new", 'select = ["MSP301"]\nextend-exclude = ["deep"]\n')
    configured(parts / "old", 'select = ["MSP301"]\nexclude = ["/train.py"]\n')
    (parts / "old" / "train.py").write_text(TRAIN, encoding="utf-8")
    assert {each[0] for each in reported(".", cwd=parts)} == {"old/deep/train.py", "plain/deep/train.py"}


def test_each_part_has_its_own_baseline(parts: Path) -> None:
    configured(parts / "new", 'select = ["MSP301"]\nbaseline = "known.json"\n')
    configured(parts / "old", 'select = ["MSP301"]\nbaseline = "../old.json"\n')
    refused = run("--no-cache", "--write-baseline", ".", cwd=parts)
    assert refused.code == 2 and "old.json: a configuration names it, outside of" in refused.err
    configured(parts / "old", 'select = ["MSP301"]\nbaseline = "known.json"\n')
    assert run("--no-cache", "--write-baseline", ".", cwd=parts).code == 1
    assert (parts / "new" / "known.json").exists() and (parts / "old" / "known.json").exists()
    assert reported(".", cwd=parts) == PLAIN
    (parts / "new" / "deep" / "train.py").write_text(FIXED, encoding="utf-8")
    ran = run("--no-cache", ".", cwd=parts)
    assert "new/known.json: 1 of 1 findings are gone" in ran.err and "old/known.json" not in ran.err


def test_a_broken_table_costs_the_files_below_it(parts: Path) -> None:
    configured(parts / "old", "device = 1\n")
    ran = run("--no-cache", "--output-format", "concise", ".", cwd=parts)
    assert ran.code == 2
    assert ran.err == (
        "old: error: its files were not linted: old/pyproject.toml:2: [tool.ms-perflint] device: "
        "expected one of Ascend, GPU, CPU, got 1\n"
    )
    found = [line.partition(":")[0] for line in ran.out.splitlines()[:2]]
    assert found == ["new/deep/train.py", "plain/deep/train.py"]


def test_a_finding_belongs_to_the_file_that_holds_it(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "ckpt.py").write_text(SHARED, encoding="utf-8")
    (tmp_path / "train.py").write_text(USES, encoding="utf-8")
    configured(tmp_path, 'select = ["MSP301"]\n')
    assert reported(".", cwd=tmp_path) == [("lib/ckpt.py", "MSP301", "safe")]
    configured(tmp_path, 'select = ["MSP101"]\n')
    configured(tmp_path / "lib", 'select = ["MSP301"]\n')
    assert [each[:2] for each in reported(".", cwd=tmp_path)] == [("lib/ckpt.py", "MSP301"), ("train.py", "MSP101")]
    configured(tmp_path / "lib", 'ignore = ["MSP301"]\n')
    configured(tmp_path, 'select = ["MSP301"]\n')
    assert reported(".", cwd=tmp_path) == []


def test_a_cache_keeps_the_parts_apart(parts: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = str(tmp_path_factory.mktemp("cache"))
    runs = [run("--cache-dir", cache, ".", cwd=parts) for _ in range(2)]
    assert runs[0] == runs[1]
    configured(parts / "old", 'select = ["MSP301"]\nmindspore-version = "2.4"\n')
    again = run("--cache-dir", cache, "-v", ".", cwd=parts)
    assert "cache: 3 of 4 files had not changed" in again.err


def test_settings_that_are_not_read_are_told_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.ms_perflint]\nignore = ['ALL']\n", encoding="utf-8")
    ran = run("--no-cache", ".", cwd=tmp_path)
    hint = "pyproject.toml:1: [tool.ms_perflint] is not read: the table is [tool.ms-perflint]\n"
    assert (ran.code, ran.err) == (1, hint)
    assert run("--no-cache", "--isolated", ".", cwd=tmp_path).err == ""
    assert run("--no-cache", "--quiet", ".", cwd=tmp_path).err == ""


def flake8(*arguments: str, cwd: Path) -> Ran:
    """Run flake8 as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "flake8", "--format", "%(path)s:%(code)s", "--ms-perflint-no-cache", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        env=environment(),
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_flake8_run_from_above_knows_the_parts(parts: Path, jobs: str) -> None:
    configured(parts / "new", 'baseline = "known.json"\n')
    assert run("--no-cache", "--write-baseline", "new", cwd=parts).code == 0
    ran = flake8("--select", "MSP301,MSP000", "-j", jobs, ".", cwd=parts)
    assert sorted(ran.out.splitlines()) == [f"./{name}/deep/train.py:MSP301" for name in ("off", "old", "plain")]
    configured(parts / "old", "device = 1\n")
    ran = flake8("--select", "MSP301,MSP000", "-j", jobs, ".", cwd=parts)
    assert "./old/deep/train.py:MSP000" in ran.out.splitlines(), ran.out


def test_an_editor_at_the_root_knows_the_parts(parts: Path) -> None:
    async def scenario() -> None:
        async with editing(parts) as editor:
            for name, codes in {"new": ["MSP301"], "old": ["MSP301"], "off": [], "plain": ["MSP101", "MSP301"]}.items():
                file = parts / name / "deep" / "train.py"
                editor.open(file)
                assert sorted(await editor.found(file)) == codes

    asyncio.run(scenario())


def test_the_api_knows_the_parts(parts: Path) -> None:
    report = ms_perflint.lint_paths(parts)
    assert [(Path(each.place.path).parts[-3], each.code) for each in report.findings] == [
        ("new", "MSP301"),
        ("old", "MSP301"),
        ("plain", "MSP301"),
        ("plain", "MSP101"),
    ]
    assert len(report.files) == 4


def test_facts_of_a_program_know_its_table(parts: Path) -> None:
    ran = run("program", ".", cwd=parts)
    assert ran.code == 0
    assert run("program", "old/deep/train.py", cwd=parts).out.count("1.10") >= 1
