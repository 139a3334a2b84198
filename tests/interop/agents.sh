#!/usr/bin/env bash
# Snaphook in running agents: each is installed from its npm package, set up by `snaphook install`, and driven by a model on loopback
# that says what a scene wrote for it. Needs x86-64 Linux, Python 3.10, Node 20 with npm, git, and the network once: what it installs is
# fixed in agents/package-lock.json and kept in target/agents (some 2 GB).
#
#     tests/interop/agents.sh [--program PATH] [--only AGENT[:SCENE]]... [--list] [--json FILE] [--keep FOLDER]
#
# Prints `ok AGENT:SCENE outcome`, `not ok …` with what differs from agents/expected.py, or `not tried … reason`, and a table of it all.
# Ends with 1 if anything differs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/agents
root=$(cd "$here/../../.." && pwd)
kept=$root/target/agents
mkdir -p "$kept"

if ! cmp -s "$here/package-lock.json" "$kept/node/package-lock.json"; then
  rm -rf "$kept/node"
  mkdir "$kept/node"
  cp "$here/package.json" "$here/package-lock.json" "$kept/node"
  # Nothing of these packages runs while it is installed. They are the programs of this platform themselves, where there are such packages.
  (cd "$kept/node" && npm ci --ignore-scripts --omit=optional --no-audit --no-fund --loglevel=error) ||
    { rm -rf "$kept/node"; exit 1; }
  # Grok's package brings its program packed, and unpacks it in a script of its own.
  (cd "$kept/node/node_modules/@xai-official/grok-linux-x64/bin" &&
    node -e 'require("fs").writeFileSync("grok", require("zlib").brotliDecompressSync(require("fs").readFileSync("grok.br")), { mode: 0o755 })' &&
    rm grok.br)
fi
exec python3 -B -W ignore "$here" --kept "$kept" "$@"
