"""Which files a run looks at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ms_perflint.config.settings import Config
from ms_perflint.discovery import discover


def tree(root: Path, *names: str) -> None:
    """Make empty files; a name with `=` has a text, with `->` is a link."""
    for name in names:
        name, _, text = name.partition("=")
        name, _, target = name.partition("->")
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if target:
            path.symlink_to(target)
        elif name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.write_text(text, encoding="utf-8")


def found(root: Path, *paths: str, **settings: object) -> list[str]:
    """Return the files found at `paths` (all of `root` when none are given), relative to `root`."""
    config = Config(root=str(root), **settings)  # type: ignore[arg-type]
    result = discover([str(root / path) for path in paths or (".",)], config)
    assert result.problems == ()
    return [os.path.relpath(path, root) for path in result.files]


def test_python_files_of_a_directory_stay_together(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a/c.py", "a/sub/d.py", "a/b.py", "a/z.py", "a-b/e.py", "notes.txt", "data.ipynb", "a.pyi")
    assert found(tmp_path) == ["b.py", "data.ipynb", "a/b.py", "a/c.py", "a/z.py", "a/sub/d.py", "a-b/e.py"]


def test_a_file_given_by_name_is_always_taken_and_once(tmp_path: Path) -> None:
    tree(tmp_path, "build/a.py", "script", ".gitignore=*.py\n", ".git/")
    assert found(tmp_path, "build/a.py", "build/../build/a.py", "script") == ["script", "build/a.py"]


def test_notebooks_given_by_name_are_taken(tmp_path: Path) -> None:
    tree(tmp_path, "a.ipynb", "b.py")
    assert found(tmp_path, "a.ipynb", "b.py") == ["a.ipynb", "b.py"]


def test_default_excludes(tmp_path: Path) -> None:
    tree(
        tmp_path, ".venv/a.py", "x/build/b.py", "x/site-packages/c.py", ".ipynb_checkpoints/d.ipynb", "builder/kept.py"
    )
    assert found(tmp_path) == ["builder/kept.py"]


def test_an_excluded_directory_given_by_name_is_walked(tmp_path: Path) -> None:
    tree(tmp_path, "build/a.py", "build/old/b.py", "build/.venv/c.py", ".git/", ".gitignore=build/\n")
    assert found(tmp_path, "build", extend_exclude=("old",)) == ["build/a.py"]


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        (("legacy",), ["a/x.py", "b.py"]),
        (("a/legacy",), ["a/x.py", "b.py", "legacy/z.py"]),
        (("/legacy/",), ["a/legacy/y.py", "a/x.py", "b.py"]),
        (("*.py", "!b.py"), ["b.py"]),
        (("a/**",), ["b.py", "legacy/z.py"]),
        (("x.py",), ["a/legacy/y.py", "b.py", "legacy/z.py"]),
    ],
)
def test_exclude_patterns(tmp_path: Path, patterns: tuple[str, ...], left: list[str]) -> None:
    tree(tmp_path, "a/x.py", "a/legacy/y.py", "b.py", "legacy/z.py")
    assert sorted(found(tmp_path, extend_exclude=patterns)) == left
    assert sorted(found(tmp_path, exclude=patterns)) == left


def test_excludes_hold_for_paths_outside_of_the_root(tmp_path: Path) -> None:
    tree(tmp_path, "ci/", "src/a.py", "src/.venv/b.py", "src/gen/c.py")
    config = Config(root=str(tmp_path / "ci"), extend_exclude=("gen/*",))
    assert discover([str(tmp_path / "src")], config).files == (str(tmp_path / "src" / "a.py"),)


def test_gitignore_files_nested_and_negated(tmp_path: Path) -> None:
    tree(tmp_path, ".git/info/exclude=secret.py\n", ".gitignore=/out\ngen_*.py\n", "out/a.py", "x/out/b.py")
    tree(tmp_path, "x/.gitignore=!gen_kept.py\nlocal.py\n", "x/gen_kept.py", "x/gen_b.py", "x/local.py", "local.py")
    tree(tmp_path, "secret.py", "x/y/gen_kept.py", "gen_kept.py")
    assert found(tmp_path) == ["local.py", "x/gen_kept.py", "x/out/b.py", "x/y/gen_kept.py"]
    assert found(tmp_path, "x/y") == ["x/y/gen_kept.py"]
    assert "x/gen_b.py" in found(tmp_path, respect_gitignore=False)


def test_a_long_gitignore_counts(tmp_path: Path) -> None:
    tree(tmp_path, ".git/", f".gitignore={'# a remark that takes its place' * 1000}", "a.py", "out/b.py")
    with (tmp_path / ".gitignore").open("a", encoding="utf-8") as file:
        file.write("\nout/\n")
    assert found(tmp_path) == ["a.py"]


def test_gitignore_counts_only_inside_of_a_repository(tmp_path: Path) -> None:
    tree(tmp_path, ".gitignore=a.py\n", "a.py", "sub/.git/", "sub/a.py", "sub/.gitignore=b.py\n", "sub/b.py")
    assert found(tmp_path) == ["a.py", "sub/a.py"]


def test_a_repository_inside_a_repository_starts_anew(tmp_path: Path) -> None:
    tree(tmp_path, ".git/", ".gitignore=a.py\n", "a.py", "sub/.git=gitdir: elsewhere\n", "sub/a.py", "sub/x/a.py")
    assert found(tmp_path) == ["sub/a.py", "sub/x/a.py"]


def test_links(tmp_path: Path) -> None:
    tree(tmp_path, "a/b.py", "a/loop->.", "link.py->a/b.py", "self.py->self.py", "gone.py->nowhere.py", "dir->a")
    assert found(tmp_path) == ["link.py", "a/b.py"]
    assert found(tmp_path, "dir") == ["dir/b.py"]


def test_special_files_are_passed_over(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "folder.py/")
    os.mkfifo(tmp_path / "pipe.py")
    assert found(tmp_path) == ["a.py"]


def test_very_deep_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(1500):
        os.mkdir("d")
        os.chdir("d")
    Path("a.py").touch()
    files = discover([str(tmp_path)], Config(root=str(tmp_path))).files
    os.remove("a.py")
    for _ in range(1500):  # what clears up after the tests cannot go this deep
        os.chdir("..")
        os.rmdir("d")
    assert [os.path.basename(path) for path in files] == ["a.py"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.py", "no such file or directory"),
        ("nowhere", "no such file or directory"),
        ("pipe", "not a regular file"),
        ("self.py", "too many levels of symbolic links"),
        ("a.py/b.py", "not a directory"),
    ],
)
def test_a_path_that_leads_nowhere_is_a_problem(tmp_path: Path, name: str, message: str) -> None:
    tree(tmp_path, "a.py", "self.py->self.py")
    os.mkfifo(tmp_path / "pipe")
    result = discover([str(tmp_path / name), str(tmp_path / "a.py")], Config(root=str(tmp_path)))
    assert [(problem.path, problem.message) for problem in result.problems] == [(str(tmp_path / name), message)]
    assert result.files == (str(tmp_path / "a.py"),)


def test_an_empty_directory_is_no_problem(tmp_path: Path) -> None:
    assert found(tmp_path) == []
