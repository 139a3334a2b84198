-- Line 2 is where it goes wrong.
while true do end
