"""Where the settings of a program come from: options, config files, the command line, and what code lays over them."""
