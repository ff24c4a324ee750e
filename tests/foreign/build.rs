//! Compiles the C functions, where there is a mode to change.

fn main() {
    println!("cargo::rerun-if-changed=foreign_mode.c");
    let arch = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    if !["x86_64", "aarch64"].contains(&arch.as_str()) {
        return;
    }
    cc::Build::new().file("foreign_mode.c").warnings_into_errors(true).compile("foreign_mode");
    // Where `fesetround` is.
    if std::env::var_os("CARGO_CFG_UNIX").is_some() {
        println!("cargo::rustc-link-lib=m");
    }
}
