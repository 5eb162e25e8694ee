import pytest

from client_cli.address import DEFAULT_SERVER, Address, AddressError, parse_address, split_room


@pytest.mark.parametrize(
    ("text", "url", "room"),
    [
        ("ws://127.0.0.1:8000/ws", DEFAULT_SERVER, None),
        ("http://127.0.0.1:8000", DEFAULT_SERVER, None),
        ("http://127.0.0.1:8000/", DEFAULT_SERVER, None),
        ("127.0.0.1:8000", DEFAULT_SERVER, None),
        (" localhost:8000 ", "ws://localhost:8000/ws", None),
        ("http://127.0.0.1:8000/#7K3M9QXT", DEFAULT_SERVER, "7K3M9QXT"),
        ("https://Race.Example/#7k3m9qxt", "wss://race.example/ws", "7k3m9qxt"),
        ("https://race.example/crescent/", "wss://race.example/crescent/ws", None),
        ("[::1]:8000", "ws://[::1]:8000/ws", None),
    ],
)
def test_forms_people_type(text: str, url: str, room: str | None) -> None:
    assert parse_address(text) == Address(url, room)


@pytest.mark.parametrize(
    "text", ["", "ftp://x", "http://", "host:port", "a b:80", "ws://u:p@h/ws", "::::", "[x"]
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(AddressError):
        parse_address(text)


def test_a_room_is_an_id_or_a_link_that_names_the_server() -> None:
    server = Address(DEFAULT_SERVER)
    assert split_room(" 7K3M9QXT", server) == (server, "7K3M9QXT")
    address, room = split_room("http://other:9000/#7K3M9QXT", server)
    assert (address.url, room) == ("ws://other:9000/ws", "7K3M9QXT")
    with pytest.raises(AddressError):
        split_room("http://other:9000/", server)


def test_loopback() -> None:
    assert Address(DEFAULT_SERVER).loopback
    assert not Address("ws://10.0.0.1/ws").loopback
