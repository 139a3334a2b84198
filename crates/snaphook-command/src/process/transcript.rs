//! Both output streams as one text, in the order in which their parts arrive: its beginning in memory, all of it in a file. Not
//! here: reading the pipes (`run`).

use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;

use super::Capture;

/// The most that is written to a file, in bytes, unless a request says otherwise.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// The limits of the transcript of both streams together.
#[derive(Debug, Clone)]
pub struct Transcript {
    /// The longest text kept in memory, in bytes.
    pub keep: usize,
    /// The place where all of it is written. What cannot be written is reported in [`Transcribed::error`], and ends
    /// nothing.
    pub file: Option<Arc<File>>,
    /// The most that is written there, in bytes; what is over is reported at the end of the file.
    pub file_limit: u64,
}

impl Transcript {
    /// One that keeps this much, and writes all to this file.
    pub fn new(keep: usize, file: Option<File>) -> Self {
        Transcript { keep, file: file.map(Arc::new), file_limit: MAX_FILE_BYTES }
    }
}

/// The transcript that was kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcribed {
    /// The beginning of the text. What is not UTF-8 is replaced by U+FFFD.
    pub text: String,
    /// True if the text was cut.
    pub cut: bool,
    /// The number of bytes that there were, kept or not.
    pub bytes: u64,
    /// The number of lines that there were; a last one without a line break counts.
    pub lines: u64,
    /// True if the file has less than all.
    pub file_cut: bool,
    /// The reason why the file could not be written.
    pub error: Option<String>,
}

/// Takes the parts.
#[derive(Debug)]
pub(super) struct Scribe {
    what: Transcript,
    capture: Capture,
    written: u64,
    breaks: u64,
    ends_in_break: bool,
    file_cut: bool,
    error: Option<String>,
}

impl Scribe {
    pub(super) fn new(what: Transcript) -> Self {
        let capture = Capture::new(what.keep);
        Scribe { what, capture, written: 0, breaks: 0, ends_in_break: true, file_cut: false, error: None }
    }

    pub(super) fn accept(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        self.breaks += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.ends_in_break = *last == b'\n';
        self.capture.push(bytes);
        let Some(mut file) = self.what.file.as_deref().filter(|_| self.error.is_none()) else { return };
        let room = usize::try_from(self.what.file_limit - self.written).unwrap_or(usize::MAX);
        let part = bytes.get(..room).unwrap_or(bytes);
        let cut = part.len() < bytes.len() && !self.file_cut;
        self.written += part.len() as u64;
        let mut done = file.write_all(part);
        if cut {
            self.file_cut = true;
            let limit = self.what.file_limit;
            done =
                done.and_then(|()| write!(file, "\n[snaphook: what is beyond {limit} bytes was not kept]\n"));
        }
        self.error = done.err().map(|error| error.to_string());
    }

    pub(super) fn finish(self) -> Transcribed {
        let bytes = self.capture.total();
        let (text, cut) = self.capture.finish();
        let lines = self.breaks + u64::from(!self.ends_in_break);
        Transcribed { text, cut, bytes, lines, file_cut: self.file_cut, error: self.error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_bytes_are_counted_whatever_is_kept() {
        for (parts, lines, text) in [
            (&[][..], 0, ""),
            (&["a"], 1, "a"),
            (&["a\n"], 1, "a\n"),
            (&["a", "b\nc"], 2, "ab\nc"),
            (&["aaaa\n", "bbbb\n", "c"], 3, "aaaa\nb"),
        ] {
            let mut scribe = Scribe::new(Transcript::new(6, None));
            parts.iter().for_each(|part| scribe.accept(part.as_bytes()));
            let written = scribe.finish();
            let bytes: usize = parts.iter().map(|part| part.len()).sum();
            assert_eq!((written.lines, written.text.as_str(), written.bytes), (lines, text, bytes as u64));
            assert_eq!(written.cut, bytes > 6);
        }
    }

    #[test]
    fn the_file_has_its_bound_and_says_so() {
        let path = tempfile::NamedTempFile::new().unwrap();
        let what = Transcript { file_limit: 5, ..Transcript::new(2, Some(path.reopen().unwrap())) };
        let mut scribe = Scribe::new(what);
        ["abc", "def", "ghi"].iter().for_each(|part| scribe.accept(part.as_bytes()));
        let written = scribe.finish();
        assert!(written.file_cut && written.cut && written.error.is_none(), "{written:?}");
        let text = std::fs::read_to_string(path.path()).unwrap();
        assert_eq!(text, "abcde\n[snaphook: what is beyond 5 bytes was not kept]\n");
    }
}
