"""The semantic index of one file: scopes, bindings, blocks, call sites; depends on the bytes of that file only."""
