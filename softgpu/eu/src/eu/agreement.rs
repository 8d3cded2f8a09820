//! Vector routines against the general path, on random instructions of every type pair and random
//! registers.

use std::collections::BTreeMap;

use devinfo::Family;
use isa_encoder::semantics::{Number, Semantics};
use isa_encoder::{
    ArfKind, CondMod, Dst, Flag, Instruction, MathFunction, Opcode, Options, PredControl,
    Predicate, RegFile, Region, Register, Specific, Src, SrcMods, Type,
};
use oracles::Random;

use super::family::Rules;
use super::general;
use super::lower::lower;
use super::native;
use super::op::{Action, Op};
use super::operand::{Kind, Source};
use super::ops::value::format_of;
use super::regs::{self, GRF_BASE};
use super::state::State;
use super::thread::{Thread, ThreadStart};
use super::vector::Fast;

pub(super) const REGIONS: [Region; 7] = [
    Region::SCALAR,
    Region::PACKED,
    Region::new(8, 8, 1),
    Region::new(4, 4, 1),
    Region::new(2, 1, 0),
    Region::new(4, 2, 1),
    Region::new(0, 4, 1),
];

const TYPES: [Type; 11] = [
    Type::Ub,
    Type::B,
    Type::Uw,
    Type::W,
    Type::Ud,
    Type::D,
    Type::Uq,
    Type::Q,
    Type::Hf,
    Type::F,
    Type::Df,
];

/// What an opcode's sources may be.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    Integers,
    Floats,
    Either,
}

const OPCODES: [(Opcode, Takes); 49] = {
    use Takes::{Either, Floats, Integers};
    [
        (Opcode::Mov, Either),
        (Opcode::Mov, Either),
        (Opcode::Not, Integers),
        (Opcode::And, Integers),
        (Opcode::Or, Integers),
        (Opcode::Xor, Integers),
        (Opcode::Bfn, Integers),
        (Opcode::Add, Either),
        (Opcode::Add, Either),
        (Opcode::Add3, Integers),
        (Opcode::Avg, Integers),
        (Opcode::Mul, Either),
        (Opcode::Mul, Either),
        (Opcode::Mad, Either),
        (Opcode::Shl, Integers),
        (Opcode::Shr, Integers),
        (Opcode::Asr, Integers),
        (Opcode::Rol, Integers),
        (Opcode::Ror, Integers),
        (Opcode::Cbit, Integers),
        (Opcode::Lzd, Integers),
        (Opcode::Fbl, Integers),
        (Opcode::Fbh, Integers),
        (Opcode::Bfrev, Integers),
        (Opcode::Bfe, Integers),
        (Opcode::Bfi1, Integers),
        (Opcode::Bfi2, Integers),
        (Opcode::Cmp, Either),
        (Opcode::Cmp, Either),
        (Opcode::Csel, Either),
        (Opcode::Sel, Either),
        (Opcode::Sel, Either),
        (Opcode::Rndd, Floats),
        (Opcode::Rndu, Floats),
        (Opcode::Rnde, Floats),
        (Opcode::Rndz, Floats),
        (Opcode::Frc, Floats),
        (Opcode::Math, Floats),
        (Opcode::Math, Floats),
        (Opcode::Math, Integers),
        (Opcode::Mach, Integers),
        (Opcode::Mach, Integers),
        (Opcode::Macl, Integers),
        (Opcode::Addc, Integers),
        (Opcode::Addc, Integers),
        (Opcode::Subb, Integers),
        (Opcode::Mac, Either),
        (Opcode::Dp4a, Integers),
        (Opcode::Dp4a, Integers),
    ]
};

fn constant(random: &mut Random, ty: Type) -> u64 {
    match ty {
        Type::F => random
            .pick(&[1.5f32, 0.0, -2.25, 1e-40, 7e4])
            .to_bits()
            .into(),
        Type::Df => random.pick(&[1.5f64, 0.0, -2.25, 1e-320, 7e4]).to_bits(),
        Type::Hf => random.pick(&[0x3e00, 0, 0xc080, 0x0003, 0x7bff]),
        _ => random.bits() >> (64 - ty.bits()),
    }
}

