# The verbs of everyday work. `just --list` shows them; `.ci/run` is what has to pass.

# Show the verbs
_default:
    @just --list

# Build the command
build:
    cargo build

# Run the tests of the whole workspace, or of what you name: `just test -p snaphook-lua`
test *ARGS="--workspace":
    cargo test {{ ARGS }}

# Check formatting and lints, as CI does
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# Write what is generated from the stubs: declarations for editors and docs/reference.md
generate:
    cargo xtask generate

# Write the generated files and the tables of docs/agents.md, and check all pages
docs:
    cargo xtask docs

# Build the command as it is shipped, with completions and manual pages
dist:
    cargo xtask dist

# Run everything that has to pass (needs Python 3.10, Node 20 and the network)
ci:
    .ci/run
