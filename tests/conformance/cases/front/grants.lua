-----
-- name: grants
-- description: Says what it needs
-- api: 1
-- grants:
--   exec: [git, make]
--   env: [HOME]
-----
on("tool_call", function(event, ctx)
  return { context = ctx.exec("git", { "--version" }).stdout }
end)
