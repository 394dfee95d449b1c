"""The VS Code extension beside the package: its settings are those of the linter, and it is no part of the wheel."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ms_perflint.server import settings as server
from ms_perflint.server.settings import read
from ms_perflint.version import __version__

ROOT = Path(__file__).resolve().parent.parent
EXTENSION = ROOT / "editors" / "vscode"
pytestmark = pytest.mark.skipif(not EXTENSION.is_dir(), reason="not in a source distribution")
sys.path.append(str(ROOT / "scripts"))


def stored(name: str) -> dict[str, Any]:
    """Return what a file of JSON holds."""
    found = json.loads((EXTENSION / name).read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def test_the_settings_are_those_of_the_linter() -> None:
    import extension_settings

    package, english = stored("package.json"), stored("package.nls.json")
    assert package == extension_settings.package(package), "run scripts/extension_settings.py"
    assert english == extension_settings.english(english), "run scripts/extension_settings.py"


def test_the_server_takes_all_settings_and_no_others() -> None:
    import extension_settings

    pytest.importorskip("pygls")
    samples = {"string": "x", "boolean": True, "array": ["MSP301"], "object": {"a.py": ["MSP301"]}}
    settings = {
        option.key: samples[next(each for each in extension_settings._nullable(option.schema)["type"] if each)]
        for option in extension_settings.mirrored()
    }
    assert set(read(settings)) == {key.replace("-", "_") for key in settings}
    known = (*server.RULES, *server.PATTERNS, *server.IGNORES, *server.TEXTS, *server.FLAGS)
    assert set(read(settings)) == set(known)


def test_the_version_is_that_of_the_package() -> None:
    assert stored("package.json")["version"] == __version__
    assert stored("package-lock.json")["version"] == __version__


def test_the_lock_files_name_no_host() -> None:
    locks = [path for path in EXTENSION.rglob("package-lock.json") if "node_modules" not in path.parts]
    assert locks
    for lock in locks:
        packages = json.loads(lock.read_text(encoding="utf-8"))["packages"]
        assert not [name for name, package in packages.items() if "resolved" in package], lock
