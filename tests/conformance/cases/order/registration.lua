local function say(word)
  return function(event)
    return { context = word }
  end
end

on("tool_call", say("one"))
on("tool_call", say("two"))
on("tool_call", { tool = "bash" }, say("three"))
on("tool_call", { tool = "read" }, say("never"))
on("tool_call", say("four"))
