-- Other programs and servers that change what git keeps, here or where others see it.
local judged = require("refuse")
local set, ask = require("command").set, judged.ask

-- Programs by name, and what is in their words, each of which has a blank behind it. Other systems throw changes away by words
-- of their own, and what puts the repository's hooks in place takes them away.
local LOSES = {
  "gh: ^repo (delete|rename|archive)|^repo sync .*(--force|-f )|^api .*(force=true|(-X ?|--method[ =])(?i:delete|put)|deleteRef|updateRefs?\\b)|^api .*(-X ?|--method[ =])(?i:patch).*(refs|--input)|^api .*refs.*(-X ?|--method[ =])(?i:patch)|^pr merge .*--admin|^workflow disable",
  "glab: ^repo (delete|mirror|archive)|^api .*(force=true|(-X ?|--method[ =])(?i:delete|put|patch))", "tea: ^repos? (rm|delete)",
  "jj: ^(\\S+ )*(git push|abandon|undo|restore|util exec|op(eration)? (restore|undo|abandon|revert)|bookmark (delete|forget)|workspace forget)|--config|--config-file",
  "sl|hg: push .*(-f |--force)|^(up|update|co|checkout|goto) .*(-C |--clean)|^revert .*(-[a-zA-Z]*[aC]|--all|--no-backup)|^(rollback|strip|purge|hide|prune|histedit|debugstrip)",
  "svn: ^cleanup .*--remove|^revert .*(-R|--recursive)", "p4: ^(revert|obliterate|clean)",
  "bzr|brz: ^(revert|uncommit|clean-tree)|push .*--overwrite", "darcs: ^(obliterate|revert|unrecord|unpull)", "fossil: ^(revert|clean|purge|shun)",
  "cvs: ^(up|update) .*-\\w*C", "stg: ^(delete|reset)", "gt|gs|av|spr|ghstack: ^(submit|sync|push|land) .*(-f |--force)",
  "repo: ^sync .*(--force|-d )|^(abandon|prune|forall)", "quilt: ^pop .*-\\w*f|^delete .*-r", "dvc: ^checkout .*(-f |--force)|^gc",
  "gita|mr|meta|mu-repo|gr: (push .*(-f |--force|\\+)|reset .*--hard|clean|checkout .*(-f |--force))", "bfg: .", "java: bfg\\S*\\.jar",
  "scalar: ^(delete|unregister)", "pre-commit|lefthook|husky|overcommit|simple-git-hooks|hk: ^(\\S+ )*(uninstall|--uninstall|-u) ",
  "npx|pnpm|yarn|bunx|bundle|npm|python3?: (pre-commit|pre_commit|lefthook|husky|overcommit|simple-git-hooks)(@\\S+)? (-\\S+ )*(uninstall|--uninstall) ",
}
-- Tools of a server of GitHub and the like: those that take away, and those that write to a branch.
local HOSTED = "^mcp__\\w*(github|gitlab|gitea|forgejo|bitbucket)\\w*__"
local TAKES = "__(\\w*_)?(delete|remove|force)(_|$)"
local WRITES = "__(\\w*_)?(push|create_or_update|update|commit|edit|write)(_|$)"

-- A question about a program that loses what git or another system keeps, or nil.
local function of_program(cmd)
  local text = ""
  for _, arg in cmd.args do
    text ..= (if type(arg) == "string" then arg else arg.text) .. " "
  end
  for _, row in if type(cmd.name) == "string" then LOSES else {} do
    local names, pattern = string.match(row, "^(.-): (.*)$")
    if snaphook.regex.matches(`^({names})$`, cmd.name) and snaphook.regex.matches(pattern, text) then
      return ask(`This may lose commits, changes or the repository's own hooks: {cmd.text}`)
    end
  end
  return nil
end

-- A question about a tool of a server that works on repositories of others, or nil. `branches` are those that others build on.
local function of_tool(event, branches)
  local tool = snaphook.regex.replace("([a-z])([A-Z])", event.tool, "${1}_$2")
  tool = string.lower(tool)
  if not snaphook.regex.matches(HOSTED, tool) then
    return nil
  elseif event.input.force == true or snaphook.regex.matches(TAKES, tool) then
    return ask(`{event.tool} overwrites or deletes what others see`)
  elseif snaphook.regex.matches(WRITES, tool) then
    for _, key in { "branch", "branch_name", "branchName", "ref" } do
      local branch = event.input[key]
      if type(branch) == "string" and branches[snaphook.regex.replace("^(refs/)?(heads/)?", branch, "")] then
        return ask(`{event.tool} publishes to {branch}, which others build on`)
      end
    end
  end
  return nil
end

return { program = of_program, tool = of_tool }
