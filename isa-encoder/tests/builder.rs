//! The builder alone: extended descriptors in registers, three-source operands.
#![cfg(test)]

use devinfo::Family;
use isa_encoder::build::{
    BuildError, Builder, Op, Payload, Scoreboard, SendOp, grf, imm, imm_f16, imm_f64,
};
use isa_encoder::message::{
    AddressSize, CacheControl, DataSize, Descriptors, Direction, Lsc, LscAddress, LscPort, Message,
};
use isa_encoder::{
    Descriptor, Dpas, Instruction, MathFunction, Opcode, Sfid, Specific, Src, Type, decode, swsb,
};

/// A store of one dword per channel at an offset into a bindless surface.
fn store(extended: Option<u8>) -> SendOp {
    let message = Message::Lsc(Lsc::Vector {
        port: LscPort::Ugm,
        direction: Direction::Write,
        address: LscAddress::Bss {
            state: 0x1000,
            offset: 16,
        },
        address_size: AddressSize::A32,
        data: DataSize::D32,
        elements: 1,
        transpose: false,
        strided: false,
        cache: CacheControl::DEFAULT,
    });
    SendOp {
        src1: Some(Payload::new(grf(12), 1)),
        extended,
        ..SendOp::new(message, 16, Payload::new(grf(10), 1))
    }
}

/// The instruction's own extended descriptor has no room for an offset beside a surface.
#[test]
fn offsets_into_surfaces_need_a_register() {
    let mut b = Builder::new(Family::Xe2);
    assert!(matches!(
        b.send(store(None)),
        Err(BuildError::ExtendedDescriptor { index: 0 })
    ));
    let mut b = Builder::new(Family::Xe2);
    let op = store(Some(2));
    b.send(op).unwrap();
    let kernel = b.finish().unwrap();
    let (instruction, _) = decode(Family::Xe2, &kernel.code).unwrap();
    let Specific::Send(send) = instruction.specific else {
        panic!("a send");
    };
    assert_eq!(send.exdesc, Descriptor::Register { subreg: 2 });
    assert_eq!(send.src1_len, Some(1));
    // The offset is beside the register; the register must hold the surface.
    let (sfid, made) = op.message.encode(Family::Xe2).unwrap();
    let descriptors = Descriptors {
        extended: made.extended,
        ..Descriptors::of(&send).unwrap()
    };
    assert_eq!(sfid, Sfid::Ugm);
    let decoded = Message::decode(Family::Xe2, sfid, descriptors).unwrap();
    assert_eq!(decoded, op.message);
}

/// In align16 mode consecutive elements have one form, however they are written.
#[test]
fn three_sources_are_built_for_every_family() {
    for family in Family::ALL {
        let mut b = Builder::new(family);
        let channels = (family.grf_bytes() / 4) as u8;
        let r = |number| grf(number).ty(Type::F);
        let mad = Op::new(Opcode::Mad, channels).dst(r(10));
        b.emit(mad.src(r(12)).src(r(14)).src(r(16)));
        let kernel = b.finish().unwrap_or_else(|e| panic!("{family}: {e}"));
        assert_eq!(kernel.code.len(), 16, "{family}\n{}", kernel.text());
    }
}

/// The instructions of a kernel.
fn instructions(family: Family, code: &[u8]) -> Vec<Instruction> {
    let mut rest = code;
    let mut all = Vec::new();
    while let Ok((instruction, length)) = decode(family, rest) {
        all.push(instruction);
        rest = &rest[length..];
    }
    assert!(rest.is_empty());
    all
}

#[test]
fn matrix_products_are_built() {
    for family in [Family::XeHpg, Family::XeHpc, Family::Xe2] {
        let mut b = Builder::new(family);
        let channels = if family == Family::XeHpg { 8 } else { 16 };
        b.emit(
            Op::dpas(8, 4, channels)
                .dst(grf(10).ty(Type::D))
                .src(grf(20).ty(Type::D))
                .src(grf(30).ty(Type::B))
                .src(grf(40).ty(Type::B)),
        );
        let kernel = b.finish().unwrap_or_else(|e| panic!("{family}: {e}"));
        let dpas = instructions(family, &kernel.code)[0];
        assert_eq!(
            dpas.specific,
            Specific::Dpas(Dpas {
                depth: 8,
                repeat: 4
            }),
            "{}",
            kernel.text()
        );
    }
}

