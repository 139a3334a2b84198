#!/usr/bin/env bash
# Runs each fuzz target for so many seconds (60 unless said otherwise): `fuzz/run.sh [SECONDS [TARGET…]]`. Says per target what it
# ran and found, keeps findings in fuzz/artifacts/TARGET, ends with 1 if there are any, and says how to run them once more. See
# docs/dev/fuzzing.md. The target `soundness` is no fuzz target but the long form of a test: texts that the shell reader understands, run in
# real shells. It is only run by name, needs no nightly toolchain, and goes on with new texts each time (SOUNDNESS_SEED says which).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds="${1:-60}"
shift || true
toolchain="${FUZZ_TOOLCHAIN:-nightly}"
version=0.13.2

fail() { printf 'fuzz/run.sh: %s\n' "$1" >&2; exit 64; }
[[ $seconds =~ ^[0-9]+$ && $seconds -gt 0 ]] || fail "\"$seconds\" is no number of seconds; usage: fuzz/run.sh [SECONDS [TARGET…]]"

sound=0
if [[ " $* " == *" soundness "* ]]; then
  cargo build --release -p snaphook-shell --example soundness || exit 70
  seed=(); [[ -n ${SOUNDNESS_SEED:-} ]] && seed=(--seed "$SOUNDNESS_SEED")
  cargo run --release -q -p snaphook-shell --example soundness -- --seconds "$seconds" --jobs "$(nproc)" "${seed[@]}" || sound=1
  rest=()
  for target in "$@"; do [[ $target == soundness ]] || rest+=("$target"); done
  ((${#rest[@]})) || exit "$sound"
  set -- "${rest[@]}"
fi

# The sanitizer is an unstable option of the compiler.
rustc "+$toolchain" --version >/dev/null 2>&1 \
  || fail "the toolchain \"$toolchain\" is missing; rustup toolchain install nightly --profile minimal (or set FUZZ_TOOLCHAIN)"
cargo fuzz --version >/dev/null 2>&1 || fail "cargo-fuzz is missing; cargo install cargo-fuzz --version $version --locked"

mapfile -t known < <(cargo fuzz list)
targets=("$@")
for target in "${targets[@]}"; do
  [[ " ${known[*]} " == *" $target "* ]] || fail "there is no target \"$target\"; there are ${known[*]}"
done
if ((${#targets[@]})); then
  for target in "${targets[@]}"; do cargo "+$toolchain" fuzz build "$target" || exit 70; done
else
  targets=("${known[@]}")
  cargo "+$toolchain" fuzz build || exit 70
fi

# A finding is an input that breaks an oracle, takes more than 10 seconds, or more than 2 GiB.
findings=()
printf '%-14s %12s %10s  %s\n' target runs runs/s findings
for target in "${targets[@]}"; do
  corpus="fuzz/corpus/$target" artifacts="fuzz/artifacts/$target" words="fuzz/words/$target.txt"
  mkdir -p "$corpus" "$artifacts"
  log="$artifacts.log"
  options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1)
  [[ -f $words ]] && options+=(-dict="$words")
  cargo "+$toolchain" fuzz run "$target" "$corpus" "fuzz/seeds/$target" -- "${options[@]}" >"$log" 2>&1
  code=$?
  stat() { awk -v key="stat::$1:" '$1 == key { value = $2 } END { print value == "" ? "-" : value }' "$log"; }
  said=none
  if ((code != 0)); then
    # The run ends with its first finding, which may be one that is kept already.
    kept=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
    kept="${kept:+$artifacts/${kept##*/}}"
    said="${kept:-the run failed}, told in $log"
    findings+=("$target ${kept:-$log}")
  fi
  printf '%-14s %12s %10s  %s\n' "$target" "$(stat number_of_executed_units)" "$(stat average_exec_per_sec)" "$said"
done
((${#findings[@]})) || exit "$sound"

printf '\nonce more, and with a smaller input:\n'
for finding in "${findings[@]}"; do
  [[ $finding == *.log ]] || printf '  cargo +%s fuzz run %s\n  cargo +%s fuzz tmin %s\n' "$toolchain" "$finding" "$toolchain" "$finding"
done
exit 1
