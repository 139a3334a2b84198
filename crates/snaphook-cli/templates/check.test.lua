test("passes a clean change", function(t)
  t.exec_stub("git diff --check", { code = 0 })
  local checks = t.emit("files_changed", { files = { "src/main.rs" } }).checks
  expect(#checks.passed).eq(1)
end)

test("fails with what git found", function(t)
  t.exec_stub("git diff --check", { code = 2, stdout = "src/main.rs:3: leftover conflict marker\n" })
  local checks = t.emit("files_changed", { files = { "src/main.rs" } }).checks
  expect(checks.failed.reason).matches("main.rs:3: leftover conflict marker")
end)

test("fails where git cannot tell", function(t)
  t.exec_stub("git diff --check", { code = 128, stderr = "fatal: bad revision 'HEAD'" })
  local checks = t.emit("files_changed", { files = { "src/main.rs" } }).checks
  expect(checks.failed.reason).matches("bad revision")
end)
