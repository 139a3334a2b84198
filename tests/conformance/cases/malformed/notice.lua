on("turn_end", function(event)
  return { block = true, reason = "too late" }
end)

on("turn_end", function(event)
  return { context = "heard" }
end)

on("shutdown", function(event)
  return { context = "nobody hears it" }
end)
