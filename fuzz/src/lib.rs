//! What the targets share: cutting an input into parts, and comparing JSON. Not here: what has to hold, which each target says
//! in its first lines.

use serde_json::Value;

/// The first byte and the text behind it; none where the input is empty or no UTF-8.
pub fn choice_and_text(data: &[u8]) -> Option<(usize, &str)> {
    let (first, rest) = data.split_first()?;
    Some((usize::from(*first), std::str::from_utf8(rest).ok()?))
}

/// A text in parts that stand behind each other, with a line of `====` between two.
pub fn parts<const N: usize>(data: &[u8]) -> Option<[&str; N]> {
    let mut found = std::str::from_utf8(data).ok()?.splitn(N, "\n====\n");
    let mut parts = [""; N];
    for part in &mut parts {
        *part = found.next().unwrap_or_default();
    }
    Some(parts)
}

/// Whether two values are the same, where numbers with a fraction may differ in the last digit that is printed.
pub fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => match (one.as_f64(), other.as_f64()) {
            (Some(one), Some(other)) => one == other || (one - other).abs() <= one.abs() * 1e-12,
            _ => one == other,
        },
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| alike(value, other)))
        }
        _ => one == other,
    }
}
