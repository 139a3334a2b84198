"""Limits and priorities of a program's own processes and threads, named by their numbers. Prints results or errors."""

import ctypes
import errno
import os
import resource
import subprocess
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


@tried("limits of a child")
def _():
    waits = subprocess.Popen(["sleep", "1000"])
    try:
        return resource.prlimit(waits.pid, resource.RLIMIT_NOFILE, (50, 50)) and "set"
    finally:
        waits.kill()
        waits.wait()


@tried("a lower priority by number")
def _():
    return child(lambda: os.setpriority(os.PRIO_PROCESS, os.getpid(), 5) or os.getpriority(os.PRIO_PROCESS, 0))


@tried("a lower priority of a child")
def _():
    waits = subprocess.Popen(["sleep", "1000"])
    try:
        os.setpriority(os.PRIO_PROCESS, waits.pid, 5)
        return os.getpriority(os.PRIO_PROCESS, waits.pid)
    finally:
        waits.kill()
        waits.wait()


@tried("processors by number")
def _():
    return child(lambda: os.sched_setaffinity(os.getpid(), {min(os.sched_getaffinity(0))}) or len(os.sched_getaffinity(0)))


@tried("a thread with processors of its own")
def _():
    found = []

    def run():
        mask = ctypes.c_ulong(1 << min(os.sched_getaffinity(0)))
        libc.pthread_self.restype = ctypes.c_ulong
        found.append(libc.pthread_setaffinity_np(ctypes.c_ulong(libc.pthread_self()), ctypes.c_size_t(8), ctypes.byref(mask)))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return errno.errorcode.get(found[0], found[0])
