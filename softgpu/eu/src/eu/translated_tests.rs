//! What has host code, and does there what the general path does.

use devinfo::Family;
use isa_encoder::{
    ArfKind, CondMod, Dst, Instruction, Opcode, PredControl, Predicate, RegFile, Region, Register,
    Src, SrcMods, Type,
};
use oracles::Random;

use super::agreement::{REGIONS, comparable, state};
use super::family::Rules;
use super::lower::lower;
use super::op::{Action, Op};
use super::state::State;
use super::{general, native};

#[test]
fn host_code_leaves_operands_beyond_the_registers_and_the_flags() {
    let has_host_code = |family, instruction: &Instruction| {
        let op = lower(Rules::of(family), 128, instruction, 0, 16).expect("it is lowered");
        assert!(matches!(op.action, Action::Fast(_)));
        let mut start = state(&mut Random::new(1));
        start.fp = Default::default();
        start.usual_fp = true;
        !native::alone(&start, &op).is_empty()
    };
    let direct = |reg, ty| Src::Direct {
        reg,
        region: Region::new(32, 1, 0),
        ty,
        mods: SrcMods::default(),
    };
    let mut instruction = Instruction::new(Opcode::Mov);
    instruction.exec_size = 16;
    instruction.no_mask = true;
    instruction.dst = Dst::Direct {
        reg: Register::grf(10),
        hstride: 1,
        ty: Type::Uq,
    };
    // 3 KiB and more behind the start of null, where few registers follow.
    instruction.src[0] = direct(Register::NULL, Type::Uq);
    assert!(!has_host_code(Family::Xe3, &instruction));
    instruction.src[0] = direct(Register::grf(20), Type::Uq);
    assert!(has_host_code(Family::Xe3, &instruction));

    instruction.src[0] = constant_one();
    instruction.exec_size = 32;
    instruction.dst = Dst::Direct {
        reg: Register::grf(10),
        hstride: 1,
        ty: Type::Ud,
    };
    let mut with = |control, flag: (u8, u8), channel_offset| {
        instruction.predicate = Some(Predicate {
            control,
            inverse: false,
        });
        (instruction.flag.register, instruction.flag.subregister) = flag;
        instruction.channel_offset = channel_offset;
        has_host_code(Family::XeHpc, &instruction)
    };
    assert!(with(PredControl::Any, (0, 0), 0));
    assert!(
        !with(PredControl::Any, (3, 1), 0),
        "half of the group is beyond f3"
    );
    assert!(with(PredControl::Sequential, (0, 0), 0));
    assert!(
        !with(PredControl::Sequential, (0, 0), 16),
        "half of the channels are beyond f0"
    );
}

/// Compilers compute the addresses of private arrays in registers so.
#[test]
fn words_in_accumulators_have_host_code() {
    if eu_native::HostIsa::of_host().is_none() {
        return;
    }
    let seed = 0x5eed_0acc;
    eprintln!("seed {seed:#x}");
    let mut random = Random::new(seed);
    for opcode in [Opcode::Mov, Opcode::Add, Opcode::Mul, Opcode::Mad] {
        for ty in [Type::W, Type::Uw] {
            for number in 0..40 {
                let mut instruction = into_accumulator(opcode, number, ty, &mut random);
                let sources = match opcode {
                    Opcode::Mov => 1,
                    Opcode::Mad => 3,
                    _ => 2,
                };
                for (slot, number) in instruction.src[..sources].iter_mut().zip([10, 20, 30]) {
                    *slot = Src::Direct {
                        reg: Register::grf(number),
                        region: Region::PACKED,
                        ty: random.pick(&[Type::W, Type::Uw]),
                        mods: SrcMods {
                            neg: random.below(3) == 0,
                            abs: random.below(4) == 0,
                        },
                    };
                }
                let rules = Rules::of(Family::Gen12Lp);
                assert_has_host_code(rules, &instruction, &mut random);
            }
        }
    }
}

