//! SPIR-V that no front end writes: modules of the compiler's tests with words and instructions
//! changed, compiled for any platform.

use arbitrary::{Arbitrary, Result, Unstructured};
use devinfo::{PLATFORMS, Platform};
use eu_compiler::Options;

use super::{Target, grow};

/// A broken module.
pub const TARGET: Target = Target {
    name: "spirv",
    rounds: 400,
    check: |u| {
        grow(u, |module| {
            compile(module);
        })
    },
};

/// Whole modules.
const FILES: [&[u8]; 7] = [
    include_bytes!("../../../eu-compiler/tests/kernels/basic.spv"),
    include_bytes!("../../../eu-compiler/tests/kernels/groups.spv"),
    include_bytes!("../../../eu-compiler/tests/kernels/generic.spv"),
    include_bytes!("../../../eu-compiler/tests/kernels/images.spv"),
    include_bytes!("../../../eu-compiler/tests/kernels/math.spv"),
    include_bytes!("../../../eu-compiler/tests/kernels/memory.spv"),
    include_bytes!("../../../eu-compiler/tests/kernels/program.spv"),
];

/// Words that break things: no id, ids beyond the bound, sizes.
const WORDS: [u32; 8] = [0, 1, 2, 31, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

/// Words of a header (SPIR-V specification, 2.3).
const HEADER: usize = 5;

/// A module that was changed, and a platform.
#[derive(Clone, Debug)]
pub struct Module {
    words: Vec<u32>,
    platform: &'static Platform,
}

impl<'a> Arbitrary<'a> for Module {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let file = u.choose(&FILES)?;
        let word = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
        let mut words: Vec<u32> = file.as_chunks().0.iter().map(word).collect();
        for _ in 0..u.int_in_range(1..=4)? {
            mutate(&mut words, u)?;
        }
        let platform = u.choose(PLATFORMS)?;
        Ok(Self { words, platform })
    }
}

/// Where the instructions begin, and how many words each has.
fn instructions(words: &[u32]) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    let mut at = HEADER;
    while let Some(first) = words.get(at) {
        let size = (*first >> 16).max(1) as usize;
        places.push((at, size.min(words.len() - at)));
        at += size;
    }
    places
}

fn mutate(words: &mut Vec<u32>, u: &mut Unstructured<'_>) -> Result<()> {
    let places = instructions(words);
    if places.is_empty() {
        return Ok(());
    }
    let (at, size) = *u.choose(&places)?;
    let (other, _) = *u.choose(&places)?;
    let operand = at + u.int_in_range(0..=size - 1)?;
    match u.int_in_range(0..=9)? {
        0 => words[operand] = *u.choose(&WORDS)?,
        1 => words[operand] = u.arbitrary()?,
        2 => words[operand] ^= 1 << u.int_in_range(0..=31)?,
        // Another id, a neighbour's or any.
        3 | 4 => {
            words[operand] = words[operand]
                .wrapping_add(u.int_in_range(0..=4)?)
                .wrapping_sub(2)
        }
        5 => words[operand] = u.int_in_range(0..=words[3])?,
        // Another instruction of the same length.
        6 => words[at] = words[at] & 0xffff_0000 | words[other] & 0xffff,
        7 => drop(words.drain(at..at + size)),
        8 => {
            let copy = words[at..at + size].to_vec();
            words.splice(other..other, copy);
        }
        _ => words.truncate(operand),
    }
    Ok(())
}

/// Compiles the module: a zebin that loads, or an error with a text. Returns whether it compiled.
///
/// # Panics
/// If it is neither.
pub fn compile(module: &Module) -> bool {
    let bytes: Vec<u8> = module
        .words
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    match eu_compiler::compile(&bytes, &Options::new(module.platform)) {
        Ok(zebin) => {
            let loaded = umd::Binary::parse(&zebin.bytes);
            assert!(loaded.is_ok(), "{loaded:?}");
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}
