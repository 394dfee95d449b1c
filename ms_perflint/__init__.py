"""ms-perflint: finds, explains and fixes what makes MindSpore training slow.

For other programs there are `lint_source`, `lint_paths` and `fix_source`, and what they return:

    report = ms_perflint.lint_source(text, filename="train.py", mindspore_version="2.4")
    for finding in report.findings:
        print(finding.place.row, finding.code, finding.message)

They are loaded on first use, so that the import costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ms_perflint.api import Fixed, Settings, fix_source, lint_paths, lint_source
    from ms_perflint.config.settings import ConfigError
    from ms_perflint.core.findings import Edit, Finding, Fix, Place, Related, Safety
    from ms_perflint.core.reports import Problem, Report
    from ms_perflint.processes.cluster import ClusterError
    from ms_perflint.version import __version__

_HOMES = {
    **dict.fromkeys(("Fixed", "Settings", "fix_source", "lint_paths", "lint_source"), "api"),
    **dict.fromkeys(("ClusterError",), "processes.cluster"),
    **dict.fromkeys(("ConfigError",), "config.settings"),
    **dict.fromkeys(("Edit", "Finding", "Fix", "Place", "Related", "Safety"), "core.findings"),
    **dict.fromkeys(("Problem", "Report"), "core.reports"),
    "__version__": "version",
}

__all__ = [
    "ClusterError",
    "ConfigError",
    "Edit",
    "Finding",
    "Fix",
    "Fixed",
    "Place",
    "Problem",
    "Related",
    "Report",
    "Safety",
    "Settings",
    "__version__",
    "fix_source",
    "lint_paths",
    "lint_source",
]


def __getattr__(name: str) -> object:
    """Return one of the public names, loaded now."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """Return also the names that are not loaded yet."""
    return sorted({*globals(), *__all__})
