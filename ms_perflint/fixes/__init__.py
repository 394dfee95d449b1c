"""Fixes: which of them go together, and how files get a new content without ever being half written."""
