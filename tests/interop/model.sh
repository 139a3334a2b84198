#!/usr/bin/env bash
# The scripted model (crates/snaphook-testing/src/model) read by the providers' own SDKs, streamed and whole, and our own client
# (`snaphook run`) before a model that no one here wrote (npm `@copilotkit/aimock`). Needs Node 20, `script` of util-linux,
# npm, and the network once: what it installs is fixed in model/package-lock.json and kept in target/interop/model.
#
#     tests/interop/model.sh [--program PATH] [--snaphook PATH] [--only NAME]... [--list]
#
# The program is the example `scripted_model`: cargo build -p snaphook-testing --features model --example scripted_model
#
# Prints `ok NAME` or `not ok NAME` with what differs, and ends with 1 if anything was not ok.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/model
root=$(cd "$here/../../.." && pwd)
kept=$root/target/interop/model
mkdir -p "$root/target/interop"

if ! cmp -s "$here/package-lock.json" "$kept/package-lock.json"; then
  # The folder gets its name when all is in it.
  rm -rf "$kept" "$kept.new"
  mkdir "$kept.new"
  cp "$here/package.json" "$here/package-lock.json" "$kept.new"
  # Nothing of these packages runs while it is installed.
  (cd "$kept.new" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  mv "$kept.new" "$kept"
fi

# Modules are found beside the file that asks for them.
rm -rf "$kept/checks"
mkdir "$kept/checks"
cp "$here"/*.mjs "$kept/checks"

target=${CARGO_TARGET_DIR:-$root/target}
built=$(ls -t "$target"/{release,debug}/examples/scripted_model 2>/dev/null | head -n 1 || true)
snaphook=$(ls -t "$target"/{release,debug}/snaphook 2>/dev/null | head -n 1 || true)
exec node "$kept/checks/main.mjs" ${built:+--program "$built"} ${snaphook:+--snaphook "$snaphook"} "$@"
