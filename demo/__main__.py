"""`python -m demo`: four bots race on one deal; then their logs are replayed and compared with the board."""

import asyncio
import contextlib
import io
import re
import signal
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from demo.audit import Audit, audit
from demo.board import LiveBoard, board
from demo.processes import ProcessFailed
from demo.race import Outcome, race
from server.store.data_directory import StoreStartError

FAILED, INTERRUPTED = 1, 130


async def demo(console: Console) -> tuple[Outcome, Audit]:
    """The race, and its audit once the server has ended. Raises `ProcessFailed` and `StoreStartError`."""
    with tempfile.TemporaryDirectory(prefix="crescent-demo-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        with LiveBoard(console) as live:
            outcome = await race(home, live.show)
        return outcome, await audit(home / "data", outcome.room, outcome.code, outcome.rows)


async def interruptible(console: Console) -> tuple[Outcome, Audit] | None:
    """The same; None once it was interrupted and everything has been put away."""
    work = asyncio.create_task(demo(console))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, work.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        return await work
    return None


def verdict(result: Audit) -> Text:
    """What the audit found, in words."""
    if result.differences:
        lines = "\n".join(result.differences)
        return Text(f"{result.logs} logs replayed: the board is wrong\n{lines}", "bold red")
    source = f"{result.actions} actions, read back from the store's files after the server had ended"
    agrees = Text(f"{result.logs} logs replayed: the board agrees", "bold green")
    return Text("\n").join((agrees, Text(source, "dim")))


def main(
    picture: Annotated[Path | None, typer.Option(help="Write the final board to this file as SVG.")] = None,
) -> None:
    """Watch four bots race on one deal, and have their logs checked."""
    console = Console(highlight=False)
    try:
        found = asyncio.run(interruptible(console))
    except (ProcessFailed, StoreStartError) as error:
        typer.echo(f"demo: {error}", err=True)
        raise typer.Exit(FAILED) from None
    if found is None:
        raise typer.Exit(INTERRUPTED)
    outcome, result = found
    if not console.is_terminal:
        console.print(board(outcome.rows))
    console.print(Text(), verdict(result), sep="\n", soft_wrap=True)
    if picture is not None:
        picture.write_text(svg(outcome, result), encoding="utf-8")
    raise typer.Exit(FAILED if result.differences else 0)


def svg(outcome: Outcome, result: Audit) -> str:
    """The final board and the verdict as a picture that loads no font from elsewhere."""
    paper = Console(record=True, width=80, file=io.StringIO(), force_terminal=True, highlight=False)
    paper.print(Text(f"Room {outcome.room}, deal {outcome.code}: the race is over"), Text(), sep="\n")
    paper.print(board(outcome.rows))
    paper.print(Text(), verdict(result), sep="\n")
    return re.sub(r"@font-face \{.*?\}\s*", "", paper.export_svg(title="make demo"), flags=re.DOTALL)


if __name__ == "__main__":
    typer.run(main)
