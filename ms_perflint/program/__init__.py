"""What runs in a program: entry script, call graph, live code, target, launchers."""
