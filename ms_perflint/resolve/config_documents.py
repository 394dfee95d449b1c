"""YAML and JSON documents as plain data with lines. Files beyond the bounds on size and depth are not read."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional

from ms_perflint.core.findings import Place

SIZE = 1 << 20  # bytes; PyYAML's C composer overflows the stack on 100,000 brackets, so events are counted here
DEPTH = 100
NUMBER = 100  # characters of a number: what is longer is not computed, which takes quadratic time
MERGED = 1 << 17  # keys that `<<` copies, in one file
TAG = "tag:yaml.org,2002:"
SCALARS = frozenset({"bool", "int", "float", "null"})  # kinds that are no text
COLLECTIONS = frozenset({"map", "seq", "python/dict", "python/list", "python/tuple"})


UNKNOWN = object()  # what a file says in a way that only the program's own code reads: `!include x`, `${x}`


class Entry(NamedTuple):
    """A value in a file with its place: plain data, where mappings and lists hold entries."""

    data: Any
    path: str
    line: int
    column: int
    open: bool = False  # a mapping that may hold more, on all levels: it has a base that cannot be read


def child(data: Any, key: object) -> Optional[Entry]:
    """Return the entry under a key of a mapping, or at an index of a list; None where there is none."""
    entry = data.get(key) if isinstance(data, dict) else None
    if isinstance(data, list) and isinstance(key, int) and -len(data) <= key < len(data):
        entry = data[key]
    return entry if isinstance(entry, Entry) else None


def scalar(data: Any) -> Any:
    """Return a value of a file as a string, bool, None or finite number within the bounds; UNKNOWN for others."""
    if data is None or isinstance(data, (str, bool)):
        return data
    if isinstance(data, int):
        return data if data.bit_length() < 4 * NUMBER else UNKNOWN
    return data if isinstance(data, float) and math.isfinite(data) else UNKNOWN


def merged(base: Entry, over: Entry) -> Entry:
    """Return two mappings merged key by key, also mappings inside of them; `over` wins."""
    return _merged(base, over, {})


def overridden(base: Entry, key: str, text: Optional[str], place: Place) -> Entry:
    """Return a document with another value for a key, as in `model.width=64`; None for an unknown value."""
    if not isinstance(base.data, dict):
        return base
    *above, last = key.replace("/", ".").split(".")
    holder, was = base.data, Entry(None, base.path, 1, 1)
    for name in (*above, last):
        found = holder.get(name)
        was = found if found is not None else was
        holder = found.data if found is not None and isinstance(found.data, dict) else {}
    given = read(text.encode(), was.path) if text is not None else ()
    where = (place.path, place.row, place.column) if place.path else (was.path, was.line, was.column)
    entry = Entry(given[0].data if given else UNKNOWN if text is None else text, *where)
    for name in (last, *reversed(above)):
        entry = Entry({name: entry}, *where)
    return merged(base, entry)


def holds(data: Any, key: str) -> bool:
    """Return whether a mapping has a dotted key: `model.width`."""
    for name in key.split("."):
        found = child(data, name)
        if found is None:
            return False
        data = found.data
    return True


def _merged(base: Entry, over: Entry, made: dict[tuple[int, int], Entry]) -> Entry:
    """Return the merged mapping; a pair that aliases repeat is merged once."""
    pair = (id(base), id(over))
    if pair not in made:
        data = dict(base.data)
        for key, entry in over.data.items():
            below = data.get(key)
            is_both = below is not None and isinstance(below.data, dict) and isinstance(entry.data, dict)
            data[key] = _merged(data[key], entry, made) if is_both else entry
        made[pair] = Entry(data, over.path, over.line, over.column, base.open or over.open)
    return made[pair]


def read(raw: bytes, path: str) -> tuple[Entry, ...]:
    """Return the documents of a YAML or JSON text; none where it is neither, or is beyond the bounds."""
    if len(raw) > SIZE:
        return ()
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        text = raw.decode("utf-8-sig")
        if text.lstrip()[:1] in ("{", "["):
            text = text.replace("\t", " ")  # JSON may be indented by tabs, YAML may not
        events = yaml.parse(text, Loader=loader)
    except (yaml.YAMLError, UnicodeDecodeError):
        return ()
    builder = _Builder(yaml, path)
    found: list[Entry] = []
    try:
        while (entry := builder.build(events)) is not None:
            found.append(entry)
    except (yaml.YAMLError, ValueError, LookupError, RecursionError):
        pass  # what comes after it is not read
    return tuple(found)


class _Builder:
    """Builds entries from the events of one document."""

    def __init__(self, yaml: Any, path: str) -> None:
        self.yaml = yaml
        self.path = path
        self.is_json = path.endswith(".json")
        self.resolver = yaml.SafeLoader("")
        self.anchors: dict[str, Entry] = {}
        self.copied = 0  # keys, by `<<`

    def build(self, events: Any) -> Optional[Entry]:
        """Return the next document's entry; ValueError where it is too deep."""
        yaml = self.yaml
        self.anchors.clear()
        stack: list[tuple[str, Any, Any, list[Any]]] = []  # kind, container, start event, [pending key]
        for event in events:
            if isinstance(event, yaml.MappingStartEvent):
                stack.append(("map", {}, event, []))
            elif isinstance(event, yaml.SequenceStartEvent):
                stack.append(("list", [], event, []))
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                _, container, start, _ = stack.pop()
                entry = self._entry(container if _is_plain(start.tag) else UNKNOWN, start)
                if not stack:
                    return entry
                self._add(stack[-1], entry)
            elif isinstance(event, yaml.ScalarEvent):
                entry = self._entry(self._scalar(event), event)
                if not stack:
                    return entry
                self._add(stack[-1], entry)
            elif isinstance(event, yaml.AliasEvent) and stack:
                mark = event.start_mark
                nothing = Entry(UNKNOWN, self.path, mark.line + 1, mark.column + 1)
                self._add(stack[-1], self.anchors.get(event.anchor, nothing))
            if len(stack) > DEPTH:
                raise ValueError("nested too deeply")
        return None

    def _entry(self, data: Any, event: Any) -> Entry:
        entry = Entry(data, self.path, event.start_mark.line + 1, event.start_mark.column + 1)
        if getattr(event, "anchor", None):
            self.anchors[event.anchor] = entry
        return entry

    def _add(self, frame: tuple[str, Any, Any, list[Any]], entry: Entry) -> None:
        kind, container, _, pending = frame
        if kind == "list":
            container.append(entry)
        elif not pending:
            pending.append(entry)
        else:
            key = pending.pop()
            if key.data == "<<" and isinstance(entry.data, (dict, list)):
                for source in entry.data if isinstance(entry.data, list) else [entry]:
                    self._copy(source.data if isinstance(source.data, dict) else {}, container)
            elif not isinstance(key.data, (dict, list)):
                container[key.data] = Entry(entry.data, self.path, key.line, key.column)

    def _copy(self, source: dict[Any, Entry], container: dict[Any, Entry]) -> None:
        self.copied += len(source)
        if self.copied > MERGED:
            raise ValueError("too large")
        for name, value in source.items():
            container.setdefault(name, value)

    def _scalar(self, event: Any) -> Any:
        """Return the value of a scalar: plain ones by their form, tagged ones by their tag; quoted ones are strings."""
        if event.tag is not None and event.tag != "!":
            tag = event.tag
        elif event.style not in (None, ""):
            return event.value
        else:
            tag = self.resolver.resolve(self.yaml.ScalarNode, event.value, (True, False))
        kind = tag[len(TAG) :] if tag.startswith(TAG) else ""
        if kind in SCALARS:
            return self._computed(kind, tag, event.value)
        if kind == "timestamp" or (event.tag is not None and kind != "str"):
            return UNKNOWN
        if self.is_json and event.style in (None, ""):
            return scalar(float(event.value))  # `1e-3`, which YAML 1.1 takes for text
        return UNKNOWN if event.value.startswith("${") else event.value

    def _computed(self, kind: str, tag: str, text: str) -> Any:
        """Return the value of a number, bool or null; UNKNOWN without a value, or beyond the bounds."""
        if len(text) > NUMBER:
            return UNKNOWN
        try:
            return scalar(getattr(self.resolver, f"construct_yaml_{kind}")(self.yaml.ScalarNode(tag, text)))
        except (ValueError, LookupError, OverflowError):
            return UNKNOWN


def _is_plain(tag: Optional[str]) -> bool:
    """Return whether a tag marks a plain mapping or list."""
    return tag is None or tag == "!" or (tag.startswith(TAG) and tag[len(TAG) :] in COLLECTIONS)
