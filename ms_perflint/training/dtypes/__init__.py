"""Which dtype an expression has: an abstract domain of the evaluator."""
