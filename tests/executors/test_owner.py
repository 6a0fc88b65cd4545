"""The identity of a process that owns servers."""

import os
import signal
import subprocess
import sys

from matrix.executors import owner


def sleeper() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])


def test_this_process_is_alive_and_named_the_same_twice() -> None:
    assert owner.me() == owner.me()
    assert owner.me().split(":")[1] == str(os.getpid())
    assert owner.alive(owner.me())


def test_killed_process_is_dead_even_before_its_parent_collects_it() -> None:
    child = sleeper()
    name = owner.of(child.pid)
    assert owner.alive(name)
    child.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not owner.alive(name), "a zombie still looked alive"
    child.wait()
    assert not owner.alive(name)


def test_reused_pid_is_not_taken_for_the_owner() -> None:
    host, pid, started = owner.me().split(":")
    assert not owner.alive(f"{host}:{pid}:{started}9")


def test_process_of_another_host_is_never_declared_dead() -> None:
    assert owner.alive("elsewhere.example:1:123")


def test_nonsense_of_this_host_is_dead() -> None:
    assert not owner.alive(f"{owner.me().split(':')[0]}:not-a-pid:x")
