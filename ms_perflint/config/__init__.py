"""Configuration: what `[tool.ms-perflint]` may hold, the file that holds it, and the settings of each file of a run."""
