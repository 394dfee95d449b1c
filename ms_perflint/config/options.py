"""The options of `[tool.ms-perflint]`: one table, the source of `config`, the reference and the JSON Schema.

`values.py` parses values; a test compares its keys and defaults with these.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from ms_perflint import published
from ms_perflint.config.formats import FORMATS
from ms_perflint.config.settings import ALL, DEVICES, EXCLUDE, NPU, TABLE
from ms_perflint.config.values import EXTEND
from ms_perflint.languages import LANGUAGES, VARIABLE

Json = Mapping[str, object]

RULES: Json = {"type": "array", "items": {"$ref": "#/definitions/rule"}}
PATTERN: Json = {"type": "string", "pattern": r"^(?!!?/*\s*$)"}
PATTERNS: Json = {"type": "array", "items": PATTERN}
IGNORES: Json = {"type": "object", "additionalProperties": RULES}
FLAG: Json = {"type": "boolean"}


@dataclass(frozen=True)
class Option:
    """One key of the table."""

    key: str
    takes: str  # its type, for people
    default: object  # as TOML reads it; None: not set
    example: str  # lines of TOML
    help: str  # one sentence
    schema: Json
    flag: Optional[str] = None  # its name on the command line
    unset: str = ""  # the value if it is not set and has no default

    @property
    def default_text(self) -> str:
        """Return the default, for people."""
        return self.unset if self.default is None else toml(self.default)


OPTIONS = (
    Option(
        EXTEND,
        "name of a file",
        None,
        'extend = "../pyproject.toml"',
        "The file with the table to inherit from: values here override, and `extend-` lists add up.",
        {"type": "string", "pattern": r"\S"},
        unset="extends none",
    ),
    Option(
        "select",
        "list of rules",
        [ALL],
        'select = ["MSP1", "MSP301", "redundant-cast"]',
        "Rules to enable: codes, prefixes of codes, names, or ALL; preview rules only by their full code.",
        RULES,
        "--select",
    ),
    Option(
        "ignore",
        "list of rules",
        [],
        'ignore = ["MSP202"]',
        "Rules to disable; of `select` and `ignore`, the more specific entry wins.",
        RULES,
        "--ignore",
    ),
    Option(
        "extend-select",
        "list of rules",
        [],
        'extend-select = ["MSP6"]',
        "Rules to enable besides those of `select`.",
        RULES,
        "--extend-select",
    ),
    Option(
        "per-file-ignores",
        "table of patterns and rules",
        {},
        f'[{TABLE}.per-file-ignores]\n"tools/*" = ["MSP1"]',
        "Rules to disable in files that match a pattern as in .gitignore; with `!` in front, in all other files.",
        IGNORES,
        "--per-file-ignores",
    ),
    Option(
        "extend-per-file-ignores",
        "table of patterns and rules",
        {},
        f'[{TABLE}.extend-per-file-ignores]\n"!train*.py" = ["MSP501"]',
        "The same, in addition to `per-file-ignores`.",
        IGNORES,
        "--extend-per-file-ignores",
    ),
    Option(
        "exclude",
        "list of patterns",
        list(EXCLUDE),
        'exclude = [".venv", "build", "third_party/"]',
        "Patterns of files to exclude from directories, as in .gitignore; replaces the default.",
        PATTERNS,
        "--exclude",
    ),
    Option(
        "extend-exclude",
        "list of patterns",
        [],
        'extend-exclude = ["legacy/", "*_pb2.py"]',
        "Patterns of files to exclude besides those of `exclude`.",
        PATTERNS,
        "--extend-exclude",
    ),
    Option(
        "baseline",
        "name of a file",
        None,
        'baseline = "ms-perflint-baseline.json"',
        "The file with findings that are not reported; `--write-baseline` writes it.",
        {"type": "string", "pattern": r"\S"},
        "--baseline",
        "no baseline",
    ),
    Option(
        "profile",
        "name of a directory",
        None,
        'profile = "profile"',
        "The directory that MindSpore's profiler wrote; reports and editors then show what it measured.",
        {"type": "string", "pattern": r"\S"},
        "--profile",
        "no profile",
    ),
    Option(
        "mindspore-version",
        "version",
        None,
        'mindspore-version = "2.4"',
        "The MindSpore version that the code is for.",
        {"type": "string", "pattern": r"^(1\.([0-9]|10)|2\.[0-9]{1,2})(\.[0-9]+)?(\.?[a-z]+[0-9]*)?$"},
        "--mindspore-version",
        "a pin in requirements*.txt, pyproject.toml, ...; else the newest known",
    ),
    Option(
        "device",
        " or ".join(f'"{device}"' for device in DEVICES),
        None,
        'device = "Ascend"',
        "The device that the code is for; `NPU`, `Ascend910B` and `910B` mean Ascend.",
        {"anyOf": [{"enum": list(DEVICES)}, {"type": "string", "pattern": f"^{NPU}$"}]},
        "--device",
        "what the program sets; else an accelerator",
    ),
    Option(
        "unsafe-fixes",
        "true or false",
        False,
        "unsafe-fixes = true",
        "Whether `--fix` applies unsafe fixes without asking.",
        FLAG,
        "--unsafe-fixes",
    ),
    Option(
        "extend-safe-fixes",
        "list of rules",
        [],
        'extend-safe-fixes = ["MSP102"]',
        "Rules whose unsafe fixes are applied like safe ones.",
        RULES,
    ),
    Option(
        "fixable",
        "list of rules",
        [ALL],
        'fixable = ["MSP1", "MSP301"]',
        "Rules whose fixes may be applied; fixes of other rules are display-only.",
        RULES,
        "--fixable",
    ),
    Option(
        "unfixable",
        "list of rules",
        [],
        'unfixable = ["MSP203"]',
        "Rules whose fixes are display-only; of `fixable` and `unfixable`, the more specific entry wins.",
        RULES,
        "--unfixable",
    ),
    Option(
        "line-length",
        "number from 1 to 1000",
        88,
        "line-length = 100",
        "The line length above which an added argument gets its own line; longer lines of the file count (up to 120).",
        {"type": "integer", "minimum": 1, "maximum": 1000},
    ),
    Option(
        "respect-gitignore",
        "true or false",
        True,
        "respect-gitignore = false",
        "Whether to exclude files that git ignores from directories.",
        FLAG,
    ),
    Option(
        "output-format",
        "format",
        "text",
        'output-format = "concise"',
        f"The format of the report: {', '.join(FORMATS)}.",
        {"enum": list(FORMATS)},
        "--output-format",
    ),
    Option(
        "lang",
        "en or zh",
        None,
        'lang = "zh"',
        "The language of messages: English or Chinese.",
        {"enum": list(LANGUAGES)},
        "--lang",
        unset=f"{VARIABLE}, else the locale",
    ),
    Option(
        "launch",
        "list of commands",
        [],
        'launch = ["train.py --config configs/*.yaml", "train.py --device CPU"]',
        "Commands that run programs; each is a run configuration. Files are relative to the file with this table.",
        {"type": "array", "items": {"type": "string", "pattern": r"\.py(\s|$)"}},
    ),
    Option(
        "rules",
        "tables of rules and their options",
        {},
        f"[{TABLE}.rules.MSP202]\nmultiple = 32",
        "Options of single rules; the page of a rule lists them.",
        {"$ref": "#/definitions/options"},
    ),
)


def find(key: str) -> Option | None:
    """Return the option with a key; None without one."""
    return next((option for option in OPTIONS if option.key == key), None)


def example(option: Option) -> str:
    """Return the lines that set an option in pyproject.toml."""
    return option.example if option.example.startswith("[") else f"[{TABLE}]\n{option.example}"


def toml(value: object) -> str:
    """Return a value in TOML, on one line."""
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_key(key)} = {toml(inner)}" for key, inner in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value, ensure_ascii=isinstance(value, str) and not value.isprintable())


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml(name)


def schema() -> dict[str, object]:
    """Return the JSON Schema of the table, for the rules that are installed."""
    from ms_perflint.check import checks

    prefixes = {check.code[:end] for check in checks() for end in range(_letters(check.code), len(check.code) + 1)}
    words = [ALL, *sorted(prefixes), *(check.name for check in checks())]
    tables = {check.code: _table(check.options, check.limits) for check in checks() if check.options}
    named = {check.name: tables[check.code] for check in checks() if check.options}
    empty = {word: _table({}, {}) for check in checks() if not check.options for word in (check.code, check.name)}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **_id("schema.json"),
        "title": "ms-perflint",
        "description": f"The table [{TABLE}] of pyproject.toml.",
        "type": "object",
        "additionalProperties": False,
        "definitions": {
            "rule": {"description": "A code, a prefix of codes, a name, or ALL.", "enum": words},
            "options": {
                "type": "object",
                "additionalProperties": False,
                "properties": {**tables, **named, **empty},
            },
        },
        "properties": {option.key: _property(option) for option in OPTIONS},
    }


def whole(table: Mapping[str, object]) -> dict[str, object]:
    """Return the schema of a whole pyproject.toml with the linter's table, for editors."""
    kept = {key: value for key, value in table.items() if key not in ("$schema", "$id", "definitions")}
    inner: dict[str, object] = kept
    for name in reversed(TABLE.split(".")):
        inner = {"type": "object", "properties": {name: inner}}
    head = {"$schema": table["$schema"], **_id("pyproject.schema.json"), "definitions": table["definitions"]}
    return {**head, **inner}


def _id(name: str) -> dict[str, object]:
    """Return the address of a schema as its `$id`; nothing until the site is published."""
    return {"$id": published.SITE + name} if published.SITE else {}


def _letters(code: str) -> int:
    """Return the length of the letters in front of a code's digits."""
    return len(code.rstrip("0123456789"))


def _property(option: Option) -> dict[str, object]:
    """Return the schema of one key."""
    words = f"{option.help} Not set: {option.unset}." if option.default is None else option.help
    known = {} if option.default is None else {"default": option.default}
    if "$ref" in option.schema:  # keys beside `$ref` would be ignored
        return {"allOf": [option.schema], "description": words, **known}
    return {**option.schema, "description": words, **known}


def _table(options: Mapping[str, object], limits: Mapping[str, tuple[int, int]]) -> dict[str, object]:
    """Return the schema of the options of one rule."""
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    properties = {key: {"type": names[type(value)], "default": value} for key, value in options.items()}
    for key, (low, high) in limits.items():
        properties[key] = {**properties[key], "minimum": low, "maximum": high}
    return {"type": "object", "additionalProperties": False, "properties": properties}