fn source(random: &mut Random, ty: Type) -> Src {
    if random.below(5) == 0 {
        let packed = match ty {
            Type::W => Some(Type::V),
            Type::Uw => Some(Type::Uv),
            Type::F => Some(Type::Vf),
            _ => None,
        };
        if let Some(ty) = packed.filter(|_| random.below(3) == 0) {
            let value = random.bits() >> 32;
            return Src::Immediate { value, ty };
        }
        let value = constant(random, ty);
        return Src::Immediate { value, ty };
    }
    Src::Direct {
        reg: Register {
            number: random.pick(&[10, 20, 21, 30]),
            byte: (random.bits() % 4 * u64::from(ty.bytes())) as u8,
            ..Register::grf(0)
        },
        region: random.pick(&REGIONS),
        ty,
        mods: SrcMods {
            neg: random.below(3) == 0,
            abs: random.below(4) == 0,
        },
    }
}

/// A type for the sources of an opcode: mostly the same size, so that routines apply.
fn types(random: &mut Random, takes: Takes) -> [Type; 3] {
    let pick = |random: &mut Random| loop {
        let ty = random.pick(&TYPES);
        match takes {
            Takes::Integers if ty.is_float() => {}
            Takes::Floats if !ty.is_float() => {}
            _ => return ty,
        }
    };
    let first = pick(random);
    let other = |random: &mut Random| {
        let ty = pick(random);
        if random.below(2) == 0 || ty.is_float() != first.is_float() {
            first
        } else {
            ty
        }
    };
    [first, other(random), other(random)]
}

pub(super) fn instruction(random: &mut Random) -> Instruction {
    let (opcode, takes) = random.pick(&OPCODES);
    let mut instruction = Instruction::new(opcode);
    instruction.exec_size = random.pick(&[1, 2, 4, 8, 16, 32]);
    instruction.channel_offset = if instruction.exec_size == 32 {
        0
    } else {
        random.pick(&[0, 0, 8, 16])
    };
    instruction.no_mask = random.below(2) == 0;
    instruction.flag = Flag {
        register: random.bits() as u8 & 1,
        subregister: random.bits() as u8 & 1,
    };
    if random.below(3) == 0 || opcode == Opcode::Sel {
        let control = random.pick(&[
            PredControl::Sequential,
            PredControl::Sequential,
            PredControl::AnyV,
            PredControl::AllV,
            PredControl::AnyH(8),
            PredControl::AllH(2),
        ]);
        instruction.predicate = Some(Predicate {
            control,
            inverse: random.below(2) == 0,
        });
    }
    let compares = matches!(opcode, Opcode::Cmp | Opcode::Csel);
    if compares || random.below(4) == 0 {
        instruction.cond = Some(random.pick(&[
            CondMod::Eq,
            CondMod::Ne,
            CondMod::Gt,
            CondMod::Ge,
            CondMod::Lt,
            CondMod::Le,
            CondMod::Un,
        ]));
        if opcode == Opcode::Sel {
            instruction.predicate = None;
        }
    }
    instruction.saturate = random.below(6) == 0;
    if opcode == Opcode::Math {
        instruction.specific = Specific::Math(if takes == Takes::Floats {
            random.pick(&[
                MathFunction::Inv,
                MathFunction::Fdiv,
                MathFunction::Sqt,
                MathFunction::Rsqt,
                MathFunction::Log,
                MathFunction::Exp,
                MathFunction::Sin,
                MathFunction::Cos,
                MathFunction::Invm,
                MathFunction::Rsqtm,
            ])
        } else {
            random.pick(&[MathFunction::Iqot, MathFunction::Irem, MathFunction::Idiv])
        });
    }
    let macros = Specific::Math(MathFunction::Invm);
    if instruction.specific == macros || instruction.specific == Specific::Math(MathFunction::Rsqtm)
    {
        instruction.cond = random.pick(&[Some(CondMod::Eo), Some(CondMod::Eo), None]);
    }
    if opcode == Opcode::Bfn {
        instruction.specific = Specific::Bfn(random.bits() as u8);
    }
    if matches!(opcode, Opcode::Mach | Opcode::Macl) && random.below(2) == 0 {
        instruction.options |= Options::ACC_WR_EN;
    }
    let sources = match opcode.format() {
        isa_encoder::Format::Ternary => 3,
        isa_encoder::Format::Binary => 2,
        _ if opcode == Opcode::Math => 2,
        _ => 1,
    };
    let types = types(random, takes);
    for (slot, ty) in instruction.src[..sources].iter_mut().zip(types) {
        *slot = source(random, ty);
    }
    let ty = match random.bits() % 3 {
        0 => random.pick(&TYPES),
        1 if types[0].is_float() => types[0],
        1 => random.pick(&[Type::D, Type::Ud]),
        _ => types[0],
    };
    instruction.dst = Dst::Direct {
        reg: match random.bits() % 8 {
            0 => Register::NULL,
            1 => Register {
                file: RegFile::Arf(ArfKind::Accumulator),
                number: random.pick(&[0, 0, 0, 1, 2, 3]),
                ..Register::grf(0)
            },
            _ => Register::grf(random.pick(&[10, 11, 40, 112])),
        },
        hstride: random.pick(&[1, 1, 1, 2]),
        ty,
    };
    instruction
}

