//! Kernels made by the builder: Intel's assembler makes the same bytes from their text, and through
//! the driver they compute the right results, on every family.

#![cfg(test)]

use std::fs;
use std::process::Command;

use devinfo::{Family, Target};
use isa_encoder::build::{
    BuildError, Builder, Kernel, Op, Operand, Payload, SendOp, grf, imm, null,
};
use isa_encoder::message::Direction;
use isa_encoder::{CondMod, Opcode, Type};
use stack_tests::block::{self, BLOCK};
use stack_tests::{Launch, Oracle, require, subject};

/// Platforms, one for each family and driver path.
const PLATFORMS: &[&str] = &[
    "bdw", "skl", "icl", "tgl", "dg2", "mtl", "pvc", "lnl", "bmg", "ptl",
];

/// Integers in a block.
const LANES: u8 = BLOCK as u8;

/// Element `index` of the dwords that begin at register `reg`.
fn dword(family: Family, reg: u8, index: u8) -> Operand {
    let in_register = (family.grf_bytes() / 4) as u8;
    grf(reg + index / in_register).element(index % in_register, Type::D)
}

/// The group's number in X.
fn group() -> Operand {
    grf(0).element(1, Type::Ud)
}

/// Reads the group's block of buffer 0 to register `data`.
fn read(b: &mut Builder, data: u8) -> Result<(), BuildError> {
    block::read(b, 0, group(), data)
}

/// Writes the group's block of buffer 1 from register 41, and ends.
fn write(b: &mut Builder) -> Result<(), BuildError> {
    block::write(b, 1, group())
}

fn copy(b: &mut Builder) -> Result<(), BuildError> {
    read(b, 20)?;
    b.emit(Op::new(Opcode::Mov, LANES).on(grf(41).ty(Type::D), &[grf(20).ty(Type::D)]));
    write(b)
}

/// The sum over the sub-group in each lane: halves are added until one is left.
fn reduce(b: &mut Builder) -> Result<(), BuildError> {
    let family = b.family();
    read(b, 20)?;
    let mut from = 20;
    for half in [8, 4, 2, 1] {
        let op = Op::new(Opcode::Add, half).no_mask();
        b.emit(op.on(
            dword(family, 30, 0),
            &[dword(family, from, 0), dword(family, from, half)],
        ));
        from = 30;
    }
    b.emit(Op::new(Opcode::Mov, LANES).on(grf(41).ty(Type::D), &[dword(family, 30, 0).scalar()]));
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
            .on(count, &[imm(10, Type::W)]),
    );
    let again = b.here();
    b.emit(Op::new(Opcode::Add, LANES).dst(sum).src(sum).src(value));
    let op = Op::new(Opcode::Add, 1)
        .no_mask()
        .cond(CondMod::Ne, Builder::F0);
    b.emit(op.on(count, &[count, imm(-1, Type::W)]));
    b.jump(again, Some(Builder::F0));
    let op = Op::new(Opcode::Cmp, LANES).cond(CondMod::Gt, Builder::F1);
    b.emit(op.on(null().ty(Type::D), &[sum, imm(100, Type::W)]));
    b.if_(LANES, Builder::F1);
    b.emit(Op::new(Opcode::Mov, LANES).dst(sum).src(sum.neg()));
    b.else_(LANES);
    b.emit(Op::new(Opcode::Add, LANES).on(sum, &[sum, imm(1, Type::W)]));
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
    let op = Op::new(Opcode::And, LANES).cond(CondMod::Ne, Builder::F1);
    b.emit(op.on(null().ty(Type::D), &[n, imm(1, Type::W)]));
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
            fs::write(&text, kernel.text()).unwrap();
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
                kernel.text()
            );
            assert_eq!(
                fs::read(&binary).unwrap(),
                kernel.code,
                "{platform} {name}\n{}",
                kernel.text()
            );
        }
    }
}

#[test]
fn they_run_on_every_family() {
    let input: Vec<i32> = (0..64).map(|i| i * 7 % 23 - 4).collect();
    for platform in PLATFORMS.iter().filter(|platform| subject::runs(platform)) {
        for (name, body, expected) in KERNELS {
            let kernel = build(platform, *body);
            let text = format!(
                "//.platform {platform}\n//.kernel {name}\n//.simd 16\n//.ids none\n\
                 //.arg source buf:0\n//.arg destination buf:1\n//.local 16,1,1\n{}",
                kernel.text()
            );
            let expected: Vec<i32> = input.chunks(16).flat_map(expected).collect();
            Launch::new("builder", name, &[input.len() as u64])
                .local(&[16])
                .buffer(&input)
                .gives(&expected)
                .run_text(platform, &text);
        }
    }
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
    let message = block::block(Family::XeHpg, Direction::Read, 0);
    let send = SendOp {
        no_mask: true,
        response: Payload::new(grf(20), 2),
        ..SendOp::new(message, 1, Payload::new(grf(10), 1))
    };
    assert!(matches!(
        b.send(send),
        Err(BuildError::Message { index: 0, .. })
    ));
}
