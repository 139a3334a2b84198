//! Reads a settings file, key by key, so that each fault has its line. Not here: the settings (`mod`).

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use snaphook_core::{
    Cause, DefaultRule, DefaultVerdict, HoldPath, HoldProfile, HoldTools, Problem, Product, Scope, nearest,
};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{AuditInputs, ChangedTools, McpDenied, Settings, Unseen, Unsupported};
use crate::diagnostic::Diagnostic;
use crate::display::quoted;
use crate::file_bytes::{decode, read_source};

const KEYS: &[&str] = &[
    "default",
    "mode",
    "self_protection",
    "audit",
    "mcp",
    "compat",
    "run_as_user",
    "limits",
    "hold",
    "model",
];
const MODEL_KEYS: &[&str] = &[
    "name",
    "base_url",
    "system",
    "window",
    "max_output",
    "max_turns",
    "max_tokens",
    "max_calls",
    "timeout_s",
];
const HOLD_KEYS: &[&str] = &["tools", "profile", "protected", "caches", "unsupported"];
const LIMITS_KEYS: &[&str] = &["handler_cpu_ms", "load_cpu_ms", "event_cpu_ms", "memory_mib"];
const AUDIT_KEYS: &[&str] = &["enabled", "inputs", "max_bytes", "keep"];
const COMPAT_KEYS: &[&str] = &["products"];
const MCP_KEYS: &[&str] = &["denied", "changed_tools", "unseen"];

type Entry<'a, 'i> = (&'a Spanned<std::borrow::Cow<'i, str>>, &'a Spanned<DeValue<'i>>);

/// One file on its way into the settings.
pub(super) struct Reader<'a> {
    pub(super) settings: &'a mut Settings,
    pub(super) scope: Scope,
    pub(super) shown: &'a Path,
}

