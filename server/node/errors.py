"""What keeps a server from starting for a reason its operator can mend."""


class SettingsError(Exception):
    """A setting that cannot be used: one sentence, what is wrong and what to do."""
