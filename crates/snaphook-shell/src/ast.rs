//! The syntax tree of a bash text. Data only: `parser.rs` and `lexer.rs` build it, `walk.rs` reads it.

/// A whole text: its list, and the bodies of its here-documents, which redirects name by index.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) list: List,
    pub(super) docs: Vec<Doc>,
}

/// Commands one after the other.
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) items: Vec<AndOr>,
}

/// `a && b || c`, perhaps in the background.
#[derive(Debug)]
pub(super) struct AndOr {
    pub(super) first: Pipeline,
    pub(super) rest: Vec<(Joint, Pipeline)>,
    pub(super) background: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    And,
    Or,
}

/// `a | b`. Empty after a lone `time` or `!`.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) stages: Vec<Node>,
}

/// One command with its redirects.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) redirects: Vec<Redir>,
    pub(super) place: Place,
}

/// Where a command stands in the text that holds it.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    pub(super) text: String,
    pub(super) line: usize,
    pub(super) column: usize,
}

#[derive(Debug)]
pub(super) enum Kind {
    Simple(Simple),
    Group(List),
    Subshell(List),
    If {
        branches: Vec<(List, List)>,
        otherwise: Option<List>,
    },
    Loop {
        cond: List,
        body: List,
    },
    For {
        var: String,
        words: Vec<RawWord>,
        body: List,
    },
    Case {
        subject: RawWord,
        arms: Vec<(Vec<RawWord>, List)>,
    },
    Arith(Vec<Part>),
    ArithFor {
        head: Vec<Part>,
        body: List,
    },
    /// `[[ … ]]`; `logic` when it holds `&&`, `||`, `(` or `<`, which `sh` would read as shell operators.
    Test {
        words: Vec<RawWord>,
        logic: bool,
    },
    Function {
        name: String,
        body: Box<Node>,
    },
    Coproc {
        name: String,
        body: Box<Node>,
    },
}

#[derive(Debug, Default)]
pub(super) struct Simple {
    pub(super) assigns: Vec<Assign>,
    pub(super) words: Vec<RawWord>,
}

#[derive(Debug)]
pub(super) struct Assign {
    pub(super) name: String,
    pub(super) subscript: Option<Vec<Part>>,
    pub(super) append: bool,
    pub(super) value: Value,
}

#[derive(Debug)]
pub(super) enum Value {
    Scalar(RawWord),
    Array(Vec<RawWord>),
}

/// A word before expansion, with its source text.
#[derive(Debug, Default)]
pub(super) struct RawWord {
    pub(super) parts: Vec<Part>,
    pub(super) text: String,
}

#[derive(Debug)]
pub(super) enum Part {
    /// Unquoted text: braces, globs and a leading tilde are live.
    Lit(String),
    /// Text whose characters stand for themselves.
    Quoted(String),
    /// `"…"`
    Double(Vec<Part>),
    Param(Box<Param>),
    /// `$(…)` and backquotes.
    Command(List),
    /// `<(…)` and `>(…)`.
    Process(List),
    /// `$((…))` and `$[…]`.
    Arith(Vec<Part>),
    /// `@(a|b)` and its kin.
    Pattern(Vec<Part>),
    /// `name=(…)` as an argument of `declare`.
    Array(Vec<RawWord>),
}

#[derive(Debug)]
pub(super) struct Param {
    pub(super) name: String,
    /// `${!x}`
    pub(super) indirect: bool,
    pub(super) subscript: Option<Vec<Part>>,
    pub(super) op: Op,
}

#[derive(Debug)]
pub(super) enum Op {
    None,
    /// `${#x}`
    Length,
    /// `${x:-w}`, `${x=w}`, `${x:+w}`, `${x?w}`: the kind is one of `-=?+`.
    Cond {
        kind: u8,
        word: Vec<Part>,
    },
    /// `${x@P}`
    Prompt,
    /// Any other operator: the value is not worked out, what it runs is.
    Other(Vec<Part>),
}

#[derive(Debug)]
pub(super) struct Redir {
    pub(super) fd: Option<i32>,
    /// `{name}>file`
    pub(super) var: Option<String>,
    pub(super) op: RedirOp,
}

#[derive(Debug)]
pub(super) enum RedirOp {
    File {
        target: RawWord,
        read: bool,
        write: bool,
        append: bool,
    },
    /// `&>` and `&>>`.
    Both {
        target: RawWord,
        append: bool,
    },
    /// `<&` and `>&`.
    Dup {
        target: RawWord,
        output: bool,
    },
    Here(usize),
    HereString(RawWord),
}

/// The body of a here-document.
#[derive(Debug, Default)]
pub(super) struct Doc {
    pub(super) parts: Vec<Part>,
}
