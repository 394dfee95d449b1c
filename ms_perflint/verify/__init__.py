"""Runs a training program as it is and with its fixes, on this device, and says what they do to it."""
