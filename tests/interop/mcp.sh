#!/usr/bin/env bash
# Snaphook's MCP gate between servers and clients that no one here wrote. Needs Python 3.10, Node 20, npm, git, and the network
# once: what it installs is fixed in package-lock.json and requirements.txt and kept in target/interop.
#
#     tests/interop/mcp.sh [--program PATH] [--only NAME]... [--list]
#
# Prints `ok NAME` or `not ok NAME` with what differs, and ends with 1 if anything was not ok.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
kept=$root/target/interop
mkdir -p "$kept"

# Whether what lies in folder $1 was made from just this file.
made() { cmp -s "$here/$2" "$kept/$1/$2"; }

if ! made node package-lock.json; then
  rm -rf "$kept/node"
  mkdir "$kept/node"
  cp "$here/package.json" "$kept/node"
  cp "$here/package-lock.json" "$kept/node/package-lock.json"
  # Nothing of these packages runs while it is installed. Their newer Node is one of them.
  (cd "$kept/node" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) ||
    { rm -f "$kept/node/package-lock.json"; exit 1; }
fi
if ! made python requirements.txt; then
  rm -rf "$kept/python"
  python3 -m venv "$kept/python"
  "$kept/python/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$kept/python"
fi

exec "$kept/python/bin/python" -B -W ignore "$here" --kept "$kept" "$@"