impl Reader<'_> {
    pub(super) fn file(mut self, path: &Path) -> Vec<Diagnostic> {
        match std::fs::symlink_metadata(path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Vec::new();
            }
            _ => {}
        }
        let bytes = match read_source(path) {
            Ok(bytes) => bytes,
            Err(diagnostic) => {
                return vec![unreadable(diagnostic.help("settings are one regular file of at most 1 MiB"))];
            }
        };
        match decode(&bytes) {
            Ok(text) => self.text(text).into_iter().map(wrong).collect(),
            Err(diagnostic) => vec![unreadable(diagnostic.help("save it as UTF-8"))],
        }
    }

    fn text(&mut self, text: &str) -> Vec<Diagnostic> {
        let table = match DeTable::parse(text) {
            Ok(table) => table,
            Err(error) => {
                let message = format!("invalid TOML: {}", error.message().replace('\n', "; "));
                return vec![match error.span() {
                    Some(span) => Diagnostic::at(line(text, span.start), message),
                    None => Diagnostic::new(message),
                }];
            }
        };
        let mut diagnostics = Vec::new();
        let mut named: Option<&str> = None;
        let mut entries: Vec<Entry<'_, '_>> = table.get_ref().iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let name = key.get_ref().as_ref();
            let users =
                matches!(name, "self_protection" | "audit" | "compat" | "run_as_user" | "limits" | "model")
                    && self.scope != Scope::User;
            let read = match name {
                _ if users => Err(users_only(name)),
                "default" | "mode" if named.is_some_and(|other| other != name) => {
                    Err(Diagnostic::new("`default` and `mode` are one setting").help("keep `default`"))
                }
                "default" => {
                    named = Some("default");
                    choice(name, value, DefaultVerdict::NAMES)
                        .map(|name| self.set_default(DefaultVerdict::from_name(name), "default", name))
                }
                "mode" => {
                    named = Some("mode");
                    choice(name, value, &["deny-unless-allowed"])
                        .map(|name| self.set_default(Some(DefaultVerdict::Deny), "mode", name))
                }
                "self_protection" => boolean(name, value).map(|on| self.settings.self_protection = on),
                "audit" => {
                    diagnostics.extend(self.audit(text, value));
                    Ok(())
                }
                "mcp" => {
                    diagnostics.extend(self.mcp(text, value));
                    Ok(())
                }
                "compat" => {
                    diagnostics.extend(self.compat(text, value));
                    Ok(())
                }
                "limits" => {
                    diagnostics.extend(self.limits(text, value));
                    Ok(())
                }
                "hold" => {
                    diagnostics.extend(self.hold(text, value));
                    Ok(())
                }
                "model" => {
                    diagnostics.extend(self.model(text, value));
                    Ok(())
                }
                "run_as_user" => user_name(name, value).map(|user| self.settings.run_as_user = Some(user)),
                _ => Err(unknown(name, KEYS)),
            };
            diagnostics.extend(read.err().map(|diagnostic| at(text, key.span().start, diagnostic)));
        }
        diagnostics
    }

    fn set_default(&mut self, verdict: Option<DefaultVerdict>, key: &str, value: &str) {
        let Some(verdict) = verdict else { return };
        let rule = DefaultRule::new(verdict, format!("`{key} = \"{value}\"` in {}", self.shown.display()));
        match self.scope {
            Scope::User => self.settings.default = rule,
            _ => self.settings.project_default = rule,
        }
    }

    fn audit(&mut self, text: &str, value: &Spanned<DeValue<'_>>) -> Vec<Diagnostic> {
        let audit = &mut self.settings.audit;
        table(text, "audit", value, |name, value| match name {
            "enabled" => boolean(name, value).map(|on| audit.enabled = on),
            "inputs" => choice(name, value, &["full", "hash"]).map(|name| {
                audit.inputs = if name == "hash" { AuditInputs::Hash } else { AuditInputs::Full };
            }),
            "max_bytes" => number(name, value, 4096, u64::MAX >> 1).map(|bytes| audit.max_bytes = bytes),
            "keep" => number(name, value, 0, 10_000)
                .map(|keep| audit.keep = u32::try_from(keep).unwrap_or(u32::MAX)),
            _ => Err(unknown(name, AUDIT_KEYS)),
        })
    }

    fn compat(&mut self, text: &str, value: &Spanned<DeValue<'_>>) -> Vec<Diagnostic> {
        let compat = &mut self.settings.compat;
        table(text, "compat", value, |name, value| match name {
            "products" => products(name, value).map(|products| *compat = products),
            _ => Err(unknown(name, COMPAT_KEYS)),
        })
    }

    fn limits(&mut self, text: &str, value: &Spanned<DeValue<'_>>) -> Vec<Diagnostic> {
        let limits = &mut self.settings.limits;
        table(text, "limits", value, |name, value| match name {
            "handler_cpu_ms" => millis(name, value, 60_000).map(|time| limits.handler_cpu = time),
            "load_cpu_ms" => millis(name, value, 60_000).map(|time| limits.load_cpu = time),
            "event_cpu_ms" => millis(name, value, 300_000).map(|time| limits.event_cpu = time),
            "memory_mib" => number(name, value, 8, 4096)
                .map(|size| limits.memory = usize::try_from(size << 20).unwrap_or(usize::MAX)),
            _ => Err(unknown(name, LIMITS_KEYS)),
        })
    }

    fn model(&mut self, text: &str, value: &Spanned<DeValue<'_>>) -> Vec<Diagnostic> {
        let model = &mut self.settings.model;
        let any = u64::MAX >> 1;
        table(text, "model", value, |name, value| match name {
            "name" => words(name, value, "PROVIDER/NAME").map(|text| model.name = Some(text)),
            "base_url" => words(name, value, "an address").map(|text| model.base_url = Some(text)),
            "system" => words(name, value, "the path of a file").map(|text| model.system = Some(text.into())),
            "window" => number(name, value, 1024, any).map(|tokens| model.window = Some(tokens)),
            "max_output" => number(name, value, 1, u64::from(u32::MAX))
                .map(|tokens| model.max_output = u32::try_from(tokens).ok()),
            "max_turns" => number(name, value, 1, any).map(|count| model.max_turns = Some(count)),
            "max_tokens" => number(name, value, 1, any).map(|count| model.max_tokens = Some(count)),
            "max_calls" => number(name, value, 1, any).map(|count| model.max_calls = Some(count)),
            "timeout_s" => number(name, value, 1, 31_536_000)
                .map(|seconds| model.timeout = Some(Duration::from_secs(seconds))),
            _ => Err(unknown(name, MODEL_KEYS)),
        })
    }

    fn mcp(&mut self, text: &str, value: &Spanned<DeValue<'_>>) -> Vec<Diagnostic> {
        let mcp = &mut self.settings.mcp;
        let is_users = self.scope == Scope::User;
        table(text, "mcp", value, |name, value| match name {
            "denied" if !is_users => Err(users_only("mcp.denied")),
            "denied" => choice(name, value, &["result", "error"]).map(|name| {
                mcp.denied = if name == "error" { McpDenied::Error } else { McpDenied::Result };
            }),
            "changed_tools" => choice(name, value, &["report", "deny"]).map(|name| {
                let wanted = if name == "deny" { ChangedTools::Deny } else { ChangedTools::Report };
                // The user's file is read first.
                mcp.changed_tools = mcp.changed_tools.max(wanted);
            }),
            "unseen" => choice(name, value, &["pass", "withhold"]).map(|name| {
                let wanted = if name == "withhold" { Unseen::Withhold } else { Unseen::Pass };
                mcp.unseen = mcp.unseen.max(wanted);
            }),
            _ => Err(unknown(name, MCP_KEYS)),
        })
    }

    fn hold(&mut self, text: &str, value: &Spanned<DeValue<'_>>) -> Vec<Diagnostic> {
        let hold = &mut self.settings.hold;
        let is_users = self.scope == Scope::User;
        table(text, "hold", value, |name, value| match name {
            "caches" | "unsupported" if !is_users => Err(users_only(&format!("hold.{name}"))),
            "tools" => choice(name, value, HoldTools::NAMES)
                .map(|name| hold.tools = hold.tools.max(HoldTools::from_name(name))),
            "profile" => choice(name, value, HoldProfile::NAMES).map(|name| {
                let profiles = hold.profile.get_or_insert_default();
                profiles.extend(HoldProfile::from_name(name));
                profiles.sort_unstable();
                profiles.dedup();
            }),
            "protected" => hold_paths(name, value).map(|paths| hold.protected.extend(paths)),
            "caches" => hold_paths(name, value).map(|paths| hold.caches = paths),
            "unsupported" => choice(name, value, &["deny", "ask", "weaker"]).map(|name| {
                hold.unsupported = Some(match name {
                    "ask" => Unsupported::Ask,
                    "weaker" => Unsupported::Weaker,
                    _ => Unsupported::Deny,
                });
            }),
            _ => Err(unknown(name, HOLD_KEYS)),
        })
    }
}

