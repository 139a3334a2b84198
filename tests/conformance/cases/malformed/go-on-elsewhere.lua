on("turn_end", function(event)
  return { continue_with = "more" }
end)
