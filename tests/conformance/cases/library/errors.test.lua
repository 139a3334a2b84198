test("what the library cannot do is an error with its place", function(t)
  local patterns = {
    json_decode = '^not JSON: EOF while parsing an object at line 1 column 1$',
    json_encode = '`f` is a function',
    glob = '.',
    glob_of_nothing = 'snaphook(::|\\.)glob(::|\\.)matches takes a pattern or a list of patterns',
    regex = '"\\(" is not a regular expression: unclosed group',
    regex_size = 'is not a regular expression',
    time_parse = '"tomorrow" is not a time like 2026-01-31T12:00:00Z',
    time_iso = 'is not a time that can be written',
    command_field = 'a shell command has no `cmd`',
    redirect_field = 'a redirect has no `writes`; did you mean a redirect.write',
    match_field = 'a match has no `txt`; did you mean a match.text',
    unknown_word = 'the word \\$F is not known before the command runs',
  }
  local lines = {
    json_decode = 2,
    json_encode = 3,
    glob = 4,
    glob_of_nothing = 5,
    regex = 6,
    regex_size = 7,
    time_parse = 8,
    time_iso = 9,
    command_field = 10,
    redirect_field = 11,
    match_field = 12,
    unknown_word = 13,
  }
  for name, pattern in patterns do
    local r = t.tool_call{ tool = "bash", command = name }
    expect(r).denied((pattern:gsub("^%^", "failed: ")))
    expect(r.reasons[1].cause).eq("error")
    expect(name .. " " .. r.reasons[1].line).eq(name .. " " .. lines[name])
  end
end)
