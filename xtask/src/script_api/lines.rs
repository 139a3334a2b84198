//! The lines of a stub, each by what it is. Not here: what they say together (`parse`).

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Nothing.
    Blank,
    /// `-- …`, for whoever reads the stub.
    Comment,
    /// `-- Rhai: …`: how it is in Rhai.
    Rhai(&'a str),
    /// `-- Rhai as: …`: how it is written in Rhai.
    RhaiAs(&'a str),
    /// `--- …`.
    Doc(&'a str),
    /// `---@NAME REST`.
    Tag(&'a str, &'a str),
    /// `NAME = {}` or `local NAME = {}`.
    Variable(&'a str),
    /// `function OWNER.NAME(PARAMS) end`; the owner is empty for a global.
    Function {
        /// The object that it belongs to.
        owner: &'a str,
        /// Its name.
        name: &'a str,
        /// True if there is a colon between the two.
        method: bool,
        /// The names in its brackets, as they were written.
        params: &'a str,
    },
    /// Anything else.
    Other,
}

/// Judges a line.
pub(crate) fn judge(line: &str) -> Line<'_> {
    if line.trim().is_empty() {
        return Line::Blank;
    }
    if let Some(tag) = line.strip_prefix("---@") {
        let (name, rest) = tag.split_once(' ').unwrap_or((tag, ""));
        return Line::Tag(name, rest.trim());
    }
    if let Some(doc) = line.strip_prefix("---") {
        return Line::Doc(doc.trim());
    }
    if let Some(comment) = line.strip_prefix("--") {
        let comment = comment.trim();
        let spelling = comment.strip_prefix("Rhai as: ").map(Line::RhaiAs);
        return spelling.or_else(|| comment.strip_prefix("Rhai: ").map(Line::Rhai)).unwrap_or(Line::Comment);
    }
    function(line).or_else(|| variable(line)).unwrap_or(Line::Other)
}

fn function(line: &str) -> Option<Line<'_>> {
    let (whole, rest) = line.strip_prefix("function ")?.split_once('(')?;
    let params = rest.strip_suffix(") end")?;
    let (owner, name, method) = match (whole.rsplit_once(':'), whole.rsplit_once('.')) {
        (Some((owner, name)), _) => (owner, name, true),
        (None, Some((owner, name))) => (owner, name, false),
        (None, None) => ("", whole, false),
    };
    (is_path(owner) || owner.is_empty()).then_some(())?;
    is_name(name).then_some(Line::Function { owner, name, method, params })
}

fn variable(line: &str) -> Option<Line<'_>> {
    let name = line.strip_prefix("local ").unwrap_or(line).strip_suffix(" = {}")?;
    is_path(name).then_some(Line::Variable(name))
}

/// Returns whether it is one name.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns whether it is one name, or several with dots between them.
pub(crate) fn is_path(text: &str) -> bool {
    text.split('.').all(is_name)
}
