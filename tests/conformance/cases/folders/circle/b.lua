require("a")
return {}
