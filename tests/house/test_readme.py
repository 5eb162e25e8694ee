"""The README and the pages it leads to name only what there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import typer.main

from client_cli.__main__ import app as crescent
from server.__main__ import app as crescent_server
from tests.support.house import ROOT, make_targets, read

PAGES = ["README.md", "CHANGELOG.md", *(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/**/*.md"))]
# A path of somebody's own machine is of no use to anybody else.
PRIVATE = re.compile(r"(?<![\w.])/(home|root|Users)/\w", re.IGNORECASE)


def commands(text: str) -> list[str]:
    """The command lines in code, in blocks and inline."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    lines = [line for block in blocks for line in block.splitlines()] + inline
    return [re.sub(r"\s+#.*$", "", line).strip() for line in lines]


def options_of(command: Any) -> set[str]:
    return {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}


@pytest.mark.parametrize("page", PAGES)
def test_make_targets_exist(page: str) -> None:
    for line in commands(read(page)):
        if found := re.fullmatch(r"make ([a-z]+)( .*)?", line):
            assert found[1] in make_targets(), line


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_their_options_exist(page: str) -> None:
    client: Any = typer.main.get_command(crescent)
    server = typer.main.get_command(crescent_server)
    for line in commands(read(page)):
        words = [word for word in line.split() if word]
        if not words:
            continue
        program = words[0].rpartition("/")[2]
        if program == "crescent" and len(words) > 1 and not words[1].startswith("-"):
            assert words[1] in client.commands, line
            known = options_of(client.commands[words[1]])
        elif program == "crescent-server":
            known = options_of(server)
        else:
            continue
        for word in words[1:]:
            if word.startswith("--") and word != "--help":
                assert word.partition("=")[0] in known, line


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"", read(page)):
        link = next(filter(None, target))
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            continue
        path = (ROOT / page).parent / unquote(link.partition("#")[0])
        assert path.exists(), f"{page} links to {link}"


@pytest.mark.parametrize("page", PAGES)
def test_modules_and_files_named_in_code_exist(page: str) -> None:
    text = re.sub(r"^```.*?^```", "", read(page), flags=re.MULTILINE | re.DOTALL)
    tops = "server|protocol|client_cli|demo|bench|tests|examples|docs|deploy"
    for name in re.findall(rf"`((?:{tops})/[\w./-]*)`", text):
        assert (ROOT / name).exists(), f"{page} names {name}"
    for name in re.findall(r"`python -m ([\w.]+)", text):
        module = ROOT / name.replace(".", "/")
        assert module.with_suffix(".py").exists() or (module / "__main__.py").exists(), name


def test_nothing_private_is_told() -> None:
    for name in [*PAGES, "Makefile", ".ci/run", "Dockerfile", "docker-compose.yml", "deploy/haproxy.cfg"]:
        assert PRIVATE.search(read(name)) is None, name


def test_every_decision_is_told_in_the_readme() -> None:
    decisions = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("*.md"))
    assert decisions
    numbers = [int(name[:4]) for name in decisions]
    assert numbers == list(range(1, len(numbers) + 1))
    for name in decisions:
        text = read(f"docs/decisions/{name}")
        assert f"docs/decisions/{name}" in read("README.md"), name
        headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
        assert headings == ["Context", "Decision", "Measured", "Consequences"], name


def test_the_version_is_in_the_changelog() -> None:
    version = tomllib.loads(read("pyproject.toml"))["project"]["version"]
    assert version.startswith("0.")
    assert "## Unreleased" in read("CHANGELOG.md")
    assert Path(ROOT / "LICENSE").read_text().startswith("MIT")
