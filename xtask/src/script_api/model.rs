//! What an API is made of. No text is read or written here.

/// Everything that scripts see, but for events.
#[derive(Debug, Clone, Default)]
pub struct Api {
    /// Objects with names of their own (`snaphook.json`, `ctx`) and kinds of values (`ShellCommand`), as they stand in the
    /// stubs.
    pub classes: Vec<Class>,
    /// Functions that belong to no class.
    pub functions: Vec<Function>,
    /// Names for types.
    pub aliases: Vec<Alias>,
}

impl Api {
    /// The class of this name.
    pub fn class(&self, name: &str) -> Option<&Class> {
        self.classes.iter().find(|class| class.name == name)
    }

    /// Every member of a class with those of its parents, first the fields, then the functions.
    pub fn members(&self, class: &Class) -> Vec<String> {
        let mut names = class.parent.as_deref().and_then(|parent| self.class(parent));
        let mut found = names.take().map(|parent| self.members(parent)).unwrap_or_default();
        found.extend(class.fields.iter().map(|field| field.name.clone()));
        found.extend(class.functions.iter().map(|function| function.name.clone()));
        found.extend(self.parts(&class.name).map(|part| part.short().to_owned()));
        found
    }

    /// The objects inside of an object: `snaphook.json` of `snaphook`.
    pub fn parts<'a>(&'a self, object: &'a str) -> impl Iterator<Item = &'a Class> {
        self.classes
            .iter()
            .filter(move |class| class.name.rsplit_once('.').is_some_and(|(of, _)| of == object))
    }
}

/// The place where something stands in the stubs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StubLocation {
    /// The stub's name.
    pub file: &'static str,
    /// The line, from 1.
    pub line: usize,
}

impl std::fmt::Display for StubLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// An object or a kind of value.
#[derive(Debug, Clone)]
pub struct Class {
    /// Its name: that of an object has small letters and dots (`snaphook.json`), that of a kind begins with a capital.
    pub name: String,
    /// The class whose fields it has as well.
    pub parent: Option<String>,
    /// Its description.
    pub doc: String,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Its functions.
    pub functions: Vec<Function>,
    /// The variable that stands for it in the stubs.
    pub variable: Option<String>,
    /// The place where it stands.
    pub location: StubLocation,
}

impl Class {
    /// Returns whether scripts reach it by name, rather than get it from a function.
    pub fn is_object(&self) -> bool {
        self.name.starts_with(|c: char| c.is_ascii_lowercase())
    }

    /// The last part of the name.
    pub fn short(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }
}

/// A field of a class.
#[derive(Debug, Clone)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// True if it may be absent.
    pub optional: bool,
    /// Its type.
    pub ty: Type,
    /// Its description.
    pub doc: String,
    /// The way it is written in Rhai, where that is not as in Lua.
    pub rhai_as: Option<String>,
}

/// A function.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name, without what it belongs to.
    pub name: String,
    /// True if it is called with a colon in Lua.
    pub method: bool,
    /// Its description.
    pub doc: String,
    /// The way it is in Rhai, where that differs.
    pub rhai: Option<String>,
    /// The way it is written in Rhai, where that is not as in Lua.
    pub rhai_as: Option<String>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its results.
    pub returns: Vec<Return>,
    /// The place where it stands.
    pub location: StubLocation,
}

/// A parameter.
#[derive(Debug, Clone)]
pub struct Param {
    /// Its name; `...` takes any number.
    pub name: String,
    /// True if it may be left out.
    pub optional: bool,
    /// Its type.
    pub ty: Type,
    /// Its description; may be empty.
    pub doc: String,
}

/// A result.
#[derive(Debug, Clone)]
pub struct Return {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its description; may be empty.
    pub doc: String,
}

/// A name for a type.
#[derive(Debug, Clone)]
pub struct Alias {
    /// The name.
    pub name: String,
    /// The type.
    pub ty: Type,
    /// Its description.
    pub doc: String,
    /// The place where it stands.
    pub location: StubLocation,
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// Any value.
    Any,
    /// Text.
    Text,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Bool,
    /// Exactly this text.
    Literal(String),
    /// Exactly this truth value.
    Flag(bool),
    /// A class or an alias.
    Named(String),
    /// A list.
    List(Box<Type>),
    /// A map.
    Map(Box<Type>, Box<Type>),
    /// One of these.
    Union(Vec<Type>),
    /// This or nothing.
    Optional(Box<Type>),
    /// A function that gives nothing.
    Function(Vec<(String, Type)>),
}

impl Type {
    /// Every class and alias that the type names.
    pub fn names(&self, found: &mut Vec<String>) {
        match self {
            Type::Named(name) => found.push(name.clone()),
            Type::List(inner) | Type::Optional(inner) => inner.names(found),
            Type::Map(key, value) => {
                key.names(found);
                value.names(found);
            }
            Type::Union(parts) => parts.iter().for_each(|part| part.names(found)),
            Type::Function(params) => params.iter().for_each(|(_, part)| part.names(found)),
            Type::Any
            | Type::Text
            | Type::Number
            | Type::Integer
            | Type::Bool
            | Type::Literal(_)
            | Type::Flag(_) => {}
        }
    }
}
