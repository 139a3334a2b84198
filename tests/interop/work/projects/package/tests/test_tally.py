"""Tests that use files, processes and sockets, as those of real packages do."""

import multiprocessing
import os
import socket
import subprocess
import sys
import threading

import counted
import pytest

import tally


@pytest.mark.parametrize("numbers, expected", [([], 0), ([1, 2], 3), (range(101), 5050)])
def test_total(numbers, expected):
    assert tally.total(numbers) == expected


def test_wheel():
    assert counted.count("a b c") == 3


def test_files(tmp_path):
    (tmp_path / "file.part").write_text("text")
    os.replace(tmp_path / "file.part", tmp_path / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_program(capfd):
    subprocess.run([os.path.join(os.path.dirname(sys.executable), "tally"), "4", "5"], check=True)
    assert capfd.readouterr().out == "9\n"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(tally.total, [[1, 2], [3, 4]]) == [3, 7]


def test_loopback():
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = threading.Thread(target=lambda: socket.create_connection(server.getsockname()).sendall(b"hello"))
        client.start()
        connection, _ = server.accept()
        client.join()
        with connection:
            assert connection.recv(10) == b"hello"


def test_failure():
    with pytest.raises(ZeroDivisionError):
        1 / 0
