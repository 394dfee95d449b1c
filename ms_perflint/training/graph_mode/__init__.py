"""Graph-mode readiness: the code that graph mode would compile, and what stands in its way there."""
