//! Decimal numbers in kernel and environment text.
//!
//! Stricter than `str::parse`: no sign unless asked for, no `+`, no blanks inside; and on bytes,
//! because neither an environment value nor a file need be UTF-8.
#![forbid(unsafe_code)]

/// Digits of `u64::MAX`; a longer number is refused whatever its leading zeros.
const MAX_DIGITS: usize = 20;

/// The number that `text` spells with digits alone.
pub(crate) fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > MAX_DIGITS {
        return None;
    }
    text.iter().try_fold(0u64, |value, &byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}

/// As [`decimal`], but blanks around the digits and one leading minus are read too.
pub(crate) fn signed(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii();
    match text.strip_prefix(b"-") {
        Some(digits) => i64::try_from(decimal(digits)?).ok().map(|value| -value),
        None => i64::try_from(decimal(text)?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_reads_digits_alone() {
        assert_eq!(decimal(b"0"), Some(0));
        assert_eq!(decimal(b"0008"), Some(8));
        assert_eq!(decimal(b"18446744073709551615"), Some(u64::MAX));
        for text in ["", "18446744073709551616", "000000000000000000001", "+1", "-1", " 1", "1 "] {
            assert_eq!(decimal(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn signed_reads_one_minus_and_outer_blanks() {
        assert_eq!(signed(b" -1\n"), Some(-1));
        assert_eq!(signed(b"1024\n"), Some(1024));
        assert_eq!(signed(b"9223372036854775807"), Some(i64::MAX));
        for text in ["", "-", "--1", "- 1", "9223372036854775808", "1 2", "0x1"] {
            assert_eq!(signed(text.as_bytes()), None, "{text:?}");
        }
    }
}
