"""Linting of files: prefilter, programs, suspects, checks, suppressions. No module here knows a rule."""
