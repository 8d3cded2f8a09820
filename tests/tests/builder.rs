//! Kernels made by the builder: Intel's assembler makes the same bytes from their text, and through
//! the driver they compute the right results, on every family.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the helpers of these tests fail by panicking"
)]

use std::fs;
use std::process::Command;
use std::time::Duration;

use devinfo::{Family, Target, span};
use isa_encoder::build::{
    BuildError, Builder, Kernel, Op, Operand, Payload, SendOp, grf, imm, null,
};
use isa_encoder::message::{
    AddressSize, BlockAlignment, BlockPort, CacheControl, DataSize, Direction, Hdc, HdcAddress,
    HdcSurface, Lsc, LscAddress, LscPort, Message, OwordCount,
};
use isa_encoder::{CondMod, Opcode, Type};
use stack_tests::launch::device;
use stack_tests::{Oracle, require};
use umd::{Arg, Binary, NdRange, Program, QueueOptions};

/// Platforms, one for each family and driver path.
const PLATFORMS: &[&str] = &[
    "bdw", "skl", "icl", "tgl", "dg2", "mtl", "pvc", "lnl", "bmg", "ptl",
];

/// Integers in a block.
const LANES: u8 = 16;

/// Element `index` of the dwords that begin at register `reg`.
fn dword(family: Family, reg: u8, index: u8) -> Operand {
    let in_register = (family.grf_bytes() / 4) as u8;
    grf(reg + index / in_register).element(index % in_register, Type::D)
}

/// Registers of a block.
fn registers(family: Family) -> u8 {
    (usize::from(LANES) * 4 / family.grf_bytes()) as u8
}

/// Block messages of a binding table entry: of the classic data port up to Gen12LP, load/store
/// messages after it.
fn block(family: Family, direction: Direction, bti: u8) -> Message {
    if !span!(XeHpg..).contains(family) {
        Message::Hdc(Hdc::OwordBlock {
            direction,
            address: HdcAddress::A32(HdcSurface::Bti(bti)),
            alignment: match direction {
                Direction::Read => BlockAlignment::Dword,
                Direction::Write => BlockAlignment::Oword,
            },
            count: OwordCount::Four,
            port: BlockPort::Data,
        })
    } else {
        Message::Lsc(Lsc::Vector {
            port: LscPort::Ugm,
            direction,
            address: LscAddress::Bti {
                index: bti,
                offset: 0,
            },
            address_size: AddressSize::A32,
            data: DataSize::D32,
            elements: LANES,
            transpose: true,
            strided: false,
            cache: CacheControl::DEFAULT,
        })
    }
}

/// Puts the place of the group's block into register `reg`: a header or an address. `log2` is of
/// the offset's unit in bytes.
fn place(b: &mut Builder, reg: u8, log2: i64) {
    let family = b.family();
    let lsc = span!(XeHpg..).contains(family);
    if !lsc {
        b.emit(
            Op::new(Opcode::Mov, 8)
                .no_mask()
                .dst(grf(reg).ty(Type::Ud))
                .src(grf(0).ty(Type::Ud)),
        );
    }
    // The group's number in X is in r0.1; a header has its offset in dword 2.
    b.emit(
        Op::new(Opcode::Shl, 1)
            .no_mask()
            .dst(grf(reg).element(if lsc { 0 } else { 2 }, Type::Ud))
            .src(grf(0).element(1, Type::Ud))
            .src(imm(6 - if lsc { 0 } else { log2 }, Type::W)),
    );
}

/// Reads the group's block of buffer 0 to register `data`.
fn read(b: &mut Builder, data: u8) -> Result<(), BuildError> {
    let family = b.family();
    place(b, 10, 0);
    b.send(SendOp {
        message: block(family, Direction::Read, 0),
        exec_size: if !span!(XeHpg..).contains(family) {
            16
        } else {
            1
        },
        no_mask: true,
        response: Payload {
            reg: grf(data),
            len: registers(family),
        },
        src0: Payload {
            reg: grf(10),
            len: 1,
        },
        header: !span!(XeHpg..).contains(family),
        src1: None,
        extended: None,
        eot: false,
    })
}

