"""Redis or Valkey: keys, records, the one script, the subscription, the embedded server."""
