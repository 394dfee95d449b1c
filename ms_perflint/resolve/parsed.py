"""Parsed files that outlast a project: for whoever asks again and again while a file changes, as an editor does."""

from __future__ import annotations

from ms_perflint.core.source import Source
from ms_perflint.index.index_builder import module_of
from ms_perflint.index.semantic_index import SemanticIndex


class Parsed:
    """Modules by path, each good for as long as its file holds the same bytes: nothing in it depends on another file.

    It takes the place of a project's own modules, so projects that share it must not work at the same time.
    """

    def __init__(self, bound: int) -> None:
        self._bound = bound  # bytes of source that are kept between projects
        self._held: dict[str, tuple[bytes, SemanticIndex]] = {}  # the one that was asked for last stands last
        self._replaced: list[SemanticIndex] = []

    def module(self, path: str, raw: bytes) -> SemanticIndex:
        """Return the module of a file with these bytes; SourceError where there is none."""
        held = self._held.get(path)
        if held is None or held[0] != raw:
            module = module_of(Source(path, raw))
            self._replaced += [held[1]] if held is not None else []
            held = raw, module
        self._held.pop(path, None)
        self._held[path] = held
        return held[1]

    def trim(self) -> None:
        """Give back what holds no more, and what has not been asked for the longest; while no project is at work."""
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
