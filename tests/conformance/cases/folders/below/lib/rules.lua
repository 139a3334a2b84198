local text = require("./text")

return {
  tell = function(tool)
    return text.loud(tool)
  end,
}
