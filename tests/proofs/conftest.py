"""One MindSpore for all programs of a test session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.register_assert_rewrite("proofs.proof")

from proofs.proof import MindSpore  # noqa: E402, its assertions explain themselves


@pytest.fixture(scope="session")
def mindspore() -> Iterator[MindSpore]:
    """Return a process that runs programs."""
    process = MindSpore()
    yield process
    process.close()
