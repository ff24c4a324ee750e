//! The sources' fallible public functions, compared with the op table: a new op cannot be forgotten.

use std::path::Path;

use crate::op_table::TABLE;

/// Fallible public functions of the sources that the table does not name.
pub(crate) fn missing() -> Vec<String> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut missing = Vec::new();
    let mut seen = 0;
    for kind in ["exec", "tensor", "optim"] {
        let mut open = vec![src.join(kind)];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(path).unwrap();
                for name in fallible(&text) {
                    seen += 1;
                    let full = format!("{kind} {name}");
                    if !TABLE.iter().any(|(listed, _)| *listed == full) {
                        missing.push(full);
                    }
                }
            }
        }
    }
    assert!(seen > 100, "the sources were not understood: {seen} functions found");
    missing
}

/// Names of fallible public functions: written out, or listed in an op macro as `"docs" name;` or `"docs" name op;`.
fn fallible(text: &str) -> Vec<String> {
    let word = |s: &str| s.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let mut names: Vec<String> = Vec::new();
    for (at, _) in text.match_indices("    pub fn ").chain(text.match_indices("    pub unsafe fn "))
    {
        let rest = text[at..].trim_start().trim_start_matches("pub ").trim_start_matches("unsafe ");
        let rest = rest.trim_start_matches("fn ");
        let signature = &rest[..rest.find('{').unwrap_or(rest.len())];
        let name: String = word(rest);
        // `close` and `scope.close` report leaks and order; they allocate nothing.
        if (signature.contains("Result<") || signature.contains("Taken<"))
            && !name.is_empty()
            && name != "close"
        {
            names.push(name);
        }
    }
    if text.contains("_ops! {\n") {
        for line in text.lines().map(str::trim) {
            if let Some((_, rest)) = line.strip_prefix('"').and_then(|l| l.split_once("\" "))
                && rest.ends_with(';')
            {
                names.push(word(rest));
            }
        }
    }
    names
}
