# Functions of the greeter. Sourced, not run.

# Removes spaces from both ends.
trim() {
  local text="$1"
  text="${text#"${text%%[! ]*}"}"
  printf '%s' "${text%"${text##*[! ]}"}"
}

# Prints the greeting for a name; for nobody in particular it greets the world.
greet() {
  local name="$1"
  printf 'Hello, %s!\n' "$name"
}
