"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def _alike_everywhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the caches of tested command lines out of the user's directory, and let them speak English in any locale."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MS_PERFLINT_CACHE_DIR", str(tmp_path_factory.mktemp("caches")))
        patch.setenv("MS_PERFLINT_LANG", "en")
        yield
