"""What a program sets of itself below `/proc`. Prints results or errors."""

import ctypes
import errno
import os
import sys
import threading

libc = ctypes.CDLL(None, use_errno=True)


def tried(name):
    """Runs a function, and prints what it returns or the error of the system."""
    def run(function):
        try:
            print(name, function(), flush=True)
        except OSError as error:
            print(name, errno.errorcode.get(error.errno, error), flush=True)
    return run


def child(function):
    """The exit code of a child that runs this."""
    sys.stdout.flush()
    number = os.fork()
    if number == 0:
        try:
            os._exit(function() or 0)
        except OSError as error:
            os._exit(100 + error.errno)
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


@tried("a thread's name")
def _():
    found = []
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    found.append(libc.pthread_setname_np(ctypes.c_ulong(thread.ident), b"worker"))
    done.set()
    thread.join()
    return errno.errorcode.get(found[0], found[0])


@tried("what the kernel ends first")
def _():
    def write():
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("500")

    return child(write)
