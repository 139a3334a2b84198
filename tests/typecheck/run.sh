#!/usr/bin/env bash
# Real checkers over the declarations for editors, and over every hook that we hand out. They are built here, by fixed version, which
# takes minutes. What they passed is named by its content in `checked`: the same is not built for again. `--anew` builds anyway.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=tests/typecheck
emmylua=0.25.1

# All that the checkers see: the declarations, the cases, the hooks, and the blocks of code of pages.
content() {
  printf '%s\n' "$emmylua"
  cat "$here/run.sh" "$here/Cargo.lock" "$here/Cargo.toml"
  git ls-files -z -- "$here/cases" "$here/src" "$here/tests" crates/snaphook-cli/types crates/snaphook-cli/templates 'hooks-examples/*.lua' |
    LC_ALL=C sort -z | xargs -0 sha256sum
  awk 'FNR == 1 { inside = 0 } /^ *```/ { inside = !inside } inside || /^ *```/' README.md docs/guide.md docs/testing.md
}
content=$(content | sha256sum | cut -d ' ' -f 1)
if [[ ${1-} != --anew && $(cat "$here/checked") == "$content" ]]; then
  echo "checked before, as it is now ($content)"
  exit 0
fi

# Debug builds, because building takes far longer than checking.
cargo install emmylua_check --version "$emmylua" --locked --debug --root target/emmylua --target-dir target/emmylua-build
rm -rf target/emmylua-build
cargo test --locked --manifest-path "$here/Cargo.toml" --target-dir target/typecheck
printf '%s\n' "$content" >"$here/checked"
