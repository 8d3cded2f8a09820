//! What the README and the pages beside it say is true.

#![cfg(test)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use devinfo::PLATFORMS;
use stack_tests::tool;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

#[test]
fn the_platform_table_is_that_of_the_code() {
    let mut table = String::from(
        "| platform | | family | kernel drivers | software GPU |\n|---|---|---|---|---|\n",
    );
    for platform in PLATFORMS {
        let drivers: Vec<String> = platform
            .kernel_drivers
            .iter()
            .map(ToString::to_string)
            .collect();
        writeln!(
            table,
            "| `{}` | {} | {} | {} | runs |",
            platform.name,
            platform.title,
            platform.family,
            drivers.join(", ")
        )
        .unwrap();
    }
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(
        readme.contains(&table),
        "the table of README.md should be\n\n{table}"
    );
}

/// The pages of the tree, those that git does not have left out.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let name = entry.file_name();
        if entry.file_type().unwrap().is_dir() {
            if name != "target" && !name.as_encoded_bytes().starts_with(b".") {
                found.extend(pages(&path));
            }
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found
}

/// The anchors of a page's headings, as renderers of Markdown make them.
fn anchors(page: &str) -> Vec<String> {
    let mut is_code = false;
    let mut found = Vec::new();
    for line in page.lines() {
        is_code ^= line.trim_start().starts_with("```");
        if let (false, Some((_, heading))) =
            (is_code || !line.starts_with('#'), line.split_once("# "))
        {
            let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
            let text: String = heading.chars().filter(kept).collect();
            found.push(text.to_lowercase().replace(' ', "-"));
        }
    }
    found
}

#[test]
fn everything_that_is_linked_exists() {
    let mut links = 0;
    for page in pages(root()) {
        let text = fs::read_to_string(&page).unwrap();
        for part in text.split("](").skip(1) {
            let target = part.split(')').next().unwrap_or_default();
            if target.starts_with("http") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = match file {
                "" => page.clone(),
                _ => page.parent().unwrap().join(file),
            };
            assert!(file.exists(), "{} links {target}", page.display());
            let has_anchor =
                || anchors(&fs::read_to_string(&file).unwrap()).contains(&anchor.into());
            assert!(
                anchor.is_empty() || has_anchor(),
                "{} links {target}",
                page.display()
            );
            links += 1;
        }
    }
    assert!(links > 100, "{links}");
}

#[test]
fn the_crates_are_all_on_the_map() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, members) = manifest.split_once("members = [").unwrap();
    let (members, _) = members.split_once(']').unwrap();
    for member in members.split('"').skip(1).step_by(2) {
        let manifest = fs::read_to_string(root().join(member).join("Cargo.toml")).unwrap();
        let (_, name) = manifest.split_once("\nname = \"").unwrap();
        let (name, _) = name.split_once('"').unwrap();
        let row = format!("| [`{member}`]({member}) | `{name}`");
        assert!(readme.contains(&row), "README.md has no row {row}");
    }
}

/// The tutorial's file assembles, and its commands print what it says.
#[test]
fn the_tutorial_is_true() {
    let page = fs::read_to_string(root().join("docs/assembly.md")).unwrap();
    let (_, section) = page.split_once("## Assemble your first kernel").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let blocks = |language: &str| -> Vec<&str> {
        section
            .split(&format!("```{language}\n"))
            .skip(1)
            .map(|block| block.split("```").next().unwrap())
            .collect()
    };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("double.asm"), blocks("asm")[0]).unwrap();
    let tool = tool::intel_gpu_run();
    let mut commands = 0;
    for block in blocks("console") {
        for part in block.split("$ intel-gpu-run ").skip(1) {
            let (arguments, expected) = part.split_once('\n').unwrap();
            let mut command = Command::new(&tool);
            command
                .args(arguments.split_whitespace())
                .current_dir(&folder);
            let output = tool::run_with_deadline(&mut command, Duration::from_secs(120));
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{arguments}: {said}");
            assert_eq!(
                String::from_utf8_lossy(&output.stdout),
                expected,
                "{arguments}: {said}"
            );
            commands += 1;
        }
    }
    assert_eq!(commands, 3);
}
