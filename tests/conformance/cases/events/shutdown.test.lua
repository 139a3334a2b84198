test("shutdown tells why, where somebody says so", function(t)
  expect(t.emit("shutdown", { reason = "signal" })).sent("^the end: signal$")
  expect(t.emit("shutdown", {})).sent("^the end: no reason$")
end)
