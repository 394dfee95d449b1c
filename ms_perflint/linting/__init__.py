"""From one file to its findings: prefilter, programs, suspects, checks, suppressions. Knows no rule."""
