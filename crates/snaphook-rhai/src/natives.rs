//! The standard library of scripts: Rhai's own packages, with everything replaced that could run long or take much
//! memory in one call. Names, arguments and results stay Rhai's.
//!
//! Between two operations of a script the engine looks at its clock and at the script's memory, so what matters is how
//! long and how large *one* call can get. Three measures:
//!
//! - **Limits** (`limits`): how long a text, a list, a map, a blob may be that a call makes. They are looked at before
//!   memory is taken, and the error names them.
//! - **Interrupts** (`interrupt`): what goes over many values, or over long texts, looks at the meter itself now and then.
//! - **Other ways**: texts are cut by their bytes and not through lists of chars, sorting and comparing copy nothing and
//!   swallow no error, a text is walked char by char without a list of them all.
//!
//! | file | what of Rhai's it replaces |
//! |---|---|
//! | `arrays`, `blobs`, `maps` | growth: `pad`, `insert`, `append`, `splice`, `+`, `mixin`, … |
//! | `chars`, `split` | texts in pieces |
//! | `compare` | `==`, `contains`, `index_of`, `dedup` |
//! | `strings`, `search` | `replace`, `pad`, `sub_string`, `crop`, case, `+`; `contains`, `index_of` |
//! | `print` | `to_string`, `to_debug`, `print`, `debug` of what may be long |
//! | `sort` | `sort`, `order` |
//! | `disabled` | what waits, knows the time, or has a better form here: errors that say what to use |
//!
//! The rest is bounded by its input: arithmetic, logic, bits, ranges, function pointers, `map`, `filter`, `reduce` and the
//! like (they run a function of the script for each value), and what looks at one text once.

mod arrays;
mod blobs;
mod chars;
mod compare;
mod disabled;
pub(crate) mod interrupt;
pub(crate) mod limits;
mod maps;
mod print;
mod search;
mod sort;
mod split;
mod strings;

use std::sync::LazyLock;

use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicBlobPackage, BasicFnPackage, BasicIteratorPackage,
    BasicMapPackage, BasicMathPackage, BasicStringPackage, BitFieldPackage, LanguageCorePackage,
    LogicPackage, MoreStringPackage, Package,
};
use rhai::{EvalAltResult, FuncRegistration, Module, Shared};

use crate::bindings;

/// The reason why a call failed.
type Failure = Box<EvalAltResult>;

/// Everything that scripts get beside the API; the same for every hook.
pub(crate) fn library() -> Shared<Module> {
    static LIBRARY: LazyLock<Shared<Module>> = LazyLock::new(|| {
        let mut library = rhai_packages();
        replace(&mut library);
        bindings::types(&mut library);
        library.into()
    });
    Shared::clone(&LIBRARY)
}

/// Rhai's packages, without its clock.
fn rhai_packages() -> Module {
    let mut library = Module::new();
    LanguageCorePackage::init(&mut library);
    ArithmeticPackage::init(&mut library);
    LogicPackage::init(&mut library);
    BasicMathPackage::init(&mut library);
    BitFieldPackage::init(&mut library);
    BasicFnPackage::init(&mut library);
    BasicIteratorPackage::init(&mut library);
    BasicStringPackage::init(&mut library);
    MoreStringPackage::init(&mut library);
    BasicArrayPackage::init(&mut library);
    BasicBlobPackage::init(&mut library);
    BasicMapPackage::init(&mut library);
    // Rhai keeps a list of its functions and goes through all of it for each name that a call looks up; each handler's
    // call looks its names up anew.
    library.register_lazy_functions();
    library
}

fn replace(library: &mut Module) {
    disabled::register(library);
    arrays::register(library);
    blobs::register(library);
    chars::register(library);
    compare::register(library);
    strings::register(library);
    maps::register(library);
    print::register(library);
    search::register(library);
    sort::register(library);
    split::register(library);
}

/// The registration of a function that leaves its first argument as it is, so that constants may be that argument.
fn pure(name: &str) -> FuncRegistration {
    FuncRegistration::new(name).with_purity(true)
}

/// The registration of a method that changes its object.
fn changing(name: &str) -> FuncRegistration {
    FuncRegistration::new(name).with_purity(false)
}

/// Rhai's reading of a start and a number of items: a negative start counts from the end, and both are cut to what is
/// there.
fn span(length: usize, start: i64, len: i64) -> (usize, usize) {
    let start = match usize::try_from(start) {
        Ok(start) if start >= length => return (length, 0),
        Ok(start) => start,
        Err(_) => length - usize::try_from(start.unsigned_abs()).unwrap_or(usize::MAX).min(length),
    };
    (start, usize::try_from(len).unwrap_or(if len < 0 { 0 } else { usize::MAX }).min(length - start))
}

/// Start and length of an exclusive range, as Rhai reads it.
fn exclusive(range: &std::ops::Range<i64>) -> (i64, i64) {
    let start = range.start.max(0);
    (start, range.end.max(start) - start)
}

/// Start and length of an inclusive range, as Rhai reads it.
fn inclusive(range: &std::ops::RangeInclusive<i64>) -> (i64, i64) {
    let start = (*range.start()).max(0);
    let end = (*range.end()).max(start).min(i64::MAX - 1);
    (start, end - start + 1)
}

#[cfg(test)]
#[path = "natives_tests.rs"]
mod tests;
