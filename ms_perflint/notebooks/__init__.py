"""Notebooks: their cells as one Python text, and edits of it back in their JSON."""
