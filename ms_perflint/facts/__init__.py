"""The facts of a program as data, as rules ask for them, each with its evidence."""
