#!/usr/bin/env bash
# Makes one executable file of the sources: build/greeter
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
mkdir -p build
{
  echo '#!/usr/bin/env bash'
  echo 'set -euo pipefail'
  cat src/lib.sh
  echo 'greet "$(trim "${1:-}")"'
} > build/greeter
chmod +x build/greeter
echo "built build/greeter"
