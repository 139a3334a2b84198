//! Masks secrets before anything is written, by the set of patterns in [`MASKS`]. It finds what has a known shape and what
//! is beside a telling name; it cannot find a secret that looks like any other word. The example hook
//! `redact-secrets` has the same shapes; a test holds them to the same texts.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::{Regex, bytes};
use serde_json::{Map, Value};

/// One shape of a secret.
#[derive(Debug, Clone, Copy)]
pub struct Mask {
    /// The kind of secret, as the mark names it: `[redacted: GitHub token]`.
    pub what: &'static str,
    /// Texts of which one has to be there, in any case of its letters, for the pattern to be tried.
    pub needles: &'static [&'static str],
    /// The pattern.
    pub pattern: &'static str,
    /// The text that replaces the match.
    pub with: &'static str,
}

/// Words in names whose value is a secret.
const NAMES: &[&str] = &["passw", "passphrase", "secret", "token", "key", "credential"];

macro_rules! name {
    () => {
        r"[\w.-]*(?:passw(?:or)?d|passphrase|secret|token|(?:api|access|private|auth|account|signing|encryption|master)[_-]?key|credentials?)[\w-]*"
    };
}

macro_rules! value {
    () => {
        r#"(?:(?:[^\s"'`$\[\](){}<>,;\\]|\\+[^\s"'\\]){5,}[0-9](?:[^\s"'`,;)}\]\\]|\\+[^\s"'\\])*|(?:[^\s"'`$\[\](){}<>,;\\]|\\+[^\s"'\\]){0,5}[0-9](?:[^\s"'`,;)}\]\\]|\\+[^\s"'\\]){5,})"#
    };
}

