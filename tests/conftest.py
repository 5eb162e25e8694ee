"""What every test may use."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from tests.support.cluster import ClusterProcess
    from tests.support.server import ServerProcess

# Tests are no packages and the import mode puts nothing on the path: this makes `tests.support` importable.
_ROOT = str(Path(__file__).resolve().parent.parent)
if _ROOT not in sys.path:
    sys.path.insert(0, _ROOT)

# Who runs the tests in the background has SIGINT ignored, and programs started from here would ignore it too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples in each run: a red test stays red, and a green one is not red for somebody else.
settings.register_profile("deterministic", derandomize=True, deadline=None)
settings.load_profile("deterministic")

TABLES = "tables"  # the name under which the rows of `tell` travel with a test's report


@pytest.fixture
def tell(record_property: Callable[[str, object], None]) -> Callable[..., None]:
    """`tell("Table", column=value, ...)` adds a row to a table that is printed at the end of the run."""

    def add(table: str, **cells: Any) -> None:
        record_property(TABLES, [table, cells])

    return add


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the tables of `tell`."""
    from tests.support.tables import tables

    reports = [r for kind in ("passed", "failed") for r in terminalreporter.stats.get(kind, ())]
    rows = [value for report in reports for name, value in report.user_properties if name == TABLES]
    for title, lines in tables(rows).items():
        terminalreporter.section(title)
        for line in lines:
            terminalreporter.line(line)


@pytest.fixture(scope="session", autouse=True)
def nothing_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whatever the tests of this process start and make must be gone when the last of them is over."""
    from tests.support.leftovers import none_left

    with none_left(tmp_path_factory.getbasetemp()):
        yield


@pytest.fixture(scope="session")
def valkey_url() -> Iterator[str]:
    """The URL of one Valkey for all tests of a run. What is in it, and FLUSHALL, is the test's business."""
    from tests.support.valkey import ValkeyProcess

    with ValkeyProcess() as valkey:
        yield valkey.url


@pytest.fixture(scope="session")
def cluster() -> Iterator[ClusterProcess]:
    """One cluster for all tests of a run. Who breaks it mends it; what is in it is anybody's."""
    from tests.support.cluster import ClusterProcess

    with ClusterProcess() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def race_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A running server with a store of its own and high rates; at the end it must leave in good order."""
    from tests.support.server import ServerProcess

    server = ServerProcess("--data", str(tmp_path_factory.mktemp("race") / "data")).start()
    try:
        yield server
    except BaseException:
        server.close()
        raise
    assert server.stop() == 0, server.errors
    assert '"level": "error"' not in server.errors, server.errors
    assert '"level": "critical"' not in server.errors, server.errors