pub(super) fn state(random: &mut Random) -> State {
    let mut thread = Thread::new(&ThreadStart {
        family: Family::Gen12Lp,
        payload: &[],
        group: [0; 3],
        ip: 0,
        dispatch_mask: random.bits() as u32 | 1,
        simd: 32,
        grf_count: 128,
        sr0: 0,
        msg0: 0,
        thread_slot: 0,
        cr0: random.pick(&[0x4c0, 0x4c0, 0, 0x4d0, 0x4e0, 0x4f0]),
    });
    let state = thread.state_mut();
    const CORNERS: [f32; 12] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1e-40,
        -1e-45,
        f32::MAX,
        f32::MIN_POSITIVE,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    for at in (GRF_BASE..GRF_BASE + 4096).step_by(4) {
        let value = match random.bits() % 4 {
            0 => random.pick(&CORNERS).to_bits(),
            // Two halves, or the high half of a double of ordinary size.
            3 if random.below(2) == 0 => 0x3c00_3c00 ^ (random.bits() as u32 & 0x83ff_83ff),
            1 => ((random.bits() % 2000) as f32 / 7.0 - 100.0).to_bits(),
            2 => (random.bits() % 64) as u32,
            _ => random.bits() as u32,
        };
        state.regs.set_dword(at, value);
    }
    for flag in 0..4 {
        state
            .regs
            .set_dword(regs::FLAG + 4 * flag, random.bits() as u32);
    }
    state.clone()
}

/// The register bytes, with NaNs of a float destination made equal if they are computed: which one that is, is not
/// specified. What is moved or selected stays as it is.
pub(super) fn comparable(state: &State, op: &Op) -> Vec<u8> {
    let mut bytes = state.regs.known().to_vec();
    let moves = matches!(
        op.does,
        Semantics::Number(Number::Move | Number::Select | Number::SelectByComparison)
    );
    let of_type = |source: &Source| source.kind == Kind::None || source.element == op.dst.ty;
    if moves && !op.saturate && op.src[..2].iter().all(of_type) {
        return bytes;
    }
    if let (Some(format), Ok(Some(at))) = (
        format_of(op.dst.ty),
        op.dst.resolve(&state.regs, op.lanes()),
    ) {
        let size = op.dst.ty.bytes();
        for lane in 0..op.lanes() {
            let at = at + lane * usize::from(op.dst.stride);
            if format.is_nan(state.regs.element(at, size)) {
                let nan = format.quiet_nan().to_le_bytes();
                bytes[at..at + size as usize].copy_from_slice(&nan[..size as usize]);
            }
        }
    }
    bytes
}

