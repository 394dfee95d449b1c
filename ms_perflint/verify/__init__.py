"""Runs a training program as it is and with its fixes, on the device at hand, and says what they do to it."""
