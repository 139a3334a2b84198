-----
-- name: __NAME__
-- description: Fails when a change leaves conflict markers or stray whitespace behind
-- api: 1
-- grants:
--   exec: ["git:diff"]
-----
on("files_changed", function(event, ctx)
  local found = ctx.exec("git", { "diff", "--check", "HEAD" }, { cwd = ctx.project_root, timeout = 30 })
  -- A process that was killed has no code, so compare with ~= 0.
  if found.code ~= 0 then
    local text = if found.stdout == "" then found.stderr else found.stdout
    return { fail = true, reason = `git diff --check found this:\n{text}` }
  end
end)
