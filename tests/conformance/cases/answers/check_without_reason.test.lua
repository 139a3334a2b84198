test("a check that fails without a reason is named", function(t)
  expect(t.emit("pre_commit", { files = {} })).denied('^the check "check_without_reason" failed and gave no reason$')
end)