/// Writes the group's block of buffer 1 from register 41, and ends.
fn write(b: &mut Builder) -> Result<(), BuildError> {
    let family = b.family();
    place(b, 40, 4);
    let len = registers(family);
    let together = family == Family::Gen8;
    b.send(SendOp {
        message: block(family, Direction::Write, 1),
        exec_size: if !span!(XeHpg..).contains(family) {
            16
        } else {
            1
        },
        no_mask: true,
        response: Payload {
            reg: null(),
            len: 0,
        },
        src0: Payload {
            reg: grf(40),
            len: if together { 1 + len } else { 1 },
        },
        header: !span!(XeHpg..).contains(family),
        src1: (!together).then_some(Payload { reg: grf(41), len }),
        extended: None,
        eot: false,
    })?;
    b.end_of_thread(grf(127))
}

fn copy(b: &mut Builder) -> Result<(), BuildError> {
    read(b, 20)?;
    b.emit(
        Op::new(Opcode::Mov, LANES)
            .dst(grf(41).ty(Type::D))
            .src(grf(20).ty(Type::D)),
    );
    write(b)
}

/// The sum over the sub-group in each lane: halves are added until one is left.
fn reduce(b: &mut Builder) -> Result<(), BuildError> {
    let family = b.family();
    read(b, 20)?;
    let mut from = 20;
    for half in [8, 4, 2, 1] {
        b.emit(
            Op::new(Opcode::Add, half)
                .no_mask()
                .dst(dword(family, 30, 0))
                .src(dword(family, from, 0))
                .src(dword(family, from, half)),
        );
        from = 30;
    }
    b.emit(
        Op::new(Opcode::Mov, LANES)
            .dst(grf(41).ty(Type::D))
            .src(dword(family, 30, 0).scalar()),
    );
    write(b)
}

/// Ten times the value in a loop, then its negation where that is more than 100.
fn branches(b: &mut Builder) -> Result<(), BuildError> {
    let (value, sum) = (grf(20).ty(Type::D), grf(41).ty(Type::D));
    let count = grf(30).element(0, Type::D);
    read(b, 20)?;
    b.emit(Op::new(Opcode::Mov, LANES).dst(sum).src(imm(0, Type::W)));
    b.emit(
        Op::new(Opcode::Mov, 1)
            .no_mask()
            .dst(count)
            .src(imm(10, Type::W)),
    );
    let again = b.here();
    b.emit(Op::new(Opcode::Add, LANES).dst(sum).src(sum).src(value));
    b.emit(
        Op::new(Opcode::Add, 1)
            .no_mask()
            .cond(CondMod::Ne, Builder::F0)
            .dst(count)
            .src(count)
            .src(imm(-1, Type::W)),
    );
    b.jump(again, Some(Builder::F0));
    b.emit(
        Op::new(Opcode::Cmp, LANES)
            .cond(CondMod::Gt, Builder::F1)
            .dst(null().ty(Type::D))
            .src(sum)
            .src(imm(100, Type::W)),
    );
    b.if_(LANES, Builder::F1);
    b.emit(Op::new(Opcode::Mov, LANES).dst(sum).src(sum.neg()));
    b.else_(LANES);
    b.emit(
        Op::new(Opcode::Add, LANES)
            .dst(sum)
            .src(sum)
            .src(imm(1, Type::W)),
    );
    b.end_if(LANES);
    write(b)
}

