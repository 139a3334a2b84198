on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    snaphook.glob.matches({}, "a"),
    snaphook.glob.matches("*.rs", "src/a.rs"),
    snaphook.glob.matches("/*.rs", "src/a.rs"),
    snaphook.glob.matches({ "*.rs", "!a.rs" }, "src/a.rs"),
    snaphook.glob.matches({ "*.rs", "!a.rs" }, "src/b.rs"),
    snaphook.glob.matches("target/", "target/debug/x"),
    snaphook.glob.matches("**/fixtures/*.json", "a/b/fixtures/c.json"),
  }) }
end)
