"""The formats of a report."""

from __future__ import annotations

FOR_PEOPLE = ("text", "concise", "grouped")  # what a terminal shows
FORMATS = (*FOR_PEOPLE, "json", "sarif", "github", "gitlab", "junit", "html")
