local function bash(t, command)
  return t.tool_call{ tool = "bash", command = command }
end

test("what others have pushed is not overwritten", function(t)
  expect(bash(t, "git push -f")).denied("a forced push overwrites what others have pushed")
  expect(bash(t, "git -C sub push origin +topic")).denied("^\\+topic is a forced push")
  expect(bash(t, "git push --force-with-lease origin topic")).asked("Go on\\?")
end)

test("a push to a shared branch is asked about, one to a branch of one's own is not", function(t)
  t.exec_stub("git", { stdout = "main\n" })
  expect(bash(t, "git push")).asked("publishes a branch that others build on")
  expect(bash(t, "git push origin HEAD:main")).asked("^This push publishes to main")
  t.exec_stub("git", { stdout = "topic\n" })
  expect(bash(t, "git push")).allowed()
  expect(bash(t, "git push origin topic")).allowed()
end)

test("uncommitted work stays", function(t)
  expect(bash(t, "git reset --hard")).denied("throws uncommitted work away")
  expect(bash(t, "git checkout -- .")).denied("name the files")
  expect(bash(t, "git clean -fd")).denied("clean deletes files")
  expect(bash(t, "git clean -n")).allowed()
  expect(bash(t, "git restore --staged a.txt")).allowed()
end)

test("the repository's own hooks run", function(t)
  expect(bash(t, "git commit -nm x")).denied("--no-verify skips the repository's own hooks")
  expect(bash(t, "git commit -m 'no -n here'")).allowed()
  expect(bash(t, "git -c core.hooksPath=/dev/null commit -m x")).denied("core\\.hooksPath")
  expect(bash(t, "HUSKY=0 git commit -m x")).denied("^HUSKY switches")
end)

test("what cannot be known is asked about or denied", function(t)
  expect(bash(t, "git push $OPTIONS")).asked("could be any option")
  expect(bash(t, "git push 'x")).denied("cannot be read, so it cannot be checked")
  expect(bash(t, "git status && git log")).allowed()
end)

test("files that are named are asked about where they hold uncommitted work", function(t)
  t.exec_stub("git", { stdout = " M src/a.rs\n" })
  expect(bash(t, "git checkout src")).asked("git checkout throws uncommitted work in src away")
  expect(bash(t, "git restore src/a.rs")).asked("git restore throws uncommitted work in src/a\\.rs away")
  t.exec_stub("git", { stdout = "" })
  expect(bash(t, "git checkout topic && git restore src/a.rs")).allowed()
  expect(bash(t, "mv b src && git restore src")).asked("may throw uncommitted work away")
  t.exec_stub("git", { code = 128 })
  expect(bash(t, "git restore src")).asked("may throw uncommitted work away")
  for _, command in { "yes | git restore -p", "yes | git stash -p", "git diff HEAD | git apply -R", "git diff -R HEAD | git apply", "git diff | patch -Rp1" } do
    expect(bash(t, command)).asked("Go on\\?")
  end
end)

test("the files of the repository's own hooks stay", function(t)
  for _, command in { "rm .git/hooks/pre-commit; git commit -m x", ": > .git/hooks/pre-commit", "chmod -x .git/hooks/pre-commit", "cd .git && mv hooks old" } do
    expect(bash(t, command)).asked("the repository's own hooks")
  end
  expect(bash(t, "ls .git/hooks && cat .git/config && chmod +x .git/hooks/pre-commit && rm src/hooks/use.ts")).allowed()
end)
