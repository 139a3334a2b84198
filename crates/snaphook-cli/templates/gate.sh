#!/bin/sh
#---
# name: __NAME__
# description: Keeps the agent away from production.env, whatever the tool
# event: tool_call
# timeout: 10s
#---

# The event is one JSON document on standard input: `tool`, `command`, `paths`, `input` and more. Where `jq` is installed,
# `jq -r .command` takes a field out of it.
event=$(cat)

# A search for text is a reminder, not a wall: `production.en?` means the same file to a shell, and no hook in sh sees that.
# A hook in Lua or Rhai has `snaphook.shell` and matchers for paths.
case $event in
  *production.env*)
    # Exit code 2 denies, and standard error is the reason that the agent reads.
    echo "production.env is not for agents: use development.env" >&2
    exit 2
    ;;
esac

# 0 has no objection. Any other code, a signal, or an answer that comes too late, denies as well.
exit 0
