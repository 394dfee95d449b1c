"""What a program means: Python's own `ast`, no rule knowledge, no LibCST."""
