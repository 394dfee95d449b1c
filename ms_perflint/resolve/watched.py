"""Config documents that record which keys are read: a file with equal values there gives the same run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Optional

from ms_perflint.resolve.config_documents import Entry, child

Keys = tuple[object, ...]


class Watched(dict[object, Entry]):
    """A mapping of a document that records the keys that are read."""

    def __init__(self, data: dict[object, Entry], keys: Keys, asked: dict[Keys, None]) -> None:
        super().__init__(data)
        self._keys = keys
        self._asked = asked

    def _note(self, *key: object) -> None:
        self._asked[(*self._keys, *key)] = None

    def get(self, key: object, default: Any = None) -> Any:
        """Return the entry under a key."""
        self._note(key)
        entry = super().get(key)
        return default if entry is None else self._below(key, entry)

    def _below(self, key: object, entry: Entry) -> Entry:
        if type(entry.data) is not dict:
            return entry
        return entry._replace(data=Watched(entry.data, (*self._keys, key), self._asked))

    def __contains__(self, key: object) -> bool:
        self._note(key)
        return super().__contains__(key)

    def __getitem__(self, key: object) -> Entry:
        self._note(key)
        return self._below(key, super().__getitem__(key))

    def __iter__(self) -> Iterator[object]:
        self._note(ALL)
        return super().__iter__()

    def keys(self) -> Any:
        """Return all keys."""
        self._note(ALL)
        return super().keys()

    def items(self) -> Any:
        """Return all keys with their values."""
        self._note(ALL)
        return [(key, self[key]) for key in super().__iter__()]

    def values(self) -> Any:
        """Return all values."""
        return [entry for _, entry in self.items()]


ALL = object()  # all keys of a mapping


def is_same(asked: Iterable[Keys], one: Optional[Entry], other: Optional[Entry]) -> bool:
    """Return whether two documents have equal values under the recorded keys."""
    return all(_at(one, keys) == _at(other, keys) for keys in asked)


def _at(entry: Optional[Entry], keys: Keys) -> object:
    """Return the value of a document under some keys, to be compared; of a mapping only that it is one."""
    for key in keys:
        if entry is None:
            return None
        if key is ALL:
            return tuple(entry.data) if isinstance(entry.data, dict) else None
        entry = child(entry.data, key)
    return _plain(entry, is_deep=False) if entry is not None else None


def _plain(entry: Entry, is_deep: bool) -> object:
    data = entry.data
    if isinstance(data, dict):
        inside = tuple((key, _plain(each, True)) for key, each in data.items()) if is_deep else ()
        return "dict", entry.open, inside
    if isinstance(data, list):
        return "list", entry.open, tuple(_plain(each, True) for each in data)
    return type(data).__name__, entry.open, data
