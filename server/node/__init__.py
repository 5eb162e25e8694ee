"""One server process: sessions, the hub of its rooms, the journal, clock, rates, metrics."""
