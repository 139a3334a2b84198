#!/usr/bin/env bash
# Runs each fuzz target for so many seconds (60 unless said otherwise): `fuzz/run.sh [SECONDS [TARGET…]]`. Says per target what it
# ran and found, ends with 1 if anything was found, and keeps findings in fuzz/artifacts/TARGET. See docs/fuzzing.md.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds="${1:-60}"
shift || true
toolchain="${FUZZ_TOOLCHAIN:-nightly}"
version=0.13.2

fail() { printf 'fuzz/run.sh: %s\n' "$1" >&2; exit 64; }
[[ $seconds =~ ^[0-9]+$ && $seconds -gt 0 ]] || fail "\"$seconds\" is no number of seconds; usage: fuzz/run.sh [SECONDS [TARGET…]]"
# The sanitizer is an unstable option of the compiler.
rustc "+$toolchain" --version >/dev/null 2>&1 \
  || fail "the toolchain \"$toolchain\" is missing; rustup toolchain install nightly --profile minimal (or set FUZZ_TOOLCHAIN)"
cargo fuzz --version >/dev/null 2>&1 || fail "cargo-fuzz is missing; cargo install cargo-fuzz --version $version --locked"

targets=("$@")
((${#targets[@]})) || mapfile -t targets < <(cargo fuzz list)
cargo "+$toolchain" fuzz build || exit 70

# A finding is an input that breaks an oracle, takes more than 10 seconds, or more than 2 GiB.
found=0
printf '%-14s %12s %10s  %s\n' target runs runs/s findings
for target in "${targets[@]}"; do
  corpus="fuzz/corpus/$target" artifacts="fuzz/artifacts/$target" words="fuzz/words/$target.txt"
  mkdir -p "$corpus" "$artifacts"
  before=$(find "$artifacts" -type f | wc -l)
  log="$artifacts.log"
  options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1)
  [[ -f $words ]] && options+=(-dict="$words")
  cargo "+$toolchain" fuzz run "$target" "$corpus" "fuzz/seeds/$target" -- "${options[@]}" >"$log" 2>&1
  code=$?
  stat() { awk -v key="stat::$1:" '$1 == key { value = $2 } END { print value == "" ? "-" : value }' "$log"; }
  new=$(($(find "$artifacts" -type f | wc -l) - before))
  ((code == 0)) || found=1
  said=none
  ((code == 0)) || said="$new new in $artifacts, told in $log"
  printf '%-14s %12s %10s  %s\n' "$target" "$(stat number_of_executed_units)" "$(stat average_exec_per_sec)" "$said"
done
exit "$found"
