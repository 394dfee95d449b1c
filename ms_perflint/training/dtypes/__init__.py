"""What a tensor expression is: its dtype, and how casts and creations change it."""
