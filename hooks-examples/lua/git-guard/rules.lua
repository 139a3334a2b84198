-- What git does without a question. Closed: a subcommand, an option or a setting that is not here is asked about.
local command = require("command")
local set = command.set

-- These only read, whatever their options; but for `--output`, which writes a file.
local READS = set("status log diff show blame annotate ls-files ls-tree ls-remote rev-parse describe shortlog grep cat-file name-rev merge-base rev-list "
  .. "for-each-ref show-ref show-branch count-objects diff-tree diff-files diff-index check-ignore check-attr check-ref-format var version help whatchanged "
  .. "cherry range-diff verify-commit verify-tag fsck")
-- These work, with options (long ones, then letters) that lose nothing and skip no hook, and the commands of their own.
local WORKS = {
  "add: all update verbose dry-run patch intent-to-add renormalize ignore-errors | AuvnpN |",
  "commit: message all amend no-edit quiet verbose signoff no-signoff allow-empty author date file fixup squash reuse-message dry-run short porcelain patch only include trailer reset-author cleanup gpg-sign no-gpg-sign | maqvsFcCSpoie |",
  "fetch: all prune tags no-tags depth quiet verbose unshallow deepen dry-run jobs | ptqvjna |",
  "pull: rebase no-rebase ff-only ff no-ff quiet verbose tags all prune autostash no-edit | rqvp |",
  "push: set-upstream dry-run quiet verbose porcelain tags follow-tags atomic progress no-progress push-option signed | unqvo46 |",
  "merge: no-ff ff ff-only squash no-commit commit abort continue message quiet no-edit edit verbose stat no-stat | mqvenXF |",
  "rebase: onto continue abort skip interactive autosquash no-autosquash autostash quiet root keep-base update-refs | iq |",
  "cherry-pick: continue abort skip no-commit edit no-edit signoff mainline | nxesm |",
  "revert: continue abort skip no-commit edit no-edit signoff mainline | nesm |",
  "stash: include-untracked keep-index no-keep-index message staged index quiet all stat | ukmSqa | push save list show apply pop create branch -",
  "checkout: track no-track detach quiet ours theirs progress no-progress recurse-submodules orphan guess no-guess | btqdl |",
  "switch: create track no-track detach quiet guess no-guess orphan progress | ctdq |",
  "restore: staged worktree source quiet ours theirs progress | SsWq |",
  "reset: soft mixed quiet keep patch | qNp |",
  "clean: dry-run quiet exclude | nqdxXe |",
  "branch: list all remotes verbose show-current contains no-contains merged no-merged points-at sort format delete move column no-column abbrev set-upstream-to unset-upstream track no-track copy ignore-case quiet | arvdmcluqti |",
  "tag: list sort format annotate message points-at contains no-contains merged no-merged sign verify column no-column ignore-case file | lnamsFviu0123456789 |",
  "remote: verbose | vn | show get-url add -",
  "worktree: detach track guess-remote quiet porcelain lock reason orphan verbose | bdqvz | list add -",
  "submodule: init recursive remote merge rebase depth jobs quiet name branch cached | qbj | status init update summary add sync -",
  "bisect: term-old term-new no-checkout first-parent | | start good bad old new skip reset log terms",
  "mv: verbose dry-run | vnk |",
  "rm: cached quiet ignore-unmatch dry-run | nqr |",
  "init: quiet bare initial-branch shared object-format | bq |",
  "clone: depth branch quiet verbose recurse-submodules recursive single-branch no-single-branch no-tags bare filter jobs origin progress no-checkout shallow-submodules | bqvnjo |",
  "apply: check stat numstat summary index cached 3way verbose whitespace directory recount unidiff-zero | vp3C0123456789 |",
  "am: continue abort skip 3way signoff quiet keep | sk3qi |",
  "format-patch: stdout output-directory numbered cover-letter subject-prefix reroll-count signoff root base quiet | onskNvq0123456789 |",
  "archive: format prefix list verbose output | ovl0123456789 |",
  "notes: | | list show -", "reflog: all oneline date max-count format | n0123456789 | show list exists -", "config: | |",
}
-- Settings by which git does nothing else than it says.
local SETTING = "^(user\\.(name|email)|(author|committer)\\.(name|email)|color\\..*|advice\\..*|init\\.defaultbranch|core\\.(autocrlf|eol|quotepath|filemode|"
  .. "ignorecase|safecrlf|abbrev|longpaths|whitespace|pager=(cat)?|editor=(true|:))|pull\\.(rebase|ff)|fetch\\.prune|rebase\\.(autostash|autosquash|updaterefs)|"
  .. "merge\\.(ff|conflictstyle)|diff\\.(renames|algorithm|colormoved|context|noprefix)|commit\\.(gpgsign|verbose)|tag\\.gpgsign|log\\..*|status\\..*|column\\.ui|"
  .. "branch\\.[^.]+\\.description|rerere\\.enabled|protocol\\.version|safe\\.directory)(=.*)?$"

local function row(sub)
  for _, line in WORKS do
    local name, longs, letters, words = string.match(line, "^(.-):(.-)|(.-)|(.*)$")
    if name == sub then
      return set(longs), letters, set(words)
    end
  end
  return nil, nil, nil
end

-- What in a call is not known to be harmless, or nil.
local function unknown(call, cmd)
  local sub = call.sub
  if not sub or READS[sub] then
    for _, arg in cmd.args do
      if string.find(if type(arg) == "string" then arg else arg.prefix, "^%-%-ou") then
        return if type(arg) == "string" then arg else arg.text
      end
    end
    return nil
  end
  local longs, letters, words = row(sub)
  if not longs then
    return `{sub}, a subcommand that is not known to be harmless`
  end
  for _, long in call.longs do
    if not longs[long] and sub ~= "config" then
      return `{sub} --{long}`
    end
  end
  for letter in call.letters do
    if not string.find(letters, letter, 1, true) and sub ~= "config" then
      return `{sub} -{letter}`
    end
  end
  if next(words) and not words[call.words[1] or "-"] then
    return `{sub} {call.words[1] or ""}`
  end
  return nil
end

local function is_plain_setting(text)
  return snaphook.regex.matches(SETTING, string.lower(text))
end

-- Whether this is a subcommand, of those that work, that only read or that lose something.
local OTHERS = set("gc prune update-ref symbolic-ref filter-branch filter-repo read-tree checkout-index commit-tree replace mergetool repack")
local function knows(sub)
  return READS[sub] or OTHERS[sub] or row(sub) ~= nil
end

return { unknown = unknown, knows = knows, is_plain_setting = is_plain_setting, READS = READS }
