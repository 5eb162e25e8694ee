"""`crescent-server`, also `python -m server`."""

import asyncio
import sys
from collections.abc import Coroutine
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from platformdirs import user_data_path

from server.node.door import CONNECTIONS_MAX, DoorRules, parse_networks
from server.node.logs import LogLevel, configure_logs
from server.node.origins import listed, parse_origins
from server.node.serve import START_ERRORS, serve
from server.node.settings import DEFAULT_PORT, Settings, parse_rates
from server.node.tls import tls_files
from server.node.workers import serve_as_worker, serve_workers

LOOPBACK = ("127.0.0.1", "::1", "localhost")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def _say_version(asked: bool) -> None:
    if asked:
        typer.echo(f"crescent-server {version('crescent-race')}")
        raise typer.Exit


def say_how_to_join(host: str, port: int, *, tls: bool = False) -> None:
    """The address to open, and how to join."""
    s = "s" if tls else ""
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    address = f"[{shown}]:{port}" if ":" in shown else f"{shown}:{port}"
    is_default = port == DEFAULT_PORT and shown == "127.0.0.1" and not tls
    at = "" if is_default else f" --server ws{s}://{address}/ws"
    if host in ("0.0.0.0", "::", ""):
        reach = "and at this machine's other addresses"
    elif host in LOOPBACK:
        reach = "for this machine only; for others: --host 0.0.0.0"
    else:
        reach = "for whoever reaches this address"
    typer.echo(
        f"Crescent Race is served at http{s}://{address}/\n"
        f"  {reach}\n"
        f"  open a room:   crescent host{at}\n"
        f"  join a friend: crescent play ROOM{at}\n"
        "  stop: Ctrl-C; rooms and games are kept"
    )
    sys.stdout.flush()


@app.command()
def run(
    host: Annotated[
        str, typer.Option(envvar="CRESCENT_HOST", help="Address to listen on; 0.0.0.0 for all.")
    ] = ("127.0.0.1"),
    port: Annotated[
        int, typer.Option(envvar="CRESCENT_PORT", min=0, max=65535, help="Port; 0 takes a free one.")
    ] = DEFAULT_PORT,
    redis: Annotated[
        str | None,
        typer.Option(
            envvar="CRESCENT_REDIS",
            help="URL of a Redis or Valkey, or of any server of a cluster; without: embedded.",
        ),
    ] = None,
    wait_replicas: Annotated[
        int,
        typer.Option(
            envvar="CRESCENT_WAIT_REPLICAS",
            min=0,
            max=8,
            help="Replicas that must have a move before it is confirmed; narrows what a failover loses.",
        ),
    ] = 0,
    data: Annotated[
        Path | None, typer.Option(envvar="CRESCENT_DATA", help="Directory of the embedded store.")
    ] = None,
    workers: Annotated[
        int, typer.Option(envvar="CRESCENT_WORKERS", min=1, max=64, help="Nodes on this machine.")
    ] = 1,
    rates: Annotated[
        str,
        typer.Option(envvar="CRESCENT_RATES", help="Messages a second and burst, as op=20:40,other=5:20."),
    ] = "",
    drain: Annotated[
        float,
        typer.Option(
            envvar="CRESCENT_DRAIN",
            min=0,
            max=600,
            help="Seconds over which connections are closed at the end.",
        ),
    ] = 2.0,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            envvar="CRESCENT_ORIGINS",
            help="Other site whose pages may connect, as https://race.example; * all.",
        ),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(envvar="CRESCENT_TRUSTED_PROXIES", help="Network whose X-Forwarded-For is believed."),
    ] = None,
    connections_per_address: Annotated[
        int,
        typer.Option(envvar="CRESCENT_CONNECTIONS_PER_ADDRESS", min=1, help="At most, of one address."),
    ] = CONNECTIONS_MAX,
    tls_cert: Annotated[
        Path | None, typer.Option(envvar="CRESCENT_TLS_CERT", help="Certificate (chain) in PEM, for wss://.")
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option(envvar="CRESCENT_TLS_KEY", help="Its key in PEM, without passphrase.")
    ] = None,
    log_level: Annotated[
        LogLevel, typer.Option(envvar="CRESCENT_LOG_LEVEL", help="The least that is told on standard error.")
    ] = LogLevel.INFO,
    worker: Annotated[bool, typer.Option(hidden=True)] = False,
    figures: Annotated[Path | None, typer.Option(hidden=True, help="Socket of a worker's figures.")] = None,
    _: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Serve races of Crescent. Without --redis, rooms and games are kept in the data directory."""
    configure_logs(log_level)
    try:
        settings = Settings(
            host=host,
            port=port,
            redis_url=redis or None,
            data_dir=data or user_data_path("crescent-race", appauthor=False),
            workers=workers,
            rates=parse_rates(rates),
            door=_door_rules(origin or [], trusted_proxy or [], connections_per_address),
            drain_s=drain,
            wait_replicas=wait_replicas,
            log_level=log_level,
            figures=figures,
            tls=tls_files(tls_cert, tls_key),
        )
        say = partial(say_how_to_join, tls=settings.tls is not None)
        if worker:
            _run(serve_as_worker(settings, lambda: typer.echo("ready")))
        elif workers > 1:
            _run(serve_workers(settings, say))
        else:
            _run(serve(settings, say))
    except START_ERRORS as error:
        typer.echo(f"crescent-server: {error}", err=True)
        raise typer.Exit(2) from None


def _door_rules(origins: list[str], networks: list[str], connections_max: int) -> DoorRules:
    """Both options may be given several times, and each, as the variable does, may name several."""
    return DoorRules(parse_origins(origins), parse_networks(list(listed(networks))), connections_max)


def _run(work: Coroutine[Any, Any, None]) -> None:
    if sys.platform == "win32":
        asyncio.run(work)
        return
    import uvloop

    uvloop.run(work)


def main() -> None:
    """The command."""
    app()


if __name__ == "__main__":
    main()
