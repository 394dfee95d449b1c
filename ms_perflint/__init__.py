"""ms-perflint: finds, explains and mends what makes MindSpore training slow."""

__version__ = "0.1.0"
