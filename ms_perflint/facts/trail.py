"""The questions of a rule about one call, in the words of the docstrings of the functions that answer them.

A rule is plain Python: functions of `training` and `program` answer its questions. Their calls are traced as by a
debugger, so that no rule needs special code to be explained.
"""

from __future__ import annotations

import inspect
import linecache
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, NamedTuple, Optional, TypeVar

from ms_perflint.check import Check

Answer = TypeVar("Answer")
WHETHER = "Return whether "
PASSED = ("return False", "return (", "return None", "return")  # lines that only pass a decision on


class Question(NamedTuple):
    """A question that was answered with yes or no."""

    text: str  # the question, from the docstring: "a program surely trains"
    answer: bool
    function: str  # the function that answers it, with its module
    row: int  # row of the rule that asks it last


class Trail:
    """The questions of a rule, and the line of its code that decides."""

    def __init__(self, check: type[Check]) -> None:
        self.questions: list[Question] = []
        self.row = 0  # of the last line of the rule that ran, but for a bare `return`
        self.path = inspect.getfile(check)
        self._furthest: dict[FrameType, int] = {}  # row of each function of the rule

    def watch(self, decide: Callable[[], Answer]) -> Answer:
        """Run `decide`, which calls the rule, and return its result; record the questions."""
        with _traced(self._called):
            answer = decide()
        self._furthest.clear()
        return answer

    def _called(self, frame: FrameType, event: str, _: Any) -> Any:
        """Trace the rule, the helpers in its file, and the functions that they call, but no deeper calls."""
        if frame.f_code.co_filename == self.path:
            return self._stepped
        if frame.f_back is not None and frame.f_back.f_code.co_filename == self.path:
            frame.f_trace_lines = False
            return self._answered
        return None

    def _stepped(self, frame: FrameType, event: str, value: Any) -> Any:
        row = frame.f_lineno
        is_further = row > self._furthest.get(frame, 0)  # the end of `return (a and b)` is on the line of its beginning
        if event == "line" and is_further and linecache.getline(self.path, row).strip() not in PASSED:
            self.row = self._furthest[frame] = row
        followed = self._answered(frame, event, value)
        if event == "return" and not _decides(value):
            caller = frame.f_back
            while caller is not None and caller.f_code.co_filename != self.path:
                caller = caller.f_back  # as of a cached property
            self.row = caller.f_lineno if caller is not None else self.row  # the caller goes on with the result
        return followed and self._stepped

    def _answered(self, frame: FrameType, event: str, value: Any) -> Any:
        if event == "return" and isinstance(value, bool):
            text = _asked(frame.f_code)
            if text is not None:
                module = frame.f_globals.get("__name__", "").partition(".")[2]
                question = Question(text, value, f"{module}.{frame.f_code.co_name}", self.row)
                before = [each for each in self.questions if each[:3] == question[:3]]
                if before:
                    self.questions[self.questions.index(before[0])] = question
                else:
                    self.questions.append(question)
        return self._answered


@contextmanager
def _traced(tracer: Callable[[FrameType, str, Any], Any]) -> Iterator[None]:
    """Install a trace function, and restore the former one, such as that of a debugger or of coverage."""
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        yield
    finally:
        sys.settrace(before)


def _decides(value: object) -> bool:
    """Return whether a helper with this result may have decided: a boolean, or an empty result."""
    return value is None or isinstance(value, bool) or (isinstance(value, (tuple, list)) and not value)


def _asked(code: CodeType) -> Optional[str]:
    """Return the yes-or-no question that a function answers, from its docstring; None for other functions."""
    first = code.co_consts[0] if code.co_consts else None
    if not isinstance(first, str) or not first.startswith(WHETHER):
        return None
    sentence = " ".join(first[len(WHETHER) :].split("\n\n")[0].split())
    return sentence.partition(". ")[0].partition(": ")[0].partition("; ")[0].rstrip(".")
