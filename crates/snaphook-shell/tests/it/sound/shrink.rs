//! Makes a failing text small by leaving out pieces.

/// The smallest text found by deletion for which `fails` still holds; at most `tries` texts are tried.
pub fn shrink(text: &str, mut tries: usize, mut fails: impl FnMut(&str) -> bool) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let mut size = chars.len() / 2;
    while size > 0 {
        let mut shorter = false;
        let mut at = 0;
        while at < chars.len() && tries > 0 {
            let end = (at + size).min(chars.len());
            let candidate: String = chars[..at].iter().chain(&chars[end..]).collect();
            tries -= 1;
            if fails(&candidate) {
                chars.drain(at..end);
                shorter = true;
            } else {
                at += size;
            }
        }
        if !shorter || size > 1 {
            size /= 2;
        }
    }
    chars.into_iter().collect()
}
