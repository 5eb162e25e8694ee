"""A race to watch: `python -m demo`, or `make demo`."""
