python launched.py --mode 1
