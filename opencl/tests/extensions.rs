//! The table of extensions in this crate's README says what devices say.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use common::Runtime;
use devinfo::PLATFORMS;

/// Extensions that the same platforms have, in a row.
fn table(lists: &[BTreeSet<&str>]) -> String {
    let mut rows: BTreeMap<Vec<bool>, Vec<&str>> = BTreeMap::new();
    let all: BTreeSet<&str> = lists.iter().flatten().copied().collect();
    for extension in all {
        let has = lists.iter().map(|list| list.contains(extension)).collect();
        rows.entry(has).or_default().push(extension);
    }
    let mut text = "| extensions | platforms |\n|---|---|\n".to_owned();
    for (has, extensions) in rows.into_iter().rev() {
        let names = |wanted: bool| {
            let of = PLATFORMS.iter().zip(&has);
            let of = of.filter(|(_, has)| **has == wanted);
            of.map(|(platform, _)| format!("`{}`", platform.name))
                .collect::<Vec<_>>()
        };
        let (with, without) = (names(true), names(false));
        let platforms = match without.len() {
            0 => "all".to_owned(),
            count if count < with.len() => format!("all but {}", without.join(", ")),
            _ => with.join(", "),
        };
        let extensions: Vec<_> = extensions.iter().map(|name| format!("`{name}`")).collect();
        writeln!(text, "| {} | {platforms} |", extensions.join(", ")).unwrap();
    }
    text
}

#[test]
fn the_readme_lists_what_devices_have() {
    if !common::has_tools() {
        return;
    }
    let runtime = Runtime::new();
    let devices: Vec<_> = PLATFORMS
        .iter()
        .map(|platform| format!("soft:{}", platform.name))
        .collect();
    let program = runtime.compiled("list");
    let run = runtime
        .command(program, &devices.join(","))
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&run.stdout);
    let lines: Vec<_> = printed.lines().collect();
    assert_eq!(lines.len(), PLATFORMS.len() + 1, "{printed}");
    let lists: Vec<BTreeSet<_>> = lines
        .iter()
        .take(PLATFORMS.len())
        .map(|line| line.split_whitespace().collect())
        .collect();
    let table = table(&lists);
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let text = std::fs::read_to_string(readme).unwrap();
    assert!(
        text.contains(&table),
        "opencl/README.md should have\n\n{table}"
    );
}
