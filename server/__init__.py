"""Crescent Race's server: rules, rooms, store, sockets and the node that joins them."""
