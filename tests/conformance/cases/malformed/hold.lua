local answers = {
  unknown = { hold = { deny_writes = { "a" } } },
  pattern = { hold = { deny_write = { "*.md" } } },
  empty = { hold = {} },
  text = { hold = "guarded" },
  block = { hold = { net = "none" }, block = true },
}

on("tool_call", { tool = "bash" }, function(event) return answers[event.command] end)
