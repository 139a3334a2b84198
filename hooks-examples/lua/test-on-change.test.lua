local function changed(t, file)
  return t.emit("files_changed", { files = { file } }).checks
end

test("the tests of the project run, and the agent gets the end of what they said", function(t)
  t.exec_stub("ls", { stdout = "Cargo.toml\n" })
  t.exec_stub("cargo test", { code = 101, stdout = "test adds ... FAILED\n", stderr = "assertion failed\n" })
  local failed = changed(t, "src/lib.rs").failed
  expect(failed.reason).matches("^cargo test --quiet --color never failed \\(exit code 101\\):\ntest adds \\.\\.\\. FAILED\n\nassertion failed$")
end)

test("tests that pass say nothing", function(t)
  t.exec_stub("ls", { stdout = "package.json\npyproject.toml\n" })
  t.exec_stub("npm run test", { stdout = "12 passing" })
  expect(changed(t, "src/a.ts")).eq{ passed = { "test-on-change" }, pending = {} }
end)

test("documents change no test", function(t)
  expect(changed(t, "README.md")).eq{ passed = {}, pending = {} }
end)

test("a project without tests passes", function(t)
  t.exec_stub("ls", { stdout = "", stderr = "no such file", code = 2 })
  expect(changed(t, "a.py").failed).eq(nil)
end)

test("pytest without a test passes; a run that hangs or cannot start does not", function(t)
  t.exec_stub("ls", { stdout = "pyproject.toml\n" })
  t.exec_stub("python3 -m pytest", { code = 5 })
  expect(changed(t, "a.py").failed).eq(nil)
  t.exec_stub("python3 -m pytest", { timed_out = true })
  expect(changed(t, "a.py").failed.reason).eq("python3 -m pytest --quiet --no-header took longer than 300 seconds")
  t.exec_stub("python3 -m pytest", { signal = 9 })
  expect(changed(t, "a.py").failed.reason).matches("failed \\(signal 9\\)")
  t.exec_stub("python3 -m pytest", { error = "not there" })
  expect(changed(t, "a.py").failed.reason).matches("^the tests could not be started: .*not there")
end)
