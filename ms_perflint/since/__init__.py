"""What a change since a git revision makes worse: the old state, read from git, and the comparison with the new one."""
