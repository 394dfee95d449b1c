"""The language server: findings, fixes and rule pages in editors, while a program is written.

`buffers` and `settings` are the input of an editor, `linting` processes it, off the main loop and one request at a time
(`rounds`); `diagnostics`, `actions` and `hover` convert the results to the protocol; `language_server` connects
them. pygls is an optional extra: nothing outside of this package imports it.
"""

from __future__ import annotations

from ms_perflint.languages import Message


class MissingExtra(Exception):
    """The packages that only the language server needs are not installed."""


def serve() -> int:
    """Answer an editor over stdin and stdout until it leaves; return the exit code. Raises MissingExtra."""
    try:
        import pygls.lsp.server  # noqa: F401
    except ImportError as error:
        message = Message(
            'the language server needs {name}: install it with `pip install "pygls>=2,<3"`',
            name=error.name or "pygls",
        )
        raise MissingExtra(message) from error
    from ms_perflint.server.language_server import serve as answer

    return answer()
