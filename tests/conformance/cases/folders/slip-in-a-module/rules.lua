return {
  judge = function(event)
    return { block = event.comand == "rm", reason = "no" }
  end,
}
