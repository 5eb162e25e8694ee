"""The wire (`docs/protocol.md`): typed messages, codecs, limits."""