/// Intel's compiler makes booleans of predicates there.
#[test]
fn selections_and_bits_in_accumulators_have_host_code() {
    if eu_native::HostIsa::of_host().is_none() {
        return;
    }
    let seed = 0x5eed_0b17;
    eprintln!("seed {seed:#x}");
    let mut random = Random::new(seed);
    let opcodes = [
        Opcode::Sel,
        Opcode::Not,
        Opcode::And,
        Opcode::Or,
        Opcode::Xor,
    ];
    for opcode in opcodes {
        for ty in [Type::W, Type::Uw, Type::D, Type::Ud] {
            for number in 0..40 {
                let mut instruction = into_accumulator(opcode, number, ty, &mut random);
                let sources = if opcode == Opcode::Not { 1 } else { 2 };
                let mut types = [Type::W, Type::Uw].to_vec();
                if ty.bytes() == 4 {
                    types.extend([Type::D, Type::Ud]);
                }
                let same = random.pick(&types);
                for (slot, number) in instruction.src[..sources].iter_mut().zip([10, 20]) {
                    let alike = opcode == Opcode::Sel;
                    *slot = Src::Direct {
                        reg: Register::grf(number),
                        region: Region::PACKED,
                        ty: if alike { same } else { random.pick(&types) },
                        mods: SrcMods {
                            neg: random.below(3) == 0,
                            abs: alike && random.below(4) == 0,
                        },
                    };
                }
                let rules = Rules::of(Family::Gen12Lp);
                assert_has_host_code(rules, &instruction, &mut random);
            }
        }
    }
}

/// An instruction without sources whose result goes to an accumulator; a selection has a predicate.
fn into_accumulator(opcode: Opcode, number: usize, ty: Type, random: &mut Random) -> Instruction {
    let mut instruction = Instruction::new(opcode);
    instruction.exec_size = [1, 8, 16][number % 3];
    instruction.no_mask = number.is_multiple_of(2);
    instruction.channel_offset = [0, 16][number % 7 / 6];
    let predicate = opcode == Opcode::Sel || number.is_multiple_of(5);
    instruction.predicate = predicate.then_some(Predicate {
        control: PredControl::Sequential,
        inverse: number.is_multiple_of(4),
    });
    instruction.dst = Dst::Direct {
        reg: Register {
            file: RegFile::Arf(ArfKind::Accumulator),
            // From acc2 on, no whole values are kept.
            number: random.pick(&[0, 1, 2, 7]),
            ..Register::grf(0)
        },
        hstride: 1,
        ty,
    };
    instruction
}

/// The instruction has host code, and leaves what the general path does.
fn assert_has_host_code(rules: Rules, instruction: &Instruction, random: &mut Random) {
    let same = |got: &State, expected: &State, _: &Op| got.regs.known() == expected.regs.known();
    assert_agrees(rules, instruction, random, same);
}

/// The same, but for what NaNs look like.
fn assert_has_like_host_code(rules: Rules, instruction: &Instruction, random: &mut Random) {
    assert_agrees(rules, instruction, random, |got, expected, op| {
        comparable(got, op) == comparable(expected, op)
    });
}

fn assert_agrees(
    rules: Rules,
    instruction: &Instruction,
    random: &mut Random,
    same: impl Fn(&State, &State, &Op) -> bool,
) {
    let op = lower(rules, 128, instruction, 0, 16).expect("it is lowered");
    let mut start = state(random);
    start.set_control(0x4c0);
    let mut expected = start.clone();
    general::execute(&mut expected, &op).expect("nothing indirect");
    let results = native::alone(&start, &op);
    assert!(!results.is_empty(), "no host code: {instruction:?}");
    for (name, got) in results {
        assert!(same(&got, &expected, &op), "{name}: {instruction:?}");
    }
}

/// Intel's compiler stores to private arrays in registers so, channel by channel.
#[test]
fn scattered_moves_of_one_channel_have_host_code() {
    if eu_native::HostIsa::of_host().is_none() {
        return;
    }
    let seed = 0x5eed_50f0;
    eprintln!("seed {seed:#x}");
    let mut random = Random::new(seed);
    let rules = Rules::of(Family::Gen9);
    for lane in 0..8 {
        for number in 0..24 {
            let mut instruction = Instruction::new(Opcode::Smov);
            instruction.exec_size = 8;
            instruction.channel_offset = random.pick(&[0, 8, 24]);
            instruction.no_mask = number % 3 == 0;
            instruction.predicate = (number % 4 == 0).then_some(Predicate {
                control: random.pick(&[PredControl::Sequential, PredControl::AnyH(8)]),
                inverse: number % 8 == 0,
            });
            instruction.src[0] = Src::Direct {
                reg: Register::grf(20),
                region: random.pick(&REGIONS),
                ty: random.pick(&[Type::D, Type::Ud, Type::F, Type::W]),
                mods: SrcMods::default(),
            };
            instruction.src[1] = Src::Immediate {
                value: 1 << lane,
                ty: Type::Uw,
            };
            instruction.dst = Dst::Direct {
                reg: Register::grf(10),
                hstride: random.pick(&[1, 2]),
                ty: random.pick(&[Type::D, Type::Ud]),
            };
            assert_has_host_code(rules, &instruction, &mut random);
        }
    }
}

