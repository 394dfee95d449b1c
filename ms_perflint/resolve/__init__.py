"""Which files a program is made of: module search path, import graph, entry points, names, config documents."""
