//! Stubs to the model. Small and strict: what is not understood is an error with file and line, so that nothing that a stub
//! says is silently missing from the declarations and the reference.

use super::lines::{Line, is_name, is_path, judge};
use super::model::{Alias, Api, Class, Field, Function, Param, Return, StubLocation, Type};
use super::stubs::Stub;
use super::types;

/// A stub that is not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{location}: {message}")]
pub struct StubError {
    /// The place.
    pub location: StubLocation,
    /// The message.
    pub message: String,
}

/// Reads stubs.
///
/// # Errors
/// The first line that is not understood, a name that is declared twice, or a type that nobody declares.
pub fn parse(stubs: &[Stub]) -> Result<Api, StubError> {
    let mut parser = Parser::default();
    for stub in stubs {
        let mut lines = stub.text.lines();
        parser.location = StubLocation { file: stub.file, line: 1 };
        if lines.next() != Some("---@meta") {
            return parser.error("the first line is `---@meta`");
        }
        for (index, line) in lines.enumerate() {
            parser.location.line = index + 2;
            parser.line(judge(line))?;
        }
        parser.location.line += 1;
        parser.line(Line::Blank)?;
    }
    resolve(&parser.api)?;
    Ok(parser.api)
}

#[derive(Default)]
struct Parser {
    api: Api,
    location: StubLocation,
    /// The lines above, about the next class, alias or function.
    doc: String,
    rhai: Option<String>,
    rhai_as: Option<String>,
    params: Vec<Param>,
    returns: Vec<Return>,
    /// The class that fields belong to, until a blank line.
    open: Option<Class>,
}

impl Default for StubLocation {
    fn default() -> Self {
        StubLocation { file: "", line: 1 }
    }
}

type Done<T = ()> = Result<T, StubError>;

impl Parser {
    fn error<T>(&self, message: impl Into<String>) -> Done<T> {
        Err(StubError { location: self.location, message: message.into() })
    }

    fn line(&mut self, line: Line<'_>) -> Done {
        match line {
            Line::Comment => Ok(()),
            Line::Rhai(text) => {
                self.rhai = Some(text.to_owned());
                Ok(())
            }
            Line::RhaiAs(text) => {
                self.rhai_as = Some(text.to_owned());
                Ok(())
            }
            Line::Doc(text) => {
                if self.open.is_some() {
                    return self.error("a blank line is missing behind the class above");
                }
                let space = if self.doc.is_empty() { "" } else { " " };
                self.doc = format!("{}{space}{text}", self.doc);
                Ok(())
            }
            Line::Tag(name, rest) => self.tag(name, rest),
            Line::Variable(name) => self.variable(name),
            Line::Function { owner, name, method, params } => self.function(owner, name, method, params),
            Line::Blank => self.blank(),
            Line::Other => {
                self.error("this line is neither a comment, nor `NAME = {}`, nor `function NAME(…) end`")
            }
        }
    }

    fn tag(&mut self, name: &str, rest: &str) -> Done {
        match name {
            "class" => self.class(rest),
            "field" => self.field(rest),
            "param" => {
                let (name, optional, ty, doc) = self.entry(rest)?;
                self.params.push(Param { name, optional, ty, doc });
                Ok(())
            }
            "return" => {
                let (ty, rest) = self.ty(rest)?;
                let (name, doc) = rest.split_once(' ').unwrap_or((rest, ""));
                if !is_name(name) {
                    return self.error("the result's name is missing behind its type");
                }
                let (name, doc) = (name.to_owned(), doc.trim().to_owned());
                self.returns.push(Return { name, ty, doc });
                Ok(())
            }
            "alias" => self.alias(rest),
            other => self.error(format!("the tag `@{other}` is not known here")),
        }
    }

    fn class(&mut self, rest: &str) -> Done {
        if self.open.is_some() {
            return self.error("a blank line is missing behind the class above");
        }
        let (name, parent) = match rest.split_once(": ") {
            Some((name, parent)) => (name, Some(parent.to_owned())),
            None => (rest, None),
        };
        if !is_path(name) {
            return self.error(format!("`{name}` is no name of a class"));
        }
        self.is_new(name)?;
        self.open = Some(Class {
            name: name.to_owned(),
            parent,
            doc: self.doc()?,
            fields: Vec::new(),
            functions: Vec::new(),
            variable: None,
            location: self.location,
        });
        Ok(())
    }

    fn field(&mut self, rest: &str) -> Done {
        let (name, optional, ty, doc) = self.entry(rest)?;
        let location = self.location;
        let Some(class) = &mut self.open else { return self.error("a field of no class") };
        if class.fields.iter().any(|field| field.name == name) {
            return Err(StubError { location, message: format!("the field `{name}` is there already") });
        }
        if doc.is_empty() {
            return Err(StubError { location, message: format!("nothing is said about the field `{name}`") });
        }
        class.fields.push(Field { name, optional, ty, doc, rhai_as: self.rhai_as.take() });
        Ok(())
    }

