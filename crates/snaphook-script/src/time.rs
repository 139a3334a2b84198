//! `snaphook.time`: seconds since 1970 and RFC 3339. The clock itself is the host's.

use jiff::Timestamp;

/// The reason why a time cannot be written or read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TimeError {
    /// Seconds outside the years that can be written.
    #[error("{0} seconds is not a time that can be written")]
    OutOfRange(f64),
    /// A text that is not RFC 3339.
    #[error("\"{0}\" is not a time like 2026-01-31T12:00:00Z")]
    NotATime(String),
}

/// RFC 3339 in UTC, to the second or finer where there is a fraction.
///
/// # Errors
/// Seconds outside the years that can be written.
pub fn iso(seconds: f64) -> Result<String, TimeError> {
    if !seconds.is_finite() {
        return Err(TimeError::OutOfRange(seconds));
    }
    let millis = (seconds * 1000.0).round();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cast saturates, and what is out of range is refused next"
    )]
    let time = Timestamp::from_millisecond(millis as i64).map_err(|_| TimeError::OutOfRange(seconds))?;
    Ok(time.to_string())
}

/// Seconds since 1970 of an RFC 3339 text.
///
/// # Errors
/// The text is not a time.
pub fn parse(text: &str) -> Result<f64, TimeError> {
    let time: Timestamp = text.parse().map_err(|_| TimeError::NotATime(text.to_owned()))?;
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of our millennia are exact in a double")]
    Ok(time.as_millisecond() as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        assert_eq!(iso(0.0).as_deref(), Ok("1970-01-01T00:00:00Z"));
        assert_eq!(iso(1_790_000_000.25).as_deref(), Ok("2026-09-21T14:13:20.25Z"));
        assert_eq!(parse("2026-09-21T14:13:20.25Z"), Ok(1_790_000_000.25));
        for bad in [f64::NAN, f64::INFINITY, 1e300] {
            assert!(iso(bad).is_err());
        }
        assert!(parse("tomorrow").is_err());
    }
}
