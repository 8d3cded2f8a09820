//! A text read in parts assembles like the whole text, errors included.
#![cfg(test)]

mod common;

use arbitrary::Unstructured;
use common::vectors;
use devinfo::Family;
use isa_encoder::asm::Assembler;
use isa_encoder::{AsmOptions, Assembly, Diagnostic, Validation, assemble};
use oracles::Random;

type Outcome = Result<Assembly, Vec<Diagnostic>>;

/// The text cut into at most `count` parts; the last is read first.
fn in_parts(text: &str, options: &AsmOptions, count: usize) -> Outcome {
    let assembler = Assembler::new(text, options);
    let parts = assembler.parts(count).into_iter().rev();
    let mut read: Vec<_> = parts.map(|part| assembler.read(part)).collect();
    read.reverse();
    assembler.finish(read)
}

/// Lines that mean something beyond themselves, or nothing.
const LINES: [&str; 24] = [
    "//.platform tgl",
    "//.platform apl",
    "//.platform dg2 // the second",
    "//.kernel a",
    "//.kernel b",
    "//.simd 16",
    "//.swsb auto",
    "//.swsb check",
    "//.data 00112233",
    "//.payload load",
    "//.arg x ptr",
    "L1:",
    "L2: nop",
    "jmpi (1|M0) L1",
    "(f0.0) goto (16|M0) L2 L1",
    "while (8|M0) -12",
    "mov (8|M0) r10.0<1>:d r12.4<8;8,1>:d",
    "mov (8|M0) r10.0<1>:d no",
    "\"\u{e9}",
    "nop /* a comment",
    "that goes on */ nop",
    "/*",
    "*/",
    "",
];

/// The instructions of the committed vectors of the families.
fn vectors() -> Vec<(Family, Vec<String>)> {
    let texts = |family| {
        let cases = vectors::of(family).into_iter();
        let taken = cases.filter(|(bytes, _)| bytes.is_some());
        (family, taken.map(|(_, text)| text).collect())
    };
    Family::ALL.map(texts).into()
}

/// A text of `length` lines.
fn text(u: &mut Unstructured<'_>, of_family: &[String], length: usize) -> String {
    let odd = u.int_in_range(0..=4).unwrap();
    let mut text = String::new();
    for _ in 0..length {
        let line = match u.int_in_range(0..=39).unwrap() < odd {
            true => *u.choose(&LINES).unwrap(),
            false => u.choose(of_family).unwrap().as_str(),
        };
        text.push_str(line);
        text.push('\n');
    }
    text
}

#[test]
fn parts_make_the_whole() {
    let vectors = vectors();
    let (mut assembled, mut many, mut open) = (0, 0, 0);
    let mut random = Random::new(1);
    for case in 0..500 {
        let bytes = random.bytes(4096);
        let u = &mut Unstructured::new(&bytes);
        let (family, lines) = u.choose(&vectors).unwrap();
        // Instructions of another family have errors.
        let family = match u.ratio(1, 8).unwrap() {
            true => Family::ALL[case % Family::ALL.len()],
            false => *family,
        };
        let options = AsmOptions {
            family: u.ratio(3, 4).unwrap().then_some(family),
            auto_compact: u.arbitrary().unwrap(),
            validation: *u
                .choose(&[Validation::Warn, Validation::Deny, Validation::Off])
                .unwrap(),
            ..AsmOptions::default()
        };
        let length = u.int_in_range(0..=400).unwrap();
        let text = text(u, lines, length);
        let whole = assemble(&text, &options);
        match &whole {
            Ok(_) => assembled += 1,
            Err(errors) => {
                many += usize::from(errors.len() >= 100);
                open += usize::from(text.matches("/*").count() > 1);
            }
        }
        for count in [2, 3, 8] {
            assert_eq!(in_parts(&text, &options, count), whole, "{text}");
        }
    }
    assert!(assembled > 40, "{assembled} texts without errors");
    assert!(many > 20, "{many} texts with many errors");
    assert!(open > 20, "{open} texts with comments over lines");
}

/// Where parts are missing or out of order, the text is read again.
#[test]
fn no_part_is_missed() {
    let text = "//.platform tgl\nnop\nnop\nnop\nnop\n";
    let options = AsmOptions::default();
    let whole = assemble(text, &options);
    assert_eq!(whole.as_ref().unwrap().code.len(), 64);
    let assembler = Assembler::new(text, &options);
    assert!(assembler.parts(3).len() > 1);
    assert_eq!(assembler.finish(Vec::new()), whole);
    let mut swapped: Vec<_> = assembler
        .parts(3)
        .into_iter()
        .map(|part| assembler.read(part))
        .collect();
    swapped.reverse();
    assert_eq!(assembler.finish(swapped), whole);
}

#[test]
fn a_comment_without_an_end_is_reported_where_it_begins() {
    let text = "//.platform tgl\nnop\nnop /* that\nnop\nnop\n";
    for count in 1..5 {
        let errors = in_parts(text, &AsmOptions::default(), count).unwrap_err();
        let [error] = errors.as_slice() else {
            panic!("{errors:?}");
        };
        assert_eq!(error.message, "a comment without an end");
        assert_eq!(text.get(error.span.start..error.span.end), Some("/*"));
    }
}