/// In a loop to at most 30: even numbers up to the value are added, up to 8; the first beyond that
/// counts 100 and ends the loop.
fn leaves(b: &mut Builder) -> Result<(), BuildError> {
    let (value, sum, n) = (
        grf(20).ty(Type::D),
        grf(41).ty(Type::D),
        grf(30).ty(Type::D),
    );
    let compare = |cond, flag, limit| {
        Op::new(Opcode::Cmp, LANES)
            .cond(cond, flag)
            .dst(null().ty(Type::D))
            .src(n)
            .src(limit)
    };
    let add = |to, what| Op::new(Opcode::Add, LANES).dst(to).src(to).src(what);
    read(b, 20)?;
    b.emit(Op::new(Opcode::Mov, LANES).dst(sum).src(imm(0, Type::W)));
    b.emit(Op::new(Opcode::Mov, LANES).dst(n).src(imm(0, Type::W)));
    b.loop_();
    b.emit(add(n, imm(1, Type::W)));
    b.emit(compare(CondMod::Lt, Builder::F0, imm(30, Type::W)));
    b.emit(compare(CondMod::Gt, Builder::F1, value));
    b.break_(LANES, Some(Builder::F1));
    b.emit(
        Op::new(Opcode::And, LANES)
            .cond(CondMod::Ne, Builder::F1)
            .dst(null().ty(Type::D))
            .src(n)
            .src(imm(1, Type::W)),
    );
    b.continue_(LANES, Some(Builder::F1));
    b.emit(compare(CondMod::Gt, Builder::F1, imm(8, Type::W)));
    b.if_(LANES, Builder::F1);
    b.emit(add(sum, imm(100, Type::W)));
    b.break_(LANES, None);
    b.else_(LANES);
    b.emit(add(sum, n));
    b.end_if(LANES);
    b.end_while(LANES, Builder::F0);
    write(b)
}

type Body = fn(&mut Builder) -> Result<(), BuildError>;

/// What a kernel computes from a block.
type Reference = fn(&[i32]) -> Vec<i32>;

/// Name, body, and what a block becomes.
const KERNELS: &[(&str, Body, Reference)] = &[
    ("copy", copy, <[i32]>::to_vec),
    ("reduce", reduce, |block| {
        vec![block.iter().sum(); block.len()]
    }),
    ("branches", branches, |block| {
        let one = |value: &i32| match value * 10 {
            more if more > 100 => -more,
            less => less + 1,
        };
        block.iter().map(one).collect()
    }),
    ("leaves", leaves, |block| {
        let one = |value: &i32| {
            let even = (2..=*value.min(&30)).step_by(2);
            let small: i32 = even.clone().filter(|n| *n <= 8).sum();
            small + if even.clone().any(|n| n > 8) { 100 } else { 0 }
        };
        block.iter().map(one).collect()
    }),
];

fn build(platform: &str, body: Body) -> Kernel {
    let target = Target::parse(platform).unwrap();
    let mut b = Builder::new(target.platform);
    body(&mut b)
        .and_then(|()| b.finish())
        .unwrap_or_else(|error| panic!("{platform}: {error}"))
}

#[test]
fn intels_assembler_makes_the_same_bytes_of_the_text() {
    if !require(Oracle::Iga) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (platform, iga) in [
        ("bdw", "8"),
        ("skl", "9"),
        ("icl", "11"),
        ("tgl", "12p1"),
        ("dg2", "12p71"),
        ("pvc", "12p72"),
    ] {
        for (name, body, _) in KERNELS {
            let kernel = build(platform, *body);
            let (text, binary) = (folder.path().join("k.asm"), folder.path().join("k.bin"));
            fs::write(&text, &kernel.text).unwrap();
            let run = Command::new("iga64")
                .args(["-a", "-q", "-p", iga])
                .arg(&text)
                .arg("-o")
                .arg(&binary)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&run.stderr);
            assert!(
                run.status.success(),
                "{platform} {name}: {said}\n{}",
                kernel.text
            );
            assert_eq!(
                fs::read(&binary).unwrap(),
                kernel.code,
                "{platform} {name}\n{}",
                kernel.text
            );
        }
    }
}

