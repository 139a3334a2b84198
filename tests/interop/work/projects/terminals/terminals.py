"""Terminals that a program opens for another one. Prints results or errors."""

import errno
import os
import pty
import signal
import termios

# Whoever started this in the background ignores it, and so would all that is started here.
signal.signal(signal.SIGINT, signal.SIG_DFL)


def tried(name):
    """Runs a function, and prints what it returns or the error of the system."""
    def run(function):
        try:
            print(name, function(), flush=True)
        except OSError as error:
            print(name, errno.errorcode.get(error.errno, error), flush=True)
    return run


@tried("a terminal")
def _():
    number, master = pty.fork()
    if number == 0:
        os.execvp("bash", ["bash", "--norc", "-c", "stty rows 30 cols 90; stty size; test -t 0 && tty | sed 's/[0-9]*$/N/'; read line; echo got $line; sleep 1000"])
    seen = b""
    while b"/N" not in seen:
        seen += os.read(master, 1000)
    os.write(master, b"words\n")
    while b"got words" not in seen:
        seen += os.read(master, 1000)
    os.write(master, b"\x03")
    code = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    return seen.replace(b"\r", b"").split(b"\n"), code


@tried("job control")
def _():
    number, master = pty.fork()
    if number == 0:
        os.execvpe("bash", ["bash", "--norc", "-i"], {**os.environ, "PS1": "$ ", "HISTFILE": ""})
    seen = b""

    def until(text):
        nonlocal seen
        while text not in seen:
            seen += os.read(master, 1000)
        seen = seen[seen.index(text) + len(text):]

    until(b"$ ")
    os.write(master, b"sh -c 'echo star''ted; exec sleep 1000'\n")
    until(b"started")
    os.write(master, b"\x1a")
    until(b"Stopped")
    os.write(master, b"bg; kill %1; wait %1; echo code $?; exit 5\n")
    until(b"code 143")
    try:
        while os.read(master, 1000):
            pass
    except OSError:
        pass
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


@tried("attributes of a terminal")
def _():
    master, slave = pty.openpty()
    modes = termios.tcgetattr(slave)
    modes[3] &= ~termios.ECHO
    termios.tcsetattr(slave, termios.TCSANOW, modes)
    return os.isatty(slave), termios.tcgetattr(slave)[3] & termios.ECHO
