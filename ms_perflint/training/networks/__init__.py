"""What a network is made of: where it is built, its layers and widths, and in which precision it computes."""
