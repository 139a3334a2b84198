//! `$'…'`: C-like escapes. Nothing else of quoting lives here.

use super::lexer::{Parser, Res};

impl Parser<'_> {
    /// After `$'`.
    pub(super) fn ansi_quoted(&mut self) -> Res<String> {
        let mut out = String::new();
        loop {
            self.budget.spend(0)?;
            let Some(next) = self.next_char() else { return self.error("a quote is not closed") };
            match next {
                '\'' => return Ok(out),
                '\\' => self.ansi_escape(&mut out)?,
                other => out.push(other),
            }
        }
    }

    fn next_char(&mut self) -> Option<char> {
        let next = self.src.get(self.pos..)?.chars().next()?;
        self.pos += next.len_utf8();
        Some(next)
    }

    fn ansi_escape(&mut self, out: &mut String) -> Res<()> {
        let Some(kind) = self.next_char() else { return self.error("a quote is not closed") };
        match kind {
            'a' => out.push('\x07'),
            'b' => out.push('\x08'),
            'e' | 'E' => out.push('\x1b'),
            'f' => out.push('\x0c'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'v' => out.push('\x0b'),
            '\\' | '\'' | '"' | '?' => out.push(kind),
            '0'..='7' => {
                self.pos -= 1;
                let code = self.digits(8, 3);
                self.ascii(code & 0xff, out)?;
            }
            'x' => {
                if self.raw(self.pos) == Some(b'{')
                    || !self.raw(self.pos).is_some_and(|byte| byte.is_ascii_hexdigit())
                {
                    return self.error("an escape of unclear value");
                }
                let code = self.digits(16, 2);
                self.ascii(code, out)?;
            }
            'u' | 'U' => {
                let code = self.digits(16, if kind == 'u' { 4 } else { 8 });
                match char::from_u32(code) {
                    // above 127 the value depends on the locale
                    Some(value) if code != 0 && code < 0x80 => out.push(value),
                    _ => return self.error("an escape of unclear value"),
                }
            }
            'c' => return self.error("an escape of unclear value"),
            other => {
                out.push('\\');
                out.push(other);
            }
        }
        Ok(())
    }

    /// Bytes above 127 would make text that need not be UTF-8, and a zero byte would cut it short.
    fn ascii(&self, code: u32, out: &mut String) -> Res<()> {
        match char::from_u32(code) {
            Some(value) if (1..0x80).contains(&code) => {
                out.push(value);
                Ok(())
            }
            _ => self.error("an escape of unclear value"),
        }
    }

    fn digits(&mut self, radix: u32, most: usize) -> u32 {
        let mut code = 0u32;
        for _ in 0..most {
            let digit = self.raw(self.pos).and_then(|byte| char::from(byte).to_digit(radix));
            let Some(digit) = digit else { break };
            code = code.wrapping_mul(radix).wrapping_add(digit);
            self.pos += 1;
        }
        code
    }
}
