//! The spelling of values in messages: as the author of the hook writes them. Not here: what is wrong with a value.

/// The language in which a message shows what to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// `{ block = true }`, `nil`.
    Lua,
    /// `#{ block: true }`, `()`.
    Rhai,
    /// `{"block": true}`, `null`: executables and handlers in Rust.
    Json,
}

impl Notation {
    /// One named value: `block = true`, `block: true`, `"block": true`.
    pub fn pair(self, name: &str, value: &str) -> String {
        match self {
            Notation::Lua => format!("{name} = {value}"),
            Notation::Rhai => format!("{name}: {value}"),
            Notation::Json => format!("\"{name}\": {value}"),
        }
    }

    /// Several: `{ block = true, reason = "…" }`.
    pub fn record(self, pairs: &[(&str, &str)]) -> String {
        let inner: Vec<_> = pairs.iter().map(|(name, value)| self.pair(name, value)).collect();
        let inner = inner.join(", ");
        match self {
            Notation::Lua => format!("{{ {inner} }}"),
            Notation::Rhai => format!("#{{ {inner} }}"),
            Notation::Json => format!("{{{inner}}}"),
        }
    }

    /// A list of texts: `{ "status", "--short" }`, `["status", "--short"]`.
    pub fn texts<'a>(self, texts: impl IntoIterator<Item = &'a str>) -> String {
        let inner: Vec<_> = texts.into_iter().map(|text| format!("{text:?}")).collect();
        let inner = inner.join(", ");
        match self {
            Notation::Lua if inner.is_empty() => "{}".to_owned(),
            Notation::Lua => format!("{{ {inner} }}"),
            Notation::Rhai | Notation::Json => format!("[{inner}]"),
        }
    }

    /// Returns what the language calls something with named values, with its article.
    pub fn map(self) -> &'static str {
        match self {
            Notation::Lua => "a table",
            Notation::Rhai => "a map",
            Notation::Json => "an object",
        }
    }

    /// Returns what the language calls a list, with its article.
    pub fn list(self) -> &'static str {
        match self {
            Notation::Lua => "a list",
            Notation::Rhai | Notation::Json => "an array",
        }
    }

    /// The value that means "no value".
    pub fn nothing(self) -> &'static str {
        match self {
            Notation::Lua => "nil",
            Notation::Rhai => "()",
            Notation::Json => "null",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_spelt_as_in_their_language() {
        for (notation, record, texts) in [
            (Notation::Lua, "{ block = true, reason = \"…\" }", "{ \"a\", \"b c\" }"),
            (Notation::Rhai, "#{ block: true, reason: \"…\" }", "[\"a\", \"b c\"]"),
            (Notation::Json, "{\"block\": true, \"reason\": \"…\"}", "[\"a\", \"b c\"]"),
        ] {
            assert_eq!(notation.record(&[("block", "true"), ("reason", "\"…\"")]), record);
            assert_eq!(notation.texts(["a", "b c"]), texts);
        }
        assert_eq!(Notation::Lua.texts([]), "{}");
    }
}
