-- Line 2 is where it goes wrong.
ctx.send("x")