#[test]
fn routines_agree_with_the_general_path() {
    let seed = 0x0dd0_5eed_1234_5678;
    eprintln!("seed {seed:#x}");
    let mut random = Random::new(seed);
    let rules = Rules::of(Family::Gen12Lp);
    let mut covered = BTreeMap::<_, (u32, u32)>::new();
    let mut host = BTreeMap::<_, (u32, u32)>::new();
    let mut wrong = BTreeMap::new();
    for _ in 0..120_000 {
        let instruction = instruction(&mut random);
        let Ok(op) = lower(rules, 128, &instruction, 0, 16) else {
            continue;
        };
        let types = [instruction.src[0].ty(), instruction.dst.ty()];
        let types = types.map(|ty| ty.map_or("-", Type::suffix)).join(" to ");
        let opcode = instruction.opcode.mnemonic().to_owned();
        for key in [opcode.clone(), types.clone()] {
            let (with, all) = covered.entry(key).or_default();
            *all += 1;
            *with += u32::from(matches!(op.action, Action::Fast(_)));
        }
        let routines = match (op.action, Fast::baseline(&op, rules)) {
            (Action::Fast(best), Some(baseline)) => vec![("best", best), ("baseline", baseline)],
            _ => Vec::new(),
        };
        let start = state(&mut random);
        let mut expected = start.clone();
        general::execute(&mut expected, &op).expect("nothing indirect");
        #[cfg(not(target_arch = "x86_64"))]
        let mut results = Vec::new();
        #[cfg(target_arch = "x86_64")]
        let mut results = native::alone(&start, &op);
        let (_, all) = host.entry(opcode.clone()).or_insert((0, 0));
        *all += u32::from(start.usual_fp);
        if !results.is_empty() {
            host.entry(opcode.clone()).or_default().0 += 1;
        }
        for (name, routine) in routines {
            let mut got = start.clone();
            routine.run(&mut got, &op);
            results.push((name, got));
        }
        for (name, got) in results {
            if comparable(&got, &op) != comparable(&expected, &op) {
                wrong
                    .entry((opcode.clone(), types.clone()))
                    .or_insert_with(|| {
                        format!(
                            "{name}: {instruction:?}\ncr0 {:#x}\nexpected {:x?}\ngot      {:x?}\n",
                            start.regs.dword(regs::CONTROL),
                            result(&expected, &op),
                            result(&got, &op),
                        )
                    });
            }
        }
    }
    for (what, (with, all)) in &covered {
        eprintln!("{what}: {with} of {all} have a routine");
    }
    for (what, (with, all)) in &host {
        eprintln!("{what}: {with} of {all} have host code");
    }
    #[cfg(target_arch = "x86_64")]
    if eu_native::HostIsa::of_host().is_some() {
        for always in ["mov", "add", "mul", "and", "shl", "cmp", "sel", "mad"] {
            let (with, all) = host[always];
            assert!(with * 5 > all, "{always}: {with} of {all} have host code");
        }
    }
    let wrong: Vec<String> = wrong.into_values().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for always in ["mov", "add", "mul", "and", "shl"] {
        let (with, all) = covered[always];
        assert!(with * 3 > all, "{always}: {with} of {all}");
    }
}

/// The smaller and the larger of two numbers is the second one where both are NaNs.
#[test]
fn selections_of_nans_are_the_same_everywhere() {
    let rules = Rules::of(Family::Gen12Lp);
    let mut random = Random::new(0x5eed_0a9a);
    for (cond, ty) in [CondMod::Lt, CondMod::Ge]
        .into_iter()
        .flat_map(|cond| [(cond, Type::F), (cond, Type::Hf)])
    {
        let mut instruction = Instruction::new(Opcode::Sel);
        instruction.exec_size = 16;
        instruction.no_mask = true;
        instruction.cond = Some(cond);
        for (slot, number) in instruction.src[..2].iter_mut().zip([10, 20]) {
            *slot = Src::Direct {
                reg: Register::grf(number),
                region: Region::PACKED,
                ty,
                mods: SrcMods::default(),
            };
        }
        instruction.dst = Dst::Direct {
            reg: Register::grf(40),
            hstride: 1,
            ty,
        };
        let op = lower(rules, 128, &instruction, 0, 16).expect("it is lowered");
        let mut start = state(&mut random);
        for at in (GRF_BASE..GRF_BASE + 1024).step_by(4) {
            let nans = random.pick(&[0x7fc0_1234, 0xffff_7e05_u32, 0x7fa5_fe77]);
            let value = random.pick(&[nans, nans, 0x3f80_3c00]);
            start.regs.set_dword(at, value);
        }
        let mut expected = start.clone();
        general::execute(&mut expected, &op).expect("nothing indirect");
        let expected = result(&expected, &op);
        if let Action::Fast(best) = op.action {
            let mut got = start.clone();
            best.run(&mut got, &op);
            assert_eq!(result(&got, &op), expected, "{cond:?} {ty:?}, a routine");
        }
        #[cfg(target_arch = "x86_64")]
        for (name, got) in native::alone(&start, &op) {
            assert_eq!(result(&got, &op), expected, "{cond:?} {ty:?}, {name}");
        }
    }
}

fn result(state: &State, op: &Op) -> (Vec<u64>, u128) {
    let at = op.dst.resolve(&state.regs, op.lanes()).ok().flatten();
    let lanes = (0..op.lanes()).map(|lane| {
        at.map_or(0, |at| {
            let at = at + lane * usize::from(op.dst.stride);
            state.regs.element(at, op.dst.ty.bytes())
        })
    });
    let flags = u128::from_le_bytes(state.regs.load(regs::FLAG));
    (lanes.collect(), flags)
}
