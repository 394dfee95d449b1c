"""Begins a rule: `python scripts/new_rule.py MSP406 shuffle-after-batch` writes its page, its check and its tests.

They work as they stand, on a pattern that is only an example: change them to what the rule is about, in any order, and
run `pytest tests/test_rules.py tests/checks/test_msp406.py -k MSP406` as you go. docs/writing-rules.md says what a
check can ask. `python scripts/new_rule.py --write` brings up to date what lists the rules: README, docs and the schema.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = re.compile(r"MSP[1-9]\d\d")
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")

CHECK = '''\
"""{code}: only one batch is fetched ahead. [an example: say where the claim comes from]."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Remedy, Safety
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import training

if TYPE_CHECKING:
    import libcst as cst

SAYS = Message("training waits for each batch: only one is fetched ahead")
ADVICE = Message("fetch 16 ahead, the default")
REASON = Message("takes more memory")


class {title}(Check):
    """{summary}"""

    code = "{code}"
    name = "{name}"
    preview = True
    safety = Safety.UNSAFE
    gain = Gain("small", Message("more batches are ready before they are needed"))
    triggers = ("mindspore.dataset.config.set_prefetch_size",)
    blames = ("size",)
    looks_inside = False

    def suspect(self, call: Call) -> bool:
        """One batch, in a program that trains."""
        return call.argument("size").must_be(1) and self.program.runs(call) and training.is_trained(self.program)

    def visit_Call(self, node: cst.Call) -> None:
        """Report the call; the fix puts the default in place of the number."""
        call = self.call(node)
        if call is None:
            return
        edits = edit.set_argument(call, "size", "16", line_length=self.line_length)
        self.report(node, SAYS, Remedy(edits, ADVICE, reason=REASON))
'''

PAGE = """\
# {name} ({code})

{summary}

## Why it is slow

An example: say what the device or Python waits for, and how you know: a measurement, a document, MindSpore's source.

## Example

```python bad
{bad}```

## After the fix

```python good
{good}```

## Fix safety

**unsafe**: say in one sentence what changes besides the speed.

## When it is fine

```python ok
{fine}```

Where nothing trains:

```python ok
import mindspore.dataset as ds

ds.config.set_prefetch_size(1)
```

## Versions and devices

Say from which version on and on which devices it holds.

## References

1. `mindspore.dataset.config.set_prefetch_size`: <https://www.mindspore.cn/docs/en/master/api_python/dataset/mindspore.dataset.config.set_prefetch_size.html>
"""

PROGRAM = """\
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ds.config.set_prefetch_size({size}){mark}

train_set = ds.MindDataset("train.mindrecord").batch(32, drop_remainder=True)
net = nn.SequentialCell(nn.Dense(64, 128), nn.ReLU(), nn.Dense(128, 10))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = ms.Model(net, loss, nn.Adam(net.trainable_params()), amp_level="O2")
model.train(10, train_set, dataset_sink_mode=True)
"""

TESTS = '''\
"""{code} {name}: what is reported, with which safety, and what is not."""

from __future__ import annotations

import pytest
from programs import Program, case, fires, quiet

CODE = "{code}"

IMPORTS = """
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import nn

    """
TRAIN = """
    train_set = ds.MindDataset("train.mindrecord").batch(32)
    net = nn.Dense(64, 16)
    model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
    model.train(10, train_set, dataset_sink_mode=True)
    """
FIRES = [
    case("a literal", IMPORTS, "ds.config.set_prefetch_size(1)  # ! unsafe\\n", TRAIN),
    case("a constant", IMPORTS, "AHEAD = 1\\nds.config.set_prefetch_size(size=AHEAD)  # ! unsafe\\n", TRAIN),
]
QUIET = [
    case("more than one", IMPORTS, "ds.config.set_prefetch_size(4)\\n", TRAIN),
    case("nothing trains", IMPORTS, "ds.config.set_prefetch_size(1)\\n"),
    case("a number that is not known", IMPORTS, "ds.config.set_prefetch_size(int(input()))\\n", TRAIN),
]


@pytest.mark.parametrize("program", FIRES)
def test_reported(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", QUIET)
def test_not_reported(program: Program) -> None:
    quiet(CODE, program)
'''


def main() -> int:
    """Write the three files of a rule, or the lists of all rules."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("code", nargs="?", help="MSP and three digits; the first one says what kind of rule it is")
    parser.add_argument("name", nargs="?", help="words with hyphens between them")
    parser.add_argument("--write", action="store_true", help="bring up to date what lists the rules")
    asked = parser.parse_args()
    if asked.write:
        write_lists()
    elif not asked.code or not asked.name:
        parser.error("a rule needs a code and a name, like `MSP406 shuffle-after-batch`")
    else:
        return begin(parser, asked.code, asked.name)
    return 0


def begin(parser: argparse.ArgumentParser, code: str, name: str) -> int:
    """Write page, check and tests of a rule; nothing that is there is touched."""
    if not CODE.fullmatch(code):
        parser.error(f"{code}: a code is MSP and three digits, like MSP406")
    if not NAME.fullmatch(name):
        parser.error(f"{name}: a name is words in small letters with hyphens, like shuffle-after-batch")
    taken = [path.name for path in (ROOT / "rules").glob("MSP*.md") if path.name.startswith(code) or name in path.stem]
    if taken:
        parser.error(f"{taken[0]} is there already")
    module = f"{code.lower()}_{name.replace('-', '_')}"
    title = "".join(word.capitalize() for word in name.split("-"))
    about = {"code": code, "name": name, "title": title, "summary": "Say in one sentence what is slow."}
    programs = {
        "bad": PROGRAM.format(size=1, mark="  # !"),
        "good": PROGRAM.format(size=16, mark=""),
        "fine": PROGRAM.format(size=4, mark=""),
    }
    files = {
        f"rules/{code}-{name}.md": PAGE.format(**about, **programs),
        f"ms_perflint/checks/{module}.py": CHECK.format(**about),
        f"tests/checks/test_{code.lower()}.py": TESTS.format(**about),
    }
    for file, text in files.items():
        (ROOT / file).write_text(text, encoding="utf-8")
        print(f"wrote {file}")
    print(f"next: pytest tests/test_rules.py tests/checks/test_{code.lower()}.py -k {code}; docs/writing-rules.md")
    return 0


def write_lists() -> None:
    """Bring up to date what lists the rules: the pages that show output, the pictures, and the schema."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    from ms_perflint.config.options import schema

    (ROOT / "ms_perflint" / "schema.json").write_text(json.dumps(schema(), indent=2) + "\n", encoding="utf-8")
    here = {**os.environ, "PYTHONPATH": str(ROOT)}  # another checkout may be installed
    for script in (("tests/readme.py",), ("scripts/pictures.py", "--write")):
        subprocess.run([sys.executable, *script], cwd=ROOT, env=here, check=True)


if __name__ == "__main__":
    sys.exit(main())
