"""YAML and JSON files as plain data with lines. Bounded: what is too deep or too large is no config."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

SIZE = 1 << 20  # bytes; PyYAML's C composer overflows the stack on 100,000 brackets, so events are counted here
DEPTH = 100


@dataclass(frozen=True)
class Entry:
    """A value in a file: plain data (mappings and lists hold entries), and where it stands."""

    data: Any
    line: int
    column: int


def child(data: Any, key: object) -> Optional[Entry]:
    """Return the entry under a key of a mapping, or at an index of a list; None where there is none."""
    if isinstance(data, dict):
        entry = data.get(key)
        return entry if isinstance(entry, Entry) else None
    if isinstance(data, list) and isinstance(key, int) and -len(data) <= key < len(data):
        entry = data[key]
        return entry if isinstance(entry, Entry) else None
    return None


def read(raw: bytes) -> Optional[Entry]:
    """Return the first document of a YAML or JSON text; None where it is neither, or is beyond the bounds."""
    if len(raw) > SIZE:
        return None
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        text = raw.decode("utf-8-sig")
        return _Builder(yaml).build(yaml.parse(text, Loader=loader))
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError):
        return None


class _Builder:
    """Builds entries from the events of one document."""

    def __init__(self, yaml: Any) -> None:
        self.yaml = yaml
        self.resolver = yaml.SafeLoader("")
        self.anchors: dict[str, Entry] = {}

    def build(self, events: Any) -> Optional[Entry]:
        """Return the first document's entry; ValueError where it is too deep."""
        yaml = self.yaml
        stack: list[tuple[str, Any, Any, list[Any]]] = []  # kind, container, start event, [pending key]
        for event in events:
            if isinstance(event, yaml.MappingStartEvent):
                stack.append(("map", {}, event, []))
            elif isinstance(event, yaml.SequenceStartEvent):
                stack.append(("list", [], event, []))
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                _, container, start, _ = stack.pop()
                entry = self._entry(container, start)
                if not stack:
                    return entry
                self._add(stack[-1], entry)
            elif isinstance(event, yaml.ScalarEvent):
                entry = self._entry(self._scalar(event), event)
                if not stack:
                    return entry
                self._add(stack[-1], entry)
            elif isinstance(event, yaml.AliasEvent) and stack:
                self._add(stack[-1], self.anchors.get(event.anchor, Entry(None, event.start_mark.line + 1, 1)))
            if len(stack) > DEPTH:
                raise ValueError("nested too deeply")
        return None

    def _entry(self, data: Any, event: Any) -> Entry:
        entry = Entry(data, event.start_mark.line + 1, event.start_mark.column + 1)
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
            if key.data == "<<" and isinstance(entry.data, dict):
                for name, value in entry.data.items():
                    container.setdefault(name, value)
            elif not isinstance(key.data, (dict, list)):
                container[key.data] = Entry(entry.data, key.line, key.column)

    def _scalar(self, event: Any) -> Any:
        """Return what a plain scalar means; quoted ones are text."""
        if event.style not in (None, "") or event.tag is not None:
            return event.value
        node = self.yaml.ScalarNode(None, event.value)
        tag = self.resolver.resolve(self.yaml.ScalarNode, event.value, (True, False))
        node.tag = tag
        kind = tag.rpartition(":")[2]
        if kind not in ("bool", "int", "float", "null"):
            return event.value
        return getattr(self.resolver, f"construct_yaml_{kind}")(node)
