"""Print what a keystroke in an open file costs: python benchmarks/keystrokes.py FILE...

In each file a line is typed behind the last one, KEYS times. What that took, in processor time, counts against what
opening the same file took. Printed is the 95th percentile over all files; those of each file go to stderr.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

from ms_perflint.server.buffers import Buffer
from ms_perflint.server.linting import Linting, State
from ms_perflint.server.settings import Folders

KEYS = 20


def took(linting: Linting, path: Path, text: str, version: int) -> float:
    """Return the seconds that the editor waits for the findings in a text."""
    buffer = Buffer(path.as_uri(), str(path), text, version, True, False)
    start = time.process_time()
    linting.open(State((buffer,), Folders({}), lambda: True))
    return time.process_time() - start


def main(paths: list[str]) -> None:
    """Measure and print."""
    ratios: list[float] = []
    for path in (Path(path).resolve() for path in paths):
        linting, text = Linting(), path.read_text(encoding="utf-8", errors="replace")
        opening, keystrokes = took(linting, path, text, 0), []
        for key in range(1, KEYS + 1):
            text += f"\nlast = {key}\n" if key == 1 else f"last = {key}\n"
            keystrokes.append(took(linting, path, text, key))
        median, longest = statistics.median(keystrokes), max(keystrokes)
        print(f"{opening:.3f} s, then {median:.3f} s, at most {longest:.3f} s: {path}", file=sys.stderr)
        ratios += [each / opening for each in keystrokes]
    print(statistics.quantiles(ratios, n=20)[-1])


if __name__ == "__main__":
    main(sys.argv[1:])
