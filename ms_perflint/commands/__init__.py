"""The commands: their requests, results and output. They decide nothing about code."""
