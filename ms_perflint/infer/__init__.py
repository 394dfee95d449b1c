"""The evaluator: abstract values, queries, argument binding, call contexts, path conditions."""
