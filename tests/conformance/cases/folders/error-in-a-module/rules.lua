return {
  judge = function(event)
    error("no rule for " .. event.tool)
  end,
}
