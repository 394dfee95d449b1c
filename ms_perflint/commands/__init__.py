"""What stands behind the commands: how each asks, answers and shows. It decides nothing about code."""
