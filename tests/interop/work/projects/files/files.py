"""Calls about files that programs make and shells have no word for. Prints what each gave, or its error."""

import ctypes
import errno
import fcntl
import mmap
import os
import shutil
import socket
import stat
import tempfile

libc = ctypes.CDLL(None, use_errno=True)


def tried(name):
    """Runs a function, and prints what it returns or the error of the system."""
    def run(function):
        try:
            print(name, function())
        except OSError as error:
            print(name, errno.errorcode.get(error.errno, error))
    return run


def write(path, text, mode=0o644):
    with open(path, "w", opener=lambda path, flags: os.open(path, flags, mode)) as file:
        file.write(text)


@tried("mmap")
def _():
    write("mapped", "0" * 8192)
    with open("mapped", "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[4096:4100] = b"text"
        mapped.flush()
        mapped.resize(16384)
    return os.path.getsize("mapped")


@tried("anonymous shared memory")
def _():
    with mmap.mmap(-1, 4096) as mapped:
        child = os.fork()
        if child == 0:
            mapped[:4] = b"text"
            os._exit(0)
        os.waitpid(child, 0)
        return mapped[:4]


@tried("an editor's save")
def _():
    write("note", "old", 0o600)
    os.chmod("note", 0o640)
    handle, name = tempfile.mkstemp(dir=".", prefix=".note.")
    os.write(handle, b"new")
    os.fchmod(handle, stat.S_IMODE(os.stat("note").st_mode))
    os.fsync(handle)
    os.close(handle)
    os.link("note", "note~")
    os.replace(name, "note")
    folder = os.open(".", os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
    return open("note").read(), open("note~").read()


@tried("a file without a name")
def _():
    handle = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o644)
    os.write(handle, b"text")
    result = libc.linkat(-100, f"/proc/self/fd/{handle}".encode(), -100, b"named", 0x400)
    os.close(handle)
    return result, open("named").read()


@tried("exchange")
def _():
    write("one", "1")
    os.mkdir("two")
    result = libc.renameat2(-100, b"one", -100, b"two", 2)
    return result, ctypes.get_errno(), os.path.isdir("one")


@tried("rename to a name that is taken")
def _():
    result = libc.renameat2(-100, b"note", -100, b"named", 1)
    return result, errno.errorcode[ctypes.get_errno()]


@tried("folders")
def _():
    os.makedirs("a/b/c")
    write("a/b/c/file", "text")
    os.rename("a/b", "a/d")
    os.rename("a/d/c", "moved")
    shutil.copytree("moved", "a/copied")
    os.chmod("moved", 0o2775)
    write("moved/inherits", "")
    return sorted(os.listdir("a")), oct(os.stat("moved").st_mode)


@tried("to and from the folder for temporary files")
def _():
    handle, name = tempfile.mkstemp()
    os.write(handle, b"text")
    os.close(handle)
    shutil.move(name, "from-tmp")
    with tempfile.TemporaryDirectory() as folder:
        shutil.move("from-tmp", folder)
        return os.listdir(folder)


@tried("links")
def _():
    os.symlink("note", "link")
    os.symlink("/nothing/there", "dangling")
    os.symlink("moved", "to-folder")
    os.link("note", "a/note")
    os.link("link", "hard-to-link", follow_symlinks=False)
    write("to-folder/through", "text")
    os.lchown("link", os.getuid(), os.getgid())
    return os.readlink("hard-to-link"), os.stat("note").st_nlink, os.path.realpath("link") == os.path.realpath("note")


@tried("modes and times")
def _():
    os.chmod("note", 0o4755)
    os.utime("note", (1e9, 1.5e9))
    os.utime("link", (1e9, 1.2e9), follow_symlinks=False)
    os.utime("moved", (1e9, 1.25e9))
    os.chown("mapped", -1, os.getgid())
    return oct(os.stat("note").st_mode), os.stat("note").st_mtime


@tried("attributes")
def _():
    os.setxattr("note", "user.about", b"text")
    os.setxattr("note~", "user.gone", b"text")
    os.removexattr("note~", "user.gone")
    return os.getxattr("note", "user.about")


@tried("locks")
def _():
    first, second = open("locked", "w"), open("locked", "w")
    fcntl.flock(first, fcntl.LOCK_EX)
    try:
        fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        refused = True
    fcntl.flock(first, fcntl.LOCK_UN)
    fcntl.flock(second, fcntl.LOCK_SH)
    fcntl.lockf(first, fcntl.LOCK_EX, 10, 5)
    child = os.fork()
    if child == 0:
        try:
            fcntl.lockf(second, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 7)
        except (BlockingIOError, PermissionError):
            os._exit(9)
        os._exit(0)
    return refused, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@tried("space")
def _():
    with open("space", "w+b") as file:
        os.posix_fallocate(file.fileno(), 0, 100_000)
        os.truncate(file.fileno(), 70_000)
        os.lseek(file.fileno(), 1_000_000, os.SEEK_SET)
        os.write(file.fileno(), b"end")
        os.pwritev(file.fileno(), [b"ab", b"cd"], 10)
        return os.fstat(file.fileno()).st_size


@tried("copies by the kernel")
def _():
    with open("space", "rb") as source, open("sent", "wb") as target, open("ranged", "wb") as ranged:
        return os.sendfile(target.fileno(), source.fileno(), 0, 1000), os.copy_file_range(source.fileno(), ranged.fileno(), 1000)


@tried("special files")
def _():
    os.mkfifo("fifo", 0o620)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
    return stat.filemode(os.stat("fifo").st_mode), stat.filemode(os.stat("socket").st_mode)


@tried("notifications")
def _():
    handle = libc.inotify_init1(0)
    libc.inotify_add_watch(handle, b"a", 0x100 | 0x200 | 0x80)
    write("a/seen", "")
    os.rename("a/seen", "a/renamed")
    os.unlink("a/renamed")
    return len(os.read(handle, 4096)) > 0


@tried("memory as a file")
def _():
    handle = os.memfd_create("name")
    os.write(handle, b"#!/bin/sh\necho from memory\n")
    return open(f"/proc/self/fd/{handle}").read()


@tried("shared memory by name")
def _():
    from multiprocessing import shared_memory
    memory = shared_memory.SharedMemory(create=True, size=100)
    other = shared_memory.SharedMemory(memory.name)
    memory.buf[0] = 5
    seen = other.buf[0]
    other.close()
    memory.close()
    memory.unlink()
    return seen


@tried("what is refused to anyone")
def _():
    for action in (lambda: os.rmdir("a"), lambda: os.open("note/x", os.O_RDONLY), lambda: os.mkdir("note"), lambda: os.rename("a", "a/b"), lambda: open("nothing")):
        try:
            action()
        except OSError as error:
            print("refused", errno.errorcode[error.errno])
    return "as expected"


@tried("space left")
def _():
    seen = os.statvfs(".")
    return seen.f_bavail > 0, os.access(".", os.W_OK), os.access("/dev/null", os.W_OK)
