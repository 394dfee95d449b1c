"""What an expression can be: abstract values, queries, argument binding, call contexts, path conditions."""
