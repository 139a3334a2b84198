#!/usr/bin/env bash
# Runs every test and prints one line for each. Exits with 1 if one failed.
set -uo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
failed=0

check() {
  local what="$1" expected="$2" got="$3"
  if [[ "$got" == "$expected" ]]; then
    echo "ok   $what"
  else
    echo "FAIL $what: expected '$expected', got '$got'"
    failed=1
  fi
}

check "greets by name" "Hello, Ada!" "$(bash "$root/src/greet.sh" Ada)"
check "trims the name" "Hello, Ada!" "$(bash "$root/src/greet.sh" "  Ada ")"
check "greets the world" "Hello, world!" "$(bash "$root/src/greet.sh")"

exit "$failed"
