//! The size that one value of a script may get through one call. The hook's memory as a whole is the engine's matter.

use crate::natives::Failure;
use crate::natives::interrupt::check_bytes;
use crate::raise::raise;

/// The longest text, in bytes: what a script may hand to the host at all.
pub(crate) const TEXT: usize = 16 << 20;
/// The longest blob, in bytes.
pub(super) const BYTES: usize = 16 << 20;
/// The most values of one array or map: 16 MiB of them, as Rhai keeps them.
pub(super) const VALUES: usize = 1 << 20;
/// The most texts that one call may make: a short one takes some 64 bytes.
pub(super) const PIECES: usize = 1 << 18;
/// The depth to which values may nest for what goes into their depth.
pub(super) const DEPTH: usize = 128;

/// Checks whether a text of so many bytes may be made.
///
/// # Errors
/// It may not; the script has to stop. The same for the others.
pub(crate) fn text(function: &str, bytes: usize) -> Result<(), Failure> {
    within(function, bytes, TEXT, "bytes", "a text")?;
    check_bytes(bytes)
}

/// Checks whether a blob may have so many bytes.
pub(super) fn bytes(function: &str, bytes: usize) -> Result<(), Failure> {
    within(function, bytes, BYTES, "bytes", "a blob")?;
    check_bytes(bytes)
}

/// Checks whether an array or a map may have so many values.
pub(super) fn values(function: &str, values: usize) -> Result<(), Failure> {
    within(function, values, VALUES, "values", "an array or a map")?;
    check_bytes(values)
}

/// Checks whether a call may make so many texts.
pub(super) fn pieces(function: &str, pieces: usize) -> Result<(), Failure> {
    within(function, pieces, PIECES, "pieces", "what one call makes")
}

fn within(function: &str, wanted: usize, most: usize, unit: &str, what: &str) -> Result<(), Failure> {
    if wanted <= most {
        return Ok(());
    }
    Err(raise(format!("{function}: too large; {what} may have {most} {unit}")))
}
