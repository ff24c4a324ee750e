//! The house rules that a compiler does not check: arrows point down, between crates and between core's bands; core names
//! no `std`; one file names the operating system; modules without `unsafe` forbid it; files stay readable.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Core's bands, low to high: a module uses its own band and those before it.
const BANDS: &[&[&str]] = &[
    &["error", "dtype", "rng", "fpenv", "layout", "sync"],
    &["alloc", "storage", "pool", "parallel"],
    &["raw"],
    &["kernels", "backend"],
    &["exec"],
    &["autograd"],
    &["tensor"],
    &["optim"],
];

/// The crates, and which of ours each may depend on.
const ARROWS: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("platform", &[]),
    ("backends/avx2", &["fucina-core"]),
    ("backends/avx512", &["fucina-core", "fucina-avx2"]),
    ("backends/neon", &["fucina-core"]),
    ("backends/simd128", &["fucina-core"]),
    ("backends/blas", &["fucina-core"]),
    (
        "std-runtime",
        &[
            "fucina-core",
            "fucina-platform",
            "fucina-avx2",
            "fucina-avx512",
            "fucina-neon",
            "fucina-simd128",
        ],
    ),
    (".", &["fucina-core", "fucina-runtime"]),
];

/// Where core may be unsafe: STYLE's list, and the files that declare such modules.
const UNSAFE_IN_CORE: &[&str] =
    &["alloc", "storage", "pool", "parallel", "fpenv", "exec/borrow.rs", "exec/flush.rs"];
const DECLARES_UNSAFE: &[&str] = &["lib.rs", "exec.rs"];

/// Lines that a file may have.
const MOST_LINES: usize = 800;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below `folder`, with its path from there.
fn sources(folder: &Path) -> BTreeMap<String, String> {
    let (mut found, mut open) = (BTreeMap::new(), vec![folder.to_path_buf()]);
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                open.push(path);
            } else if name.ends_with(".rs") {
                let from_there = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                found.insert(from_there, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// The lines of a file that are code, without its unit tests.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..end].lines().map(str::trim).filter(|line| !line.starts_with("//"))
}

/// The top modules of its own crate that a file names, by `crate::`, in `use` lines and elsewhere.
fn modules_used(text: &str) -> Vec<String> {
    let code = code(text).collect::<Vec<_>>().join("\n");
    let word = |s: &str| -> String {
        s.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut used = Vec::new();
    for (at, found) in code.match_indices("crate::") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &code[at + found.len()..];
        match rest.strip_prefix('{') {
            None => used.push(word(rest)),
            Some(list) => {
                let list = &list[..list.find("};").unwrap_or(list.len())];
                // Top-level entries of the braces.
                let mut depth = 0_usize;
                let mut entry = String::new();
                for c in list.chars() {
                    match c {
                        '{' => depth += 1,
                        '}' => depth = depth.saturating_sub(1),
                        ',' if depth == 0 => used.push(word(core::mem::take(&mut entry).trim())),
                        c if depth == 0 => entry.push(c),
                        _ => {}
                    }
                }
                used.push(word(entry.trim()));
            }
        }
    }
    used.retain(|name| !name.is_empty());
    used
}

fn band(module: &str) -> Option<usize> {
    BANDS.iter().position(|band| band.contains(&module))
}

/// What is wrong with the arrows of core's sources; how many arrows were looked at.
fn upward_arrows(sources: &BTreeMap<String, String>) -> (Vec<String>, usize) {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for (file, text) in sources {
        let module = file.split(['/', '.']).next().unwrap_or_default();
        if module == "lib" || file.ends_with("/tests.rs") {
            continue;
        }
        let Some(own) = band(module) else {
            wrong.push(format!("{file}: not in any band"));
            continue;
        };
        for used in modules_used(text) {
            // Lower-case names that are modules; the crate's root re-exports are for users, not for core itself.
            match band(&used) {
                Some(theirs) => {
                    seen += 1;
                    if theirs > own {
                        wrong.push(format!(
                            "{file} (band {}) uses {used} (band {})",
                            own + 1,
                            theirs + 1
                        ));
                    }
                }
                None if used == "for_each_kernel" || used == "kernels_through_enter" => {}
                None => wrong.push(format!("{file}: crate::{used} is no module of a band")),
            }
        }
    }
    (wrong, seen)
}

/// Our crates among a manifest's dependencies.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut ours = Vec::new();
    let mut inside = false;
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]") && !line.starts_with("[workspace");
        } else if inside && line.starts_with("fucina-") {
            ours.push(line.split(['.', ' ', '=']).next().unwrap_or_default().to_string());
        }
    }
    ours
}

