"""Ports for servers."""

import socket

from matrix.executors import ports
from matrix.executors.ports import free_port


def test_port_is_free_and_no_outgoing_connection_takes_it() -> None:
    port = free_port()
    with socket.socket() as server:
        server.bind(("127.0.0.1", port))
    assert port < ports._outgoing_from()


def test_taken_port_is_not_given(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        number = taken.getsockname()[1]
        monkeypatch.setattr(ports.random, "randint", lambda low, high: number)
        assert free_port() not in (number, 0)
