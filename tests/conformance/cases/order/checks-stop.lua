on("pre_commit", function(event, ctx) ctx.send("first") end)
on("pre_commit", function(event, ctx) return { fail = true, reason = "second" } end)
on("pre_commit", function(event, ctx) ctx.send("third") end)
