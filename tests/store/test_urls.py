"""URLs of stores: which are taken, and that none is shown with its password."""

from __future__ import annotations

import pytest

from server.store.opening import open_store
from server.store.urls import check_url, without_password

GOOD = (
    "redis://127.0.0.1", "redis://:word@host:6379/0", "redis://user:word@[::1]:6379/3", "redis://host/?db=2",
    "rediss://host:6380/0?ssl_ca_certs=/etc/ca.pem", "unix:///run/valkey.sock?db=1", "unix://:word@/run/v.sock",
)  # fmt: skip
WRONG = {
    "nonsense": "redis://",
    "http://host/0": "redis://",
    "redis://host:port/0": "port",
    "redis://host/abc": "no number",
    "redis://host/0/1": "no number",
    "redis://host/?db=abc": "no number",
    "redis://host/0?foo=bar": "foo",
    "redis://host/0?decode_responses=True": "decode_responses",
    "redis://host/0?ssl_cert_reqs=none": "ssl_cert_reqs",
    "redis://host/0?socket_timeout=1": "socket_timeout",
}
# Every way in which somebody may have written it, a wrong one as well.
WITH_PASSWORD = (
    "redis://:{}@host:6379/0", "redis://user:{}@host/0", "redis://{}@host/0", "redis://user:1/{}@host/0",
    "redis://user:a?{}@host/0", "redis://user:a#{}@host/0", "redis://user:a@{}@host/0", "user:{}@host",
    "redis://:{}", "redis://host:{}/0", "redis://host/0?password={}", "redis://host/0#{}",
    "unix://:{}@/run/valkey.sock", "redis://host:6379:{}/0",
)  # fmt: skip


@pytest.mark.parametrize("url", GOOD)
def test_what_is_taken(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize("url", WRONG)
async def test_what_is_refused_in_words(url: str) -> None:
    with pytest.raises(ValueError, match=WRONG[url]):
        await open_store(url)


@pytest.mark.parametrize("url", WITH_PASSWORD)
def test_a_password_is_not_shown_nor_told_by_the_refusal(url: str) -> None:
    told = [without_password(url.format("se53cret"))]
    try:
        check_url(url.format("se53cret"))
    except ValueError as refusal:
        told.append(str(refusal))
    assert not [text for text in told if "se53cret" in text or "53" in text]


def test_what_has_no_password_is_shown_as_it_is() -> None:
    for url in ("nonsense", "redis://host:6379/abc", "redis://[::1]:6379/0", "unix:///run/valkey.sock"):
        assert without_password(url) == url
    assert without_password("redis://:word@host:6379/abc") == "redis://***@host:6379/abc"