/// A list of paths.
fn hold_paths(name: &str, value: &Spanned<DeValue<'_>>) -> Result<Vec<HoldPath>, Diagnostic> {
    let wanted = "a list of paths";
    let list = value.get_ref().as_array().ok_or_else(|| wrong_type(name, value, wanted))?;
    let one = |entry: &Spanned<DeValue<'_>>| {
        let text = entry.get_ref().as_str().ok_or_else(|| wrong_type(name, entry, wanted))?;
        HoldPath::parse(text)
            .map_err(|error| Diagnostic::new(format!("`{name}`: `{}` {error}", quoted(text))))
    };
    list.iter().map(one).collect()
}

/// A fault of a settings file denies as a hook does that did not load, and says by itself what is wrong.
pub(super) fn problem(diagnostic: Diagnostic, shown: &Path) -> Problem {
    diagnostic.into_error(shown).with_cause(Cause::Load)
}

fn wrong(diagnostic: Diagnostic) -> Diagnostic {
    let message = format!("the configuration file is wrong: {}", diagnostic.message);
    let help = diagnostic
        .help
        .unwrap_or_else(|| "correct this line; until then every gated call is denied".to_owned());
    Diagnostic { line: diagnostic.line, message, help: Some(help) }
}

fn unreadable(diagnostic: Diagnostic) -> Diagnostic {
    Diagnostic {
        message: format!("the configuration file cannot be used: it {}", diagnostic.message),
        ..diagnostic
    }
}

