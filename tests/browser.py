"""A real browser without a screen, spoken to over its own pipe (Chrome DevTools Protocol)."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)
FOUND = next(filter(None, map(shutil.which, NAMES)), None) if sys.platform != "win32" else None
LONGEST = 60  # seconds that the browser may stay silent


class Page:
    """One page in a browser, and what it said to its console."""

    def __init__(self, commands: int, answers: int) -> None:
        self.said: list[str] = []
        self._commands, self._answers = commands, answers
        self._rest, self._number, self._session = b"", 0, ""
        self._arrived: set[str] = set()
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **params: Any) -> Any:
        """Give a command and return its answer."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": params}
        session = {"sessionId": self._session} if self._session else {}
        os.write(self._commands, json.dumps({**command, **session}).encode() + b"\0")
        while True:
            message = self._next()
            if message.get("id") == self._number:
                assert "error" not in message, message
                return message["result"]

    def open(self, file: Path, anchor: str = "") -> None:
        """Show a file, anew, and wait until it is there."""
        for address in ("about:blank", file.as_uri() + anchor):
            self._arrived.clear()
            self.ask("Page.navigate", url=address)
            while "Page.loadEventFired" not in self._arrived:
                self._next()

    def value(self, expression: str) -> Any:
        """Return what an expression of JavaScript is on the page."""
        asked = {"returnByValue": True, "awaitPromise": True, "userGesture": True}
        answer = self.ask("Runtime.evaluate", expression=expression, **asked)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def look(self, file: Path, wide: int = 1280, high: int = 1600, dark: bool = False) -> None:
        """Take a picture of the page in a window of that size."""
        self.size(wide, high, dark)
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        file.write_bytes(base64.b64decode(data))

    def size(self, wide: int, high: int = 1600, dark: bool = False) -> None:
        """Give the window a size, and the system a colour scheme."""
        self.ask("Emulation.setDeviceMetricsOverride", width=wide, height=high, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])

    def _next(self) -> dict[str, Any]:
        """Return the next message; what the page says meanwhile is kept."""
        while b"\0" not in self._rest:
            assert select.select([self._answers], [], [], LONGEST)[0], "the browser says nothing"
            part = os.read(self._answers, 1 << 20)
            assert part, "the browser has gone"
            self._rest += part
        raw, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(raw)
        event, params = message.get("method", ""), message.get("params", {})
        self._arrived.add(event)
        if event == "Runtime.consoleAPICalled":
            self.said.append(" ".join(str(each.get("value")) for each in params["args"]))
        if event == "Runtime.exceptionThrown":
            self.said.append(str(params["exceptionDetails"]))
        if event == "Log.entryAdded":
            self.said.append(params["entry"]["text"])
        return message


@contextmanager
def browser(home: Path) -> Iterator[Page]:
    """Give a page of a new browser, which keeps what it keeps in `home`."""
    assert FOUND is not None
    (inner_in, commands), (answers, inner_out) = os.pipe(), os.pipe()

    def as_three_and_four() -> None:
        import fcntl  # not on every system

        high = [fcntl.fcntl(each, fcntl.F_DUPFD, 10) for each in (inner_in, inner_out)]  # they may be 3 or 4 themselves
        for number, each in zip((3, 4), high):
            os.dup2(each, number)

    process = subprocess.Popen(
        [FOUND, *FLAGS, f"--user-data-dir={home}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=as_three_and_four,
        close_fds=False,
    )
    os.close(inner_in)
    os.close(inner_out)
    try:
        yield Page(commands, answers)
    finally:
        process.terminate()
        process.wait(LONGEST)
        os.close(commands)
        os.close(answers)


if __name__ == "__main__":  # python tests/browser.py REPORT PICTURES: how a report looks
    with browser(Path(sys.argv[2]) / f"profile-{time.time_ns()}") as page:
        page.open(Path(sys.argv[1]).resolve())
        for name, wide, dark in (("light", 1280, False), ("dark", 1280, True), ("narrow", 390, False)):
            page.look(Path(sys.argv[2]) / f"{name}.png", wide, dark=dark)
