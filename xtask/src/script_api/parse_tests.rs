//! The parser of stubs: what it reads, and that it reads nothing else.

use super::*;

fn read(text: &str) -> Result<Api, StubError> {
    let text = Box::leak(format!("---@meta\n{text}").into_boxed_str());
    parse(&[Stub { file: "x.d.lua", text }])
}

const WHOLE: &str = "
--- An object.
---@class a.b: Kind
-- Rhai as: ()
---@field x? string[] What it is.
---@field y true What it is.
a.b = {}

-- A remark for whoever reads this.
-- Rhai: raises instead.
--- What it does,
--- on two lines.
---@param one integer What comes in.
---@param two? Kind
---@return string? text What comes out.
---@return boolean ok
function a.b.c(one, two) end

--- A kind.
---@class Kind

--- A name.
---@alias Name \"x\"|Kind
";

#[test]
fn a_stub_is_read() {
    let api = read(WHOLE).unwrap();
    let object = api.class("a.b").unwrap();
    assert!(object.is_object());
    assert_eq!((object.doc.as_str(), object.parent.as_deref()), ("An object.", Some("Kind")));
    let field = &object.fields[0];
    assert_eq!((field.rhai_as.as_deref(), object.fields[1].rhai_as.as_deref()), (Some("()"), None));
    assert_eq!((field.name.as_str(), field.optional, field.doc.as_str()), ("x", true, "What it is."));
    let function = &object.functions[0];
    assert_eq!(function.doc, "What it does, on two lines.");
    assert_eq!(function.rhai.as_deref(), Some("raises instead."));
    assert_eq!(function.params.iter().map(|param| param.optional).collect::<Vec<_>>(), [false, true]);
    assert_eq!(function.returns[0].ty, Type::Optional(Box::new(Type::Text)));
    assert_eq!(function.returns[1].name, "ok");
    assert_eq!(function.location.to_string(), "x.d.lua:18");
    assert_eq!(api.aliases[0].name, "Name");
    assert_eq!(api.members(object), ["x", "y", "c"]);
}

#[test]
fn what_is_not_understood_is_an_error_with_its_line() {
    for (text, error) in [
        ("x = 1", "2: this line is neither a comment"),
        ("---@class A", "2: nothing is said about it"),
        ("--- A.\n---@class A\n---@field x", "4: a name and a type are needed"),
        ("--- A.\n---@class A\n---@field x string", "4: nothing is said about the field `x`"),
        (
            "--- A.\n---@class A\n---@field x string A.\n---@field x string B.",
            "5: the field `x` is there already",
        ),
        ("--- A.\n---@class A\n--- B.", "4: a blank line is missing"),
        ("--- A.\n---@class A-B", "3: `A-B` is no name of a class"),
        ("--- A.\n---@class A\n\n--- A.\n---@class A", "6: `A` is there already"),
        ("--- A.\n---@class A: B", "3: undeclared type `B`"),
        ("--- A.\n---@class a\nb = {}", "4: the object `a` has another name"),
        ("---@field x string A.", "2: a field of no class"),
        ("b = {}", "2: a variable of no class"),
        ("--- A.\n\n", "3: a comment about nothing"),
        ("--- A.\n---@param x string\n", "4: a comment about nothing"),
        ("--- A.\n---@generic T", "3: the tag `@generic` is not known"),
        ("--- A.\n---@param x string\nfunction f(y) end", "4: `@param` names (x), the function (y)"),
        ("--- A.\nfunction a.f() end", "3: nothing above is called `a`"),
        ("--- A.\nfunction f() end\n--- A.\nfunction f() end", "5: the function `f` is there already"),
        ("function f() end", "2: nothing is said about it"),
        ("--- A.\n---@return string\nfunction f() end", "3: the result's name is missing"),
        ("--- A.\n---@return string] x\nfunction f() end", "3: `] x` behind a type is not understood"),
        ("--- A.\n---@return Thing x\nfunction f() end", "4: undeclared type `Thing`"),
        ("--- A.\n---@alias X", "3: an alias is a name and a type"),
        ("--- A.\n---@alias X string more", "3: an alias is a name and a type"),
        ("--- A.\nfunction f()\nend", "3: this line is neither"),
    ] {
        let got = read(text).map(|_| ()).unwrap_err();
        assert!(got.to_string().starts_with(&format!("x.d.lua:{error}")), "{text}\n{got}");
    }
}

#[test]
fn a_stub_begins_with_meta() {
    let stub = Stub { file: "x.d.lua", text: "--- A.\n---@class A\n" };
    assert_eq!(
        parse(&[stub]).map(|_| ()).unwrap_err().to_string(),
        "x.d.lua:1: the first line is `---@meta`"
    );
}

#[test]
fn our_own_stubs_are_read() {
    let api = crate::script_api::api().unwrap();
    for object in ["snaphook", "snaphook.shell", "ctx", "ctx.ui", "Test", "Expectation"] {
        assert!(api.class(object).is_some(), "{object}");
    }
}
