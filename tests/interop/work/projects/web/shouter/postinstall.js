require("fs").writeFileSync("built.txt", "by its script\n");
