//! `.ze_info` texts that no compiler writes, in a zebin that is otherwise whole.

use arbitrary::{Arbitrary, Result, Unstructured};

use super::zebin::{FILES, Mutated, launch};
use super::{Target, grow};

/// A broken `.ze_info`.
pub const TARGET: Target = Target {
    name: "zeinfo",
    rounds: 1500,
    check: |u| grow(u, |file: &WithInfo| launch(&file.0)),
};

/// Values that break things.
const VALUES: [&str; 20] = [
    "0",
    "-1",
    "1",
    "7",
    "8",
    "16",
    "64",
    "255",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "1e9",
    "0x10",
    "true",
    "~",
    "arg_bypointer",
    "[1, 2, 3]",
    "{a: b}",
    "&a [*a]",
    "\"\\u0000\"",
];

/// A zebin whose `.ze_info` was changed line by line.
#[derive(Clone, Debug)]
pub struct WithInfo(Mutated);

impl<'a> Arbitrary<'a> for WithInfo {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let file = *u.choose(&FILES)?;
        let (header, begin, size) = section(file, ".ze_info");
        let text = String::from_utf8_lossy(&file[begin..begin + size]).into_owned();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for _ in 0..u.int_in_range(1..=5)? {
            if lines.is_empty() {
                break;
            }
            let at = u.int_in_range(0..=lines.len() - 1)?;
            match u.int_in_range(0..=6)? {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[at].clone()),
                2 => lines[at].insert_str(0, u.choose(&["  ", " ", "- ", "\t"])?),
                3 => lines[at] = lines[at].trim_start().to_owned(),
                4 => {
                    let other = u.int_in_range(0..=lines.len() - 1)?;
                    lines.swap(at, other);
                }
                _ => {
                    let key = lines[at].split(':').next().unwrap_or_default();
                    lines[at] = format!("{key}: {}", u.choose(&VALUES)?);
                }
            }
        }
        let text = lines.join("\n");
        // The new text goes to the end; the section header points there.
        let mut bytes = file.to_vec();
        bytes[header + 0x18..header + 0x20].copy_from_slice(&(file.len() as u64).to_le_bytes());
        bytes[header + 0x20..header + 0x28].copy_from_slice(&(text.len() as u64).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
        Ok(Self(Mutated(bytes)))
    }
}

/// The place of a section header in an ELF64 file, and the start and size of the section's content
/// (System V ABI, chapter 4).
///
/// # Panics
/// If the file is not one of ours.
fn section(file: &[u8], name: &str) -> (usize, usize, usize) {
    let number = |at: usize, size: usize| {
        let bytes = file.get(at..at + size).expect("within the file");
        bytes
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | usize::from(*byte))
    };
    let headers = number(0x28, 8);
    let header = |index: usize| headers + index * number(0x3a, 2);
    let names = number(header(number(0x3e, 2)) + 0x18, 8);
    (0..number(0x3c, 2))
        .map(header)
        .find(|&at| {
            let word = &file[names + number(at, 4)..];
            word.strip_prefix(name.as_bytes())
                .is_some_and(|rest| rest.first() == Some(&0))
        })
        .map(|at| (at, number(at + 0x18, 8), number(at + 0x20, 8)))
        .expect("the section")
}
