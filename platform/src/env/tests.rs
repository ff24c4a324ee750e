//! The parsers' given and expected values, and the scanner fed in every way of cutting a block.

use super::*;

#[test]
fn a_positive_number_is_digits_alone() {
    assert_eq!(parse_positive_usize(b"6"), Some(6));
    assert_eq!(parse_positive_usize(b"0008"), Some(8));
    assert_eq!(parse_positive_usize(b"4294967295"), Some(4_294_967_295));
    for text in [
        "",
        "0",
        "000",
        "abc",
        "6abc",
        "-4",
        "+6",
        " 6",
        "6 ",
        "6\n",
        "1e3",
        "999999999999999999999",
    ] {
        assert_eq!(parse_positive_usize(text.as_bytes()), None, "{text:?}");
    }
}

#[test]
fn a_spin_budget_may_be_zero_and_fits_32_bits() {
    assert_eq!(parse_spin_budget(b"0"), Some(0));
    assert_eq!(parse_spin_budget(b"512"), Some(512));
    assert_eq!(parse_spin_budget(b"4294967295"), Some(u32::MAX));
    for text in ["", "-4", "-0", "abc", "4294967296", "000000000000000000000", "5 12"] {
        assert_eq!(parse_spin_budget(text.as_bytes()), None, "{text:?}");
    }
}

/// The answer with pieces of each size; all must be the same.
fn scan(block: &[u8], key: &str) -> EnvRecord {
    let answer = |size: usize| {
        let mut scan = EnvScan::new(key.as_bytes(), 20);
        for piece in block.chunks(size) {
            if scan.feed(piece) {
                break;
            }
        }
        scan.finish()
    };
    let by_byte = answer(1);
    for size in 2..=block.len() + 1 {
        assert_eq!(answer(size), by_byte, "pieces of {size}");
    }
    by_byte
}

fn value(text: &str) -> EnvRecord {
    EnvRecord::Value(text.as_bytes().to_vec())
}

#[test]
fn the_scan_finds_the_exact_key_alone() {
    let block = b"XFUCINA_N=1\0FUCINA_NN=2\0FUCINA_=3\0FUCINA_N\0fucina_n=4\0A=FUCINA_N=5\0\
        FUCINA_N=6\0";
    assert_eq!(scan(block, "FUCINA_N"), value("6"));
    assert_eq!(scan(block, "FUCINA_NN"), value("2"));
    assert_eq!(scan(block, "A"), value("FUCINA_N=5"));
    assert_eq!(scan(block, "FUCINA"), EnvRecord::Absent);
    assert_eq!(scan(b"", "A"), EnvRecord::Absent);
    assert_eq!(scan(b"\0\0A=1", "A"), value("1"));
}

#[test]
fn the_last_record_may_lack_its_nul() {
    assert_eq!(scan(b"A=1\0B=23", "B"), value("23"));
    assert_eq!(scan(b"A=1\0B=", "B"), value(""));
    assert_eq!(scan(b"A=1\0B", "B"), EnvRecord::Absent);
}

#[test]
fn the_first_record_decides_even_if_it_is_useless() {
    assert_eq!(scan(b"N=abc\0N=4\0", "N"), value("abc"));
    assert_eq!(scan(b"N=\0N=4\0", "N"), value(""));
    assert_eq!(scan(b"N=000000000000000000004\0N=4\0", "N"), EnvRecord::Overlong);
    assert_eq!(scan(b"N=00000000000000000004\0N=5\0", "N"), value("00000000000000000004"));
}

#[test]
fn an_overlong_foreign_record_passes_through() {
    let mut block = b"PATH=".to_vec();
    block.extend(core::iter::repeat_n(b'N', 300));
    block.extend(b"\0N=9\0");
    assert_eq!(scan(&block, "N"), value("9"));
}

#[test]
fn what_is_no_key_is_in_no_block() {
    for key in ["", "A=B", "A\0"] {
        assert_eq!(scan(b"=1\0A=B=2\0A\0A\0=3\0", key), EnvRecord::Absent, "{key:?}");
        assert_eq!(env_value(key), None, "{key:?}");
    }
}

#[test]
fn the_host_environment_is_read() {
    // The test harness is started by cargo, which sets this.
    assert_eq!(env_value("CARGO_PKG_NAME"), Some(b"fucina-platform".to_vec()));
    assert_eq!(env_value("FUCINA_UNHEARD_OF"), None);
    assert_eq!(env_positive_usize("CARGO_PKG_NAME"), None);
    let minor = std::env::var("CARGO_PKG_VERSION_MINOR").unwrap();
    assert_eq!(env_spin_budget("CARGO_PKG_VERSION_MINOR"), minor.parse().ok());
    assert_eq!(env_positive_usize("CARGO_PKG_VERSION_MINOR"), minor.parse().ok());
}
