"""The measurements behind `docs/decisions/`: each `python -m bench.decisions.NAME`, in under a minute."""
