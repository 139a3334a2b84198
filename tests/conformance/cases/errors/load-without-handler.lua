-- Line 2 is where it goes wrong.
local nothing = true
