local function deny(word)
  return { block = true, reason = word .. " is not for this project" }
end

return { forbidden = { "curl", "wget" }, deny = deny }
