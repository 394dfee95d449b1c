"""Fixes: which can be applied in one pass, and atomic writing of files."""