// What is before the value. Each matches a text in one way only: names have none of the characters behind them.
macro_rules! before_quoted {
    () => {
        concat!(name!(), r#"\\*["']?\s*(?:[:=]|=>|:=)\s*\\*["']"#)
    };
}

macro_rules! before_plain {
    () => {
        concat!(name!(), r"(?:[ \t]*=[ \t]*|:\s+)")
    };
}

macro_rules! before_argument {
    () => {
        concat!(r"--?", name!(), r#"\s+["']?"#)
    };
}

const fn mask(
    what: &'static str,
    needles: &'static [&'static str],
    pattern: &'static str,
    with: &'static str,
) -> Mask {
    Mask { what, needles, pattern, with }
}

/// Every shape that is looked for in texts. Values of JSON whose name is one of a secret are masked whole beside them.
pub const MASKS: &[Mask] = &[
    mask(
        "private key",
        &["private key"],
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
        "[redacted: private key]",
    ),
    mask("AWS key id", &["akia", "asia"], r"(?:AKIA|ASIA)[0-9A-Z]{16}", "[redacted: AWS key id]"),
    mask(
        "GitHub token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        r"(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})",
        "[redacted: GitHub token]",
    ),
    mask(
        "GitLab token",
        &["gl"],
        r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas|ffct)-[A-Za-z0-9_-]{20,}",
        "[redacted: GitLab token]",
    ),
    mask(
        "API key",
        &["sk-", "sk_", "rk_"],
        r"(\b|_)(?:sk-[A-Za-z0-9_-]{20,}|[sr]k_(?:live|test)_[A-Za-z0-9]{16,})",
        "${1}[redacted: API key]",
    ),
    mask(
        "Slack token",
        &["xox", "xapp-"],
        r"(?:xox[a-z][.-][A-Za-z0-9.-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,})",
        "[redacted: Slack token]",
    ),
    mask(
        "Google key",
        &["aiza", "gocspx-", "ya29."],
        r"(?:AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,})",
        "[redacted: Google key]",
    ),
    mask("npm token", &["npm_"], r"npm_[A-Za-z0-9]{36}", "[redacted: npm token]"),
    mask("JWT", &["eyj"], r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+", "[redacted: JWT]"),
    // A port before another address is no password.
    mask(
        "password",
        &["://"],
        concat!(
            r#"(://[^\s:/@\["'<>]*:)(?:[^\s/\[,;"'<>]+|[0-9]+[^\s/\[0-9,;"'<>][^\s/\["'<>]*"#,
            r#"|[^\s/\[0-9"'<>][^\s/\["'<>]*)@"#
        ),
        "${1}[redacted: password]@",
    ),
    mask(
        "credential",
        &["earer"],
        r"\b([Bb]earer|BEARER)\s+[A-Za-z0-9._~+/=-]{16,}",
        "$1 [redacted: credential]",
    ),
    // `password = "…"`, `"token": "…"`: whatever is quoted, unless it is a variable or a few letters.
    mask(
        "value",
        NAMES,
        concat!(
            r"(?i)(",
            before_quoted!(),
            r#")(?:(?:[^"'\s$\[{<\\]|\\+[^\s"'\\])(?:[^"'\n\\]|\\+[^"'\n\\]){7,}|(?:[^"'\s$\[{<\\]|\\+[^\s"'\\]){3,7}[0-9](?:[^"'\s$\[{<\\]|\\+[^\s"'\\])*|(?:[^"'\s$\[{<\\]|\\+[^\s"'\\]){2}[0-9](?:[^"'\s$\[{<\\]|\\+[^\s"'\\])+|(?:[^"'\s$\[{<\\]|\\+[^\s"'\\])[0-9](?:[^"'\s$\[{<\\]|\\+[^\s"'\\]){2,}|[0-9](?:[^"'\s$\[{<\\]|\\+[^\s"'\\]){3,})"#
        ),
        "${1}[redacted: value]",
    ),
    // `API_TOKEN=…`, `token: …` without quotes.
    mask("value", NAMES, concat!(r"(?i)(", before_plain!(), ")", value!()), "${1}[redacted: value]"),
    // `--password …`: on a command line the value is an argument of its own.
    mask(
        "value",
        NAMES,
        concat!(r"(?i)(", before_argument!(), r#")[^\s"'$\[{<-][^\s"']{5,}"#),
        "${1}[redacted: value]",
    ),
    mask(
        "credential",
        &["asic"],
        r"\b([Bb]asic)\s+(?:[A-Za-z0-9._~+/=-]{15,}[0-9A-Z=][A-Za-z0-9._~+/=-]*|[A-Za-z0-9._~+/=-]{0,15}[0-9A-Z=][A-Za-z0-9._~+/=-]{15,})",
        "$1 [redacted: credential]",
    ),
    mask("private key", &["age-secret-key-"], r"AGE-SECRET-KEY-[A-Z0-9-]{20,}", "[redacted: private key]"),
    mask(
        "API key",
        &[
            "hf_",
            "sg.",
            "whsec_",
            "pypi-",
            "hvs.",
            "hvb.",
            "dop_v1_",
            "doo_v1_",
            "dor_v1_",
            "shp",
            "dckr_pat_",
            "gsk_",
            "xai-",
            "nvapi-",
            "lin_api_",
            "rubygems_",
            "glsa_",
            "dapi",
            "pmak-",
            "nrak-",
            "pscale_tkn_",
            "atatt3x",
            "figd_",
            "sntrys_",
            "r8_",
        ],
        concat!(
            r"(\b|_)(?:",
            r"hf_[A-Za-z0-9]{30,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
            r"|whsec_[A-Za-z0-9+/=]{24,}|pypi-[A-Za-z0-9_-]{50,}|hv[sb]\.[A-Za-z0-9_-]{20,}",
            r"|do[opr]_v1_[a-f0-9]{40,}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
            r"|dckr_pat_[A-Za-z0-9_-]{20,}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}",
            r"|nvapi-[A-Za-z0-9_-]{40,}|lin_api_[A-Za-z0-9]{32,}|rubygems_[a-f0-9]{48}",
            r"|glsa_[A-Za-z0-9_]{32,}|dapi[a-f0-9]{32}|PMAK-[a-f0-9-]{40,}|NRAK-[A-Z0-9]{20,}",
            r"|pscale_tkn_[A-Za-z0-9_-]{30,}|ATATT3x[A-Za-z0-9_=-]{40,}|figd_[A-Za-z0-9_-]{30,}",
            r"|sntrys_[A-Za-z0-9_=+/-]{40,}|r8_[A-Za-z0-9]{37}",
            ")"
        ),
        "${1}[redacted: API key]",
    ),
    mask("token", &["://"], r"(://)[^\s:/@\[$<{]{8,}[0-9][^\s:/@\[$<{]{7,}@", "${1}[redacted: token]@"),
    // `DB_PASS=…`, `pwd: …`.
    mask(
        "value",
        &["pass", "pwd"],
        concat!(
            r"(?i)((?:^|[\s;&?_.-])(?:pass|pwd)(?:[ \t]*=[ \t]*|:\s+))",
            r#"[^\s"'`$\[\](){}<>,;\\/~.0-9]"#,
            value!()
        ),
        "${1}[redacted: value]",
    ),
    // A line of an environment: any value, with a digit or without.
    mask(
        "value",
        &["passw", "passphrase", "_pass", "_pwd", "secret", "token", "key"],
        concat!(
            r"(?m)((?:^(?:export |set |declare -x |ENV |- |-e )?|[ \t](?:-e|--env) )(?:[A-Z][A-Z0-9_]*?)?",
            r"(?:PASSWORD|PASSWD|PASSPHRASE|_PASS|_PWD|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY)=)",
            r#"[^\s\"'`$\[\](){}<>,;\\/~.0-9](?:[^\s"'`,;)}\]\\]|\\+[^\s"'\\]){5,}"#
        ),
        "${1}[redacted: value]",
    ),
    mask(
        "password",
        &["curl", "wget"],
        concat!(r#"((?:curl|wget)[^\n]*?\s(?:-u|--user|--proxy-user)[ =]?["']?[^\s:"'$]+:)"#, value!()),
        "${1}[redacted: password]",
    ),
];

/// A field of JSON whose value is a secret, whatever it looks like.
const SECRET_FIELD: &str = concat!(r"(?i)^(?:authorization|cookie|set-cookie|", name!(), r")$");
/// Names that contain one of the words, but are not secret.
const PLAIN_FIELD: &str = r"(?i)(?:max|min|num|count|limit|total|budget|page|next)[_-]?.*tokens?|tokens$|tokeni[sz]|_path$|_file$|_name$";

/// The patterns that are compiled when first needed: most texts need none.
static PATTERNS: [LazyLock<Option<Regex>>; MASKS.len()] = {
    macro_rules! patterns {
        ($($at:literal)*) => { [$(LazyLock::new(|| Regex::new(MASKS[$at].pattern).ok())),*] };
    }
    patterns!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
};
/// The same for texts that are ASCII, as nearly all are. There `\w`, `\s`, `\b` and letters without case mean the same with and
/// without Unicode, and an automaton without has a tenth of the states.
static ASCII: [LazyLock<Option<bytes::Regex>>; MASKS.len()] = {
    macro_rules! patterns {
        ($($at:literal)*) => { [$(LazyLock::new(|| ascii(MASKS[$at].pattern))),*] };
    }
    patterns!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
};
/// By mask: what its match begins with and keeps, where that is its first group and matches in one way only. Finding the end of
/// a group is dearer than finding the match, and then what the group has; these are found as matches of their own.
const BEFORE: [Option<&str>; MASKS.len()] = {
    let mut before = [None; MASKS.len()];
    before[11] = Some(concat!(r"(?i)\A", before_quoted!()));
    before[12] = Some(concat!(r"(?i)\A", before_plain!()));
    before[13] = Some(concat!(r"(?i)\A", before_argument!()));
    before
};
static KEPT: [LazyLock<Option<bytes::Regex>>; MASKS.len()] = {
    macro_rules! patterns {
        ($($at:literal)*) => { [$(LazyLock::new(|| BEFORE[$at].and_then(ascii))),*] };
    }
    patterns!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
};
static FIELD: LazyLock<Option<(Regex, Regex)>> =
    LazyLock::new(|| Some((Regex::new(SECRET_FIELD).ok()?, Regex::new(PLAIN_FIELD).ok()?)));
static FINDER: LazyLock<Option<Finder>> = LazyLock::new(Finder::new);

/// The number of bytes that a process searches needle by needle before it makes the [`Finder`], which takes as long:
/// one for a single event mostly looks at less.
const BEFORE_FINDER: usize = 2 << 10;
/// The number that it has searched so.
static SEARCHED: AtomicUsize = AtomicUsize::new(0);

/// The bits of the masks whose patterns are worth trying.
fn worth_trying(text: &str) -> u32 {
    let searched = SEARCHED.load(Ordering::Relaxed).saturating_add(text.len());
    if searched > BEFORE_FINDER {
        return FINDER.as_ref().map_or(u32::MAX, |finder| finder.worth_trying(text));
    }
    SEARCHED.store(searched, Ordering::Relaxed);
    needle_by_needle(text)
}

fn needle_by_needle(text: &str) -> u32 {
    let stands = |needle: &&str| {
        let needle = needle.as_bytes();
        text.as_bytes().windows(needle.len()).any(|part| part.eq_ignore_ascii_case(needle))
    };
    let wanted = MASKS.iter().enumerate().filter(|(_, mask)| mask.needles.iter().any(stands));
    wanted.fold(0, |bits, (index, _)| bits | 1 << index)
}

/// Says which patterns are worth trying, in one pass over the text.
struct Finder {
    needles: AhoCorasick,
    /// By needle: the bits of the masks that want it.
    masks: Vec<u32>,
}

impl Finder {
    fn new() -> Option<Self> {
        let mut needles: Vec<&str> = Vec::new();
        let mut masks: Vec<u32> = Vec::new();
        for (index, mask) in MASKS.iter().enumerate() {
            for needle in mask.needles {
                let at = needles.iter().position(|known| known == needle).unwrap_or_else(|| {
                    needles.push(needle);
                    masks.push(0);
                    needles.len() - 1
                });
                if let Some(bits) = masks.get_mut(at) {
                    *bits |= 1 << index;
                }
            }
        }
        // A table for each state would be faster by a little, and takes a millionth of a second for each needle to make: too long
        // for a process that looks at one call.
        let needles = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(&needles)
            .ok()?;
        Some(Finder { needles, masks })
    }

    fn worth_trying(&self, text: &str) -> u32 {
        let found = self.needles.find_overlapping_iter(text);
        found.fold(0, |bits, found| {
            bits | self.masks.get(found.pattern().as_usize()).copied().unwrap_or_default()
        })
    }
}

/// The text without secrets; borrowed where there is none.
pub fn mask_text(text: &str) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(text);
    let bits = worth_trying(text);
    if bits == 0 {
        return clean;
    }
    // What stands for a match is ASCII, so a text stays what it is.
    let ascii = text.is_ascii();
    for (index, (mask, pattern)) in MASKS.iter().zip(&PATTERNS).enumerate() {
        if bits & (1 << index) == 0 {
            continue;
        }
        let plain = ASCII.get(index).filter(|_| ascii).and_then(|plain| plain.as_ref());
        let replaced = match plain {
            Some(plain) => {
                replaced_ascii(plain, KEPT.get(index).and_then(|kept| kept.as_ref()), &clean, mask.with)
            }
            None => pattern.as_ref().and_then(|pattern| replaced(pattern, &clean, mask.with)),
        };
        if let Some(replaced) = replaced {
            clean = Cow::Owned(replaced);
        }
    }
    clean
}

/// The pattern without Unicode.
fn ascii(pattern: &str) -> Option<bytes::Regex> {
    bytes::RegexBuilder::new(pattern).unicode(false).build().ok()
}

/// `None`: it matches nowhere.
fn replaced(pattern: &Regex, text: &str, with: &str) -> Option<String> {
    match pattern.replace_all(text, with) {
        Cow::Owned(replaced) => Some(replaced),
        Cow::Borrowed(_) => None,
    }
}

/// The same, for a text that is ASCII.
fn replaced_ascii(
    pattern: &bytes::Regex,
    kept: Option<&bytes::Regex>,
    text: &str,
    with: &str,
) -> Option<String> {
    let (Some(kept), Some(mark)) = (kept, with.strip_prefix("${1}")) else {
        return match pattern.replace_all(text.as_bytes(), with.as_bytes()) {
            // It is ASCII still. If it were not: rather something else than the secret.
            Cow::Owned(replaced) => Some(String::from_utf8_lossy(&replaced).into_owned()),
            Cow::Borrowed(_) => None,
        };
    };
    let mut clean = None;
    let mut done = 0;
    for found in pattern.find_iter(text.as_bytes()) {
        // A match without what it begins with: there is none, and it would be masked whole.
        let keeps = kept.find(found.as_bytes()).map_or(0, |kept| kept.end());
        let clean = clean.get_or_insert_with(|| String::with_capacity(text.len() + mark.len()));
        clean.push_str(text.get(done..found.start() + keeps).unwrap_or_default());
        clean.push_str(mark);
        done = found.end();
    }
    clean.map(|clean| clean + text.get(done..).unwrap_or_default())
}

/// Masks one text, counting.
pub(crate) fn text(text: String, masked: &mut usize) -> String {
    match mask_text(&text) {
        Cow::Owned(clean) => {
            *masked += newly_marked(&text, &clean);
            clean
        }
        Cow::Borrowed(_) => text,
    }
}

/// Masks a shared value; the same one where there is nothing to mask.
pub(crate) fn shared(value: &Arc<Value>, masked: &mut usize) -> Arc<Value> {
    changed(value, masked).map_or_else(|| Arc::clone(value), Arc::new)
}

/// Masks every text in a value, and every value with a telling name.
pub(crate) fn in_place(value: &mut Value, masked: &mut usize) {
    if let Some(clean) = changed(value, masked) {
        *value = clean;
    }
}

/// The value without secrets; `None` where it has none. Each text is looked through once.
fn changed(value: &Value, masked: &mut usize) -> Option<Value> {
    match value {
        Value::String(held) => match mask_text(held) {
            Cow::Owned(clean) => {
                *masked += newly_marked(held, &clean);
                Some(Value::String(clean))
            }
            Cow::Borrowed(_) => None,
        },
        Value::Array(parts) => {
            let mut clean: Option<Vec<Value>> = None;
            for (index, part) in parts.iter().enumerate() {
                if let Some(part) = changed(part, masked) {
                    clean.get_or_insert_with(|| parts.clone())[index] = part;
                }
            }
            clean.map(Value::Array)
        }
        Value::Object(fields) => {
            let mut clean: Option<Map<String, Value>> = None;
            for (name, part) in fields {
                let part = if is_secret_field(name) && holds_something(part) {
                    *masked += 1;
                    Some(Value::String("[redacted: value]".to_owned()))
                } else {
                    changed(part, masked)
                };
                if let Some(part) = part {
                    let slot = clean.get_or_insert_with(|| fields.clone()).get_mut(name);
                    if let Some(slot) = slot {
                        *slot = part;
                    }
                }
            }
            clean.map(Value::Object)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn is_secret_field(name: &str) -> bool {
    let worth = name.len() >= 5
        && (worth_trying(name) != 0
            || name.eq_ignore_ascii_case("authorization")
            || name.to_ascii_lowercase().ends_with("cookie"));
    worth && FIELD.as_ref().is_none_or(|(secret, plain)| secret.is_match(name) && !plain.is_match(name))
}

fn holds_something(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(parts) => !parts.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Null | Value::Bool(_) => false,
        Value::Number(_) => true,
    }
}

fn newly_marked(before: &str, after: &str) -> usize {
    // By its one bracket first: a search for the whole mark is longer prepared than most texts are searched.
    let is_mark = |text: &str, at: usize| text.get(at..).is_some_and(|rest| rest.starts_with("[redacted: "));
    let marks = |text: &str| text.match_indices('[').filter(|(at, _)| is_mark(text, *at)).count();
    marks(after).saturating_sub(marks(before)).max(1)
}

#[cfg(test)]
#[path = "mask_tests.rs"]
mod tests;
