"""Graph-mode readiness: the code that graph mode would compile, and the obstacles in it."""
