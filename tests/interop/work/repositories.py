"""Jobs with git: in the project's own repository, which has guarded places, and in a clone below it."""

import os
import subprocess

from jobs import Job, Known

# Each commit gets a time of its own, the same in each run.
CLOCK = 'clock() { tick=$(($(cat .git/tick 2>/dev/null || echo 1767225600) + 60)); echo $tick > .git/tick; export GIT_AUTHOR_DATE="@$tick +0000" GIT_COMMITTER_DATE="@$tick +0000"; }; '


def upstream(place):
    """A repository outside of the project, with a history."""
    root = os.path.join(place.root, "upstream")
    os.makedirs(root)

    def git(*words, at=0):
        date = f"@{1767225600 + at} +0000"
        subprocess.run(["git", "-C", root, *words], env={**place.env, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}, check=True, stdout=subprocess.DEVNULL)

    git("init", "-q")
    for number in range(12):
        place.write(os.path.join(root, f"part{number % 3}.txt"), "".join(f"line {line} of {number}\n" for line in range(20)))
        git("add", ".")
        git("commit", "-q", "-m", f"Change {number}", at=number)
    git("tag", "-a", "-m", "The first", "v1")
    git("branch", "other", "HEAD~3")


def checked(place):
    """The same, and a project whose commits snaphook checks: its hook and its settings are guarded."""
    upstream(place)
    subprocess.run(["git", "init", "-q", place.project], env=place.env, check=True)
    hook = os.path.join(place.project, ".git/hooks/pre-commit")
    place.write(hook, "#!/bin/sh\n# snaphook:managed\necho checked\n")
    os.chmod(hook, 0o755)
    for words in (["remote", "add", "origin", "../upstream"], ["fetch", "-q"]):
        subprocess.run(["git", "-C", place.project, *words], env=place.env, check=True)


def settings(place):
    """A branch that changes an agent's settings, which are in the repository."""
    for branch, text in (("main", "{}"), ("other", '{"a": 1}')):
        for words in (["init", "-q"], ["switch", "-q", "-C", branch]):
            subprocess.run(["git", "-C", place.project, *words], env=place.env, check=True)
        place.write(os.path.join(place.project, ".claude/settings.json"), text + "\n")
        place.write(os.path.join(place.project, "file"), branch + "\n")
        for words in (["add", "."], ["commit", "-q", "-m", branch]):
            subprocess.run(["git", "-C", place.project, *words], env={**place.env, "GIT_AUTHOR_DATE": "@1767225600 +0000", "GIT_COMMITTER_DATE": "@1767225600 +0000"}, check=True)
    subprocess.run(["git", "-C", place.project, "switch", "-q", "main"], env=place.env, check=True)


LOOSE = [r"\.git/(modules/.*/)?index$", r"\.git/ORIG_HEAD$", r"/logs/", r"\.pack$", r"\.idx$", r"\.rev$", r"multi-pack-index$", r"^clone/\.git/tick$", r"\.git/gc\.log"]
LOCAL = dict(before=upstream, needs=[["git", "--version"]], loose=LOOSE, env=lambda place: {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "pack.threads", "GIT_CONFIG_VALUE_0": "1"})


def in_clone(*lines):
    return [CLOCK.replace(".git/", "clone/.git/") + f"clock; cd clone && {line}" for line in lines]


def in_project(*lines):
    return [CLOCK + f"clock; {line}" for line in lines]


HISTORY = (
    "git switch -c feature && sed -i 's/line 3 /LINE 3 /' part0.txt && git commit -am 'On the branch'",
    "git switch main && sed -i 's/line 15 /LINE 15 /' part0.txt && git commit -am 'On main' && git switch feature && git rebase main",
    "git switch main && sed -i 's/LINE 3 .*/other/; s/line 3 .*/other/' part0.txt && git commit -am 'In conflict'; git merge feature; git status --short; git merge --abort",
    "git rebase feature; git status | head -3; echo solved > part0.txt; git add part0.txt; GIT_EDITOR=true git rebase --continue",
    "echo stashed >> part1.txt && git stash && git stash list && git stash pop && git checkout -- part1.txt",
    "git mv part2.txt moved.txt && git commit -m 'A move' && git cherry-pick -x v1~1; git cherry-pick --abort; git tag -a -m 'Mine' mine && git describe",
    "git bisect start HEAD HEAD~6 && git bisect run sh -c 'test -e part2.txt'; git bisect reset",
    "git worktree add -q ../tree HEAD~2 && git -C ../tree log --oneline -1 && git worktree remove ../tree",
    "git init -q --bare inside.git && git push -q ./inside.git HEAD:main mine && git ls-remote ./inside.git",
    "git reflog expire --expire=now --all && git gc --quiet --prune=now && git fsck --full && git count-objects -v | grep -v size",
    "git log --graph --oneline --all; git ls-files -s; git status; git diff --stat HEAD~3; git archive HEAD | sha256sum",
    "git clean -fdxq && git reset --hard -q v1 && git log -1 --format=%H",
)

JOBS = [
    Job(
        "git-clone",
        ['git clone "file://$(dirname "$PWD")/upstream" clone', *in_clone(*HISTORY, "git fetch && git branch -u origin/main && git config user.name B && git remote add again ../../upstream")],
        texts=[(r"(?<=Bisecting: ).*", "X")], **LOCAL,
    ),
    Job(
        "git-project",
        [*in_project(
            'git pull -q "file://$(dirname "$PWD")/upstream" main --tags', *[line.replace("../tree", "tree") for line in HISTORY],
        )],
        **LOCAL,
    ),
    Job(
        "git-settings",
        [*in_project(
            'git pull -q ../upstream main --tags', "git config user.name B && git config user.name", 'git remote add origin "file://$(dirname "$PWD")/upstream" && git fetch -q',
            "git switch -c other origin/other", "git branch -u origin/main", "git submodule add ../upstream module && git commit -qm 'A module'",
            "git push -u ./inside.git HEAD:main; git init -q --bare inside.git && git push -q -u ./inside.git HEAD:main",
            "printf '#!/bin/sh\\necho hooked\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && git commit --allow-empty -m 'Hooked'",
        )],
        **{**LOCAL, "env": lambda place: {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "protocol.file.allow", "GIT_CONFIG_VALUE_0": "always"}},
    ),
    Job(
        "git-checked", in_project('git pull -q "file://$(dirname "$PWD")/upstream" main --tags', *HISTORY[:6], *HISTORY[-3:]), **{**LOCAL, "before": checked},
    ),
    Job(
        "git-checked-settings",
        ["git config user.name B", "git switch -c other origin/other; git log --oneline -1", "git fetch && git switch --no-track -c another origin/other"],
        **{**LOCAL, "before": checked},
        known=Known("where snaphook checks commits, .git/config is guarded: EBUSY", [
            r"call 1, .*: exit 4$", r"call [12] err: error: could not write config file \.git/config: Device or resource busy", r"\.git/(config|FETCH_HEAD) ",
        ]),
    ),
    Job(
        "git-guarded-files", ["git switch other; git status --short; cat file"], **{**LOCAL, "before": settings},
        known=Known("a branch that changes a guarded file is left with the old one, and git's exit code is 0", [
            r"call 1 out: M\t\.claude/settings\.json", r"call 1 out:  M \.claude/settings\.json",
            r"err: error: unable to unlink old '\.claude/settings\.json': Read-only file system", r"project: .* \.claude/settings\.json 3 bytes",
        ]),
    ),
]