#[test]
fn crates_depend_downwards_only() {
    let mut arrows = 0;
    for (folder, allowed) in ARROWS {
        let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        for dependency in dependencies(&manifest) {
            arrows += 1;
            assert!(allowed.contains(&dependency.as_str()), "{folder} depends on {dependency}");
        }
    }
    assert!(arrows >= 10, "only {arrows} arrows between crates were found");
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    for (folder, _) in ARROWS.iter().filter(|(folder, _)| *folder != ".") {
        assert!(workspace.contains(&format!("\"{folder}\"")), "{folder} is no member");
    }
}

#[test]
fn the_bands_of_core_use_downwards_only() {
    let (wrong, seen) = upward_arrows(&sources(&root().join("core/src")));
    assert_eq!(wrong, Vec::<String>::new());
    assert!(seen > 200, "only {seen} uses were found");
}

#[test]
fn the_walker_sees_every_form_of_an_upward_arrow() {
    let bad = [
        ("raw.rs", "use crate::exec::ExecContext;"),
        ("layout/view.rs", "pub(crate) use crate::{error::Error, tensor::{Tensor, x}};"),
        ("pool/heap.rs", "fn f() { crate::autograd::run() }"),
        ("kernels/a.rs", "use crate::{\n    layout::Shape,\n    optim::{Sgd, AdamW},\n};"),
        ("exec/a.rs", "impl crate::Tensor {}"),
        ("stray.rs", ""),
    ];
    for (file, text) in bad {
        let tree = BTreeMap::from([(file.to_string(), text.to_string())]);
        assert_eq!(upward_arrows(&tree).0.len(), 1, "{file}: {text}");
    }
    let good = "// crate::tensor\n//! [`crate::tensor`]\nuse crate::error::Error;\n$crate::exec;\n\
                #[cfg(test)]\nmod tests {\n    use crate::tensor::Tensor;\n}";
    let tree = BTreeMap::from([("raw.rs".to_string(), good.to_string())]);
    assert_eq!(upward_arrows(&tree), (Vec::new(), 1));
    let manifest = "[dependencies]\nfucina-core.workspace = true\n[dev-dependencies]\n\
                    fucina-platform = { path = \"..\" }\n[workspace.dependencies]\nfucina-x = \"1\"";
    assert_eq!(dependencies(manifest), ["fucina-core", "fucina-platform"]);
}

#[test]
fn core_names_no_std_and_no_operating_system() {
    for (file, text) in sources(&root().join("core/src")) {
        if file.ends_with("/tests.rs") {
            continue;
        }
        for line in code(&text) {
            let bare = line.replace("std_alloc::", "");
            assert!(!bare.contains("std::"), "core/src/{file}: {line}");
            assert!(!line.contains("target_os"), "core/src/{file}: {line}");
            assert!(!line.contains("target_arch") || file == "fpenv.rs", "core/src/{file}: {line}");
        }
    }
}

#[test]
fn one_file_names_the_operating_system() {
    for folder in ["src", "std-runtime/src", "backends"] {
        for (file, text) in sources(&root().join(folder)) {
            assert!(!code(&text).any(|l| l.contains("target_os")), "{folder}/{file} names an OS");
        }
    }
    let mut named = 0;
    for (file, text) in sources(&root().join("platform/src")) {
        let names = code(&text).any(|line| line.contains("target_os"));
        named += usize::from(names);
        assert!(!names || file.starts_with("sys"), "platform/src/{file} names an OS");
    }
    assert!(named > 0);
}

#[test]
fn modules_without_unsafe_forbid_it() {
    const FORBID: &str = "#![forbid(unsafe_code)]";
    let all = sources(&root().join("core/src"));
    let forbids = |file: &str| all.get(file).is_some_and(|text| text.contains(FORBID));
    for file in all.keys() {
        let may =
            UNSAFE_IN_CORE.iter().any(|m| file == m || file.split(['/', '.']).next() == Some(m));
        if may || DECLARES_UNSAFE.contains(&file.as_str()) {
            continue;
        }
        // The file itself, or a file above it: `a/b/c.rs` is covered by `a/b.rs` and `a.rs`.
        let covered = forbids(file)
            || file.match_indices('/').any(|(at, _)| forbids(&format!("{}.rs", &file[..at])));
        assert!(covered, "core/src/{file} neither forbids unsafe code nor is on the list");
    }
}

#[test]
fn files_stay_readable() {
    let mut files = 0;
    for (file, text) in sources(&root()) {
        files += 1;
        assert!(text.lines().count() <= MOST_LINES, "{file} has over {MOST_LINES} lines");
        assert!(!file.ends_with("/mod.rs"), "{file}: a module is a file of its name");
    }
    assert!(files > 80, "only {files} files were found");
}
