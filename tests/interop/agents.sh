#!/usr/bin/env bash
# Drives real coding agents with snaphook as their hook. Each agent is installed from its npm package,
# set up by `snaphook install`, and talks to a scripted model on loopback. Needs x86-64 Linux,
# Python 3.10, Node 20 with npm, git, and the network once. The versions are fixed in
# agents/package-lock.json; the packages are kept in target/agents (2.8 GB). Mistral Vibe is a Python
# package (agents/python.txt), and is not tried where there is no Python 3.12 or 3.13.
#
#     tests/interop/agents.sh [--program PATH] [--only AGENT[:SCENE]]... [--few] [--list] [--json FILE] [--record] [--keep FOLDER]
#
# `--record` keeps what was seen in agents/seen.json, of which a part of docs/agents.md is made.
#
# Prints `ok AGENT:SCENE outcome`, `not ok …` with details if the outcome is not the one in
# agents/expected.py, or `not tried … reason`, and a table at the end. Exits with 1 on any difference.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/agents
root=$(cd "$here/../../.." && pwd)
kept=$root/target/agents
mkdir -p "$kept"

if ! cmp -s "$here/package-lock.json" "$kept/node/package-lock.json"; then
  # The folder gets its name when all is in it.
  rm -rf "$kept/node" "$kept/node.new"
  mkdir "$kept/node.new"
  cp "$here/package.json" "$here/package-lock.json" "$kept/node.new"
  # No script of a package runs. Most packages here are the programs for this platform.
  (cd "$kept/node.new" && npm ci --ignore-scripts --omit=optional --no-audit --no-fund --loglevel=error)
  # Grok's package contains its program compressed, and would unpack it in a script.
  (cd "$kept/node.new/node_modules/@xai-official/grok-linux-x64/bin" &&
    node -e 'const fs = require("fs"); fs.writeFileSync("grok", require("zlib").brotliDecompressSync(fs.readFileSync("grok.br")), { mode: 0o755 })' &&
    rm grok.br)
  mv "$kept/node.new" "$kept/node"
fi

for python in python3.12 python3.13 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[23].*/bin/python; do
  cmp -s "$here/python.txt" "$kept/python/python.txt" && break
  "$python" -c 'import ensurepip, sys; sys.exit(sys.version_info[:2] not in [(3, 12), (3, 13)])' 2>/dev/null || continue
  rm -rf "$kept/python"
  "$python" -m venv "$kept/python"
  "$kept/python/bin/pip" install --quiet --disable-pip-version-check --only-binary=:all: --no-deps --require-hashes -r "$here/python.txt"
  # The mark that all is there.
  cp "$here/python.txt" "$kept/python"
done
exec python3 -B -W ignore "$here" --kept "$kept" "$@"
