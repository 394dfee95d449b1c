"""The server in conversations that break the protocol: each request is answered, and the next message is read."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from front import TRAIN, environment

pytest.importorskip("pygls")

PATIENCE = 120  # seconds until a test gives up waiting for a message
HEAD = b"Content-Length: %d\r\n\r\n"
HOVER = "textDocument/hover"
UNUSABLE = "a message of the editor cannot be used: "
PARSE, REQUEST, METHOD, PARAMS, TOO_EARLY = -32700, -32600, -32601, -32602, -32002


class Client:
    """Sends bytes to a server, and takes what it says apart."""

    def __init__(self, root: Path) -> None:
        self.uri = (root / "train.py").as_uri()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ms_perflint", "server"],
            cwd=root,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.said: queue.Queue[Any] = queue.Queue()
        self.number = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        while header := self.process.stdout.readline():
            if header.startswith(b"Content-Length: "):
                length = int(header.split(b":")[1])
            elif not header.strip():
                self.said.put(json.loads(self.process.stdout.read(length)))

    def send(self, body: object, head: bytes = HEAD) -> None:
        """Send a message; bytes are sent as they are."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        assert self.process.stdin is not None
        self.process.stdin.write((head % len(raw) if b"%d" in head else head) + raw)
        self.process.stdin.flush()

    def ask(self, method: str, params: object = None) -> Any:
        """Return the answer to a request."""
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": f"ask{self.number}", "method": method, "params": params})
        *_, answer = self._until(f"ask{self.number}")
        return answer

    def answers(self, body: object, head: bytes = HEAD) -> list[Any]:
        """Return all that the server says to a message; it has to be there for another one after it."""
        self.number += 1
        self.send(body, head)
        self.send({"jsonrpc": "2.0", "id": f"probe{self.number}", "method": "no/such"})
        *said, probe = self._until(f"probe{self.number}")
        assert probe["error"]["code"] == METHOD
        assert not any("please report it" in json.dumps(each) for each in said), said
        return said

    def begin(self) -> None:
        """Go through the first messages of every conversation."""
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.send({"jsonrpc": "2.0", "method": "initialized", "params": {}})

    def _until(self, identity: str) -> list[Any]:
        said = [self.said.get(timeout=PATIENCE)]
        while said[-1].get("id") != identity:
            said.append(self.said.get(timeout=PATIENCE))
        return said

    def finds(self) -> None:
        """Open a program: its finding has to be told."""
        self.number += 1
        document = {"uri": self.uri, "languageId": "python", "version": self.number, "text": TRAIN}
        self.send({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}})
        said: Any = {}
        while said.get("method") != "textDocument/publishDiagnostics":
            said = self.said.get(timeout=PATIENCE)
        assert "MSP301" in [each["code"] for each in said["params"]["diagnostics"]]


