//! What the README says is true.

#![allow(
    clippy::unwrap_used,
    reason = "the helpers of these tests fail by panicking"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use devinfo::PLATFORMS;

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

#[test]
fn every_file_that_is_linked_exists() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let mut links = 0;
    for part in readme.split("](").skip(1) {
        let target = part.split(')').next().unwrap_or_default();
        if target.starts_with("http") || target.starts_with('#') {
            continue;
        }
        assert!(root().join(target).exists(), "README.md links {target}");
        links += 1;
    }
    assert!(links > 0);
}

#[test]
fn the_crates_are_all_on_the_map() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, members) = manifest.split_once("members = [").unwrap();
    let (members, _) = members.split_once(']').unwrap();
    for member in members.split('"').skip(1).step_by(2) {
        assert!(
            readme.contains(&format!("[`{member}`]({member})")),
            "{member} is not in README.md"
        );
    }
}
