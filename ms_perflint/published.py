"""Where the project stands on the web. Both are empty until it is published: docs/release.md says what to set then.

While they are empty nothing that is printed leads to an address: a report names the command that prints a page.
"""

from __future__ import annotations

SITE = ""  # the documentation, with a slash at the end
REPOSITORY = ""  # the source code, without one
