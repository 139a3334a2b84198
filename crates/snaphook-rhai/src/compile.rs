//! A text to a script. Here is what Rhai would find only when the line runs, and then without its line. Not here: running it.

use rhai::{AST, ASTNode, Engine, EvalAltResult, Expr, FnPtr};

use crate::bridge::Raised;

/// The function that makes a function of a name.
const MAKER: &str = "Fn";

/// Compiles a script or a module.
///
/// # Errors
/// It does not parse, or names a word of the language as a function.
pub(crate) fn compile(engine: &Engine, source: &str) -> Result<AST, Raised> {
    let tree = engine.compile(source).map_err(|error| Raised::from(EvalAltResult::from(error)))?;
    match source.contains(MAKER).then(|| no_function(&tree)).flatten() {
        Some(error) => Err(error),
        None => Ok(tree),
    }
}

/// The first `Fn("eval")`, or any other word that Rhai keeps for itself. It can only fail, and cannot be caught; within a handler
/// the place gets lost. (A name that is made while the script runs, `Fn("ev" + "al")`, fails then, at the handler's own line.)
fn no_function(tree: &AST) -> Option<Raised> {
    let mut found = None;
    tree.walk(&mut |path| {
        if let Some(ASTNode::Expr(Expr::FnCall(call, _))) = path.last()
            && call.name == MAKER
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
