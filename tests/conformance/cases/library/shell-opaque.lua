on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    snaphook.shell.commands("ls")[1].opaque == nil,
    snaphook.shell.commands("python3 -c 'f()'")[1].opaque.kind,
    snaphook.shell.commands("python3 -c 'f()'")[1].opaque.language,
    snaphook.shell.commands("python3 -c 'f()'")[1].opaque.code,
    snaphook.shell.commands("python3 -c 'f()'")[1].opaque.written,
    snaphook.shell.commands("python3 -c 'f()'")[1].opaque.file == nil,
    snaphook.shell.commands("sh x")[1].opaque.kind,
    snaphook.shell.commands("sh x")[1].opaque.language,
    snaphook.shell.commands("sh x")[1].opaque.file,
    snaphook.shell.commands("sh x")[1].opaque.written,
    snaphook.shell.commands("echo x > y; sh y")[2].opaque.written,
    snaphook.shell.commands("EDITOR=x git commit")[1].opaque.kind,
    snaphook.shell.commands("PATH=x:y")[1].opaque.kind,
    snaphook.shell.commands("python3 - <<'E'\ng()\nE")[1].opaque.code,
  }) }
end)