/// The steps of a division, on each family that has them.
#[test]
fn macros_are_built_with_their_exponents() {
    let families = Family::ALL
        .into_iter()
        .filter(|family| isa_encoder::has_opcode(*family, Opcode::Madm));
    for family in families {
        let mut b = Builder::new(family);
        let mme = |register, number| grf(register).mme(number, Type::F);
        b.emit(
            Op::math(MathFunction::Invm, 8)
                .dst(mme(10, Some(0)))
                .src(mme(12, None))
                .src(mme(14, None)),
        );
        b.emit(
            Op::new(Opcode::Madm, 8)
                .dst(mme(16, Some(1)))
                .src(mme(18, None))
                .src(mme(12, None))
                .src(mme(10, Some(0))),
        );
        let kernel = b.finish().unwrap_or_else(|e| panic!("{family}: {e}"));
        for wanted in ["math.invm", "r10.mme0", "madm", "r16.mme1"] {
            assert!(
                kernel.text().contains(wanted),
                "{family}\n{}",
                kernel.text()
            );
        }
    }
}

#[test]
fn calls_and_loops_without_a_flag_are_built() {
    for family in Family::ALL {
        let mut b = Builder::new(family);
        let (link, function) = (grf(20).ty(Type::Ud), b.label());
        b.loop_();
        b.call(8, link, function);
        b.break_(8, Some(Builder::F0));
        b.end_while(8, None);
        b.end_of_thread(grf(127)).unwrap();
        b.bind(function);
        b.ret(8, link);
        let kernel = b.finish().unwrap_or_else(|e| panic!("{family}: {e}"));
        let found: Vec<Opcode> = instructions(family, &kernel.code)
            .iter()
            .map(|instruction| instruction.opcode)
            .filter(|opcode| opcode.is_branch())
            .collect();
        let wanted = [Opcode::Call, Opcode::Break, Opcode::While, Opcode::Ret];
        assert_eq!(found, wanted, "{family}\n{}", kernel.text());
    }
}

/// An immediate keeps its value or is refused.
#[test]
fn immediates_fit_their_type() {
    let built = |operand| {
        let mut b = Builder::new(Family::Xe2);
        let ty = isa_encoder::build::Operand::ty(operand);
        b.emit(
            Op::new(Opcode::Mov, 1)
                .no_mask()
                .dst(grf(10).ty(ty))
                .src(operand),
        );
        let kernel = b.finish().ok()?;
        match instructions(Family::Xe2, &kernel.code)[0].src[0] {
            Src::Immediate { value, .. } => Some(value),
            _ => None,
        }
    };
    assert_eq!(built(imm(-1, Type::W)), Some(0xffff));
    assert_eq!(built(imm(0xffff, Type::Uw)), Some(0xffff));
    assert_eq!(built(imm(99_999, Type::W)), None);
    assert_eq!(built(imm(-32_769, Type::W)), None);
    assert_eq!(built(imm(1 << 32, Type::D)), None);
    assert_eq!(built(imm(-1, Type::Q)), Some(u64::MAX));
    assert_eq!(built(imm_f16(1.5)), Some(0x3e00));
    assert_eq!(built(imm_f64(1.5)), Some(1.5f64.to_bits()));
}

#[test]
fn labels_of_another_builder_are_refused() {
    let mut other = Builder::new(Family::Gen12Lp);
    let theirs = other.here();
    let mut b = Builder::new(Family::Gen12Lp);
    b.here();
    b.jump(theirs, None);
    let wanted = BuildError::Label {
        label: 0,
        what: "of another builder",
    };
    assert_eq!(b.finish(), Err(wanted));
}

/// The builder tells what instructions wait for from what it was given, not from their code.
#[test]
fn what_is_built_waits_as_what_is_decoded_does() {
    for family in [Family::Gen12Lp, Family::XeHpg, Family::XeHpc, Family::Xe2] {
        let build = |scoreboard| {
            let mut b = Builder::new(family).scoreboard(scoreboard);
            let channels = (family.grf_bytes() / 4) as u8;
            let r = |number| grf(number).ty(Type::F);
            b.loop_();
            b.emit(Op::new(Opcode::Mul, channels).on(r(20), &[r(21), r(22)]));
            b.emit(Op::math(MathFunction::Inv, channels).on(r(24), &[r(20)]));
            b.emit(Op::new(Opcode::Mad, channels).on(r(26), &[r(24), r(20), r(22)]));
            b.emit(Op::new(Opcode::Add, channels).on(r(20), &[r(26), r(24)]));
            b.end_while(channels, Builder::F0);
            b.finish().unwrap_or_else(|e| panic!("{family}: {e}"))
        };
        let (plain, waiting) = (build(Scoreboard::Keep), build(Scoreboard::Auto));
        assert_ne!(plain.code, waiting.code, "{family}");
        let annotated = swsb::annotate(family, &plain.code);
        assert_eq!(annotated, Ok(waiting.code), "{family}");
    }
}
