"""What a training program does: what runs, how it trains, which settings hold; over all files of an entry script."""
