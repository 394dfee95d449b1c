"""Which files a program is made of, and what their names mean to each other."""
