python launched.py --mode 0
