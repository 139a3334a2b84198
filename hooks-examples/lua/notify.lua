-----
-- name: notify
-- description: Tells you when work that took a while is done, has failed, or waits for you
-- grants:
--   exec: [notify-send, osascript]
-----
-- Short work is watched anyway, so it is not announced.

local SECONDS = 30
local LONGEST = 200

-- A desktop notification, where there is a desktop. A machine without one is no fault worth mentioning.
local function desktop(ctx, title, text)
  -- `--` and `argv`: the text comes from elsewhere and must not become an option or a script.
  local markup = string.gsub(text, "[&<>]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" })
  local ok, result = pcall(ctx.exec, "notify-send", { "--", title, markup }, { timeout = 5 })
  if ok and result.code == 0 then
    return
  end
  local script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"
  pcall(ctx.exec, "osascript", { "-e", script, title, text }, { timeout = 5 })
end

local function shorten(text)
  local line = string.gsub(string.gsub(text, "%s+", " "), "%c", "")
  if #line <= LONGEST then
    return line
  end
  -- Not in the middle of a character.
  return string.gsub(string.sub(line, 1, LONGEST), "[\192-\255][\128-\191]*$", "") .. "…"
end

-- How long the agent has worked since the person's last prompt. Unknown counts as long: better one word too many.
local function took(ctx)
  local since = ctx.state.get("since")
  return if since then snaphook.time.now() - since else math.huge
end

local function tell(ctx, title, text, level)
  if took(ctx) < SECONDS then
    return
  end
  local short = shorten(text)
  ctx.ui.notify(if short == "" then title else `{title}: {short}`, level)
  desktop(ctx, title, short)
end

on("agent_start", function(event, ctx)
  ctx.state.set("since", snaphook.time.now())
end)

on("agent_end", function(event, ctx)
  tell(ctx, "The agent is done", event.last_message or "", "info")
end)

on("agent_error", function(event, ctx)
  tell(ctx, "The agent has stopped", event.error, "error")
end)

on("notification", function(event, ctx)
  tell(ctx, event.title or "The agent waits for you", event.message, "warn")
end)
