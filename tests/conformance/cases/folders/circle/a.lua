require("b")
return {}
