"""Jobs with the tools of every system: files, archives, processes, sockets, a database."""

import os

from jobs import Job, Known

PYTHON = [["python3", "-c", "import sqlite3, sys; sys.exit(sys.version_info < (3, 10))"]]


def of_the_system(place):
    """Settings of ssh that include those of the system, which root owns."""
    place.write(os.path.join(place.project, "config"), "Include /etc/ssh/ssh_config\n")


JOBS = [
    Job("database", ["python3 database.py", "python3 -c 'import sqlite3; print(sqlite3.connect(\"other.db\").execute(\"SELECT count(*) FROM entry\").fetchone())'"],
        files="database", needs=PYTHON, loose=[r"\.db$"]),
    Job("files", ["python3 files.py", "rm -r a && python3 -c 'print(open(\"note\").read())'"], files="files", needs=PYTHON, timed=["^note$", "^link$", "^moved$"]),
    Job("processes", ["python3 processes.py"], files="processes", needs=PYTHON),
    Job("sockets", ["python3 sockets.py"], files="sockets", needs=PYTHON),
    Job(
        "tools",
        [
            "tar cf all.tar src && mkdir from-tar && tar xf all.tar -C from-tar && tar czf - src | tar tzf -",
            "gzip -k all.tar && gunzip -c all.tar.gz | cmp - all.tar; xz -k all.tar && rm all.tar.xz",
            "sed -i.bak 's/first/1st/' src/file1.txt && sed -i 's/second/2nd/' src/*.txt && cat src/*.txt",
            "cp -a src copied && mv copied/deep copied/deeper && ln -s ../src copied/link && ln copied/file1.txt copied/hard.txt && ls copied",
            "find copied -name 'file2*' -delete && find . -path ./.git -prune -o -type f -size -1k -print | wc -l; find copied -type l -exec readlink {} +",
            "name=$(mktemp) && echo text > \"$name\" && mv \"$name\" moved.txt; folder=$(mktemp -d -p /tmp) && cp moved.txt \"$folder\" && rm -r \"$folder\"; name=$(mktemp -p . here.XXXX) && mv \"$name\" here.txt",
            "cat > written.sh <<'TEXT'\n#!/bin/sh\necho \"written: $1\"\nTEXT\nchmod 750 written.sh && ./written.sh word && src/deep/script.sh a b",
            "chmod -R u+w,go-w src && chmod a-w src/file1.txt && touch -d '2020-01-02 03:04:05 UTC' src/file2.txt && touch -h -d '2021-01-01 UTC' copied/link && stat -c '%a %Y' src/file2.txt",
            "echo old > doc && cp -p doc doc.new && echo new > doc.new && mv -f doc.new doc && cat doc; truncate -s 100 doc && dd if=/dev/zero of=zero bs=1k count=5 status=none && install -m 600 doc installed",
            "flock lock -c 'flock -n lock -c true; echo $?'; flock -s lock true && patch src/file3.txt <<< $'1c1\\n< first line of 3\\n---\\n> patched' && cat src/file3.txt && diff src/file2.txt src/file3.txt",
            "split -l 1 src/file2.txt part- && cat part-* | sort -r | tee sorted.txt && comm -12 <(sort src/file1.txt) <(sort src/file2.txt); head -c 100 /dev/urandom | wc -c; df . > /dev/null && du -s src | cut -f2",
            "rm -rf from-tar part-* && rmdir nothing; rm src/file1.txt; ls -l src | wc -l; rm -r copied; shopt -s dotglob; ls -d * | wc -l",
        ],
        codes={10: 1}, files="tools", timed=["^src/file2.txt$"], loose=[r"all\.tar"], needs=[["xz", "--version"], ["patch", "--version"]],
    ),
    Job("zip", ["zip -qr all.zip src && unzip -l all.zip | wc -l && mkdir from-zip && cd from-zip && unzip -q ../all.zip && ls -R"], files="tools", needs=[["zip", "-v"], ["unzip", "-v"]], loose=[r"\.zip$"]),
    Job(
        "shell",
        [
            "mkfifo pipe && (seq 1000 > pipe &) && sort -n pipe | tail -1; rm pipe",
            "coproc CAT { cat; }; echo through >&\"${CAT[1]}\"; read -r line <&\"${CAT[0]}\"; echo \"$line\"; kill $CAT_PID; wait $CAT_PID; echo $?",
            "exec 3< <(trap 'echo got; exit 3' TERM; echo ready; while :; do :; done); looper=$!; read -r line <&3; kill $looper; wait $looper; echo \"$line, $?\"; cat <&3",
            "timeout 0.1 sleep 1000; echo $?; timeout -s KILL 0.1 sh -c 'trap \"\" TERM; exec sleep 1000'; echo $?; timeout 100 true; echo $?",
            "set -m; sleep 1000 & jobs; kill %1; wait; set +m; yes | head -2; echo ${PIPESTATUS[0]}; kill -0 $$; echo $?",
            "exec 5> file; echo text >&5; exec 5>&-; cat < file; cat <<< here; cat /dev/fd/3 3< file; echo a | tee /dev/stderr; : > /dev/null; echo b > /dev/stdout",
            "nice -n 5 nice; ionice -c 3 true; echo $?; setsid -w true; echo $?; nohup true; echo $?; (ulimit -n 100; ulimit -n); (umask 077; echo > private)",
            "seq 20 | xargs -P 2 -n 5 echo | sort; export A=1; env -i B=2 env; printf '%s\\n' \"$A\" ~ | sed \"s|$HOME|HOME|\"; cd / && pwd",
            "kill -SEGV $$",
            "exit 42",
            "nothing-of-this-name",
            "./file",
        ],
        codes={9: -11, 10: 42, 11: 127, 12: 126},
        texts=[(r"line 1: +\d+ Killed", "line 1: X Killed"), (r"^\[1\]\+  Terminated .*\n", "")],
    ),
    Job(
        "terminals", ["python3 terminals.py > out; cat out"], files="terminals", loose=["^out$"], needs=PYTHON,
    ),
    Job(
        "priorities", ["python3 priorities.py > out; cat out"], files="priorities", loose=["^out$"], needs=PYTHON,
        known=Known("limits, priorities and processors are the caller's own only: not a thread's or a child's", [
            r"out: limits of a child EPERM", r"out: a lower priority by number 101", r"out: a lower priority of a child EPERM",
            r"out: processors by number 101", r"out: a thread with processors of its own EPERM",
        ]),
    ),
    Job(
        "settings", ["python3 settings.py > out; cat out"], files="settings", loose=["^out$"], needs=PYTHON,
        known=Known("/proc is read-only, a process's own part of it as well", [r"out: a thread's name EROFS", r"out: what the kernel ends first 130"]),
    ),
    Job(
        "edges",
        [
            "echo text > ~/.cache/file; python3 -c 'import os; os.rename(os.path.expanduser(\"~/.cache/file\"), \"file\")' 2>&1 | tail -1; rm -f ~/.cache/file file",
            "echo text > ~/.cache/file; ln ~/.cache/file linked; rm linked; rm ~/.cache/file",
        ],
        needs=PYTHON,
        known=Known("the project and each cache are file systems of their own: EXDEV of rename and link", [
            r"call 1 out: OSError: \[Errno 18\]", r"call 2 err: ln: .*Invalid cross-device link", r"call 2 err: rm: cannot remove 'linked'",
        ]),
    ),
    Job(
        "tmpdir", ["mktemp > out; wc -l < out"], needs=PYTHON, env=lambda place: {"TMPDIR": place.env["OUTSIDE"]}, loose=["."], names=[(r"tmp\..*", "tmp.X")],
        texts=[(r"tmp\.\w+", "tmp.X")],
        known=Known("a folder of TMPDIR that is neither below /tmp nor below the home cannot be written", [r"call 1 out: 0", r"call 1 err: mktemp: .*Read-only file system"]),
    ),
    Job(
        "later-calls",
        # The process ends by itself, too.
        ["read -r number < <(setsid sh -c 'echo $$; exec sleep 20 > out.log 2>&1'); echo $number > started", "kill $(cat started); echo $?; rm started"],
        loose=["^started$"], texts=[(r"\(\d+\)", "(X)")],
        known=Known("a call cannot signal what an earlier call started: EPERM", [r"call 2 err: .*Operation not permitted", r"call 2 out: 1$"]),
    ),
    Job(
        "ssh-settings", ["ssh -F config -G somewhere > out; grep '^host ' out"], loose=["^out$"], before=of_the_system, needs=[["ssh", "-V"], ["test", "-r", "/etc/ssh/ssh_config"]],
    ),
    Job(
        "raw-socket", ["python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)' 2> out; tail -1 out"], loose=["^out$"], needs=PYTHON,
        known=Known("no raw sockets, such as those of ping", [r"PermissionError"], "root"),
    ),
]
