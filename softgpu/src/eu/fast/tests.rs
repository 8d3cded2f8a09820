//! The routines against the general path, on random instructions and registers.

use devinfo::Family;
use isa_encoder::{
    CondMod, Dst, Flag, Instruction, MathFunction, Opcode, PredControl, Predicate, Region,
    Register, Specific, Src, SrcMods, Type,
};

use super::super::family::Rules;
use super::super::general;
use super::super::lower::lower;
use super::super::op::{Action, Fast, Op};
use super::super::ops::softfloat::Format;
use super::super::ops::value::format_of;
use super::super::regs::{self, GRF_BASE};
use super::super::state::State;
use super::super::thread::{Thread, ThreadStart};
use super::level::{Routine, plain};
use super::select::{Compiled, select_for};

struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.word() as usize % from.len()]
    }

    fn chance(&mut self, of: u64) -> bool {
        self.word().is_multiple_of(of)
    }
}

struct Plain;

impl Compiled for Plain {
    fn of<R: Routine>() -> Fast {
        plain::<R>()
    }
}

const REGIONS: [Region; 7] = [
    Region::SCALAR,
    Region::PACKED,
    Region::new(8, 8, 1),
    Region::new(4, 4, 1),
    Region::new(2, 1, 0),
    Region::new(4, 2, 1),
    Region::new(0, 4, 1),
];

fn source(random: &mut Random, ty: Type) -> Src {
    if random.chance(5) {
        let value = match ty {
            Type::F => u64::from(random.pick(&[1.5f32, 0.0, -2.25, 1e-40]).to_bits()),
            _ => random.word() >> (64 - ty.bits()),
        };
        return Src::Immediate { value, ty };
    }
    Src::Direct {
        reg: Register {
            number: random.pick(&[10, 20, 21, 30]),
            byte: (random.word() % 4 * u64::from(ty.bytes())) as u8,
            ..Register::grf(0)
        },
        region: random.pick(&REGIONS),
        ty,
        mods: SrcMods {
            neg: random.chance(3),
            abs: random.chance(4),
        },
    }
}

fn instruction(random: &mut Random) -> Instruction {
    const INTEGERS: [Type; 6] = [Type::D, Type::Ud, Type::W, Type::Uw, Type::B, Type::Ub];
    const OPCODES: [Opcode; 20] = [
        Opcode::Mov,
        Opcode::Mov,
        Opcode::Not,
        Opcode::And,
        Opcode::Or,
        Opcode::Xor,
        Opcode::Add,
        Opcode::Mul,
        Opcode::Mad,
        Opcode::Shl,
        Opcode::Shr,
        Opcode::Asr,
        Opcode::Cbit,
        Opcode::Cmp,
        Opcode::Csel,
        Opcode::Sel,
        Opcode::Rndd,
        Opcode::Rnde,
        Opcode::Rndz,
        Opcode::Math,
    ];
    let mut instruction = Instruction::new(random.pick(&OPCODES));
    let float_only = matches!(
        instruction.opcode,
        Opcode::Rndd | Opcode::Rnde | Opcode::Rndz | Opcode::Math
    );
    let integer_only = matches!(
        instruction.opcode,
        Opcode::Not
            | Opcode::And
            | Opcode::Or
            | Opcode::Xor
            | Opcode::Shl
            | Opcode::Shr
            | Opcode::Asr
            | Opcode::Cbit
    );
    let float = float_only || !integer_only && random.chance(2);
    instruction.exec_size = random.pick(&[1, 2, 4, 8, 16, 32]);
    instruction.channel_offset = if instruction.exec_size == 32 {
        0
    } else {
        random.pick(&[0, 0, 8, 16])
    };
    instruction.no_mask = random.chance(2);
    instruction.flag = Flag {
        register: random.word() as u8 & 1,
        subregister: random.word() as u8 & 1,
    };
    if random.chance(3) || instruction.opcode == Opcode::Sel {
        let control = random.pick(&[
            PredControl::Sequential,
            PredControl::Sequential,
            PredControl::AnyH(8),
            PredControl::AllH(2),
        ]);
        instruction.predicate = Some(Predicate {
            control,
            inverse: random.chance(2),
        });
    }
    let cond = random.pick(&[
        CondMod::Eq,
        CondMod::Ne,
        CondMod::Gt,
        CondMod::Ge,
        CondMod::Lt,
        CondMod::Le,
        CondMod::Un,
    ]);
    let compares = matches!(instruction.opcode, Opcode::Cmp | Opcode::Csel);
    if compares || random.chance(4) {
        instruction.cond = Some(cond);
        if instruction.opcode == Opcode::Sel {
            instruction.predicate = None;
        }
    }
    instruction.saturate = random.chance(6);
    if instruction.opcode == Opcode::Math {
        let function = random.pick(&[
            MathFunction::Inv,
            MathFunction::Sqt,
            MathFunction::Rsqt,
            MathFunction::Log,
            MathFunction::Exp,
            MathFunction::Sin,
            MathFunction::Cos,
        ]);
        instruction.specific = Specific::Math(function);
    }
    let sources = match instruction.opcode.format() {
        isa_encoder::Format::Ternary => 3,
        isa_encoder::Format::Binary => 2,
        _ => 1,
    };
    for slot in &mut instruction.src[..sources] {
        let ty = if float {
            Type::F
        } else {
            random.pick(&INTEGERS)
        };
        *slot = source(random, ty);
    }
    let ty = if float {
        random.pick(&[Type::F, Type::F, Type::F, Type::D, Type::Ud])
    } else if instruction.opcode == Opcode::Mov {
        random.pick(&[Type::D, Type::Ud, Type::W, Type::Ub, Type::F])
    } else {
        random.pick(&[Type::D, Type::Ud, Type::W, Type::Uw])
    };
    instruction.dst = Dst::Direct {
        reg: if random.chance(6) {
            Register::NULL
        } else {
            Register::grf(random.pick(&[10, 11, 40, 120]))
        },
        hstride: random.pick(&[1, 1, 1, 2]),
        ty,
    };
    instruction
}

