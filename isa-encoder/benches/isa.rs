//! Instructions a second of decoder, encoder, compaction, disassembler and assembler, on what
//! Intel's compiler made of the project's corpus for Tiger Lake.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a benchmark fails by panicking"
)]

use std::hint::black_box;
use std::io::Read;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use devinfo::Family;
use flate2::read::GzDecoder;
use isa_encoder::disasm::Format;
use isa_encoder::validate::Validator;
use isa_encoder::{
    AsmOptions, Disassembler, Instruction, Opcode, Options, assemble, decode, encode,
    encode_shortest,
};
use object::{Object, ObjectSection};

const FAMILY: Family = Family::Gen12Lp;

/// The kernels that `intel-gpu-run bench isa` takes, too.
const KERNELS: [&str; 6] = [
    "integer",
    "sub_group",
    "half",
    "images",
    "private",
    "atomics",
];

/// The code of each kernel, without the padding after its end.
fn kernels() -> Vec<Vec<u8>> {
    let mut kernels = Vec::new();
    for name in KERNELS {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/kernels/tgl");
        let packed = std::fs::read(format!("{folder}/{name}.zebin.gz")).unwrap();
        let mut zebin = Vec::new();
        GzDecoder::new(packed.as_slice())
            .read_to_end(&mut zebin)
            .unwrap();
        let file = object::File::parse(zebin.as_slice()).unwrap();
        for section in file.sections() {
            if section.name().is_ok_and(|name| name.starts_with(".text")) {
                let code = section.data().unwrap();
                kernels.push(code.get(..length(code)).unwrap().to_vec());
            }
        }
    }
    kernels
}

/// The bytes of the instructions in front of the first that is none.
fn length(code: &[u8]) -> usize {
    let mut at = 0;
    while let Ok((instruction, length)) = decode(FAMILY, &code[at..])
        && instruction.opcode != Opcode::Illegal
    {
        at += length;
    }
    at
}

fn isa(criterion: &mut Criterion) {
    let code = kernels().concat();
    let mut instructions: Vec<Instruction> = Vec::new();
    let mut rest = code.as_slice();
    while let Ok((instruction, length)) = decode(FAMILY, rest) {
        instructions.push(instruction);
        rest = &rest[length..];
    }
    assert!(rest.is_empty(), "the kernels are instructions");
    let uncompacted = instructions.iter().map(|instruction| Instruction {
        options: instruction.options.difference(Options::COMPACTED),
        ..*instruction
    });
    let uncompacted: Vec<_> = uncompacted.collect();
    let disassembler = Disassembler::new(FAMILY, Format::default());
    let text = disassembler.print(&code);
    let options = AsmOptions::for_family(FAMILY);
    let assembly = assemble(&text, &options).expect("what was printed assembles");
    assert!(assembly.code == code, "to the same bytes");
    let validator = Validator::new(FAMILY);

    let mut group = criterion.benchmark_group("isa");
    group.throughput(Throughput::Elements(instructions.len() as u64));
    group.bench_function("decode", |bencher| {
        bencher.iter(|| {
            let mut rest = black_box(code.as_slice());
            while let Ok((instruction, length)) = decode(FAMILY, rest) {
                black_box(instruction);
                rest = &rest[length..];
            }
        });
    });
    group.bench_function("encode", |bencher| {
        bencher.iter(|| {
            for instruction in &uncompacted {
                let _ = black_box(encode(FAMILY, black_box(instruction)));
            }
        });
    });
    group.bench_function("compact", |bencher| {
        bencher.iter(|| {
            for instruction in &uncompacted {
                let _ = black_box(encode_shortest(FAMILY, black_box(instruction)));
            }
        });
    });
    group.bench_function("validate", |bencher| {
        bencher.iter(|| {
            for instruction in &instructions {
                black_box(validator.check(black_box(instruction)).count());
            }
        });
    });
    group.bench_function("disassemble", |bencher| {
        bencher.iter(|| disassembler.print(black_box(&code)));
    });
    group.bench_function("assemble", |bencher| {
        bencher.iter(|| assemble(black_box(&text), &options));
    });
    group.finish();
}

criterion_group!(benches, isa);
criterion_main!(benches);
