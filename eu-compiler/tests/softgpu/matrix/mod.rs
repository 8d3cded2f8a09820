//! The matrix: every function of sub-groups and work-groups with every type, vector size, width and
//! platform, in uniform and in divergent flow. A seeded part of it runs by default:
//!
//! ```text
//! MATRIX=all BLESS=1 cargo test -p eu-compiler --test softgpu matrix
//! ```
//!
//! runs all and writes the page of the documentation anew.

mod assembler;
mod cell;
mod element;
mod function;
pub mod igc;
mod nested;
mod page;
mod phis;
mod reference;
mod refused;
pub mod run;

use cell::Cell;
use devinfo::Family;
use element::{Combine, Element};
use function::{BuiltInMask, Function, Over, Set};

/// A device: the platform and its revision.
pub const DEVICES: [(&str, Option<u8>); 11] = [
    ("bdw", None),
    ("skl", None),
    ("icl", None),
    ("tgl", None),
    ("dg2", Some(0)),
    ("dg2", Some(8)),
    ("mtl", None),
    ("pvc", None),
    ("lnl", None),
    ("bmg", None),
    ("ptl", None),
];

/// The page.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/sub-groups.md");

/// Which part of the cells runs by default: one of so many.
const PARTS: u32 = 16;

/// The name of a device.
fn title((platform, revision): (&str, Option<u8>)) -> String {
    match revision {
        Some(revision) => format!("{platform}:{revision}"),
        None => platform.to_owned(),
    }
}

/// Whether all cells run.
fn runs_all() -> bool {
    std::env::var("MATRIX").is_ok_and(|what| what == "all")
}

/// The cells that run: all, or one of so many parts.
fn chosen(parts: u32) -> Vec<Cell> {
    let seed = std::env::var("MATRIX_SEED").map_or(1, |seed| seed.parse().unwrap());
    let all = cell::all().into_iter();
    all.filter(|cell| runs_all() || cell.hash() % parts == seed % parts)
        .collect()
}

/// Whether a device is among those that the environment names, if it names any.
fn is_wanted(name: &str) -> bool {
    std::env::var("MATRIX_DEVICE").map_or(true, |only| only == name)
}

#[test]
fn every_cell_is_right() {
    let cells = chosen(PARTS);
    let expected = page::expected(&cells);
    let mut wrong = Vec::new();
    let mut marks = page::Marks::new();
    for (index, device) in DEVICES.into_iter().enumerate() {
        let name = title(device);
        if !is_wanted(&name) {
            continue;
        }
        for found in run::run(device, &cells) {
            match found.wrong {
                Some(why) => wrong.push(format!("{name} SIMD{} {}: {why}", found.simd, found.cell)),
                None => {
                    let widths = marks.entry((found.cell, index)).or_default();
                    assert!(widths.insert(found.simd), "it ran twice");
                }
            }
        }
    }
    if let Ok(file) = std::env::var("MATRIX_WRONG") {
        std::fs::write(file, wrong.join("\n")).unwrap();
    }
    let count = wrong.len();
    wrong.truncate(20);
    assert!(wrong.is_empty(), "{count} are wrong: {wrong:#?}");
    if std::env::var_os("MATRIX_DEVICE").is_some() {
        return;
    }
    // What is on the page ran, and nothing else.
    assert!(marks == expected);
    let page = page::text(&page::expected(&cell::all()));
    if std::env::var_os("BLESS").is_some() && runs_all() {
        std::fs::write(PAGE, &page).unwrap();
    }
    assert!(
        std::fs::read_to_string(PAGE).unwrap() == page,
        "the page is of another time; see the first lines of this file"
    );
}

/// Whether Intel's compiler is known to be wrong about a cell in this way.
fn is_known(cell: &Cell, family: Family, judge: &igc::Judge, why: &str) -> bool {
    let wide = cell.of.bits() == 64;
    match cell.function {
        // In divergent flow, where it makes operations of 64 bits of others, a loop takes as many lanes
        // that run for a cluster as it has lanes.
        Function::NonUniform(Over::Cluster(_), _) => {
            let native = matches!(family, Family::Gen8 | Family::Gen9);
            wide && why.starts_with("divergent") && !native
        }
        // 22.43 makes `bfn` of operations on three lanes' halves and takes the first lane's for all: iga64
        // prints the same registers.
        Function::Group(Set::WorkGroup, Over::Reduce, Combine::Or | Combine::Xor) => {
            wide && family == Family::XeHpg && !judge.newer
        }
        // The bits of lanes that a sub-group cannot have are zeroes, by the text.
        Function::LaneMask(BuiltInMask::Ge | BuiltInMask::Gt) => true,
        _ => false,
    }
}

#[test]
fn intels_compiler_agrees() {
    let mut cells = chosen(8 * PARTS);
    // Those that took most of their instructions and sends.
    let product = Function::NonUniform(Over::Exclusive, Combine::Mul);
    let worst = [
        (product, Element::U16, 1),
        (Function::IntelShuffleUp, Element::I8, 3),
    ];
    for (function, of, count) in worst {
        let cell = Cell {
            function,
            of,
            count,
        };
        if !cells.contains(&cell) {
            cells.push(cell);
        }
    }
    cells.retain(|cell| {
        std::env::var("MATRIX_CELL").map_or(true, |name| cell.to_string().contains(&name))
    });
    let mut differ = Vec::new();
    let mut report = String::new();
    for judge in igc::JUDGES {
        let device = DEVICES[judge.device];
        if !is_wanted(&title(device)) {
            continue;
        }
        let Some(command) = judge.command() else {
            continue;
        };
        let target = devinfo::by_name(device.0).unwrap();
        let simd = u32::from(target.simd_widths[target.simd_widths.len() - 2]);
        let opened = run::open(device);
        let mut ratios = Vec::new();
        for verdict in igc::ask(&judge, &command, &opened, &cells, simd) {
            let at = format!("{} SIMD{} {}", judge.name, verdict.simd, verdict.cell);
            if let Some(why) = verdict.refused {
                report += &format!("{at}: refused: {why}\n");
            }
            if let Some(why) = verdict.wrong {
                report += &format!("{at}: theirs is wrong: {why}\n");
                if is_known(&verdict.cell, target.family, &judge, &why) {
                    continue;
                }
                differ.push(format!("{at}: theirs is wrong: {why}"));
            }
            if let Some([own, theirs]) = verdict.costs {
                let ratio = own.instructions as f64 / theirs.instructions.max(1) as f64;
                report += &format!("{at}: {own:?} {theirs:?} {ratio:.2}\n");
                ratios.push(ratio);
                // One more loads the payload, where theirs has fewer local ids.
                if own.sends > theirs.sends + 1 {
                    differ.push(format!(
                        "{at}: {} sends, theirs {}",
                        own.sends, theirs.sends
                    ));
                }
                if ratio > 1.5 {
                    differ.push(format!("{at}: {ratio:.2} of their instructions"));
                }
            }
        }
        ratios.sort_by(f64::total_cmp);
        let median = ratios.get(ratios.len() / 2);
        report += &format!(
            "{} SIMD{simd}: median {median:?} of {}\n",
            judge.name,
            ratios.len()
        );
    }
    if let Ok(file) = std::env::var("MATRIX_REPORT") {
        std::fs::write(file, &report).unwrap();
    }
    assert!(differ.is_empty(), "{differ:#?}");
}
