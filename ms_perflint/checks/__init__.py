"""The rules: one module each, found by its name."""
