return {
  loud = function(text)
    return string.upper(text) .. "!"
  end,
}
