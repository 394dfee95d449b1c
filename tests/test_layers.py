"""Imports point downwards: no larger group of modules imports itself, also not for annotations or in functions."""

from __future__ import annotations

import grimp

MOST = 4  # modules that may import one another


def components() -> list[set[str]]:
    """Return the groups of modules that import one another, directly or not."""
    graph = grimp.build_graph("ms_perflint", cache_dir=None)
    left, found = set(graph.modules), []
    while left:
        module = left.pop()
        above, below = graph.find_downstream_modules(module), graph.find_upstream_modules(module)
        found.append({module} | (above & below))
        left -= found[-1]
    return found


def test_no_large_group_of_modules_imports_itself() -> None:
    groups = [sorted(group) for group in components() if len(group) > MOST]
    assert groups == []
