"""Sockets: WebSocket messages and the few HTTP pages, as bytes."""
