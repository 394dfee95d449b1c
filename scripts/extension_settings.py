"""Write the settings of the VS Code extension that mirror `[tool.ms-perflint]`: `python scripts/extension_settings.py`.

They stand in editors/vscode/package.json, with their English texts in package.nls.json. The Chinese ones in
package.nls.zh-cn.json are written by hand; what is missing there is printed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from ms_perflint.config.options import OPTIONS, Option
from ms_perflint.config.settings import TABLE

EXTENSION = Path(__file__).resolve().parent.parent / "editors" / "vscode"
PACKAGE, ENGLISH, CHINESE = (EXTENSION / f"package{kind}.json" for kind in ("", ".nls", ".nls.zh-cn"))
SECTION = "ms-perflint"
OWN = ("interpreter", "path", "trace.server")  # of the extension itself, written by hand
# options of the command line that no table has
BESIDE = (
    Option(
        "config", "name of a file", None, "", f"A TOML file with [{TABLE}]; else the nearest pyproject.toml.",
        {"type": "string"}, "--config",
    ),
    Option("isolated", "true or false", None, "", "Whether to read no configuration file.", {"type": "boolean"}),
)  # fmt: skip

Json = dict[str, object]


def mirrored() -> tuple[Option, ...]:
    """Return the options that an editor may set: those of the command line, but how to report."""
    return (*(option for option in OPTIONS if option.flag is not None and option.key != "output-format"), *BESIDE)


def properties() -> Json:
    """Return the settings as package.json has them: none is set until the user sets it."""
    return {
        f"{SECTION}.{option.key}": {
            **_nullable(option.schema),
            "default": None,
            "scope": "resource",
            "description": f"%{_text(option)}%",
        }
        for option in mirrored()
    }


def texts() -> dict[str, str]:
    """Return the English descriptions, by their keys."""
    beside = {_text(option): option.help for option in BESIDE}
    return {**{_text(option): f"{option.help} Not set: as pyproject.toml says." for option in mirrored()}, **beside}


def _text(option: Option) -> str:
    return f"setting.{option.key}"


def _nullable(schema: Mapping[str, object]) -> Json:
    """Return a schema that also takes null, with nothing in it that refers to another one."""
    if "anyOf" in schema or "$ref" in schema:  # other spellings of devices: the server says which it does not know
        return {"type": ["string", "null"]}
    if "enum" in schema:
        values = schema["enum"]
        assert isinstance(values, list)
        return {"type": ["string", "null"], "enum": [*values, None]}
    kept = {key: value for key, value in schema.items() if key in ("pattern", "minimum", "maximum")}
    inner = schema.get("items", schema.get("additionalProperties"))
    if schema["type"] == "array":
        kept["items"] = {"type": "string"}
    elif schema["type"] == "object" and inner is not None:
        kept["additionalProperties"] = {"type": "array", "items": {"type": "string"}}
    return {"type": [schema["type"], "null"], **kept}


def package(now: Json) -> Json:
    """Return package.json with the settings as they should be; those of the extension itself stay in front."""
    contributes = now["contributes"]
    assert isinstance(contributes, dict)
    configuration = contributes["configuration"]
    own = {f"{SECTION}.{name}": configuration["properties"][f"{SECTION}.{name}"] for name in OWN}
    settings = {**configuration, "properties": {**own, **properties()}}
    return {**now, "contributes": {**contributes, "configuration": settings}}


def english(now: Mapping[str, str]) -> dict[str, str]:
    """Return package.nls.json with the descriptions as they should be."""
    own = {f"setting.{name}" for name in OWN}
    kept = {key: text for key, text in now.items() if key in own or not key.startswith("setting.")}
    return {**kept, **texts()}


def written(path: Path, content: object) -> None:
    """Write a file of JSON as npm writes it."""
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read(path: Path) -> Json:
    """Return what a file of JSON holds."""
    found = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def main() -> int:
    """Write both files, and name the Chinese texts that are missing."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    written(PACKAGE, package(read(PACKAGE)))
    written(ENGLISH, english({key: str(text) for key, text in read(ENGLISH).items()}))
    missing = sorted(read(ENGLISH).keys() - read(CHINESE).keys())
    for key in missing:
        print(f"{CHINESE.name}: {key} is missing", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
