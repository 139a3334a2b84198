-- Line 2 is where it goes wrong.
on(5, function(event) end)
