//! The Rhai engine that all hooks share. It is not changed once it is made, and nothing of a hook is in it: what a hook
//! has is in its VM, and the running handler in the thread (`vm_context`). So a hook costs its own syntax tree and no more.

use rhai::{Dynamic, Engine, Module, OptimizationLevel, Position, Token};
use snaphook_core::Level;

use crate::bindings::{self, ctx, import::OwnFolder, testing};
use crate::vm_context::print;
use crate::{event, meter, natives, on};

/// The depth to which functions may call each other, and how deep expressions and blocks may nest, on the top level and in
/// functions. Together they bound the stack that Rhai takes; `ffi::Stacks` is larger.
const CALLS: usize = 64;
const NESTED: usize = 64;
const NESTED_IN_FUNCTIONS: usize = 32;
/// Functions of one file; each closure is one.
const FUNCTIONS: usize = 4096;
/// Modules that one hook imports, again and again counted anew.
const MODULES: usize = 1024;
/// Variables that there are at the same time in one call.
const VARIABLES: usize = 10_000;

/// The sizes of values where the program's allocator does not count: bytes of a text, items of an array with all that is
/// inside, keys of a map likewise. Rhai goes through the whole value on each change then. Where the allocator counts,
/// nothing but the hook's memory is limited.
const TEXT: usize = 16 << 20;
const ITEMS: usize = 100_000;

/// The one whose scripts an engine runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScriptKind {
    Hooks,
    /// They have `test` and `expect` instead of `on` and `ctx`.
    Tests,
}

/// Makes the engine.
pub(crate) fn make(kind: ScriptKind, is_metered: bool) -> Engine {
    let mut engine = Engine::new_raw();
    engine.register_global_module(natives::library());
    let mut globals = Module::new();
    globals.set_id("snaphook globals");
    match kind {
        ScriptKind::Hooks => {
            on::register(&mut globals);
            event::register(&mut globals);
            ctx::register(&mut globals);
        }
        ScriptKind::Tests => testing::register(&mut globals),
    }
    globals.build_index();
    engine.register_global_module(globals.into());
    engine.register_static_module("snaphook", bindings::snaphook());
    engine.set_module_resolver(OwnFolder);

    engine.set_max_call_levels(CALLS);
    engine.set_max_expr_depths(NESTED, NESTED_IN_FUNCTIONS);
    engine.set_max_functions(FUNCTIONS);
    engine.set_max_modules(MODULES);
    engine.set_max_variables(VARIABLES);
    // Zero is without a limit: the clock rules.
    engine.set_max_operations(0);
    let (text, items) = if is_metered { (0, 0) } else { (TEXT, ITEMS) };
    engine.set_max_string_size(text);
    engine.set_max_array_size(items);
    engine.set_max_map_size(items);
    // A pool of texts would be shared between hooks.
    engine.set_max_strings_interned(0);

    // `null` is a reserved word of Rhai that means nothing there; here it is the name of `snaphook::json::null`.
    #[expect(deprecated, reason = "Rhai marks what may change in any version so; the version is pinned")]
    engine.on_parse_token(|token, _, _| match token {
        Token::Reserved(word) if word.as_str() == "null" => Token::Identifier(word),
        token => token,
    });
    // What is written is what runs, with the lines that it is written in.
    engine.set_optimization_level(OptimizationLevel::None);
    engine.set_fast_operators(true);
    // A misspelt variable keeps the hook from loading.
    engine.set_strict_variables(true);
    engine.set_allow_shadowing(true);
    engine.set_allow_looping(true);
    engine.set_allow_anonymous_fn(true);
    engine.set_allow_if_expression(true);
    engine.set_allow_switch_expression(true);
    engine.set_allow_loop_expressions(true);
    engine.set_allow_statement_expression(true);
    // A script's own maps are free to lack a key, as in Lua. Objects of the host are not maps.
    engine.set_fail_on_invalid_map_property(false);
    engine.disable_symbol("eval");

    engine.on_progress(|_| meter::check().map(|_| Dynamic::UNIT));
    engine.on_print(|text| print(Level::Info, text));
    engine.on_debug(|text, _, at: Position| match at.line() {
        Some(line) => print(Level::Debug, &format!("line {line}: {text}")),
        None => print(Level::Debug, text),
    });
    engine
}
