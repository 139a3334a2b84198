on("tool_call", function(event)
  while event.command == "loop" do
  end
end)
