"""The settings of a server."""

import math
from pathlib import Path
from typing import NamedTuple

from server.node.door import DoorRules
from server.node.errors import SettingsError
from server.node.logs import LogLevel
from server.node.rates import Rate, Rates
from server.node.tls import TlsFiles

DEFAULT_PORT = 8000


class Settings(NamedTuple):
    """What `crescent-server` is told. `redis_url` None: the embedded store in `data_dir`."""

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    redis_url: str | None = None
    data_dir: Path = Path()
    workers: int = 1
    fsync: str = "always"
    rates: Rates = Rates()
    door: DoorRules = DoorRules()
    drain_s: float = 2.0
    wait_replicas: int = 0  # how many replicas must have a write before it is acknowledged
    log_level: LogLevel = LogLevel.INFO
    figures: Path | None = None  # the socket on which a worker tells its figures to the others
    tls: TlsFiles | None = None


def parse_rates(text: str) -> Rates:
    """`op=20:40,other=5:20`: messages a second and burst, by kind. Raises `SettingsError`."""
    rates = Rates()
    for part in filter(None, text.split(",")):
        kind, _, numbers = part.partition("=")
        per_second, _, burst = numbers.partition(":")
        try:
            rate = Rate(float(per_second), int(burst))
        except ValueError:
            raise SettingsError(f"`{part}` is no rate; write one as op=20:40 (a second, and burst)") from None
        is_bound = math.isfinite(rate.per_second) and rate.per_second > 0 and rate.burst >= 1
        if kind not in Rates._fields or not is_bound:
            kinds = ", ".join(Rates._fields)
            raise SettingsError(f"`{part}` is no rate; kinds are {kinds}, numbers finite and above 0")
        rates = rates._replace(**{kind: rate})
    return rates


def format_rates(rates: Rates) -> str:
    """The inverse of `parse_rates`."""
    return ",".join(f"{kind}={rate.per_second}:{rate.burst}" for kind, rate in rates._asdict().items())
