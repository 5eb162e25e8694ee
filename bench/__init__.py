"""What the server costs, measured as ratios: `python -m bench`, explained in `docs/performance.md`."""
