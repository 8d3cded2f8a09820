//! Files use what their crate's table of layers has below them, and nothing above.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use stack_tests::source::{code, sources};

/// Crates, with the page that has the table of their layers: the highest first, files that may use those
/// after them. A name is that of a file without its ending, of a folder, or of both. Files within a name
/// may use each other, and so may those of names with "and" between them.
const TABLES: &[(&str, &str)] = &[("opencl", "opencl/README.md"), ("umd", "umd/src/lib.rs")];

type Names = Vec<String>;

/// The words and signs of code. A path's two colons are one sign.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match first {
            _ if rest.starts_with("::") => 2,
            word if is_word(word) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            sign => sign.len_utf8(),
        };
        let (token, others) = rest.split_at(length);
        tokens.push(token);
        rest = others.trim_start();
    }
    tokens
}

/// The paths of the tree that begins at a token; gives where it ends.
fn tree(tokens: &[&str], mut at: usize, above: &[&str], paths: &mut Vec<Names>) -> usize {
    let mut path = above.to_vec();
    while let Some(&token) = tokens.get(at) {
        if token == "{" {
            at += 1;
            while !matches!(tokens.get(at), None | Some(&"}")) {
                let end = tree(tokens, at, &path, paths);
                at = end.max(at + 1);
            }
            return at + 1;
        }
        if token != "self" || path.is_empty() {
            if !token.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                break;
            }
            path.push(token);
        }
        at += 1;
        if tokens.get(at) != Some(&"::") {
            break;
        }
        at += 1;
    }
    paths.push(path.into_iter().map(str::to_owned).collect());
    at
}

/// The paths of the crate that code uses, and those that it hands on (`pub use`).
fn paths(code: &str) -> (Vec<Names>, Vec<Names>) {
    let tokens = tokens(code);
    let (mut used, mut handed_on) = (Vec::new(), Vec::new());
    let (mut at, mut is_public) = (0, false);
    while let Some(&token) = tokens.get(at) {
        let before = |n: usize| at.checked_sub(n).map(|place| tokens[place]);
        let is_path = matches!(token, "crate" | "self" | "super")
            && tokens.get(at + 1) == Some(&"::")
            && before(1) != Some("::")
            && (before(1), before(2)) != (Some("in"), Some("("));
        at = match token {
            "pub" => {
                is_public = true;
                at + 1
            }
            "use" if is_public => tree(&tokens, at + 1, &[], &mut handed_on),
            _ if is_path => tree(&tokens, at, &[], &mut used),
            // What only tests use.
            "cfg" if tokens[at..].starts_with(&["cfg", "(", "test", ")", "]", "use"]) => {
                let end = tokens[at..].iter().position(|&token| token == ";");
                end.map_or(tokens.len(), |end| at + end)
            }
            "struct" | "enum" | "fn" | "mod" | "const" | "static" | "trait" | "type" | ";" => {
                is_public = false;
                at + 1
            }
            _ => at + 1,
        };
    }
    (used, handed_on)
}

/// A crate's files, by what they are called in its table, and what each uses.
struct Files {
    /// The files' names, by the modules that they are.
    modules: HashMap<Names, String>,
    /// What modules hand on: the path that a name stands for.
    handed_on: HashMap<Names, HashMap<String, Names>>,
    uses: BTreeMap<String, BTreeSet<String>>,
}

impl Files {
    fn of(root: &Path) -> Self {
        let mut files = Self {
            modules: HashMap::new(),
            handed_on: HashMap::new(),
            uses: BTreeMap::new(),
        };
        let mut used = Vec::new();
        for path in sources(root) {
            let name = path.strip_prefix(root).unwrap().with_extension("");
            let name = name.to_string_lossy().into_owned();
            let mut module: Names = name.split('/').map(str::to_owned).collect();
            module.pop_if(|last| ["mod", "lib"].contains(&last.as_str()));
            let (paths, handed_on) = paths(&code(&fs::read_to_string(&path).unwrap()));
            let handed_on = handed_on.into_iter().filter_map(|mut path| {
                if !["crate", "self", "super"].contains(&path[0].as_str()) {
                    path.insert(0, "self".to_owned());
                }
                let last = path.last()?.clone();
                Some((last, absolute(&module, &path)))
            });
            files.handed_on.insert(module.clone(), handed_on.collect());
            files.modules.insert(module.clone(), name.clone());
            used.push((module, name, paths));
        }
        for (module, name, paths) in used {
            let paths = paths.iter().map(|path| absolute(&module, path));
            let uses = paths.filter_map(|path| files.file_of(&path, 0));
            let uses = uses.filter(|used| *used != name && !gathers(used));
            files.uses.insert(name.clone(), uses.collect());
        }
        files
    }

    /// The file that has what a path names.
    fn file_of(&self, path: &[String], depth: usize) -> Option<String> {
        let longest = (0..=path.len()).rev();
        let (module, rest) = longest
            .map(|length| path.split_at(length))
            .find(|(module, _)| self.modules.contains_key(*module))?;
        let stands_for = rest
            .first()
            .and_then(|name| self.handed_on[module].get(name));
        match stands_for {
            Some(other) if depth < 8 => self.file_of(&[other, &rest[1..]].concat(), depth + 1),
            _ => self.modules.get(module).cloned(),
        }
    }
}

