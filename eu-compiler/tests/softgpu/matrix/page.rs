//! The page of the documentation: which function of which type runs where, at which widths. It is
//! made from the set that the tests run, and they assert that all of it is right.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::cell::Cell;
use super::element::Element;
use super::function::Function;
use super::run::allowed;

/// The widths at which a cell is right on a device.
pub type Marks = BTreeMap<(Cell, usize), BTreeSet<u32>>;

/// What all devices should have.
pub fn expected(cells: &[Cell]) -> Marks {
    let mut marks = Marks::new();
    for (index, (platform, _)) in super::DEVICES.into_iter().enumerate() {
        let platform = devinfo::by_name(platform).unwrap();
        for &cell in cells {
            let widths = platform.simd_widths.iter().map(|width| u32::from(*width));
            let widths: BTreeSet<u32> = widths
                .filter(|simd| allowed(platform, &cell, *simd))
                .collect();
            if !widths.is_empty() {
                marks.insert((cell, index), widths);
            }
        }
    }
    marks
}

/// `1 2 4` of numbers.
fn list(numbers: impl IntoIterator<Item = u32>) -> String {
    let texts: Vec<String> = numbers.into_iter().map(|n| n.to_string()).collect();
    texts.join(" ")
}

/// The page.
pub fn text(marks: &Marks) -> String {
    let names: Vec<String> = super::DEVICES.into_iter().map(super::title).collect();
    let mut page = include_str!("page.md").to_owned();
    let count = |device: usize| -> usize {
        let of = marks.iter().filter(|((_, index), _)| *index == device);
        of.map(|(_, widths)| widths.len()).sum()
    };
    let counts: Vec<usize> = (0..names.len()).map(count).collect();
    let total: usize = counts.iter().sum();
    writeln!(page, "\n## The cells\n").unwrap();
    writeln!(
        page,
        "A cell is a function with a type at a width: {total} on all devices.\n"
    )
    .unwrap();
    let header = |page: &mut String, first: &str| {
        writeln!(page, "| {first} | {} |", names.join(" | ")).unwrap();
        let lines: Vec<&str> = names.iter().map(|_| "---").collect();
        writeln!(page, "|---|{}|", lines.join("|")).unwrap();
    };
    header(&mut page, "");
    let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
    writeln!(page, "| cells | {} |\n", counts.join(" | ")).unwrap();
    header(&mut page, "function, types");
    for function in Function::all() {
        // Types with the same vectors at the same widths stand in one row.
        let mut rows: Vec<(Vec<&str>, Vec<u32>, Vec<String>)> = Vec::new();
        for of in function.elements() {
            let counts = function.counts(of).to_vec();
            let cell = |count: u32| Cell {
                function,
                of,
                count,
            };
            let widths: Vec<String> = (0..names.len())
                .map(|index| {
                    let marked = |count: &u32| marks.get(&(cell(*count), index)).cloned();
                    let all: BTreeSet<Option<BTreeSet<u32>>> = counts.iter().map(marked).collect();
                    // All vectors of a type have the same widths.
                    match all.into_iter().collect::<Vec<_>>().as_slice() {
                        [Some(widths)] => list(widths.iter().copied()),
                        [None] => "–".to_owned(),
                        other => format!("{other:?}"),
                    }
                })
                .collect();
            let name = match function.is_typed() {
                true => of.name(),
                false => "",
            };
            match rows
                .iter_mut()
                .find(|row| row.1 == counts && row.2 == widths)
            {
                Some(row) => row.0.push(name),
                None => rows.push((vec![name], counts, widths)),
            }
        }
        for (types, counts, widths) in rows {
            let types = match (types.join(", "), counts.as_slice()) {
                (types, _) if types.is_empty() => String::new(),
                (types, [1]) => format!(": {types}"),
                (types, counts) => format!(": {types} × {}", list(counts.iter().copied())),
            };
            writeln!(
                page,
                "| `{}`{types} | {} |",
                function.name(),
                widths.join(" | ")
            )
            .unwrap();
        }
    }
    page
}

impl Function {
    /// Whether it is for values of several types.
    fn is_typed(self) -> bool {
        self.elements() != [Element::U32]
    }
}
