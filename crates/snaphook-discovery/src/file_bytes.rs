//! Reading a file once, and turning its bytes into text or a fault with a line. Not here: front matter, or which
//! files are read.

use std::fs::Metadata;
use std::io::Read;
use std::path::Path;

use crate::diagnostic::{Diagnostic, io_message};
use crate::front_matter::{self, FileKind};
use snaphook_state::plain_fs::{kind, open_any};

/// The largest script that is read.
pub const MAX_SOURCE_BYTES: u64 = 1024 * 1024;

/// Reads a whole regular file of at most [`MAX_SOURCE_BYTES`]. The limit holds for what is read, not for what the
/// file system claims; a pipe, socket or device is refused and never waited for.
pub fn read_source(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    Ok(read_seen(path, None)?.0)
}

/// The same of a file whose metadata were just read, links not followed; and what the file that was read is.
pub(crate) fn read_seen(path: &Path, seen: Option<&Metadata>) -> Result<(Vec<u8>, Metadata), Diagnostic> {
    let (bytes, metadata) = read(path, MAX_SOURCE_BYTES + 1, seen)?;
    if bytes.len() as u64 > MAX_SOURCE_BYTES {
        return Err(Diagnostic::new("is larger than 1 MiB").help("split the script, or move data out of it"));
    }
    Ok((bytes, metadata))
}

/// Reads a test script as its engine takes it: without a byte order mark, the `#!` line emptied.
///
/// # Errors
/// It cannot be read, or is no text.
pub fn read_test(path: &Path) -> Result<String, Diagnostic> {
    let bytes = read_source(path)?;
    let text = decode(&bytes)?;
    // The kind matters only to front matter, which tests have none of.
    Ok(front_matter::blank(text, None, FileKind::Lua).unwrap_or_else(|| text.to_owned()))
}

/// Reads the first bytes of a regular file.
pub(crate) fn read_up_to(path: &Path, limit: u64) -> Result<Vec<u8>, Diagnostic> {
    Ok(read(path, limit, None)?.0)
}

fn read(path: &Path, limit: u64, seen: Option<&Metadata>) -> Result<(Vec<u8>, Metadata), Diagnostic> {
    let cannot = |error: std::io::Error| Diagnostic::new(io_message(&error)).help("fix it or remove it");
    // Looked at before it is opened, because opening alone can act on a device; and again after, because what
    // is at the path may have changed.
    match seen {
        Some(seen) => refuse_special(seen)?,
        None => refuse_special(&std::fs::metadata(path).map_err(cannot)?)?,
    }
    let file = open_any(path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    refuse_special(&metadata)?;
    // One more than there is: the end is then seen without growing. What the file system says is a hint only.
    let expected = metadata.len().saturating_add(1).min(limit).min(MAX_SOURCE_BYTES);
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
    file.take(limit).read_to_end(&mut bytes).map_err(cannot)?;
    Ok((bytes, metadata))
}

fn refuse_special(metadata: &Metadata) -> Result<(), Diagnostic> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(Diagnostic::new(format!("is {}, not a regular file", kind(metadata.file_type())))
        .help("a hook is a regular file, or a folder with an init script"))
}

/// The bytes as text without a byte order mark. CRLF stays, as both script languages count it as one line break.
pub fn decode(bytes: &[u8]) -> Result<&str, Diagnostic> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Some(encoding) = wide_encoding(bytes) {
        return Err(Diagnostic::at(1, format!("is {encoding}, not UTF-8")).help("save it as UTF-8"));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let byte = bytes.get(at).copied().unwrap_or_default();
        Diagnostic::at(line_at(bytes, at), format!("is not UTF-8: byte 0x{byte:02x}"))
            .help("save it as UTF-8")
    })?;
    if let Some(at) = text.find('\0') {
        return Err(Diagnostic::at(line_at(bytes, at), "contains a NUL byte")
            .help("write it as an escape (`\\0` in a string), or remove it"));
    }
    // Lua ends a comment at a line feed only: with lone carriage returns, one comment can swallow the whole hook.
    let lone_return =
        text.bytes().enumerate().position(|(at, byte)| byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
    if let Some(at) = lone_return {
        return Err(Diagnostic::at(line_at(bytes, at), "contains a carriage return that ends no line")
            .help("save it with LF or CRLF line ends"));
    }
    Ok(text)
}

/// UTF-16 and UTF-32, by their byte order mark or by the zero in every other byte of plain text.
fn wide_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16"),
        [a, 0, b, 0, ..] if *a != 0 && *b != 0 => Some("UTF-16"),
        [0, a, 0, b, ..] if *a != 0 && *b != 0 => Some("UTF-16"),
        _ => None,
    }
}

/// The line, from 1, that the byte at an offset is on.
fn line_at(bytes: &[u8], offset: usize) -> u32 {
    let breaks = bytes.iter().take(offset).filter(|byte| **byte == b'\n').count();
    u32::try_from(breaks).unwrap_or(u32::MAX).saturating_add(1)
}
