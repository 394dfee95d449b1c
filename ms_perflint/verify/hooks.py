"""The `sitecustomize.py` of a measured program.

It runs in the environment of the program, where the linter need not be installed, and imports nothing of it. It keeps
the output files of the program in its copy, and hooks into MindSpore, when imported, to time training steps.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import json
import os
import shutil
import sys
import threading
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Optional

HOME = os.path.dirname(os.path.abspath(__file__))
SETTINGS = json.loads(os.environ.get("MS_PERFLINT_VERIFY", "{}"))
STEPS = "ms_perflint_steps"  # the module beside this one that times the steps
REALPATH = os.path.realpath
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


# --- where the program runs


def _user_sitecustomize() -> None:
    """Run the `sitecustomize` that this one hides."""
    folders = [folder for folder in sys.path if os.path.abspath(folder) != HOME]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", folders)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


class Copy:
    """The copy that the program runs in: other files are links, and become files when written to."""

    def __init__(self, project: str, top: str, copy: str) -> None:
        self.project = project  # as it is
        self.top = top  # the copied directory: the project, or a parent of it
        self.copy = copy
        self.busy = threading.local()

    def mapped(self, path: str) -> str:
        """Return a path of the project in the copy; any other path as it is."""
        return os.path.join(self.copy, os.path.relpath(path, self.top)) if _below(path, self.project) else path

    def real(self, path: Any, *args: Any, **options: Any) -> Any:
        """Return a path without links: of a link in the copy to a file of the project that in the copy."""
        found = REALPATH(path, *args, **options)
        if isinstance(found, str) and not _below(found, self.copy) and _below(os.path.abspath(path), self.copy):
            return self.mapped(found)
        return found

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Keep the program from writing into the project: an audit hook of the interpreter."""
        if event == "open":
            if isinstance(arguments[0], (str, bytes)) and arguments[2] & WRITES:
                self.own(arguments[0], arguments[2] & os.O_TRUNC)
        elif event in ("os.mkdir", "os.remove", "os.rmdir"):
            self.own(arguments[0], None)
        elif event in ("os.chmod", "os.truncate", "os.utime") and not isinstance(arguments[0], int):
            self.own(arguments[0], 0)
        elif event == "os.rename":
            self.own(arguments[0], None)
            self.own(arguments[1], None)

    def own(self, path: Any, truncated: Optional[int]) -> None:
        """Make a path of the copy writable; `truncated` is None for a link itself."""
        if getattr(self.busy, "is_on", False):
            return
        self.busy.is_on = True
        try:
            path = os.path.abspath(os.fsdecode(path))
            if _below(path, self.project) and not _below(path, self.copy):
                raise PermissionError(
                    f"{path} is in the project, and verify runs a copy of it: write to a relative path"
                )
            if _below(path, self.copy) and path != self.copy:
                self._unfold(path, truncated)
        finally:
            self.busy.is_on = False

    def _unfold(self, path: str, truncated: Optional[int]) -> None:
        names = path[len(self.copy) :].strip(os.sep).split(os.sep)
        folder = self.copy
        for name in names[:-1]:
            folder = os.path.join(folder, name)
            if os.path.islink(folder) and os.path.isdir(folder):
                target = REALPATH(folder)
                os.unlink(folder)
                os.mkdir(folder)
                for entry in os.listdir(target):
                    os.symlink(os.path.join(target, entry), os.path.join(folder, entry))
        if truncated is not None and os.path.islink(path) and os.path.isfile(path):
            target = REALPATH(path)
            os.unlink(path)
            if not truncated:
                shutil.copy(target, path)


class Finder:
    """Finds modules of the project in the copy, also those of an editable installation, and hooks into MindSpore."""

    def __init__(self, copy: Copy) -> None:
        self.copy = copy
        self.busy = threading.local()

    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None
    ) -> Optional[ModuleSpec]:
        """Return the spec of a module; None for the default."""
        if path is not None or getattr(self.busy, "is_on", False):
            return None
        self.busy.is_on = True
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            return None
        finally:
            self.busy.is_on = False
        if spec is None or spec.loader is None:
            return None
        if name == "mindspore":
            spec.loader = Loader(spec.loader)  # type: ignore[assignment]
            return spec
        origin = spec.origin or ""
        if _below(origin, self.copy.project) and not _below(origin, self.copy.copy):
            return self._in_copy(name, spec)
        return None

    def _in_copy(self, name: str, spec: ModuleSpec) -> Optional[ModuleSpec]:
        origin = self.copy.mapped(spec.origin or "")
        if not os.path.exists(origin):
            return None
        folders = spec.submodule_search_locations
        folders = None if folders is None else [self.copy.mapped(folder) for folder in folders]
        return importlib.util.spec_from_file_location(name, origin, submodule_search_locations=folders)


class Loader:
    """Loads MindSpore and puts the hooks into it."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)

    def create_module(self, spec: ModuleSpec) -> Optional[ModuleType]:
        """Return the module to fill."""
        module: Optional[ModuleType] = self.loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Load MindSpore."""
        self.loader.exec_module(module)
        importlib.import_module(STEPS).Recorder(module, SETTINGS).install()


if SETTINGS:
    _copy = Copy(SETTINGS["project"], SETTINGS["top"], SETTINGS["copy"])
    sys.path[:] = [HOME if folder == HOME else _copy.mapped(folder) for folder in sys.path]
    if hasattr(sys, "addaudithook"):  # since Python 3.8
        sys.addaudithook(_copy.audit)
    os.path.realpath = _copy.real  # type: ignore[assignment]
    sys.meta_path.insert(0, Finder(_copy))
    _user_sitecustomize()
