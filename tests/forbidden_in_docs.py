"""Words that README and docs/ do not use, as data: each a pattern, and what to write instead. From the glossary."""

from __future__ import annotations

FORBIDDEN = {
    r"\bmend(s|ed|ing)?\b": "fix, apply",
    r"\bdata sets?\b": "dataset",
    r"\boperator by operator\b": "op by op",
    r"\bmatrix (work|unit)s?\b": "matmul and convolution; Cube unit / Tensor Cores",
    r"\bagain and again\b": "per step, per epoch",
    r"\bworked out (again|anew)\b": "recompiled, computed in the next pass",
    r"\bgo(es)? in circles\b": "oscillates",
    r"\bshown only\b": "display-only",
    r"\brhythm of\b": "callback frequency",
    r"\bclass of memory\b": "peak memory",
    r"\btiming of writes\b": "when files are written",
    r"\b(nobody|somebody|no one|whoever)\b": "the reader, or the code, as the subject",
    r"\ba normal user\b": "by default",
    r"\bis quiet\b": "is not reported",
    r"\bspeaks (about|for)\b": "reports, applies to",
    r"\bwhat is meant\b": "the resolved name",
    r"\bportions? of gradients\b": "fusion buckets",
    r"\bgradients travel\b": "gradients are reduced",
    r"\bput up with\b": "accept",
    r"\bpassed over\b": "skipped",
}
# Page -> patterns that it may use.
EXCEPTIONS: dict[str, tuple[str, ...]] = {
    "editors.md": (r"\bmend(s|ed|ing)?\b",),  # to be written anew with the extension
    "profile.md": (r"\bmend(s|ed|ing)?\b",),  # what a command prints
}
