"""The page at `/`: whole in itself, in three languages, and readable without a script."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.support.house import read
from tests.support.server import ServerProcess

VOID = {"meta", "br", "link", "img"}


class Page(HTMLParser):
    """What stands in the page."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.fixture(scope="module")
def page() -> Page:
    parsed = Page()
    parsed.feed(read("server/web/index.html"))
    parsed.close()
    return parsed


def test_every_element_is_closed(page: Page) -> None:
    assert page.open == []


def test_nothing_is_loaded_and_nothing_runs(page: Page) -> None:
    for tag, attributes in page.tags:
        assert tag not in ("script", "link", "img", "iframe", "object", "form"), tag
        assert not {"src", "srcset", "style"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
        assert attributes.get("href", "#").startswith("#")  # type: ignore[union-attr]
    assert "url(" not in read("server/web/index.html")
    assert "@import" not in read("server/web/index.html")


def test_each_language_says_the_same_commands(page: Page) -> None:
    sections = {attributes["id"]: attributes for tag, attributes in page.tags if tag == "section"}
    assert list(sections) == ["en", "da", "de"]
    assert all(attributes["lang"] == name for name, attributes in sections.items())
    for command in ("host", "play", "bot"):
        assert page.words.count(f"crescent {command} ") == 3
    links = [attributes["href"] for tag, attributes in page.tags if tag == "a"]
    assert links == ["#en", "#da", "#de"]


def test_what_helps_to_read_it_is_there(page: Page) -> None:
    assert ("html", {"lang": "en"}) in page.tags
    tags = [tag for tag, _ in page.tags]
    assert tags.count("h1") == 1
    assert tags.count("main") == 1
    names = {attributes.get("name") for tag, attributes in page.tags if tag == "meta"}
    assert {"viewport", "color-scheme", "description"} <= names
    labels = {attributes["aria-labelledby"] for tag, attributes in page.tags if tag == "section"}
    assert labels == {attributes.get("id") for tag, attributes in page.tags if tag == "h2"}
    assert all(attributes.get("aria-hidden") for tag, attributes in page.tags if tag == "svg")
    assert "prefers-color-scheme: dark" in read("server/web/index.html")
    assert len(read("server/web/index.html").encode()) < 12_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    data: Path = tmp_path_factory.mktemp("page")
    running = ServerProcess("--data", str(data)).start()
    try:
        yield running
    finally:
        running.stop()


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_it_is_served(server: ServerProcess, method: str) -> None:
    request = urllib.request.Request(server.http + "/", method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        body = answer.read()
        assert answer.status == 200
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        whole = read("server/web/index.html").encode()
        assert int(answer.headers["Content-Length"]) == len(whole)
        assert body == (whole if method == "GET" else b"")
