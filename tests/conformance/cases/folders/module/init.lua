local words = require("words")

on("tool_call", function(event)
  for _, word in words.forbidden do
    if event.command:find(word, 1, true) then
      return words.deny(word)
    end
  end
end)