/// Reads a table's settings in the order in which they are; `set` takes one.
fn table(
    text: &str,
    name: &str,
    value: &Spanned<DeValue<'_>>,
    mut set: impl FnMut(&str, &Spanned<DeValue<'_>>) -> Result<(), Diagnostic>,
) -> Vec<Diagnostic> {
    let Some(table) = value.get_ref().as_table() else {
        let diagnostic = wrong_type(name, value, &format!("a table like [{name}]"));
        return vec![at(text, value.span().start, diagnostic)];
    };
    let mut entries: Vec<Entry<'_, '_>> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let diagnostics = entries.into_iter().filter_map(|(key, value)| {
        let diagnostic = set(key.get_ref().as_ref(), value).err()?;
        Some(at(text, key.span().start, diagnostic))
    });
    diagnostics.collect()
}

fn users_only(name: &str) -> Diagnostic {
    Diagnostic::new(format!("`{name}` can be set in the user's config.toml only")).help(
        "remove it: a project may tighten `default`, `mcp.changed_tools`, `mcp.unseen`, `hold.tools`, \
         `hold.profile` and `hold.protected`, and nothing else",
    )
}

fn at(text: &str, offset: usize, diagnostic: Diagnostic) -> Diagnostic {
    Diagnostic { line: Some(line(text, offset)), ..diagnostic }
}

fn line(text: &str, offset: usize) -> u32 {
    let breaks = text.bytes().take(offset).filter(|byte| *byte == b'\n').count();
    u32::try_from(breaks).unwrap_or(u32::MAX).saturating_add(1)
}

fn unknown(name: &str, keys: &[&str]) -> Diagnostic {
    let near = nearest(name, keys.iter().copied());
    let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Diagnostic::new(format!("unknown setting `{}`{hint}", quoted(name)))
        .help(format!("settings are {}", keys.join(", ")))
}

fn wrong_type(name: &str, value: &Spanned<DeValue<'_>>, wanted: &str) -> Diagnostic {
    Diagnostic::new(format!("`{name}` is {wanted}, not of the type {}", value.get_ref().type_str()))
}

fn boolean(name: &str, value: &Spanned<DeValue<'_>>) -> Result<bool, Diagnostic> {
    value.get_ref().as_bool().ok_or_else(|| wrong_type(name, value, "true or false"))
}

fn choice(
    name: &str,
    value: &Spanned<DeValue<'_>>,
    names: &[&'static str],
) -> Result<&'static str, Diagnostic> {
    let list = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let text = value.get_ref().as_str().ok_or_else(|| wrong_type(name, value, &list))?;
    names.iter().copied().find(|known| *known == text).ok_or_else(|| {
        Diagnostic::new(format!("`{name}` is \"{}\"", quoted(text))).help(format!("it may be {list}"))
    })
}

/// A list of products.
fn products(name: &str, value: &Spanned<DeValue<'_>>) -> Result<Vec<Product>, Diagnostic> {
    let known = Product::OTHERS.map(Product::as_str);
    let wanted = format!("a list of {}", known.map(|name| format!("\"{name}\"")).join(", "));
    let list = value.get_ref().as_array().ok_or_else(|| wrong_type(name, value, &wanted))?;
    let one = |entry: &Spanned<DeValue<'_>>| {
        let text = entry.get_ref().as_str().ok_or_else(|| wrong_type(name, entry, &wanted))?;
        Product::other(text).ok_or_else(|| {
            let near = nearest(text, known);
            let hint = near.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            Diagnostic::new(format!("`{name}` has \"{}\"{hint}", quoted(text)))
                .help(format!("it is {wanted}"))
        })
    };
    list.iter().map(one).collect()
}

fn user_name(name: &str, value: &Spanned<DeValue<'_>>) -> Result<String, Diagnostic> {
    let text = value.get_ref().as_str().ok_or_else(|| wrong_type(name, value, "the name of a user"))?;
    let well = !text.is_empty() && !text.contains([':', '\n', '\0', '/']);
    well.then(|| text.to_owned())
        .ok_or_else(|| Diagnostic::new(format!("`{name}` is \"{}\"", quoted(text))).help("name a user"))
}

/// A text that is not empty.
fn words(name: &str, value: &Spanned<DeValue<'_>>, wanted: &str) -> Result<String, Diagnostic> {
    let text = value.get_ref().as_str().ok_or_else(|| wrong_type(name, value, wanted))?;
    let is_any = !text.trim().is_empty();
    is_any
        .then(|| text.to_owned())
        .ok_or_else(|| Diagnostic::new(format!("`{name}` is empty")).help(format!("it is {wanted}")))
}

/// A time of at least 10 ms.
fn millis(name: &str, value: &Spanned<DeValue<'_>>, most: u64) -> Result<Duration, Diagnostic> {
    number(name, value, 10, most).map(Duration::from_millis)
}

fn number(name: &str, value: &Spanned<DeValue<'_>>, least: u64, most: u64) -> Result<u64, Diagnostic> {
    let integer = value.get_ref().as_integer();
    let integer = integer.ok_or_else(|| wrong_type(name, value, "a whole number"))?;
    let digits = integer.as_str();
    u64::from_str_radix(digits, integer.radix())
        .ok()
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| {
            Diagnostic::new(format!("`{name}` is {}", quoted(digits)))
                .help(format!("at least {least}, at most {most}"))
        })
}
