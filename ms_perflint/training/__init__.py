"""What a MindSpore training program does: execution mode, training steps, precision, checkpoints, data parallelism."""
