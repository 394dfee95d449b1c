"""Parsed files that are kept between runs, for the server and watch mode."""

from __future__ import annotations

from ms_perflint.core.source import Source
from ms_perflint.index.index_builder import module_of
from ms_perflint.index.semantic_index import SemanticIndex


class Parsed:
    """Modules by path; each is valid as long as its file has the same bytes.

    It takes the place of a project's own modules, so projects that share it must not work at the same time.
    """

    def __init__(self, bound: int) -> None:
        self._bound = bound  # bytes of source that are kept between projects
        self._held: dict[str, tuple[bytes, SemanticIndex]] = {}  # the one that was asked for last stands last
        self._replaced: list[SemanticIndex] = []

    def module(self, path: str, raw: bytes) -> SemanticIndex:
        """Return the module of a file with these bytes. Raises SourceError for a syntax error."""
        held = self._held.get(path)
        if held is None or held[0] != raw:
            module = module_of(Source(path, raw))
            self._replaced += [held[1]] if held is not None else []
            held = raw, module
        self._held.pop(path, None)
        self._held[path] = held
        return held[1]

    def trim(self) -> None:
        """Evict modules that are no longer valid and the least recently used, while no project is in use."""
        for module in self._replaced:
            module.close()
        self._replaced.clear()
        size = sum(len(raw) for raw, _ in self._held.values())
        for path in list(self._held):
            if size <= self._bound:
                break
            raw, module = self._held.pop(path)
            size -= len(raw)
            module.close()
