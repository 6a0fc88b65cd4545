"""Where a message may go, and what becomes of one that does not arrive."""

import pytest

from matrix.notify.addresses import private
from matrix.notify.post import MOST_SENT, NotifyError, Request, post
from tests.notify.receiver import receiver


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
        "::1", "fe80::1%eth0", "fc00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::1", "::", "no address",
    ],
)  # fmt: skip
def test_private_addresses_in_every_dress(address: str) -> None:
    assert private(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "64:ff9b::5db8:d822"])
def test_public_addresses(address: str) -> None:
    assert not private(address)


def test_a_name_that_also_means_a_private_address_is_refused_unless_allowed() -> None:
    with receiver() as server:
        port = server.server_address[1]
        request = Request(f"http://hook.example:{port}/x", {})
        with pytest.raises(NotifyError, match=r"hook.example is 127.0.0.1, .*allow_private"):
            post(request, resolving=lambda host, port: ["93.184.216.34", "127.0.0.1"])
        assert server.got == []
        post(request, allow_private=True, resolving=lambda host, port: ["127.0.0.1"])
    path, headers, body = server.got[0]
    assert (path, headers["Host"], body) == ("/x", f"hook.example:{port}", {})


def test_a_redirect_is_not_followed() -> None:
    with receiver() as server, receiver() as other:
        server.status, server.location = 307, other.url
        with pytest.raises(NotifyError, match="redirects"):
            post(Request(server.url, {}), allow_private=True)
        assert other.got == []


def test_what_goes_wrong_is_named_without_the_address() -> None:
    with receiver() as server:
        server.status, server.said = 403, "no_such_token " + "x" * 10_000
        with pytest.raises(NotifyError) as refused:
            post(Request(server.url, {}), allow_private=True)
        server.hold.clear()
        with pytest.raises(NotifyError) as silent:
            post(Request(server.url, {}), allow_private=True, limit_s=0.2)
    with pytest.raises(NotifyError) as gone:
        post(Request(server.url, {}), allow_private=True)
    assert str(refused.value).startswith("127.0.0.1 answers HTTP 403: no_such_token")
    assert str(silent.value) == "127.0.0.1: no answer within 0.2 s"
    assert "refused" in str(gone.value)
    assert all("secret-path" not in str(e.value) and len(str(e.value)) < 300 for e in (refused, silent, gone))


def test_bad_addresses_and_long_bodies_go_nowhere() -> None:
    for url, why in (("ftp://x/y", "the address is none"), ("http://x:99999/", "the address is none")):
        with pytest.raises(NotifyError, match=why):
            post(Request(url, {}))
    with pytest.raises(NotifyError, match="bytes, more than"):
        post(Request("https://h.example/", "x" * MOST_SENT))
    with pytest.raises(NotifyError, match="no such host"):
        post(Request("https://h.example/", {}), resolving=lambda host, port: [])


def test_a_receiver_without_tls_is_named() -> None:
    with receiver() as server, pytest.raises(NotifyError, match="TLS"):
        post(Request(server.url.replace("http:", "https:"), {}), allow_private=True)


def test_a_request_does_not_show_its_secrets() -> None:
    assert "secret" not in repr(Request("https://h/secret", {}, {"Authorization": "secret"}))
