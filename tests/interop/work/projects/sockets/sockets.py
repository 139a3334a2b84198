"""Sockets within one call: Unix, abstract, loopback, descriptors that are passed, names, a server of HTTP."""

import array
import errno
import http.server
import os
import socket
import socketserver
import threading
import urllib.request


def tried(name):
    """Runs a function, and prints what it returns or the error of the system."""
    def run(function):
        try:
            print(name, function(), flush=True)
        except OSError as error:
            print(name, errno.errorcode.get(error.errno, error), flush=True)
    return run


def talk(family, address):
    """A server in a child, and what it answers."""
    with socket.socket(family) as listener:
        listener.bind(address)
        listener.listen()
        if (number := os.fork()) == 0:
            connection, _ = listener.accept()
            connection.sendall(connection.recv(100).upper())
            os._exit(0)
        with socket.socket(family) as client:
            client.connect(listener.getsockname())
            client.sendall(b"hello")
            answer = client.recv(100)
        return answer, os.waitpid(number, 0)[1]


tried("Unix, in the project")(lambda: talk(socket.AF_UNIX, "server.sock"))
tried("Unix, in the folder for temporary files")(lambda: (talk(socket.AF_UNIX, path := os.path.join(os.environ["TMPDIR"], "s")), os.unlink(path))[0])
tried("abstract")(lambda: talk(socket.AF_UNIX, f"\0work-{os.getpid()}"))
tried("loopback")(lambda: talk(socket.AF_INET, ("127.0.0.1", 0)))
tried("loopback, version 6")(lambda: talk(socket.AF_INET6, ("::1", 0)))


@tried("datagrams")
def _():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        server.bind(("127.0.0.1", 0))
        client.sendto(b"hello", server.getsockname())
        return server.recv(100)


@tried("a descriptor that is passed")
def _():
    one, other = socket.socketpair()
    with open("passed", "w+") as file:
        one.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file.fileno()]))])
        _, descriptors, _, _ = socket.recv_fds(other, 1, 1)
        os.write(descriptors[0], b"through the other end")
    return open("passed").read()


@tried("who is at the other end")
def _():
    one, _ = socket.socketpair()
    numbers = array.array("i", one.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return numbers[0] == os.getpid(), list(numbers[1:])


@tried("HTTP")
def _():
    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    with socketserver.TCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://127.0.0.1:{server.server_address[1]}/passed") as answer:
            text = answer.read()
        server.shutdown()
    return text


tried("names")(lambda: sorted({entry[4][0] for entry in socket.getaddrinfo("localhost", 80, socket.AF_INET)}))
tried("interfaces")(lambda: "lo" in [name for _, name in socket.if_nameindex()])
