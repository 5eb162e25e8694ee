"""What the server says when it is up, and which version it is."""

from __future__ import annotations

import tomllib

import pytest
from typer.testing import CliRunner

from client_cli.__main__ import app as crescent
from server.__main__ import app as crescent_server
from server.__main__ import say_how_to_join
from tests.support.house import read


@pytest.mark.parametrize(
    ("host", "reach"),
    [
        ("127.0.0.1", "for this machine only; for others: --host 0.0.0.0"),
        ("0.0.0.0", "and at this machine's other addresses"),
        ("192.0.2.7", "for whoever reaches this address"),
    ],
)
def test_it_says_for_whom_it_listens(capsys: pytest.CaptureFixture[str], host: str, reach: str) -> None:
    say_how_to_join(host, 8000)
    assert reach in capsys.readouterr().out.splitlines()[1]


def test_both_programs_say_their_version() -> None:
    version = tomllib.loads(read("pyproject.toml"))["project"]["version"]
    for name, app in (("crescent", crescent), ("crescent-server", crescent_server)):
        told = CliRunner().invoke(app, ["--version"])
        assert (told.exit_code, told.output) == (0, f"{name} {version}\n")
