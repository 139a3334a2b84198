//! Values as text. A value that holds the same long text a thousand times would be a thousand times as long as text, so
//! what is made here is cut at the limit of texts and says so.
//!
//! It is cut and not refused because Rhai's own `${value}` takes an error of `to_string` as leave to print the value
//! itself, without any limit.

use rhai::{Array, Blob, Dynamic, FnPtr, ImmutableString, Map, Module, NativeCallContext};

use crate::natives::interrupt::check_bytes;
use crate::natives::{limits, pure};

type Context<'a> = NativeCallContext<'a>;

/// The number of objects of the host that are asked for their text; the rest is shown by its type.
const MAX_PRINTED_OBJECTS: usize = 1000;

pub(super) fn register(library: &mut Module) {
    type Value<'a> = &'a mut Dynamic;
    pure("print").set_into_module(library, |context: Context<'_>, value: Value<'_>| shown(&context, value));
    pure("debug").set_into_module(library, |context: Context<'_>, value: Value<'_>| {
        Printer::new(&context).run(|printer| printer.value(value, 0))
    });
    // Where no type has its own.
    pure("to_string")
        .set_into_module(library, |context: Context<'_>, value: Value<'_>| plain(&context, value));
    pure("to_debug")
        .set_into_module(library, |context: Context<'_>, value: Value<'_>| debug(&context, value));
    for name in ["debug", "to_debug"] {
        pure(name).set_into_module(library, |text: &str| {
            let mut out = BoundedText::default();
            out.text(text);
            out.finish()
        });
    }
    for name in ["print", "to_string", "debug", "to_debug"] {
        pure(name).set_into_module(library, |context: Context<'_>, items: &mut Array| {
            Printer::new(&context).run(|printer| printer.array(items, 0))
        });
        pure(name).set_into_module(library, |context: Context<'_>, map: &mut Map| {
            Printer::new(&context).run(|printer| printer.map(map, 0))
        });
    }
}

/// A value as `text + value` and messages show it.
pub(super) fn shown(context: &Context<'_>, value: &Dynamic) -> ImmutableString {
    if let Ok(text) = value.as_immutable_string_ref() {
        return text.clone();
    }
    let said = context.call_native_fn_raw("to_string", true, &mut [&mut value.clone()]);
    said.ok().and_then(|said| said.into_immutable_string().ok()).unwrap_or_else(|| plain(context, value))
}

fn plain(context: &Context<'_>, value: &Dynamic) -> ImmutableString {
    if let Ok(text) = value.as_immutable_string_ref() {
        return text.clone();
    }
    if is_long(value) {
        return debug(context, value);
    }
    context.engine().map_type_name(&value.to_string()).into()
}

fn debug(context: &Context<'_>, value: &Dynamic) -> ImmutableString {
    if is_long(value) {
        return Printer::new(context).run(|printer| printer.value(value, 0));
    }
    context.engine().map_type_name(&format!("{value:?}")).into()
}

fn is_long(value: &Dynamic) -> bool {
    value.is_array() || value.is_map() || value.is_blob() || value.is_string()
}

/// A text that ends at the limit.
#[derive(Default)]
struct BoundedText {
    text: String,
    is_full: bool,
}

impl BoundedText {
    /// Takes what there is room for.
    fn push(&mut self, part: &str) {
        if self.is_full {
            return;
        }
        let room = (limits::TEXT - limits::TEXT / 64).saturating_sub(self.text.len());
        self.is_full = part.len() > room;
        self.text.push_str(&part[..part.floor_char_boundary(room)]);
    }

    /// A text in quotes, as Rhai shows it.
    fn text(&mut self, text: &str) {
        self.push("\"");
        let mut buffer = String::new();
        // In parts, because escaping can make a text ten times as long.
        let mut rest = text;
        while !rest.is_empty() && !self.is_full {
            let (part, later) = rest.split_at(rest.floor_char_boundary(4096));
            let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
            if part.bytes().all(is_plain) {
                self.push(part);
            } else {
                buffer.clear();
                // A single quote stays in a quoted text.
                for char in part.chars() {
                    match char {
                        '\'' => buffer.push('\''),
                        char => buffer.extend(char.escape_debug()),
                    }
                }
                self.push(&buffer);
            }
            rest = later;
        }
        self.push("\"");
    }

    fn finish(mut self) -> ImmutableString {
        // A script that has to stop does so after this call; see above.
        let _ = check_bytes(self.text.len().saturating_mul(8));
        if self.is_full {
            self.text.push_str("… (cut)");
        }
        self.text.into()
    }
}

struct Printer<'a> {
    context: &'a Context<'a>,
    out: BoundedText,
    objects: usize,
}

impl<'a> Printer<'a> {
    fn new(context: &'a Context<'a>) -> Self {
        Printer { context, out: BoundedText::default(), objects: 0 }
    }

    fn run(mut self, print: impl FnOnce(&mut Self)) -> ImmutableString {
        print(&mut self);
        self.out.finish()
    }

    fn array(&mut self, items: &Array, depth: usize) {
        self.out.push("[");
        for (index, item) in items.iter().enumerate() {
            if self.out.is_full {
                return;
            }
            if index > 0 {
                self.out.push(", ");
            }
            self.value(item, depth + 1);
        }
        self.out.push("]");
    }

    fn map(&mut self, map: &Map, depth: usize) {
        self.out.push("#{");
        for (index, (key, item)) in map.iter().enumerate() {
            if self.out.is_full {
                return;
            }
            if index > 0 {
                self.out.push(", ");
            }
            self.out.text(key);
            self.out.push(": ");
            self.value(item, depth + 1);
        }
        self.out.push("}");
    }

    fn value(&mut self, value: &Dynamic, depth: usize) {
        if depth > limits::DEPTH {
            self.out.push("…");
        } else if let Ok(text) = value.as_immutable_string_ref() {
            self.out.text(&text);
        } else if let Ok(items) = value.as_array_ref() {
            self.array(&items, depth);
        } else if let Ok(map) = value.as_map_ref() {
            self.map(&map, depth);
        } else if let Ok(blob) = value.as_blob_ref() {
            self.blob(&blob);
        } else if let Ok(char) = value.as_char() {
            self.out.push(char.encode_utf8(&mut [0; 4]));
        } else if value.is_int() || value.is_float() || value.is_bool() || value.is_unit() {
            let text = format!("{value:?}");
            self.out.push(&text);
        } else if let Some(function) = value.read_lock::<FnPtr>() {
            self.out.push(&function.to_string());
        } else {
            self.object(value);
        }
    }

    /// As Rhai shows one: two digits a byte, a space after each eight.
    fn blob(&mut self, blob: &Blob) {
        self.out.push("[");
        let mut buffer = String::new();
        for (index, bytes) in blob.chunks(8).enumerate() {
            if self.out.is_full {
                return;
            }
            buffer.clear();
            if index > 0 {
                buffer.push(' ');
            }
            for byte in bytes {
                const DIGITS: [char; 16] =
                    ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
                buffer.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
            }
            self.out.push(&buffer);
        }
        self.out.push("]");
    }

    fn object(&mut self, value: &Dynamic) {
        self.objects += 1;
        let said = (self.objects <= MAX_PRINTED_OBJECTS)
            .then(|| self.context.call_native_fn_raw("to_debug", true, &mut [&mut value.clone()]));
        let said = said.and_then(Result::ok).and_then(|said| said.into_immutable_string().ok());
        match said {
            Some(said) => self.out.push(&said),
            None => self.out.push(self.context.engine().map_type_name(value.type_name())),
        }
    }
}
