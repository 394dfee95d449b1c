"""Measurement of a training program on this device, unchanged and with its fixes."""
