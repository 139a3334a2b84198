test("a check that fails without a reason is named", function(t)
  expect(t.emit("pre_commit", { files = { "a" } }).checks.failed.reason).matches('^the check "check-without-reason" failed and gave no reason$')
end)
