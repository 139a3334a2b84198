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

# Write the generated pages and check all pages
docs:
    cargo run --quiet -- types --reference > docs/reference.md
    BLESS=1 cargo test -p snaphook-cli --test it -- the_tables_of_agents_are the_page_says_what_runs_saw
    cargo test -p snaphook-cli --test it -- docs compat rows architecture tour agents_seen api types

# Run everything that has to pass (needs Python 3.10, Node 20 and the network)
ci:
    .ci/run
