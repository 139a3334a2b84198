//! Compiles a text to a script, and finds what Rhai would find only when the line runs, without its line. Not here: running it.

use rhai::{AST, ASTNode, Engine, EvalAltResult, Expr, FnPtr, ParseError, ParseErrorType};

use crate::error;
use crate::hints;
use crate::raise::{Raised, raise};

/// The function that makes a function of a name.
const FN_CONSTRUCTOR: &str = "Fn";

/// Compiles a script or a module.
///
/// # Errors
/// It does not parse, or names a word of the language as a function.
pub(crate) fn compile(engine: &Engine, source: &str) -> Result<AST, Raised> {
    let tree = engine.compile(source).map_err(|error| explain(error, source))?;
    match source.contains(FN_CONSTRUCTOR).then(|| no_function(&tree)).flatten() {
        Some(error) => Err(error),
        None => Ok(tree),
    }
}

/// The compiler's error, with what is written instead where that can be seen from the source.
fn explain(error: ParseError, source: &str) -> Raised {
    let ParseError(kind, at) = error;
    let unknown = match &*kind {
        ParseErrorType::VariableUndefined(name) => Some(name.as_str()),
        _ => None,
    };
    let message = error::parsing(&kind);
    let place = at.line().zip(at.position());
    let remedy = place.and_then(|(line, column)| hints::syntax(&message, unknown, source, line, column));
    let Some(remedy) = remedy else { return EvalAltResult::ErrorParsing(*kind, at).into() };
    // The remedy for the line is surer than that for the name.
    let message = unknown.map_or(message, |name| format!("there is no variable \"{name}\" here"));
    let mut raised = raise(format!("{message}; {remedy}"));
    raised.set_position(at);
    raised
}

/// The first `Fn("eval")`, or any other word that Rhai keeps for itself. It can only fail, and cannot be caught; within a handler
/// the place gets lost. (A name that is made while the script runs, `Fn("ev" + "al")`, fails then, at the handler's own line.)
fn no_function(tree: &AST) -> Option<Raised> {
    let mut found = None;
    tree.walk(&mut |path| {
        if let Some(ASTNode::Expr(Expr::FnCall(call, _))) = path.last()
            && call.name == FN_CONSTRUCTOR
            && !call.is_qualified()
            && let [Expr::StringConstant(name, at)] = call.args.as_slice()
            && let Err(mut error) = FnPtr::new(name.clone())
            && matches!(*error, EvalAltResult::ErrorParsing(..))
        {
            error.set_position(*at);
            found = Some(error);
        }
        found.is_none()
    });
    found
}