def request(method: object, params: object = None, identity: object = 7) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Return a client whose server has been told all that comes first; at the end it must go as it should."""
    found = Client(tmp_path_factory.mktemp("root"))
    found.begin()
    yield found
    found.finds()
    found.ask("shutdown")
    assert [each["error"]["code"] for each in [found.ask("no/such"), found.ask(HOVER)]] == [REQUEST, REQUEST]
    found.send({"jsonrpc": "2.0", "method": "exit"})
    assert found.process.wait(PATIENCE) == 0
    assert found.process.stderr is not None
    assert found.process.stderr.read() == b""


@pytest.mark.parametrize(
    ("message", "code", "identity"),
    [
        (request("textDocument/codeAction", {}), PARAMS, 7),
        (request("textDocument/codeAction"), PARAMS, 7),
        ({"jsonrpc": "2.0", "id": 7, "method": HOVER}, PARAMS, 7),
        (request(HOVER, [1, 2]), PARAMS, 7),
        (request(HOVER, {"textDocument": 5, "position": {"line": 0, "character": 0}}, "a"), PARAMS, "a"),
        (request(HOVER, {"textDocument": {"uri": "a:b"}, "position": {"line": -1, "character": 0}}), PARAMS, 7),
        (request("workspace/executeCommand", {"command": "no"}), PARAMS, 7),
        (request("no/such", {}), METHOD, 7),
        ({"jsonrpc": "2.0", "id": 7, "method": "no/such"}, METHOD, 7),
        (request("$/no", [], "b"), METHOD, "b"),
        (request("initialize", {"processId": None, "rootUri": None, "capabilities": {}}), REQUEST, 7),
        (request(5), REQUEST, 7),
        (request(HOVER, {}, None), REQUEST, None),
        (request(HOVER, {}, 1.5), REQUEST, None),
        (request(HOVER, {}, {}), REQUEST, None),
        (request(HOVER, {}, True), REQUEST, None),
        ({"id": 7, "method": HOVER}, REQUEST, 7),
        ({"jsonrpc": "1.0", "id": 7, "method": HOVER, "params": {}}, REQUEST, 7),
        ({"jsonrpc": "2.0", "id": 7}, REQUEST, 7),
        ({"jsonrpc": "2.0"}, REQUEST, None),
        ({}, REQUEST, None),
        ([request(HOVER)], REQUEST, None),
        (5, REQUEST, None),
        (None, REQUEST, None),
        ("text", REQUEST, None),
        (b"NaN", REQUEST, None),
        (b"{", PARSE, None),
        (b"\x00", PARSE, None),
        (b'{"a": "\xff"}', PARSE, None),
        (b"[" * 100_000, PARSE, None),
        (b'{"jsonrpc": "2.0", "id": ' + b"9" * 5000, PARSE, None),
    ],
    ids=lambda value: (value if isinstance(value, bytes) else json.dumps(value).encode())[:60],
)
def test_a_request_that_is_wrong_is_answered(client: Client, message: object, code: int, identity: object) -> None:
    (answer,) = client.answers(message)
    assert (answer["id"], answer["error"]["code"], answer["jsonrpc"]) == (identity, code, "2.0")


@pytest.mark.parametrize(
    ("message", "is_told"),
    [
        ({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {}}, True),
        ({"jsonrpc": "2.0", "method": "textDocument/didOpen"}, True),
        ({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {}}, True),
        (
            {
                "jsonrpc": "2.0",
                "method": "textDocument/didChange",
                "params": {"textDocument": {"uri": "file:///no.py", "version": 2}, "contentChanges": [{"text": ""}]},
            },
            True,
        ),
        (
            {
                "jsonrpc": "2.0",
                "method": "notebookDocument/didChange",
                "params": {"notebookDocument": {"uri": "file:///no.ipynb", "version": 2}, "change": {}},
            },
            True,
        ),
        ({"jsonrpc": "2.0", "id": 99, "result": 5}, False),
        ({"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "no"}}, False),
        ({"jsonrpc": "2.0", "id": 99, "error": 5}, True),
        ({"jsonrpc": "2.0", "method": "no/such", "params": {}}, False),
        ({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 99}}, False),
    ],
)
def test_what_has_no_answer_is_told_to_the_log_at_most(client: Client, message: object, is_told: bool) -> None:
    said = client.answers(message)
    assert [each["method"] for each in said] == ["window/logMessage"] * is_told
    assert all(each["params"]["message"].startswith(UNUSABLE) for each in said)


BODY = request("no/such", {}, "header")


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (b"content-length: %d\r\n\r\n", BODY),
        (b"CONTENT-LENGTH:%d\r\n\r\n", BODY),
        (b"Content-Length :  %d  \r\n\r\n", BODY),
        (b"Content-Length: %d\n\n", BODY),
        (b"\r\n\r\nContent-Length: %d\r\n\r\n", BODY),
        (b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n", BODY),
        (b"Content-Length: %d\r\ncontent-type: x; charset=utf-16\r\n\r\n", json.dumps(BODY).encode("utf-16")),
        (b"Content-Length: %d\r\nContent-Type: x; charset=utf-32\r\n\r\n", json.dumps(BODY).encode("utf-32-le")),
        (b"Content-Length: %d\r\nContent-Type: x; charset=klingon\r\n\r\n", BODY),
        (b"Content-Length: 1\r\nContent-Length: %d\r\n\r\n", BODY),
        (b"X: y\r\nContent-Length: %d\r\nno colon\r\n\r\n", BODY),
    ],
)
def test_headers_that_are_understood(client: Client, head: bytes, body: object) -> None:
    (answer,) = client.answers(body, head)
    assert (answer["id"], answer["error"]["code"]) == ("header", METHOD)


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (b"Content-Length: 0\r\n\r\n", b""),
        (b"Content-Length: -3\r\n\r\n", b""),
        (b"Content-Length: many\r\n\r\n", b""),
        (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", b""),
        (b"Content-Type: x\r\n\r\n", b""),
        (b"Content-Length: %d\r\nContent-Type: x; charset=gbk\r\n\r\n", '{"a": "中文"}'.encode("gbk")),
        (b"content-length: %d\r\n\r\n", b" " * 100_000_001),
    ],
)
def test_headers_that_are_not(client: Client, head: bytes, body: bytes) -> None:
    (answer,) = client.answers(body, head)
    assert (answer["id"], answer["error"]["code"]) == (None, PARSE)


def test_data_of_an_action_that_is_not_ours(client: Client) -> None:
    client.finds()
    for data in (None, 5, [], {}, {"uri": 5}, {"uri": "a:b"}, {"uri": client.uri, "code": "MSP301"}):
        answer = client.ask("codeAction/resolve", {"title": "x", "data": data})
        assert answer["result"]["title"] == "x"
        assert "edit" not in answer["result"]


def test_what_comes_before_the_first_request(tmp_path: Path) -> None:
    client = Client(tmp_path)
    document = {"uri": client.uri, "languageId": "python", "version": 1, "text": TRAIN}
    client.send({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}})
    assert client.ask(HOVER, {})["error"]["code"] == TOO_EARLY
    assert client.ask("no/such")["error"]["code"] == TOO_EARLY
    assert client.ask("shutdown")["error"]["code"] == TOO_EARLY
    assert client.ask("initialize", {})["error"]["code"] == PARAMS
    client.begin()
    client.finds()
    client.ask("shutdown")
    client.send({"jsonrpc": "2.0", "method": "exit"})
    assert client.process.wait(PATIENCE) == 0


def test_input_that_ends_in_the_middle(tmp_path: Path) -> None:
    for cut in (b"Content-Le", b"Content-Length: 50\r\n", b"Content-Length: 50\r\n\r\n{", b"\r\n"):
        client = Client(tmp_path)
        client.begin()
        client.send(b"", cut)
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait(PATIENCE) == 1
