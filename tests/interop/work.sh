#!/usr/bin/env bash
# Real work under `snaphook hold -p project`: each job runs in a throw-away project and home, once unheld
# and once held, and both must end alike. Needs Linux, Rust, a C and C++ compiler, make, Python 3.10,
# Node 20 with npm, git, and the network once: the wheels of work/python.txt are kept in target/work.
# The runs are laid there, too, unless it is below /tmp: temporary folders are inside the walls of the
# profile.
#
#     tests/interop/work.sh [--program PATH] [--only JOB]... [--list] [--rounds N] [--time] [--json FILE]
#                           [--as USER] [--policy JSON] [--self-test] [--place FOLDER] [--keep]
#
# Prints `ok JOB`, `not ok JOB` with what differs, `known JOB` where work/jobs.py describes the
# difference, or `not tried JOB` with the reason. Exits with 1 on any other difference, never because
# something took long. `--self-test` runs the held side with the project read-only as well, and fails
# where a job does not notice. CARGO_HOME and RUSTUP_HOME are those of the environment, as is PATH.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/work
root=$(cd "$here/../../.." && pwd)
kept=$root/target/work
mkdir -p "$kept"

if ! cmp -s "$here/python.txt" "$kept/wheels/python.txt"; then
  # The folder gets its name when all is in it.
  rm -rf "$kept/wheels" "$kept/wheels.new"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
    --dest "$kept/wheels.new" -r "$here/python.txt"
  cp "$here/python.txt" "$kept/wheels.new"
  mv "$kept/wheels.new" "$kept/wheels"
fi
exec python3 -B -W ignore "$here" --kept "$kept" "$@"
