"""What programs do with processes: signals, groups, limits, threads. Prints results or errors."""

import ctypes
import errno
import multiprocessing
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time


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


@tried("signals between children")
def _():
    waits = subprocess.Popen(["sleep", "1000"])
    waits.send_signal(signal.SIGSTOP)
    stopped = os.WIFSTOPPED(os.waitpid(waits.pid, os.WUNTRACED)[1])
    killer = subprocess.run(["sh", "-c", f"kill -CONT {waits.pid} && kill -USR1 {waits.pid}"])
    return stopped, killer.returncode, waits.wait()


@tried("a group of processes")
def _():
    group = subprocess.Popen(["sh", "-c", "sleep 1000 & sleep 1000 & echo ready; wait"], start_new_session=True, stdout=subprocess.PIPE)
    group.stdout.readline()
    os.killpg(group.pid, signal.SIGTERM)
    return group.wait(), group.stdout.read()


@tried("a signal to itself and its parent")
def _():
    seen = []
    signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
    os.kill(os.getpid(), signal.SIGUSR1)
    child(lambda: os.kill(os.getppid(), signal.SIGUSR1))
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    return len(seen)


@tried("an alarm")
def _():
    seen = []
    signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    while not seen:
        time.sleep(0)
    return len(seen)


@tried("a process by its descriptor")
def _():
    waits = subprocess.Popen(["sleep", "1000"])
    handle = os.pidfd_open(waits.pid)
    signal.pidfd_send_signal(handle, signal.SIGTERM)
    ready = bool(select.select([handle], [], [], 60)[0])
    return ready, waits.wait()


@tried("an orphan")
def _():
    read, write = os.pipe()

    def parent():
        first = os.getpid()
        if os.fork() == 0:
            while os.getppid() == first:
                time.sleep(0)
            os.write(write, b"adopted")
            os._exit(0)

    child(parent)
    return os.read(read, 100)


@tried("limits")
def _():
    def lower():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.prlimit(0, resource.RLIMIT_CPU, (100, 100))
        return resource.prlimit(os.getpid(), resource.RLIMIT_NOFILE)[0]

    return child(lower)


@tried("a limit that is exceeded")
def _():
    def eat():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        with open("too-long", "wb", buffering=0) as file:
            file.write(b"x" * 900)
            file.write(b"x" * 900)
            file.write(b"x" * 900)

    return child(eat)


@tried("a lower priority")
def _():
    return child(lambda: os.nice(3))


@tried("processors of itself")
def _():
    return child(lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}) or len(os.sched_getaffinity(0)))


@tried("a scheduler of itself")
def _():
    return child(lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)) or os.sched_getscheduler(0))


@tried("many threads")
def _():
    lock, count = threading.Lock(), [0]

    def add():
        for _ in range(1000):
            with lock:
                count[0] += 1

    threads = [threading.Thread(target=add) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count


@tried("processes that share queues and locks")
def _():
    queue, lock = multiprocessing.Queue(), multiprocessing.Lock()

    def work(number):
        with lock:
            queue.put(number * number)

    workers = [multiprocessing.Process(target=work, args=(number,)) for number in range(5)]
    for worker in workers:
        worker.start()
    results = sorted(queue.get() for _ in workers)
    for worker in workers:
        worker.join()
    return results


@tried("a look at a child")
def _():
    waits = subprocess.Popen(["sleep", "1000"])
    try:
        while open(f"/proc/{waits.pid}/comm").read() != "sleep\n":
            time.sleep(0)
        with open(f"/proc/{waits.pid}/environ", "rb") as file:
            return os.readlink(f"/proc/{waits.pid}/cwd") == os.getcwd(), b"HOME=" in file.read()
    finally:
        waits.kill()
        waits.wait()


@tried("a child's memory")
def _():
    text = ctypes.create_string_buffer(b"from the parent")
    read, write = os.pipe()
    number = os.fork()
    if number == 0:
        text.value = b"from the child"
        os.write(write, b"x")
        signal.pause()
    os.read(read, 1)
    try:
        with open(f"/proc/{number}/mem", "rb") as memory:
            memory.seek(ctypes.addressof(text))
            return memory.read(14)
    finally:
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)


@tried("who it is")
def _():
    return os.getuid(), os.getgid(), os.geteuid(), os.umask(0o22), sys.stdin.read()
