"""Real profiles of public repositories, with the verdicts that are known for them: `profiles.py MINDINSIGHT`.

MINDINSIGHT is a clone of mindspore-ai/mindinsight. Its tests hold what a real Ascend wrote for LeNet (`run_1`), and the
kernels of a ResNet-50 on four devices (`marey_graph`). The files stay where they are.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from ms_perflint.core.findings import Finding, Place
from ms_perflint.core.source import Source
from ms_perflint.profile import reader, symptoms
from ms_perflint.profile.kernels import ASCEND, Kernel, Profile, named
from ms_perflint.profile.user_code import UserCode

RESOURCES = "tests/utils/resource"
LENET = f"{RESOURCES}/run_1/normal_run/profiler"
RESNET = f"{RESOURCES}/marey_graph"
# Classes of the two programs, by the attributes that their scopes name.
CLASSES = {
    "LeNet5": ("conv1", "conv2", "relu", "max_pool2d", "flatten", "fc3"),
    "ResNet": ("head", "layer1", "layer2", "layer3", "layer4", "mean", "flatten", "end_point"),
    "ResidualBlock": ("conv1", "conv2", "conv3", "bn1", "bn2", "bn3", "relu", "down_sample_layer", "add"),
    "Head": ("conv1", "bn1", "relu", "maxpool"),
}
EXPECTED = {  # on LeNet; 17 of 81 kernels are fused or without a scope
    "waits_for_data": ("refuted", "0.1 %"),
    "full_precision": ("confirmed", "84 %"),
    "padded": ("confirmed", ""),
    "casts": ("refuted", ""),
    "all_reduces": ("not-measurable", ""),
    "saves": ("not-seen", ""),
    "operator_by_operator": ("refuted", ""),
}


def main() -> int:
    """Print what is shown and what is known; return 1 where they differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone", help="a clone of mindspore-ai/mindinsight, bare or not")
    clone = parser.parse_args().clone
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in _listed(clone, LENET):
            if name.endswith(".csv"):
                with open(os.path.join(folder, os.path.basename(name)), "wb") as file:
                    file.write(_shown(clone, name))
        profile = reader.read(folder)
    for name, (verdict, part) in EXPECTED.items():
        seen = _asked(profile, name, "LeNet5", "fc3")
        agrees = seen.verdict == verdict and part in seen.evidence
        wrong += not agrees
        print(
            f"LeNet   {name:<22} {seen.verdict:<15} {seen.evidence}{'' if agrees else f'   EXPECTED {verdict} {part}'}"
        )
    for device, profile in _devices(clone):
        casts = [kernel for kernel in profile.kernels if kernel.is_cast]
        share = sum(kernel.total_us for kernel in casts) / sum(kernel.total_us for kernel in profile.kernels)
        verdicts = {_asked(profile, "casts", owner, "").verdict for owner in ("ResNet", "ResidualBlock", "Head")}
        agrees = "confirmed" not in verdicts
        wrong += not agrees
        print(f"ResNet  {device}: {len(casts)} casts, {100 * share:.1f} % of the time: {', '.join(sorted(verdicts))}")
    return int(wrong > 0)


def _asked(profile: Profile, symptom: str, owner: str, attribute: str) -> symptoms.Seen:
    """Return what a symptom says of an attribute of a class."""
    source, rows = _program()
    code = UserCode([source])
    place = Place(source.path, rows[owner, attribute], 1)
    finding = Finding(place, "", "", "", place, ())
    answer: symptoms.Seen = getattr(symptoms, symptom)(symptoms.Asked(profile, code, finding, code.spot(place), {}, {}))
    return answer


def _program() -> tuple[Source, dict[tuple[str, str], int]]:
    """Return a program with the classes, and the row of each class and attribute."""
    lines: list[str] = []
    rows = {}
    for name, attributes in CLASSES.items():
        lines.append(f"class {name}:")
        rows[name, ""] = len(lines)
        lines.append("    def __init__(self):")
        for attribute in attributes:
            lines.append(f"        self.{attribute} = None")
            rows[name, attribute] = len(lines)
    return Source("net.py", "\n".join(lines).encode()), rows


def _devices(clone: str) -> Iterator[tuple[str, Profile]]:
    """Yield the profile of each device of the ResNet-50: one step, times in microseconds."""
    timeline = json.loads(_shown(clone, f"{RESNET}/ascend_marey_timeline_1.json"))["maps"]
    scopes = json.loads(_shown(clone, f"{RESNET}/scope_map_1.json"))["scope_map"]
    for device, kernels in timeline.items():
        found = []
        for name, told in kernels.items():
            scope = scopes.get(name, "").strip("/")
            full = "/".join(filter(None, (scope if scope.startswith("Gradients") else f"Default/{scope}", name)))
            found.append(Kernel(named(full), name.rpartition("-op")[0], (), (), 1, float(told["dur"])))
        yield device, Profile(RESNET, ASCEND, "", tuple(found))


def _listed(clone: str, folder: str) -> list[str]:
    return _git(clone, "ls-tree", "--name-only", "HEAD", f"{folder}/").decode().splitlines()


def _shown(clone: str, path: str) -> bytes:
    return _git(clone, "show", f"HEAD:{path}")


def _git(clone: str, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", clone, *arguments], capture_output=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(main())
