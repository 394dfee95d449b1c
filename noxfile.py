"""The proof of this project, in sessions that can be run one by one: `nox --list`, then for example `nox -s lint`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import nox
from nox.command import CommandFailed

nox.needs_version = ">=2025.10.16"  # tells how long each session took
nox.options.default_venv_backend = "uv|venv"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False  # also in CI: a session without its interpreter is left out


ROOT = Path(__file__).parent
SUPPORTED = nox.project.python_versions(nox.project.load_toml(ROOT / "pyproject.toml"))
# What depends on the grammar of the interpreter, on types at run time, and on the libraries that are used.
DEPENDENT = (
    *("checks", "semantics", "programs", "test_syntax.py", "test_source.py", "test_notebooks.py", "test_config.py"),
    *("test_api.py", "test_cli.py", "test_asked.py", "test_options.py", "test_workers.py", "test_cache.py"),
    *("test_edits.py", "test_layouts.py", "test_fixing.py", "test_conflicts.py", "test_writing.py"),
    *("test_redundant_cast_fixes.py", "test_unaligned_shape_fixes.py", "test_discovery.py", "test_suppressions.py"),
    *("test_flake8.py", "test_server.py", "test_server_notebooks.py", "test_watching.py", "test_html_report.py"),
)
TOOLKITS = (
    *("mindcv==0.3.0", "mindyolo==0.5.0", "mindocr==0.5.0", "mindaudio==0.3.0"),
    *("mindformers==2.1.0", "mindnlp==0.5.1"),
)


def _works(python: str, version: str) -> bool:
    """Return whether a command is an interpreter of this version that can make environments."""
    program = f"import sys, venv, ensurepip; sys.exit('%d.%d' % sys.version_info[:2] != {version!r})"
    try:
        return subprocess.run([python, "-c", program], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _present(versions: Sequence[str]) -> list[str]:
    """Return the versions of Python that are here, in order; those that only pyenv knows are put on the search path."""
    found = []
    for version in versions:
        of_pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
        for python in (f"python{version}", *map(str, of_pyenv)):
            if _works(python, version):
                if os.path.isabs(python):
                    os.environ["PATH"] = os.pathsep.join([os.path.dirname(python), os.environ["PATH"]])
                found.append(version)
                break
    return found


PRESENT = _present(SUPPORTED)
LOWEST, NEWEST = PRESENT[0], PRESENT[-1]
# The wheels of MindSpore are for these interpreters: 2.0 up to 3.9, those after it from 3.10 to 3.11.
FOR_MINDSPORE = "3.10" if "3.10" in PRESENT and "3.11" not in PRESENT else "3.11"
nox.options.sessions = ["lint", f"tests-{NEWEST}"]


@nox.session(python=NEWEST)
def lint(session: nox.Session) -> None:
    """Check style, types and the direction of imports."""
    session.install("-e", ".[dev]")
    session.run("ruff", "check", "--no-cache", ".")
    session.run("ruff", "format", "--no-cache", "--check", ".")
    session.run("mypy", "--strict", "--cache-dir", os.devnull)
    session.run("lint-imports", "--no-cache")


@nox.session(python=NEWEST)
def docs(session: nox.Session) -> None:
    """Build the site, where a warning is an error, and look at it."""
    session.install("pytest", "-e", ".[docs]")
    session.run("python", "-c", "import mkdocs, material, mkdocstrings")  # without them the tests would be left out
    session.run("python", "-m", "pytest", "-q", "tests/test_site.py")


@nox.session(python=NEWEST)
def wheel(session: nox.Session) -> None:
    """Build a wheel, install it and use it: pages, command line, flake8 plugin."""
    made = Path(session.create_tmp()).resolve()
    for name in ("dist", "samples"):
        shutil.rmtree(made / name, ignore_errors=True)
    session.install("build", "pip")
    session.run("python", "-m", "build", "--outdir", str(made / "dist"), ".", silent=True)
    session.install(*map(str, (made / "dist").glob("*.whl")))
    shutil.copytree(ROOT / "sample_scripts", made / "samples")
    with session.chdir(made / "samples"):
        session.run("ms-perflint", "--version")
        session.run("ms-perflint", "rule")
        session.run("ms-perflint", "rule", "--all", silent=True)
        session.run("python", "-m", "ms_perflint", "--output-format", "concise", ".", success_codes=[1])
        plugins = session.run("flake8", "--version", silent=True)
    if "ms-perflint" not in str(plugins):
        session.error(f"flake8 does not know the plugin: {plugins}")
    _use_rule_of_another_package(session, made)


def _use_rule_of_another_package(session: nox.Session, made: Path) -> None:
    """Build and install a package with one rule; the command line and flake8 have to report, fix and explain it."""
    source = ROOT / "tests" / "another_package"
    session.run("python", "-m", "build", "--wheel", "--outdir", str(made / "rules"), str(source), silent=True)
    session.install("--no-deps", *map(str, (made / "rules").glob("*.whl")))
    shutil.copy(source / "train.py", made / "samples" / "summaries.py")
    with session.chdir(made / "samples"):
        script = ("--isolated", "summaries.py")
        said = [
            session.run("ms-perflint", "--output-format", "concise", *script, success_codes=[1], silent=True),
            session.run("flake8", "--select", "MSX", *script, success_codes=[1], silent=True),
            session.run("ms-perflint", "--fix", "--unsafe-fixes", *script, silent=True),
            session.run("ms-perflint", "rule", "MSX101", silent=True),
        ]
    if not all("MSX101" in str(each) for each in said):
        session.error(f"the rule of another package is not known everywhere: {said}")


def _pytest(session: nox.Session, *selection: str, options: Sequence[str] = ()) -> None:
    """Run tests on all cores; what follows `--` on the command line of nox replaces their selection."""
    session.run("python", "-m", "pytest", "-q", "-n", "auto", *options, *(session.posargs or selection))


@nox.session(python=SUPPORTED)
def tests(session: nox.Session) -> None:
    """Run all tests on one version of Python."""
    session.install("pip", "-e", ".[dev]")
    _pytest(session)


@nox.session(python=LOWEST, venv_backend="uv")
def lowest(session: nox.Session) -> None:
    """Run what depends on grammar and libraries, on the lowest Python with the lowest declared versions."""
    session.install("--resolution", "lowest-direct", "pip", "-e", ".[dev,lsp,html,watch]")
    _pytest(session, *(os.path.join("tests", name) for name in DEPENDENT))


@nox.session(python=NEWEST)
def coverage(session: nox.Session) -> None:
    """Run all tests and tell which branches none of them takes."""
    session.install("pip", "pytest-cov>=7", "-e", ".[dev]")
    _pytest(session, options=("--cov", "--cov-report=term-missing:skip-covered"))


def _proof(session: nox.Session, version: str, required: bool = False) -> None:
    """Run the tests that need MindSpore on a version of it; one without a wheel for this machine may be optional."""
    try:
        session.install("pip", "-e", ".[dev,proof]", f"mindspore=={version}")
    except CommandFailed:
        if required:
            raise
        session.skip(f"no MindSpore {version} for this machine")
    _pytest(session, "-m", "mindspore")


@nox.session(name="proof-2.10.0", python=FOR_MINDSPORE)
def proof_newest(session: nox.Session) -> None:
    """Run the fixes on the newest MindSpore."""
    _proof(session, "2.10.0", required=True)


@nox.session(name="proof-2.7.0", python=FOR_MINDSPORE)
def proof_middle(session: nox.Session) -> None:
    """Run the fixes on MindSpore 2.7."""
    _proof(session, "2.7.0")


@nox.session(name="proof-2.0.0", python="3.9")
def proof_oldest(session: nox.Session) -> None:
    """Run the fixes on the oldest MindSpore with wheels."""
    _proof(session, "2.0.0")


@nox.session(python=NEWEST)
def toolkits(session: nox.Session) -> None:
    """Try the fixes on the code of toolkits for MindSpore."""
    session.install("pip", "-e", ".[dev]")
    home = Path(session.create_tmp()).resolve()
    folders = [folder for package in TOOLKITS if (folder := _unpacked(session, home, package))]
    if folders:
        session.run("python", "tests/ecosystem.py", "--quick", "--jobs", "2", *map(str, folders))


def _unpacked(session: nox.Session, home: Path, package: str) -> Path | None:
    """Return the folder with the code of a package, its source distribution if it has one; None without either."""
    archives, folder = home / "archives" / package, home / package.partition("==")[0]
    for kinds in (("--no-binary", ":all:"), ()):
        fetch = ("python", "-m", "pip", "download", "--quiet", "--no-deps", *kinds, "--dest", str(archives), package)
        session.run(*fetch, silent=True, success_codes=range(256))
        for archive in archives.glob("*"):
            shutil.unpack_archive(archive, folder, "zip" if archive.suffix in (".whl", ".zip") else "gztar")
            return folder
    session.warn(f"{package} is not available here: left out")
    return None


@nox.session(python=NEWEST)
def browser(session: nox.Session) -> None:
    """Build the VS Code extension and walk through it in Eclipse Theia, twice (editors/vscode/browser-test)."""
    session.install("-e", ".[lsp]")
    extension = ROOT / "editors" / "vscode"
    walk = extension / "browser-test"
    python = {"PYTHON": str(Path(session.bin) / "python")}
    for folder, command in (
        *((extension, command) for command in ("npm ci", "npm test", "npm run package")),
        *((walk, command) for command in ("npm ci --ignore-scripts", "npm run setup", "npm test", "npm test")),
    ):
        with session.chdir(folder):
            session.run(*command.split(), external=True, env=python)


@nox.session(venv_backend="none")
def readme(session: nox.Session) -> None:
    """Run all tests with the README's command, on the newest Python, in a fresh clone: the command makes a `.venv`."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^python3 -m venv .* && \S+/pytest.*$", text, re.MULTILINE)
    folder = Path(session.create_tmp()).resolve()
    newest = folder / "python3"  # the command takes the first `python3` of the search path
    newest.write_text(f'#!/bin/sh\nexec "{shutil.which(f"python{NEWEST}")}" "$@"\n', encoding="utf-8")
    newest.chmod(0o755)
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    clone = folder / "clone"
    shutil.rmtree(clone, ignore_errors=True)
    session.run("git", "clone", "--quiet", str(ROOT), str(clone), external=True)
    with session.chdir(clone):
        session.run("bash", "-c", command, external=True, env={"PATH": path})
