"""What is trained: layers, widths, precision, and which layer feeds which."""
