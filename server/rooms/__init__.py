"""A race: the room, its players, options and standings; pure, time comes in as `now_ms`."""
