//! Type expressions of the stubs, as the Lua language server writes them: `string[]`, `table<string, Word>`, `"a"|"b"`,
//! `(string|false)[]`, `integer?`, `fun(t: Test)`. Only what the stubs need; everything else is an error.

use super::model::Type;

/// A type that is not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TypeError {
    #[error("`{token}` is missing before `{before}`")]
    MissingToken { token: String, before: String },
    #[error("a type is missing before `{before}`")]
    MissingType { before: String },
    #[error("a text has no end")]
    OpenText,
    #[error("`>` is missing behind `table<`")]
    OpenTable,
    #[error("write `?` behind the type in place of `nil`")]
    Nil,
}

/// Reads the type at the start of `text` and gives what stands behind it.
///
/// # Errors
/// There is no type, or one that is not understood.
pub(crate) fn take(text: &str) -> Result<(Type, &str), TypeError> {
    let mut reader = Reader { rest: text.trim_start() };
    let ty = reader.union()?;
    Ok((ty, reader.rest))
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Takes a token with blanks around it.
    fn expect(&mut self, token: &str) -> Result<(), TypeError> {
        self.rest = self.rest.trim_start();
        if !self.eat(token) {
            return Err(TypeError::MissingToken { token: token.to_owned(), before: self.rest.to_owned() });
        }
        self.rest = self.rest.trim_start();
        Ok(())
    }

    fn name(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_.".contains(c)));
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        name
    }

    fn union(&mut self) -> Result<Type, TypeError> {
        let first = self.postfix()?;
        let mut parts = vec![first];
        while self.eat("|") {
            parts.push(self.postfix()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Type::Union(parts) })
    }

    fn postfix(&mut self) -> Result<Type, TypeError> {
        let mut ty = self.primary()?;
        loop {
            if self.eat("[]") {
                ty = Type::List(Box::new(ty));
            } else if self.eat("?") {
                ty = Type::Optional(Box::new(ty));
            } else {
                return Ok(ty);
            }
        }
    }

    fn primary(&mut self) -> Result<Type, TypeError> {
        if self.eat("(") {
            let inner = self.union()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.eat("\"") {
            let (text, rest) = self.rest.split_once('"').ok_or(TypeError::OpenText)?;
            self.rest = rest;
            return Ok(Type::Literal(text.to_owned()));
        }
        let name = self.name();
        Ok(match name {
            "" => return Err(TypeError::MissingType { before: self.rest.to_owned() }),
            "any" => Type::Any,
            "string" => Type::Text,
            "number" => Type::Number,
            "integer" => Type::Integer,
            "boolean" => Type::Bool,
            "true" => Type::Flag(true),
            "false" => Type::Flag(false),
            "table" => {
                self.expect("<")?;
                let key = self.union()?;
                self.expect(",")?;
                let value = self.union()?;
                // No blank behind it is taken: the doc begins there.
                if !self.eat(">") {
                    return Err(TypeError::OpenTable);
                }
                Type::Map(Box::new(key), Box::new(value))
            }
            "fun" => self.function()?,
            "nil" => return Err(TypeError::Nil),
            name => Type::Named(name.to_owned()),
        })
    }

    fn function(&mut self) -> Result<Type, TypeError> {
        self.expect("(")?;
        let mut params = Vec::new();
        while !self.rest.starts_with(')') {
            let name = self.name().to_owned();
            self.expect(":")?;
            params.push((name, self.union()?));
            if !self.rest.starts_with(')') {
                self.expect(",")?;
            }
        }
        self.eat(")");
        Ok(Type::Function(params))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read() {
        let named = |name: &str| Type::Named(name.to_owned());
        let list = |inner| Type::List(Box::new(inner));
        for (text, ty, rest) in [
            ("string What it is.", Type::Text, " What it is."),
            ("string[]", list(Type::Text), ""),
            ("RegexMatch? m", Type::Optional(Box::new(named("RegexMatch"))), " m"),
            ("(string|false)[] x", list(Type::Union(vec![Type::Text, Type::Flag(false)])), " x"),
            (
                "\"now\"|\"next\" x",
                Type::Union(vec![Type::Literal("now".into()), Type::Literal("next".into())]),
                " x",
            ),
            ("table<string, Word[]> x", Type::Map(Box::new(Type::Text), Box::new(list(named("Word")))), " x"),
            ("fun(t: Test) x", Type::Function(vec![("t".into(), named("Test"))]), " x"),
            ("fun()", Type::Function(Vec::new()), ""),
            ("integer[]?", Type::Optional(Box::new(list(Type::Integer))), ""),
        ] {
            assert_eq!(take(text), Ok((ty, rest)), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for text in [
            "",
            "|x",
            "table",
            "table<string>",
            "table<string, any",
            "\"open",
            "(string",
            "nil",
            "fun(x)",
            "{ a: b }",
        ] {
            assert!(take(text).is_err(), "{text}: {:?}", take(text));
        }
    }
}
