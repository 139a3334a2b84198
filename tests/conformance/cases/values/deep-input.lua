on("tool_call", function(event, ctx)
  local depth, here = 0, event.input
  while here.inner do
    depth += 1
    here = here.inner
  end
  here.found = depth
  return { input = event.input }
end)
