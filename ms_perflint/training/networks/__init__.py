"""Networks that are trained: their layers, the inputs and widths of these, and the precision."""
