//! `make`: which of its assignments tell it what to run, whether they are arguments or variables of its environment. A value
//! becomes a piece of a shell's text, so only plain ones are harmless, and those of programs and recipes only where a table
//! has them. Not here: its options and its files (`configured`).

use super::{Call, Item, Opaque, basename, config, variables};
use crate::programs::{self, Role, words};
use crate::{Why, Word};

/// The programs that read makefiles.
pub(super) const NAMES: &[&str] = words!("make gmake bmake pmake remake colormake");

/// Variables of `make -p`, and others of everyday makefiles, that hold a program, and their values that run nothing else.
/// Beside those of `variables`.
const PROGRAMS: &[(&[&str], &[&str])] = &[
    (
        words!(
            "SHELL MAKE MAKE_COMMAND MAKEFILE_LIST MAKEOVERRIDES MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEFILES RM INSTALL CO GET LINT M2C
            PC TEX TEXI2DVI MAKEINFO WEAVE CWEAVE TANGLE CTANGLE SUBST ETAGS OUTPUT_OPTION COFLAGS GFLAGS ARFLAGS VPATH
            INSTALL_PROGRAM INSTALL_DATA INSTALL_SCRIPT LIBTOOL CP MV LN MKDIR MKDIR_P SUDO"
        ),
        &[],
    ),
    (words!("YACC"), &["yacc", "bison", "byacc", "bison -y"]),
    (words!("LEX"), &["lex", "flex"]),
    (words!("FC F77 F90"), &["gfortran", "f77", "flang", "ifort", "ifx"]),
    (words!("OBJC OBJCXX"), &["clang", "gcc", "clang++", "g++"]),
    (words!("RANLIB"), &["ranlib", "gcc-ranlib", "llvm-ranlib"]),
    (words!("STRIP"), &["strip", "llvm-strip"]),
    (words!("PYTHON PYTHON3"), &["python", "python3"]),
];

/// Returns how an argument of make tells it what to run: `NAME=value`, and every other kind of assignment.
pub(super) fn argument(item: &Item) -> Option<Opaque> {
    let text = item.word.prefix();
    if text.starts_with('-') {
        // An option that nobody knows may be one whose value make expands, as it does that of `--eval`.
        let expands = text.split_once('=').is_some_and(|(_, value)| value.contains('$'));
        return expands.then(|| config(Some("make"), item.word.known()));
    }
    let Some((name, value)) = text.split_once('=') else {
        // what nobody knows may be an assignment; `environment` looks at variables of the text
        let Word::Unknown { text, prefix, why, .. } = &item.word else { return None };
        let open = ["$'", "$(", "`"].iter().any(|sign| text.contains(sign))
            || text.contains('{') && text.contains(',');
        let glob = *why == Why::Glob && prefix.is_empty();
        return (open || glob).then(|| config(Some("make"), None));
    };
    // `:=`, `::=`, `+=`, `?=`; `!=` takes the output of a command
    let plain = name.trim_end_matches([':', '+', '?', ' ']);
    let value = match &item.word {
        Word::Known(_) => Word::Known(value.trim_start().to_owned()),
        Word::Unknown { text, .. } => Word::unknown(text.as_str(), false),
    };
    runs(plain, &value).then(|| config(Some("make"), value.known()))
}

/// Returns how a variable in front of make tells it what to run.
pub(super) fn environment(name: &str, call: &Call) -> Option<Opaque> {
    // where programs are looked up is a mark of its own
    let mut given =
        call.assignments.iter().filter(|(variable, _)| NAMES.contains(&name) && variable != "PATH");
    given
        .find(|(name, value)| runs(name, &value.word))
        .map(|(_, value)| config(Some("make"), value.word.known()))
}

/// Returns whether make has a program, options or a recipe in a variable of this name, which it may get without an export.
pub(super) fn has_program(name: &str) -> bool {
    PROGRAMS.iter().any(|(names, _)| names.contains(&name))
        || name.ends_with("FLAGS")
        || matches!(name, "CC" | "CXX" | "CPP" | "AR" | "AS" | "LD" | "LDLIBS" | "LOADLIBES" | "TARGET_ARCH")
}

/// Returns whether a variable of this name and value has make run something.
pub(super) fn runs(name: &str, value: &Word) -> bool {
    if variables::opaque(name, value).is_some()
        || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    {
        return true;
    }
    if let Some((_, harmless)) = PROGRAMS.iter().find(|(names, _)| names.contains(&name)) {
        return !value.known().is_some_and(|value| harmless.contains(&value));
    }
    !variables::is_listed(name, value) && !value.known().is_some_and(is_plain) && !is_place(value)
}

/// Returns whether a value that is not known is a place in the home folder, or how many processors there are.
fn is_place(value: &Word) -> bool {
    let text = value.text().replace('"', "");
    let (_, text) = text.split_once('=').unwrap_or(("", &text));
    let rest = ["$HOME", "${HOME}", "$(nproc)"].iter().find_map(|start| text.strip_prefix(start));
    value.known().is_none() && rest.is_some_and(is_plain)
}

/// Returns whether a value can neither end a shell's command nor name an option by which a compiler runs something.
fn is_plain(value: &str) -> bool {
    let mut words = value.split(' ').filter(|word| !word.is_empty());
    let several = words.clone().count() > 1;
    words.all(|word| {
        let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./,:=@%+-".contains(&byte));
        // more words than one may be a command with its arguments
        plain && (!several || word.starts_with('-')) && !variables::is_compilers(word) && !removes(word)
    })
}

/// Returns whether a word is the name of a program that takes away what its arguments name.
fn removes(word: &str) -> bool {
    programs::find(basename(word)).is_some_and(|program| program.is(Role::Removes))
}
