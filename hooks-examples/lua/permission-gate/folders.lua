-- Folders that options name: those that a program empties, and those of the machine that a container gets.
local words = require("words")
local any, text_of, name_of = words.any, words.text_of, words.name_of

-- Programs that empty a folder: their names, with which words, and the options and variables that say which folder.
local EMPTIES = {
  "pytest|py\\.test: .: --basetemp", "pytest|py\\.test: --cache-clear: cache_dir",
  "vite|ng|docusaurus|mkdocs|mdbook|hugo|jekyll|typedoc|webpack|tsup|eleventy|zola|storybook: .: --outDir --outdir --out-dir --output-path --output-dir --output --site-dir --dest-dir --destination --delete-output-path -outDir -o -d",
  "jest: --clearCache: --cacheDirectory", "cargo: clean: --target-dir CARGO_TARGET_DIR", "go: clean: GOCACHE GOMODCACHE GOPATH",
  "npm: clean: --cache npm_config_cache", "yarn: clean: --cache-folder YARN_CACHE_FOLDER", "pip: purge: --cache-dir PIP_CACHE_DIR",
  "pnpm: prune: --store-dir", "uv: clean|prune: --cache-dir UV_CACHE_DIR", "ccache: -[a-z]*[cC] |--clear: -d --dir CCACHE_DIR",
  "bat: --clear: --target", "cmake: --fresh: -B", "mvn|gradle|gradlew|mvnw: clean: -DbuildDirectory -Dproject.build.directory -PbuildDir",
  "bazel: clean: --output_base --output_user_root", "swift: clean|reset: --scratch-path --build-path",
  "dotnet: clean|--clear: -o --output NUGET_PACKAGES", "cabal: clean: --builddir", "tox: .: --workdir", "nox: .: --envdir",
  "xcodebuild: clean: -derivedDataPath SYMROOT OBJROOT", "meson: --wipe: setup --wipe", "make|gmake: clean: BUILDDIR DESTDIR",
}
-- Names of folders that are there to be emptied.
local SPARE = "(?i)(^|[/._${-])(target|dist|builds?|out|output|public|www|site|book|html|te?mp|tmpdir|caches?|coverage|artifacts?|release|debug|static|node_modules|v?env|"
  .. "tox|nox|modcache|gocache|gomodcache|go/pkg|pkg/mod|store|deriveddata|runner_temp|packages)([/._0-9-]|$)"
-- What lets a container reach the whole machine: its rights, its own manager, folders of the system. A value may be a word of its own.
local ESCAPES = "^--privileged(=true)?$|^--(pid|userns|ipc|uts|cgroupns)=host$|^--cap-add=(?i:all|(cap_)?sys_\\w+)$|(docker|containerd|podman|crio)\\.sock|unconfined|"
  .. "^(-v|--volume=|(\\S*[,=])?(source|src|device)=)/+((etc|root|home|usr|var|boot|lib|lib64|bin|sbin|proc|sys|dev|run|opt)/*)?(:|,|$)"
local TAKES_VALUE = "^(-v|--(volume|mount|opt|pid|userns|ipc|uts|cgroupns|cap-add|security-opt)|-o)$"

-- Whether a word names a folder that is not there to be emptied.
local function matters(word)
  return not snaphook.regex.matches(SPARE, snaphook.path.normalize(text_of(word)))
end

-- Whether a program empties a folder that one would miss. `line` has what was set before, as `NAME=value`.
local function empties(cmd, line)
  local name, args, text, runs = name_of(cmd), cmd.args, "", cmd.assignments
  for _, arg in args do
    text ..= " " .. text_of(arg)
  end
  -- `npx vite`, `python -m pytest`.
  local started = snaphook.regex.find("^ (?:-\\S+ )*(?:(?:exec|dlx|x|run) )?([\\w.-]+)", text)
  for _, row in EMPTIES do
    local names, when, options = string.match(row, "^(.-): (.-): (.*)$")
    local is_meant = snaphook.regex.matches(`^({names})$`, name) or started and snaphook.regex.matches(`^({names})$`, started.groups[1])
    if is_meant and snaphook.regex.matches(when, text .. " ") then
      for option in string.gmatch(options, "%S+") do
        if runs[option] and matters(runs[option]) then
          return true
        end
        local before = function(set) return string.sub(set, 1, #option + 1) == option .. "=" and matters(string.sub(set, #option + 2)) end
        if any(line, before) then
          return true
        end
        for at, arg in args do
          local given = text_of(arg)
          local value = if given == option then args[at + 1] elseif string.sub(given, 1, #option + 1) == option .. "=" then string.sub(given, #option + 2) else nil
          if value and matters(value) then
            return true
          end
        end
      end
    end
  end
  return false
end

-- Whether a container may reach the whole machine.
local function escapes(cmd)
  if not snaphook.regex.matches("^(docker|podman|nerdctl)(-compose)?$", name_of(cmd)) then
    return false
  end
  local option = ""
  return any(cmd.args, function(arg)
    local text = text_of(arg)
    local word = if snaphook.regex.matches(TAKES_VALUE, option) then (if #option > 2 then option .. "=" else "-v") .. text else text
    option = text
    return snaphook.regex.matches(ESCAPES, word) or snaphook.regex.matches("^-", word) and snaphook.regex.matches(ESCAPES, text)
  end)
end

return { empties = empties, escapes = escapes }