fn state(random: &mut Random) -> State {
    let mut thread = Thread::new(&ThreadStart {
        family: Family::Gen12Lp,
        payload: &[],
        ip: 0,
        dispatch_mask: random.word() as u32 | 1,
        simd: 32,
        grf_count: 128,
        sr0: 0,
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
        let value = match random.word() % 4 {
            0 => random.pick(&CORNERS).to_bits(),
            1 => ((random.word() % 2000) as f32 / 7.0 - 100.0).to_bits(),
            2 => (random.word() % 64) as u32,
            _ => random.word() as u32,
        };
        state.regs.set_dword(at, value);
    }
    for flag in 0..4 {
        state
            .regs
            .set_dword(regs::FLAG + 4 * flag, random.word() as u32);
    }
    state.clone()
}

/// The register bytes, NaNs of an `f` destination made equal: which NaN comes out is not
/// specified.
fn comparable(state: &State, op: &Op) -> Vec<u8> {
    let mut bytes = state.regs.bytes().to_vec();
    if let (Some(format), Ok(Some(at))) = (
        format_of(op.dst.ty),
        op.dst.resolve(&state.regs, op.lanes()),
    ) && format == Format::F32
    {
        for lane in 0..op.lanes() {
            let at = at + lane * usize::from(op.dst.stride);
            if format.is_nan(state.regs.element(at, 4)) {
                bytes[at..at + 4].copy_from_slice(&f32::NAN.to_bits().to_le_bytes());
            }
        }
    }
    bytes
}

#[test]
fn routines_agree_with_the_general_path() {
    let seed = 0x0dd0_5eed_1234_5678;
    println!("seed {seed:#x}");
    let mut random = Random(seed);
    let rules = Rules::of(Family::Gen12Lp);
    let (mut covered, mut tried) = (0, 0);
    for _ in 0..30_000 {
        let instruction = instruction(&mut random);
        let Ok(op) = lower(rules, 128, &instruction, 0, 16) else {
            continue;
        };
        tried += 1;
        let (Action::Fast(best), Some(baseline)) = (op.action, select_for::<Plain>(&op)) else {
            continue;
        };
        covered += 1;
        let start = state(&mut random);
        let mut expected = start.clone();
        general::execute(&mut expected, &op).expect("nothing indirect");
        for (name, routine) in [("best", best), ("baseline", baseline)] {
            let mut got = start.clone();
            // SAFETY: `best` was selected for this processor, the baseline runs on all.
            unsafe { routine(&mut got, &op) };
            assert!(
                comparable(&got, &op) == comparable(&expected, &op),
                "{name}: {instruction:#?}\ncr0 {:#x}\nexpected {:x?}\ngot      {:x?}",
                start.regs.dword(regs::CONTROL),
                result(&expected, &op),
                result(&got, &op),
            );
        }
    }
    println!("{covered} of {tried} instructions have a routine");
    assert!(covered * 2 > tried);
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
