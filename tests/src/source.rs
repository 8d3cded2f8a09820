//! The project's own sources, for tests of what code may name and use.

use std::fs;
use std::path::{Path, PathBuf};

/// The sources below a folder, without those of tests, benchmarks and examples.
///
/// # Panics
/// A folder cannot be read.
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            let skipped = ["target", "tests", "benches", "fuzz", "examples"];
            if !skipped.contains(&name.as_ref()) && !name.starts_with('.') {
                found.extend(sources(&path));
            }
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            found.push(path);
        }
    }
    found
}

/// The code of a source: without comments, texts and the unit tests at its end.
#[must_use]
pub fn code(source: &str) -> String {
    let tests = [
        "#[cfg(test)]\nmod tests {",
        "#[cfg(test)]\npub(super) mod tests {",
    ];
    let end = tests.iter().filter_map(|tests| source.find(tests)).min();
    let source = &source[..end.unwrap_or(source.len())];
    let mut out = String::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let skip = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("'\"'") {
            3
        } else if first == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        } else {
            out.push(first);
            first.len_utf8()
        };
        rest = &rest[skip..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn comments_and_texts_are_no_code() {
        let source = "a(b); // c\n/* d */ e(\"f \\\" g\", '\"', h); i";
        assert_eq!(code(source), "a(b); \n e(, , h); i");
        assert_eq!(code("a\n#[cfg(test)]\nmod tests {\n b"), "a\n");
    }
}