#[test]
fn they_run_on_every_family() {
    let input: Vec<i32> = (0..64).map(|i| i * 7 % 23 - 4).collect();
    let bytes: Vec<u8> = input.iter().flat_map(|value| value.to_le_bytes()).collect();
    let mut failed = Vec::new();
    for platform in PLATFORMS {
        for (name, body, expected) in KERNELS {
            let kernel = build(platform, *body);
            let text = format!(
                "//.platform {platform}\n//.kernel {name}\n//.simd 16\n//.ids none\n\
                 //.arg source buf:0\n//.arg destination buf:1\n//.local 16,1,1\n{}",
                kernel.text
            );
            let expected: Vec<i32> = input.chunks(16).flat_map(expected).collect();
            match run(platform, &text, name, &bytes) {
                Ok(result) if result == expected => {}
                Ok(result) => failed.push(format!("{platform} {name}: {result:?}\n{text}")),
                Err(error) => failed.push(format!("{platform} {name}: {error}\n{text}")),
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn run(platform: &str, text: &str, name: &str, input: &[u8]) -> Result<Vec<i32>, umd::Error> {
    let device = device(&format!("soft:{platform}"));
    let binary = Binary::assemble(text, None).unwrap_or_else(|e| panic!("{platform}: {e}"));
    let program = Program::new(&device, binary)?;
    let mut kernel = program.kernel(name)?;
    let source = device.buffer(input.len() as u64)?;
    let destination = device.buffer(input.len() as u64)?;
    source.write(0, input)?;
    kernel.set_arg(0, Arg::Buffer(&source))?;
    kernel.set_arg(1, Arg::Buffer(&destination))?;
    let range = NdRange::new(&[input.len() as u64 / 4])?.with_local(&[16])?;
    let queue = device.queue(QueueOptions::default())?;
    queue
        .enqueue(&kernel, &range, &[])?
        .wait(Duration::from_secs(60))?;
    let mut out = vec![0; input.len()];
    destination.read(0, &mut out)?;
    Ok(out
        .chunks_exact(4)
        .map(|dword| i32::from_le_bytes([dword[0], dword[1], dword[2], dword[3]]))
        .collect())
}

/// What the hardware or the family forbids is an error, not a kernel.
#[test]
fn mistakes_are_errors() {
    // A label that is never bound.
    let mut b = Builder::new(Family::Gen12Lp);
    let label = b.label();
    b.jump(label, None);
    assert!(matches!(b.finish(), Err(BuildError::Label { .. })));
    // A block that is not closed, and one that was never opened.
    let mut b = Builder::new(Family::Gen12Lp);
    b.if_(16, Builder::F0);
    assert!(matches!(b.finish(), Err(BuildError::Nesting { .. })));
    let mut b = Builder::new(Family::Gen12Lp);
    b.end_while(16, Builder::F0);
    assert!(matches!(b.finish(), Err(BuildError::Nesting { .. })));
    // A `break` outside a loop; an instruction with four sources.
    let mut b = Builder::new(Family::Gen12Lp);
    b.break_(16, None);
    assert!(matches!(b.finish(), Err(BuildError::Nesting { .. })));
    let mut b = Builder::new(Family::Gen12Lp);
    let r = grf(10).ty(Type::F);
    let mad = Op::new(Opcode::Mad, 8).dst(r).src(r).src(r).src(r);
    b.emit(mad.src(r));
    assert!(matches!(
        b.finish(),
        Err(BuildError::Sources { index: 0, .. })
    ));
    // An opcode that the family does not have.
    let mut b = Builder::new(Family::Gen9);
    let r = grf(10).ty(Type::D);
    b.emit(Op::new(Opcode::Add3, 8).dst(r).src(r).src(r).src(r));
    assert!(matches!(
        b.finish(),
        Err(BuildError::Encode { index: 0, .. })
    ));
    // More than two registers of a destination.
    let mut b = Builder::new(Family::Gen12Lp);
    b.emit(Op::new(Opcode::Mov, 32).dst(r.stride(2)).src(r));
    assert!(matches!(b.finish(), Err(BuildError::Rule { index: 0, .. })));
    // A message that the family does not have.
    let mut b = Builder::new(Family::Gen9);
    let send = SendOp {
        message: block(Family::XeHpg, Direction::Read, 0),
        exec_size: 1,
        no_mask: true,
        response: Payload {
            reg: grf(20),
            len: 2,
        },
        src0: Payload {
            reg: grf(10),
            len: 1,
        },
        header: false,
        src1: None,
        extended: None,
        eot: false,
    };
    assert!(matches!(
        b.send(send),
        Err(BuildError::Message { index: 0, .. })
    ));
}
