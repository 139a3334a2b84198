#!/usr/bin/env bash
# Snaphook's gate for ACP between the SDK's own client and agents that no one here wrote: OpenCode, Gemini CLI, Codex. Needs what
# agents.sh needs, which installs the agents, and the network once: the client and Codex's adapter are fixed in
# acp/package-lock.json and kept in target/acp.
#
#     tests/interop/acp.sh [--program PATH] [--only AGENT[:SCENE]]... [--list] [--keep FOLDER]
#
# Prints `ok AGENT:SCENE outcome` or `not ok …` with details, and exits with 1 on any difference.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
kept=$root/target/acp

"$here/agents.sh" --list >/dev/null
if ! cmp -s "$here/acp/package-lock.json" "$kept/package-lock.json"; then
  # The folder gets its name when all is in it.
  rm -rf "$kept" "$kept.new"
  mkdir -p "$kept.new"
  cp "$here/acp/package.json" "$here/acp/package-lock.json" "$kept.new"
  # No script of a package runs, and Codex itself is that of agents.sh.
  (cd "$kept.new" && npm ci --ignore-scripts --omit=optional --no-audit --no-fund --loglevel=error)
  mv "$kept.new" "$kept"
fi
exec python3 -B -W ignore "$here/acp" --kept "$kept" --agents "$root/target/agents" "$@"
