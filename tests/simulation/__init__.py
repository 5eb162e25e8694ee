"""A deterministic simulation: races on several nodes and one store, in which whatever can go wrong does.

The nodes are real (`server.node.node.Node` with its journal, hub, sessions, rooms, games, rules). Around them
everything is simulated, and drawn from one seed: the same seed is the same run, to the byte.

- `loop.py`: the event loop. Its time is a number and jumps to the next timer; a `Process` can die at a step.
- `world.py`: what a node is handed of the world: its own, wrong clock, timers and randomness.
- `network.py`: the lines to clients, as TCP makes them: in order, late, stalled, cut anywhere.
- `store.py`: the line to the store, on which calls are lost before or after they take effect, come late or
  twice; the hints between nodes; and the store's own outages and set-backs. What it holds is `StoreModel`
  (`tests/support/store_model.py`), which `tests/store/test_histories.py` holds against a real Valkey.
- `clients.py`: people who speak the protocol, and play what they see; `scenario.py`: what a seed is about.
- `ledger.py` and `watch.py`: the checkers. The ledger judges every entry as it is stored, by its own replay;
  the watch every message as a node sends it, by what is stored that moment. Neither asks the server.
- `simulation.py`: one run, from the first line to the audit by a node that has seen nothing of it.
- `mutants.py`: the server with a promise taken out, to see that it is missed.

A run ends with the first thing that is wrong and says how to see it again:

    python -m tests.simulation SEED --trace          all that happened, in order
    python -m tests.simulation 0 500 --kind kills    many seeds, of one kind of trouble

To look for what only happens when something holds, add a `trace` where it does, or a kind to `scenario.py`.
"""
