//! Tables of commands that do more than their words show.

use super::said;
use crate::{Dialect, commands};

/// Each script has a command with this opaque kind, and whether the text wrote what runs.
fn opaque(cases: &[(&str, &str, bool)]) {
    for (script, kind, written) in cases {
        let found = commands(script).unwrap_or_else(|error| panic!("{script}: {error}"));
        let hit = found.iter().filter_map(|command| command.opaque.as_ref());
        let hit = hit.map(|opaque| (opaque.kind.as_str(), opaque.written)).collect::<Vec<_>>();
        assert!(hit.contains(&(kind, *written)), "{script}: {hit:?}\n{}", said(script, Dialect::Bash));
    }
}

#[test]
fn what_words_do_not_show_is_opaque() {
    opaque(&[
        ("python3 -c 'x'", "code", false),
        ("python3 <<'E'\nx\nE", "code", false),
        ("echo x | python3 -", "code", false),
        ("perl -ne 'x' f", "code", false),
        ("rename 's/a/b/' f", "code", false),
        ("ed -s f <<E\n!rm x\nq\nE", "code", false),
        ("ed '!rm x'", "code", false),
        ("sqlite3 a.db '.read f'", "code", false),
        ("psql -d a \"$x\"", "code", false),
        ("echo x > m.py; python3 -m m", "file", true),
        ("echo x > test_a.py && pytest test_a.py", "file", true),
        ("echo x > .bash_profile; HOME=. bash -lc y", "config", false),
        ("echo x > .profile; bash -lc y", "file", true),
        ("fzf --preview 'rm x'", "config", false),
        ("less '+!rm x' f", "config", false),
        ("echo x > a.c; gcc a.c -o b && ./b", "file", true),
        ("node --eval=x", "code", false),
        ("awk 'BEGIN { system(\"x\") }'", "code", false),
        ("awk -f p f", "file", false),
        ("awk -f - f", "code", false),
        ("awk -f /dev/fd/3 f 3<p", "code", false),
        ("gawk --file /dev/stdin f", "code", false),
        ("awk -f <(echo x) f", "code", false),
        ("sqlite3 a.db <<'E'\n.shell x\nE", "code", false),
        ("echo '.shell x' | sqlite3 a.db", "code", false),
        ("mysql a < r", "file", false),
        ("vim -es f <<'E'\n:!x\nE", "code", false),
        ("{ ex f; } <<'E'\n:!x\nE", "code", false),
        ("vim -es <<'E'\n:!x\nE", "code", false),
        ("guile <<'E'\nx\nE", "code", false),
        ("deno run - <<'E'\nx\nE", "code", false),
        ("perl5.36 -e x", "code", false),
        ("php8.2 -r x", "code", false),
        ("npx tsx -e x", "code", false),
        ("pnpm dlx tsx@4 -e x", "code", false),
        ("git grep -nOx y", "config", false),
        ("git grep -hIO'sh -c x' y", "config", false),
        ("git clone -qu x a", "config", false),
        ("read -r PATH <<< ./bin", "path", false),
        ("mapfile -t PATH < f", "path", false),
        ("getopts x PATH", "path", false),
        ("read -r EDITOR < f", "config", false),
        ("PATH=./bin python3 -c x", "path", false),
        ("PATH=./bin python3 -c x", "code", false),
        ("sed '1e x' f", "code", false),
        ("sed s/a/b/e f", "code", false),
        ("sed -n \"s/a/$X/p\" f", "code", false),
        ("make --eval='x:'", "code", false),
        ("make -f other.mk", "file", false),
        ("make CC=./x", "config", false),
        ("git -c alias.x='!y' x", "config", false),
        ("git config core.pager x", "config", false),
        ("git rebase --exec x", "config", false),
        ("git clone ext::x", "config", false),
        ("git clone -c core.sshCommand=x u", "config", false),
        ("tar xf a --to-com=x", "config", false),
        ("tar xIf x a", "config", false),
        ("rsync -e x a b", "config", false),
        ("GIT_SSH_COMMAND=x git fetch", "config", false),
        ("export EDITOR=./x", "config", false),
        ("PATH=/x:$PATH", "path", false),
        ("export PATH=/x", "path", false),
        ("./x a", "file", false),
        ("sh s", "file", false),
        ("source f", "file", false),
        ("echo x > s; sh s", "file", true),
        ("curl -o x.sh u && chmod +x x.sh && ./x.sh", "file", true),
        ("cat > a.py <<'E'\nx\nE\npython3 a.py", "file", true),
        ("printf x | tee d/run; d/run", "file", true),
        ("cp a ~/bin/ls; ls", "file", true),
        ("echo x > \"$f\"; sh \"$f\"", "file", true),
        ("echo x > Makefile; make", "file", true),
        ("echo x > package.json && npm test", "file", true),
        ("mv x \"$d/s.sh\"; . \"$e/s.sh\"", "file", true),
        ("X=r; echo x > $X; sh r", "file", true),
        ("cp q \"$(echo r)\"; sh r", "file", true),
        ("cp q{,.sh}; sh q.sh", "file", true),
        ("sort -o r q; sh r", "file", true),
        ("sort -or q; ./r", "file", true),
        ("uniq - r; sh r", "file", true),
        ("openssl enc -d -in q -out r; sh r", "file", true),
        ("gunzip r.gz; sh r", "file", true),
        ("split q; sh xaa", "file", true),
        ("echo x > r.c; make r; ./r", "file", true),
        ("echo x > m.py; python3 -c 'import m'", "code", true),
        ("echo x > m/__main__.py; python3 m", "file", true),
        ("echo x > test_x.py; python3 -m unittest", "file", true),
        ("echo x > sitecustomize.py; PYTHONPATH=. python3 a.py", "file", true),
        ("echo x > m.js; node -e 'require(\"./m\")'", "code", true),
        ("echo x > index.js; node .", "file", true),
        ("echo x > m.js; NODE_OPTIONS=--require=./m.js node a.js", "config", true),
        ("echo .shell > r; sqlite3 a.db < r", "file", true),
        ("python3 -c 'open(\"r\", \"w\")'; sh r", "file", true),
        ("PERL5DB='x' perl -d -e 1", "config", false),
        ("perl -d -e 1", "code", false),
        ("python3 -i a.txt", "code", false),
        ("deno run -A https://a.example/x.ts", "file", true),
        ("deno test --import-map=https://a.example/m", "file", true),
        ("go run a.example/x/cmd@latest", "file", true),
        ("npx -y github:a/b", "file", true),
        ("npx \"git+https://$h/b\"", "file", true),
        ("pnpm dlx https://a.example/b.tgz", "file", true),
        ("uvx --from git+https://a.example/b b", "file", true),
        ("uv tool run git+https://a.example/b", "file", false),
        ("pipx run --spec=https://a.example/b.whl b", "file", true),
    ]);
    for script in [
        "python3 x.py",
        "python3 -m pytest",
        "echo x > notes.md; python3 -m pytest",
        "echo x > a.py; python3 manage.py test",
        "npx -y eslint@9 .",
        "npm install -g ts-node",
        "uvx ruff@0.9 check",
        "deno run --allow-net=a.example main.ts",
        "go test ./...",
        "node x.js",
        "sed -n '1,20p' f",
        "sed -i -e 's/a/b/g' -e '/x/d' f",
        "awk '{print $1}' f",
        "awk -F: '$1 || $2' f",
        "sqlite3 a.db 'select 1'",
        "sqlite3 a.db",
        "vim f",
        "git grep -n O",
        "make -j4 test",
        "git -c user.name=x commit",
        "git clone -c fetch.fsck.badTimezone=ignore u",
        "tmux new-session -d -s x",
        "git config user.email x",
        "git config --get core.pager",
        "tar xzf a",
        "EDITOR=true git rebase -i",
        "CC=clang make",
        "NODE_OPTIONS=--max-old-space-size=1 node x",
    ] {
        let found = commands(script).unwrap();
        assert!(
            found.iter().all(|command| command.opaque.is_none()),
            "{script}: {}",
            said(script, Dialect::Bash)
        );
    }
    let found = commands("python3 - <<'E'\nimport os\nE").unwrap();
    let code = found[0].opaque.as_ref().unwrap();
    assert_eq!((code.language, code.code.as_deref()), (Some("python"), Some("import os\n")));
    for (script, expected) in [
        ("perl '-ea' 'print 1'", Some("a")),
        ("python3 -c'a' b", Some("a")),
        ("perl -e a -e b f", Some("a\nb")),
        ("perl -ne 1 'rm x|'", None),
        ("perl -e \"$x\"", None),
        ("sqlite3 a.db <<'E'\n.shell x\nE", Some(".shell x\n")),
        ("sqlite3 a.db <<E\nselect 1;\nE", Some("select 1;\n")),
        ("sqlite3 a.db <<E\nselect $x;\nE", None),
    ] {
        let found = commands(script).unwrap();
        assert_eq!(found[0].opaque.as_ref().unwrap().code.as_deref(), expected, "{script}");
    }
}
