//! Assembly text made from the language's own words.

use arbitrary::{Arbitrary, Result, Unstructured};
use devinfo::Family;
use isa_encoder::{AsmOptions, assemble};

use super::{AnyFamily, Target, grow};

/// Assembly text.
pub const TARGET: Target = Target {
    name: "assembly",
    rounds: 3000,
    check: |u| grow(u, assemble_text),
};

const WORDS: [&str; 72] = [
    "mov",
    "add",
    "mad",
    "send.dc0",
    "send.dc1",
    "math.inv",
    "cmp",
    "sel",
    "if",
    "else",
    "endif",
    "while",
    "jmpi",
    "goto",
    "join",
    "sync.nop",
    "nop",
    "bfn.(s0&s1|s2)",
    "dpas.8x8",
    "(W)",
    "(8|M0)",
    "(16|M16)",
    "(32|M0)",
    "(1|M0)",
    "(f0.0)",
    "(~f1.1)",
    "(W&f0.0.any16h)",
    "(lt)f0.0",
    "(sat)",
    "r0.0",
    "r127.0<8;8,1>:f",
    "r5.0<1>:ud",
    "r[a0.0,64]<8;8,1>:d",
    "r[a0.0]<1,0>:d",
    "null",
    "acc0.0",
    "a0.0<1>:uw",
    "f0.0<1>:ud",
    "cr0.0<1>:ud",
    "-r3.0<0;1,0>:hf",
    "(abs)r4.0<4;4,1>:d",
    "0x3F800000:f",
    "0x76543210:v",
    "-1:w",
    "1.5:f",
    "99999999999999999999:q",
    "0x0:ud",
    "{@1}",
    "{$3.dst}",
    "{EOT,@7}",
    "{Compacted}",
    "{AccWrEn}",
    "{",
    "}",
    "L1",
    "L1:",
    ":",
    ",",
    ";",
    "<",
    ">",
    "(",
    ")",
    "\n",
    "\n",
    "\n",
    "//.platform tgl\n",
    "//.kernel k\n",
    "//.simd 16\n",
    "//.arg a ptr @8\n",
    "/*",
    "\u{e9}",
];

/// A text.
#[derive(Clone, Debug)]
pub struct Text {
    family: Family,
    text: String,
}

impl<'a> Arbitrary<'a> for Text {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let AnyFamily(family) = u.arbitrary()?;
        let mut text = String::new();
        for _ in 0..u.int_in_range(0..=80)? {
            if u.ratio(1, 16)? {
                text.push(u.arbitrary::<char>()?);
            } else {
                text.push_str(u.choose(&WORDS)?);
                text.push(' ');
            }
        }
        Ok(Self { family, text })
    }
}

/// Assembles the text. A diagnostic must point into it.
///
/// # Panics
/// If the product does, or if a diagnostic points outside the text or into a character.
pub fn assemble_text(input: &Text) {
    let options = AsmOptions::for_family(input.family);
    let Err(diagnostics) = assemble(&input.text, &options) else {
        return;
    };
    assert!(!diagnostics.is_empty(), "an error without a diagnostic");
    for diagnostic in diagnostics {
        let span = diagnostic.span.start..diagnostic.span.end;
        assert!(
            input.text.get(span.clone()).is_some(),
            "{span:?} of {:?}",
            input.text
        );
        assert!(!diagnostic.message.is_empty());
    }
}
