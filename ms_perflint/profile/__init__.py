"""Profiles of MindSpore's profiler: readers of its layouts, and evidence for findings."""