/// Whether a file gathers others, and is of no layer.
fn gathers(file: &str) -> bool {
    file == "lib" || file == "mod" || file.ends_with("/mod")
}

/// A path of a module from the root of its crate.
fn absolute(module: &[String], path: &[String]) -> Names {
    let mut from = module.to_vec();
    let mut rest = path;
    while let Some((first, others)) = rest.split_first() {
        match first.as_str() {
            "crate" => from.clear(),
            "self" => {}
            "super" => drop(from.pop()),
            _ => break,
        }
        rest = others;
    }
    [&from, rest].concat()
}

/// The names of a table of layers, in their order; those that may use each other are together.
fn entries(page: &str) -> Vec<Vec<String>> {
    let lines = page
        .lines()
        .map(|line| line.trim_start_matches("//!").trim());
    let rows = lines.skip_while(|line| !line.starts_with("| layer |"));
    let rows = rows.skip(2).take_while(|line| line.starts_with('|'));
    let files = rows.filter_map(|row| row.split('|').nth(2));
    let entries = files.flat_map(|files| files.split(','));
    let name = |name: &str| name.trim().trim_matches('`').to_owned();
    let entries = entries.map(|entry| entry.split(" and ").map(name).collect());
    entries.collect()
}

/// What is wrong with files, by a table.
fn wrong(files: &Files, entries: &[Vec<String>]) -> Vec<String> {
    let mut wrong = Vec::new();
    let names = entries.iter().enumerate();
    let names: Vec<(usize, &str)> = names
        .flat_map(|(place, entry)| entry.iter().map(move |name| (place, name.as_str())))
        .collect();
    // The longest name that covers a file, and its place.
    let place = |file: &str| {
        let covers = |(_, name): &&(usize, &str)| {
            let rest = file.strip_prefix(*name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let names = names.iter().filter(covers);
        names.max_by_key(|(_, name)| name.len()).copied()
    };
    for (file, uses) in files.uses.iter().filter(|(file, _)| !gathers(file)) {
        let Some((own, _)) = place(file) else {
            wrong.push(format!("{file} is in no layer"));
            continue;
        };
        for used in uses
            .iter()
            .filter(|used| place(used).is_some_and(|(used, _)| used < own))
        {
            wrong.push(format!("{file} uses {used}, which is above it"));
        }
    }
    for name in &names {
        if !files.uses.keys().any(|file| place(file) == Some(*name)) {
            wrong.push(format!("{} names no file, or is named twice", name.1));
        }
    }
    wrong
}

#[test]
fn files_use_what_is_below_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (folder, page) in TABLES {
        let files = Files::of(&root.join(folder).join("src"));
        let entries = entries(&fs::read_to_string(root.join(page)).unwrap());
        assert!(entries.len() > 20, "{page}: {} entries", entries.len());
        let edges: usize = files.uses.values().map(BTreeSet::len).sum();
        assert!(edges > 80, "{folder}: {edges} uses found");
        let wrong = wrong(&files, &entries);
        assert!(wrong.is_empty(), "{page}:\n{}", wrong.join("\n"));
    }
}

/// Files of texts, by their names without ending.
fn crate_of(texts: &[(&str, &str)]) -> (tempfile::TempDir, Files) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in texts {
        let path = folder.path().join(name).with_extension("rs");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let files = Files::of(folder.path());
    (folder, files)
}

#[test]
fn uses_are_found_in_each_form() {
    let (_folder, files) = crate_of(&[
        ("lib", "mod a; mod b; pub use b::{c::Deep, Shallow};"),
        (
            "a",
            "use crate::Deep;\nuse super::b::{self, d::{X as Y, Z}};",
        ),
        ("b/mod", "pub(crate) mod c; mod d; pub(super) use d::Top;"),
        (
            "b/c",
            "fn f() { crate::a::g::<u8>(super::Top); } // crate::b::d",
        ),
        (
            "b/d",
            "#[cfg(test)]\nuse crate::a;\npub(in crate::b) struct Top;",
        ),
    ]);
    let uses = |file: &str| {
        files.uses[file]
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
    };
    assert_eq!(uses("a"), ["b/c", "b/d"]);
    assert_eq!(uses("b/c"), ["a", "b/d"]);
    assert_eq!(uses("b/d"), [""; 0]);
}

#[test]
fn what_is_above_is_found() {
    let (_folder, files) = crate_of(&[
        ("high", "use crate::low::inner::X;"),
        ("low", "use crate::high;"),
        ("low/inner", ""),
        ("fine", "use crate::other;"),
        ("other", "use crate::fine;"),
        ("unknown", ""),
    ]);
    let page = "text\n//! | layer | files |\n//! |---|---|\n//! | a | `high`, `low` |\n//! | b | `gone`, `fine` and `other` |\n";
    let found = wrong(&files, &entries(page));
    let expected = [
        "low uses high, which is above it",
        "unknown is in no layer",
        "gone names no file, or is named twice",
    ];
    assert_eq!(found, expected);
}
