-- Arguments of the API's functions, and names that are not in it.
on("tool_call", { tool = "bash" }, function(event, ctx)
  ctx.log(5) --> both: string
  ctx.lgo("x") --> both: lgo
  ctx.log("x", "loud") --> both: loud
  ctx.ui.confirm(true) --> both: string
  ctx.ui.select("Which?", "a") --> both: string
  ctx.exec("ls", {}, { timout = 5, cwd = 1 }) --> both: 
  ctx.send("text", { deliver = "later" }) --> both: later
  ctx.store.set("key", 1)
  ctx.store.put("key", 1) --> both: put
  local result = ctx.exec("git", { "status" }, { timeout = 5, cwd = ctx.cwd, env = { CI = "1" } })
  if result.code ~= 0 then
    ctx.log(result.stderr)
  end
  print(result.exit) --> both: exit
end)

on("tool_call", { tool = "bash" }, function(event)
  local commands, problem = snaphook.shell.comands(event.command) --> both: comands
  print(commands, problem)
end)

on("tool_call", { tool = "bash" }, function(event)
  local commands, problem = snaphook.shell.commands(event.command)
  if not commands then
    return { block = true, reason = problem }
  end
  for _, cmd in ipairs(commands) do
    if cmd.name == "rm" and cmd:has_flags("r", "f") then
      return { ask = cmd.text }
    end
    print(cmd.arguments) --> both: arguments
    cmd:has_flags(1) --> both: string
  end
end)

on("tool_call", { tool = 5 }, function(event) end) --> both: 
on("tool_call", { tol = "bash" }, function(event) end) --> luau: tol

print(snaphook.path.join("a", 5)) --> both: string
print(snaphook.path.join("a", "b"), snaphook.json.encode({ 1 }, true), snaphook.time.iso())
local found = snaphook.regex.find("a", "b")
if found then
  print(found.text, found.groups[1], found.names.x)
  print(found.start) --> both: start
end
print(snaphook.glob.matches({ "*.sql", "!a.sql" }, "x.sql"), snaphook.version, undefined_name) --> both: undefined_name
