test("no grant gives hooks, settings or state", function(t)
  local root = t.fs{ [".snaphook/hooks/gate.lua"] = "gate", ["docs/"] = "" }
  for _, path in { ".snaphook/hooks/gate.lua", ".snaphook/hooks/new.lua", ".snaphook/config.toml", "docs/../.snaphook/x", ".SNAPHOOK/x",
    "docs/.snaphook", root .. "/.snaphook/hooks/x.lua", root .. "/../state/x", "/etc/snaphook/hooks/x.lua" } do
    expect(t.tool_call{ tool = "bash", command = path }).denied("which no grant gives")
  end
  expect(t.tool_call{ tool = "bash", command = "docs/fine" }.decision).eq("allow")
end)
