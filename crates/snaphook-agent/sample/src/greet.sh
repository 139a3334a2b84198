#!/usr/bin/env bash
# Greets somebody: greet.sh [NAME]
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=src/lib.sh
source "$here/lib.sh"

greet "$(trim "${1:-}")"