    fn alias(&mut self, rest: &str) -> Done {
        let Some((name, ty)) = rest.split_once(' ') else {
            return self.error("an alias is a name and a type");
        };
        let (ty, left) = self.ty(ty)?;
        if !left.is_empty() || !is_name(name) {
            return self.error("an alias is a name and a type, and nothing else");
        }
        self.is_new(name)?;
        let alias = Alias { name: name.to_owned(), ty, doc: self.doc()?, location: self.location };
        self.api.aliases.push(alias);
        Ok(())
    }

    /// `NAME = {}`: the variable of the class above.
    fn variable(&mut self, name: &str) -> Done {
        let Some(mut class) = self.open.take() else { return self.error("a variable of no class") };
        if class.is_object() && class.name != name {
            return self.error(format!("the object `{}` has another name here", class.name));
        }
        class.variable = Some(name.to_owned());
        self.api.classes.push(class);
        Ok(())
    }

    fn function(&mut self, owner: &str, name: &str, method: bool, written: &str) -> Done {
        if self.open.is_some() {
            return self.error("a blank line is missing behind the class above");
        }
        let params = std::mem::take(&mut self.params);
        let names: Vec<_> = params.iter().map(|param| param.name.as_str()).collect();
        if names.join(", ") != written {
            return self.error(format!("`@param` names ({}), the function ({written})", names.join(", ")));
        }
        let function = Function {
            name: name.to_owned(),
            method,
            doc: self.doc()?,
            rhai: self.rhai.take(),
            rhai_as: self.rhai_as.take(),
            params,
            returns: std::mem::take(&mut self.returns),
            location: self.location,
        };
        let list = if owner.is_empty() {
            &mut self.api.functions
        } else {
            let owns = |class: &&mut Class| class.variable.as_deref() == Some(owner);
            match self.api.classes.iter_mut().find(owns) {
                Some(class) => &mut class.functions,
                None => return self.error(format!("nothing above is called `{owner}`")),
            }
        };
        if list.iter().any(|known| known.name == name) {
            return self.error(format!("the function `{name}` is there already"));
        }
        list.push(function);
        Ok(())
    }

    /// A blank line ends what stands above it.
    fn blank(&mut self) -> Done {
        if let Some(class) = self.open.take() {
            self.api.classes.push(class);
        }
        let nothing = self.doc.is_empty() && self.params.is_empty() && self.returns.is_empty();
        if !nothing || self.rhai.is_some() || self.rhai_as.is_some() {
            return self.error("a comment about nothing: the line below it is blank");
        }
        Ok(())
    }

    fn doc(&mut self) -> Done<String> {
        if self.doc.is_empty() {
            self.error("nothing is said about it: a line `--- …` is missing above")
        } else {
            Ok(std::mem::take(&mut self.doc))
        }
    }

    /// `NAME TYPE doc`; a question mark behind the name says that it may be absent.
    fn entry(&self, text: &str) -> Done<(String, bool, Type, String)> {
        let Some((name, rest)) = text.split_once(' ') else {
            return self.error("a name and a type are needed");
        };
        let (name, optional) = name.strip_suffix('?').map_or((name, false), |name| (name, true));
        if !is_name(name) && name != "..." {
            return self.error(format!("`{name}` is no name"));
        }
        let (ty, doc) = self.ty(rest)?;
        Ok((name.to_owned(), optional, ty, doc.to_owned()))
    }

    fn ty<'a>(&self, text: &'a str) -> Done<(Type, &'a str)> {
        let (ty, rest) = types::take(text).or_else(|error| self.error(error.to_string()))?;
        if !rest.is_empty() && !rest.starts_with(' ') {
            return self.error(format!("`{rest}` behind a type is not understood"));
        }
        Ok((ty, rest.trim()))
    }

    fn is_new(&self, name: &str) -> Done {
        let known = self.api.class(name).is_some() || self.api.aliases.iter().any(|alias| alias.name == name);
        if known { self.error(format!("`{name}` is there already")) } else { Ok(()) }
    }
}

/// Every name that a type uses is declared somewhere.
fn resolve(api: &Api) -> Done {
    let known = |name: &str| api.class(name).is_some() || api.aliases.iter().any(|alias| alias.name == name);
    let mut used: Vec<(StubLocation, String)> = Vec::new();
    let mut take = |location: StubLocation, ty: &Type| {
        let mut names = Vec::new();
        ty.names(&mut names);
        used.extend(names.into_iter().map(|name| (location, name)));
    };
    for class in &api.classes {
        class.fields.iter().for_each(|field| take(class.location, &field.ty));
        class.parent.iter().for_each(|parent| take(class.location, &Type::Named(parent.clone())));
    }
    let functions = api.classes.iter().flat_map(|class| &class.functions).chain(&api.functions);
    for function in functions {
        function.params.iter().for_each(|param| take(function.location, &param.ty));
        function.returns.iter().for_each(|result| take(function.location, &result.ty));
    }
    api.aliases.iter().for_each(|alias| take(alias.location, &alias.ty));
    match used.into_iter().find(|(_, name)| !known(name)) {
        Some((location, name)) => Err(StubError { location, message: format!("undeclared type `{name}`") }),
        None => Ok(()),
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
