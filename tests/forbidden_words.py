"""Words that texts for users must not have, with replacements: the glossary as data.

Patterns are whole words, in any case. What stands in code, links, quotations and their translations is not ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

INSTEAD: Mapping[str, str] = {
    # fixes and findings
    r"mend(?:s|ed|ing)?": "fix",
    r"made anew|anew": "created again",
    r"shown only|only shown|for display": "display-only",
    r"quiet|silent": "not reported",
    r"(?:is|are|what) judged": "checked",
    # MindSpore and accelerators
    r"operator by operator": "op by op",
    r"again and again|worked out again": "in each step, recompiled",
    r"sinks? the data ?set|sends? whole epochs": "dataset sinking",
    r"data sets?": "dataset",
    r"matrix (?:work|unit)s?": "matmul and convolution, Cube unit / Tensor Cores",
    r"half(?: |-)precision": "FP16, BF16",
    r"portions?|travels?": "fusion bucket, AllReduce",
    r"the device waits while": "checkpoint saving blocks training",
    r"class of memory": "peak memory",
    r"rhythm of callbacks": "callback frequency",
    r"go(?:es)? in circles": "oscillates",
    r"timing of writes": "when files are written",
    r"speaks (?:about|for)": "reports, applies to",
    r"what is meant": "the resolved name",
    r"put up with": "accept",
    r"passed over": "skipped",
    # style
    r"somebody|nobody|normal user|whoever|who": "the code, or the reader",
    r"things?": "its name",
}
EXCEPTIONS: frozenset[tuple[str, str]] = frozenset()  # (file name, what it says), each with its reason beside it

_NOT_OURS = re.compile(
    r"^(`{3,}|~{3,}).*?^\1$|<!--.*?-->|`[^`\n]*`|\]\([^)]*\)|<https?://[^>]*>|^> [^\n]*$|\(\*[^*]*\*\)|\"[^\"\n]*\"",
    re.MULTILINE | re.DOTALL,
)
_FORBIDDEN = re.compile(r"\b(?:" + "|".join(INSTEAD) + r")\b", re.IGNORECASE)


def forbidden(name: str, text: str) -> list[str]:
    """Return the forbidden words of a text in Markdown with what to say instead; of a file of that name."""
    ours = _NOT_OURS.sub(" ", text)
    words = [match[0].lower() for match in _FORBIDDEN.finditer(re.sub(r"\s+", " ", ours))]
    return [f"{name}: {word!r}, say {_instead(word)!r}" for word in words if (name, word) not in EXCEPTIONS]


def _instead(word: str) -> str:
    return next(said for form, said in INSTEAD.items() if re.fullmatch(form, word, re.IGNORECASE))
