on("build.finished", function(event)
  return { fail = true }
end)