fn constant_one() -> Src {
    Src::Immediate {
        value: 1,
        ty: Type::Ud,
    }
}

/// An instruction of 16 channels on packed registers.
fn packed(opcode: Opcode, sources: &[Type], to: Type) -> Instruction {
    let mut instruction = Instruction::new(opcode);
    instruction.exec_size = 16;
    for (slot, (number, &ty)) in instruction
        .src
        .iter_mut()
        .zip([10, 20, 30].into_iter().zip(sources))
    {
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
        ty: to,
    };
    instruction
}

const INTEGERS: [Type; 6] = [Type::Ub, Type::B, Type::Uw, Type::W, Type::Ud, Type::D];

#[test]
fn conversions_and_saturated_sums_have_host_code() {
    if eu_native::HostIsa::of_host().is_none() {
        return;
    }
    let seed = 0x5eed_5a75;
    eprintln!("seed {seed:#x}");
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    for from in INTEGERS {
        for to in INTEGERS {
            all.push((packed(Opcode::Mov, &[from], to), true));
            all.push((packed(Opcode::Add, &[from, from], to), true));
        }
        for float in [Type::F, Type::Hf, Type::Df] {
            all.push((packed(Opcode::Mov, &[from], float), false));
            all.extend(
                [false, true].map(|saturate| (packed(Opcode::Mov, &[float], from), saturate)),
            );
        }
    }
    all.push((packed(Opcode::Mov, &[Type::F], Type::Df), false));
    all.push((packed(Opcode::Mov, &[Type::Df], Type::F), false));
    for (mut instruction, saturate) in all {
        instruction.saturate = saturate;
        for exec_size in [1, 8, 16] {
            instruction.exec_size = exec_size;
            assert_has_like_host_code(Rules::of(Family::Gen12Lp), &instruction, &mut random);
        }
    }
}

#[test]
fn bits_fractions_and_doubles_have_host_code() {
    if eu_native::HostIsa::of_host().is_none() {
        return;
    }
    let seed = 0x5eed_b175;
    eprintln!("seed {seed:#x}");
    let mut random = Random::new(seed);
    let rules = Rules::of(Family::Gen12Lp);
    for opcode in [
        Opcode::Cbit,
        Opcode::Lzd,
        Opcode::Fbl,
        Opcode::Fbh,
        Opcode::Bfrev,
    ] {
        for ty in [Type::Ud, Type::D] {
            let instruction = packed(opcode, &[ty], ty);
            for _ in 0..8 {
                assert_has_like_host_code(rules, &instruction, &mut random);
            }
        }
    }
    for _ in 0..32 {
        assert_has_like_host_code(
            rules,
            &packed(Opcode::Frc, &[Type::F], Type::F),
            &mut random,
        );
    }
    for opcode in [Opcode::Rndd, Opcode::Rndu, Opcode::Rnde, Opcode::Rndz] {
        assert_has_like_host_code(rules, &packed(opcode, &[Type::Df], Type::Df), &mut random);
    }
    for cond in [CondMod::Lt, CondMod::Ge] {
        let mut selects = packed(Opcode::Sel, &[Type::Df, Type::Df], Type::Df);
        selects.cond = Some(cond);
        assert_has_like_host_code(rules, &selects, &mut random);
    }
    let mut selects = packed(Opcode::Sel, &[Type::Df, Type::Df], Type::Df);
    selects.predicate = Some(Predicate {
        control: PredControl::Sequential,
        inverse: false,
    });
    assert_has_like_host_code(rules, &selects, &mut random);
}

/// Intel's compiler adds three numbers of a long product so.
#[test]
fn sums_of_three_in_accumulators_have_host_code() {
    if eu_native::HostIsa::of_host().is_none() {
        return;
    }
    let seed = 0x5eed_0add;
    eprintln!("seed {seed:#x}");
    let mut random = Random::new(seed);
    for number in 0..40 {
        let mut instruction = into_accumulator(Opcode::Add3, number, Type::Ud, &mut random);
        let types = [Type::Ud, random.pick(&[Type::Uw, Type::Ud]), Type::Ud];
        instruction.src = packed(Opcode::Add3, &types, Type::Ud).src;
        assert_has_like_host_code(Rules::of(Family::XeHpg), &instruction, &mut random);
    }
}
