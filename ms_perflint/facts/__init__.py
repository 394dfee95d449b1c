"""The facts of a program as data: what rules ask `programs` and `networks`, each with the place it was read."""
