//! Random programs whose channels part: interpreted and as host code, which must agree in all registers.

use std::sync::Arc;

use devinfo::Family;
use oracles::Random;
use softgpu_memory::AddressSpace;

use super::program_tests::{CODE, code, kernel, run_on, run_slices};
use super::{Execution, Program};

/// Instructions before the end of a program.
const LENGTH: u64 = 40;

/// How often a program goes back at the most.
const FUEL: u64 = 12;

/// A predicate, mostly.
fn predicate(random: &mut Random) -> &'static str {
    random.pick(&[
        "(f0.0)",
        "(~f0.0)",
        "(f0.0)",
        "(~f0.0)",
        "(f0.0.any16h)",
        "",
    ])
}

fn channels(random: &mut Random) -> &'static str {
    random.pick(&[
        "(16|M0)", "(16|M0)", "(16|M0)", "(16|M0)", "(8|M0)", "(8|M8)",
    ])
}

/// A program with branches to any instruction. Branches ahead choose by what channels have computed; those
/// back by that too, while there is fuel, so that each program ends.
fn anything(random: &mut Random, gotos: bool) -> String {
    let mut text = format!("(W) mov (1|M0) r30.0<1>:d {FUEL}:w\n");
    for index in 0..LENGTH {
        text += &format!("L{index}:\n");
        let ahead = |random: &mut Random| {
            // Near ones mostly, so that those that wait are met.
            let most = LENGTH - index;
            let limit = random.pick(&[3, 6, most]).min(most);
            format!("L{}", index + 1 + random.below(limit))
        };
        let (to, join) = (ahead(random), ahead(random));
        let uip = if random.below(3) == 0 {
            to.clone()
        } else {
            join
        };
        let when = predicate(random);
        let size = channels(random);
        text += &match random.below(16) {
            0..=2 => {
                let value = random.below(100);
                format!("add {size} r10.0<1>:d r10.0<8;8,1>:d {value}:w\n")
            }
            3 => "(W) add (16|M0) r11.0<1>:d r11.0<8;8,1>:d r10.0<8;8,1>:d\n".to_owned(),
            4 | 5 => {
                let value = random.below(250);
                format!(
                    "and (16|M0) r12.0<1>:d r10.0<8;8,1>:d 255:w\n\
                     cmp (16|M0) (lt)f0.0 null<1>:d r12.0<8;8,1>:d {value}:w\n"
                )
            }
            6 => format!(
                "(W) mov (1|M0) f0.0<1>:uw {:#x}:uw\n",
                random.bits() & 0xffff
            ),
            7 => format!(
                "cmp (16|M0) (lt)f0.0 null<1>:uw r4.0<16;16,1>:uw {}:uw\n",
                random.below(17)
            ),
            8 => format!("{when} if {size} {to} {uip}\n"),
            9 => format!("else {size} {to} {uip}\n"),
            10 => format!("endif {size} {to}\n"),
            11 => match gotos {
                true => format!("{when} goto {size} {to} {uip}\n"),
                false => format!("{when} break {size} {to} {uip}\n"),
            },
            12 => match gotos {
                true => format!("join {size} {to}\n"),
                false => format!("{when} cont {size} {to} {uip}\n"),
            },
            13 => format!("{when} halt {size} {to} {uip}\n"),
            _ => {
                let back = format!("L{}", random.below(index + 1));
                let branch = match gotos && random.below(2) == 0 {
                    true => format!("goto.b {size} {back} {back}"),
                    false => format!("while {size} {back}"),
                };
                let flags = random.bits() & 0xffff;
                format!(
                    "(W) add (1|M0) r30.0<1>:d r30.0<0;1,0>:d -1:w\n\
                     (W) cmp (16|M0) (gt)f1.0 null<1>:d r30.0<0;1,0>:d 0:w\n\
                     (W) mov (1|M0) r31.0<1>:uw {flags:#x}:uw\n\
                     (W) and (1|M0) f1.0<1>:uw f1.0<0;1,0>:uw r31.0<0;1,0>:uw\n\
                     (f1.0) {branch}\n"
                )
            }
        };
    }
    text + &format!("L{LENGTH}:\n")
}

/// Nested branches and loops as compilers write them.
fn structured(random: &mut Random, depth: u64, labels: &mut u64, text: &mut String) {
    for _ in 0..1 + random.below(2) {
        *labels += 1;
        let name = *labels;
        let value = random.below(250);
        *text += &format!(
            "add (16|M0) r10.0<1>:d r10.0<8;8,1>:d r4.0<16;16,1>:uw\n\
             and (16|M0) r12.0<1>:d r10.0<8;8,1>:d 255:w\n\
             cmp (16|M0) (lt)f0.0 null<1>:d r12.0<8;8,1>:d {value}:w\n"
        );
        if depth == 0 {
            continue;
        }
        match random.below(3) {
            0 => {
                *text += &format!("(f0.0) if (16|M0) E{name} X{name}\n");
                structured(random, depth - 1, labels, text);
                *text += &format!("E{name}:\nelse (16|M0) X{name} X{name}\n");
                structured(random, depth - 1, labels, text);
                *text += &format!("X{name}:\nendif (16|M0) Y{name}\nY{name}:\n");
            }
            1 => {
                *text += &format!("(f0.0) if (16|M0) X{name} X{name}\n");
                structured(random, depth - 1, labels, text);
                *text += &format!("X{name}:\nendif (16|M0) Y{name}\nY{name}:\n");
            }
            _ => {
                // Each channel has its own number of rounds.
                let counter = 40 + depth;
                *text += &format!("and (16|M0) r{counter}.0<1>:d r10.0<8;8,1>:d 3:w\nB{name}:\n");
                structured(random, depth - 1, labels, text);
                let leaves = random.below(250);
                *text += &format!(
                    "add (16|M0) r{counter}.0<1>:d r{counter}.0<8;8,1>:d -1:w\n\
                     and (16|M0) r12.0<1>:d r10.0<8;8,1>:d 255:w\n\
                     cmp (16|M0) (gt)f0.0 null<1>:d r12.0<8;8,1>:d {leaves}:w\n\
                     (f0.0) break (16|M0) W{name} W{name}\n\
                     cmp (16|M0) (ge)f1.0 null<1>:d r{counter}.0<8;8,1>:d 0:w\n\
                     W{name}:\n\
                     (f1.0) while (16|M0) B{name}\n"
                );
            }
        }
    }
}

fn agree(seed: u64, programs: u64, make: impl Fn(&mut Random, Family) -> String) {
    eprintln!("seed {seed:#x}");
    let mut random = Random::new(seed);
    for number in 0..programs {
        let family = random.pick(&[Family::Gen8, Family::Gen9, Family::Gen12Lp, Family::XeHpc]);
        let body = make(&mut random, family);
        let some = random.bits() as u32 & 0xffff | 1;
        let mask = random.pick(&[0xffff, 0xffff, some]);
        eprintln!("program {number} for {family:?}, channels {mask:#x}");
        if let Err(fault) = run_on(family, mask, &body) {
            panic!("{fault}\n{body}");
        }
    }
}

/// Each channel has a number of its own in r20.
const NUMBERS: &str = "mov (16|M0) r20.0<1>:d r4.0<16;16,1>:uw\n\
                       (W) mov (1|M0) r12.0<1>:ud 0x9e3779b1:ud\n\
                       mul (16|M0) r20.0<1>:d r20.0<8;8,1>:d r12.0<0;1,0>:d\n";

/// Of two in three programs, only the first channels go on until the text that is returned.
fn part(random: &mut Random, text: &mut String) -> &'static str {
    if random.below(3) == 0 {
        return "";
    }
    let bound = 1 + random.below(15);
    *text += &format!(
        "cmp (16|M0) (lt)f1.0 null<1>:uw r4.0<16;16,1>:uw {bound}:uw\n\
         (f1.0) if (16|M0) X X\n"
    );
    "X:\nendif (16|M0) Y\nY:\n"
}

#[test]
fn channels_part_and_meet_as_in_the_interpreter() {
    agree(0x5eed_0f1a_b0a7_0001, 150, |random, _| {
        let mut text = String::new();
        structured(random, 3, &mut 0, &mut text);
        text
    });
}

#[test]
fn any_branches_lead_where_they_do_in_the_interpreter() {
    agree(0x5eed_0f1a_b0a7_0002, 400, |random, family| {
        let gotos = random.below(2) == 0;
        let text = anything(random, gotos);
        match family {
            // Predicates have other names there.
            Family::XeHpc => text.replace(".any16h", ".any"),
            _ => text,
        }
    });
}

/// A branch may name a place inside of itself: who waits there hides nobody behind it.
#[test]
fn channels_wait_inside_of_a_branch() {
    let body = "cmp (16|M0) (lt)f0.0 null<1>:uw r4.0<16;16,1>:uw 5:uw\n\
                (f0.0) break (16|M0) A J\n\
                A:\n\
                break (16|M0) 48 8\n\
                J:\n\
                add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 1:w\n\
                add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 1:w\n";
    for family in [Family::Gen9, Family::Gen12Lp] {
        if let Err(fault) = run_on(family, 0xffff, body) {
            panic!("{family:?}: {fault}");
        }
    }
}

/// Private arrays: addresses of all channels and of one, inside of the registers and outside of them.
#[test]
fn registers_with_addresses_are_those_of_the_interpreter() {
    agree(0x5eed_0f1a_b0a7_0003, 60, |random, family| {
        let grf = family.grf_bytes() as u64;
        let mut text = "mov (16|M0) r20.0<1>:d r4.0<16;16,1>:uw\n\
                        mov (16|M0) r24.0<1>:f r4.0<16;16,1>:uw\n"
            .to_owned();
        let lines = |random: &mut Random| {
            format!(
                "cmp (16|M0) (lt)f0.0 null<1>:uw r4.0<16;16,1>:uw {}:uw\n",
                random.below(17)
            )
        };
        for _ in 0..12 {
            text += &lines(random);
            // Few that are outside: most programs would fault at once.
            let reach = random.pick(&[grf * 10, grf * 127, 128 * grf + 40]);
            let step = random.pick(&[4, 1, 0, 12]);
            let first = random.below(reach - 16 * step);
            let offset = random.pick(&[0, 0, 64, -32]);
            let size = random.pick(&["(16|M0)", "(8|M0)", "(8|M8)"]);
            let when = random.pick(&["", "(f0.0)", "(~f0.0)"]);
            let ty = random.pick(&["ud", "d", "f"]);
            let near = grf * 20 + random.below(grf * 8);
            let all = random.pick(&["<0;1,0>", "<8;8,1>"]);
            let at = format!("r[a0.0,{offset}]");
            let region = random.pick(&["<8;8,1>", "<0;1,0>", "<4;4,1>", "<16;8,2>"]);
            let scatters = matches!(family, Family::Gen8 | Family::Gen9);
            let channel = 1 << random.below(8);
            text += &match random.below(8) {
                // Channel by channel, as compilers do where addresses differ.
                7 if scatters => format!(
                    "(W) mul (8|M0) r6.0<1>:uw r4.0<8;8,1>:uw {step}:uw\n\
                     (W) add (8|M0) a0.0<1>:uw r6.0<8;8,1>:uw {near:#x}:uw\n\
                     {when} smov (8|M0) {at}<1>:d r20.1<0;1,0>:d {channel:#x}:uw\n\
                     {when} smov (8|M8) r[a0.5]<1>:d r20.0<8;8,1>:d {channel:#x}:uw\n"
                ),
                3 => format!(
                    "(W) mul (16|M0) r6.0<1>:uw r4.0<16;16,1>:uw {step}:uw\n\
                     (W) add (16|M0) a0.0<1>:uw r6.0<16;16,1>:uw {first:#x}:uw\n\
                     {when} add {size} r10.0<1>:d r20.0<8;8,1>:d {at}<1,0>:d\n"
                ),
                4 => format!(
                    "(W) mov (1|M0) a0.0<1>:uw {near:#x}:uw\n\
                     (W) mov (1|M0) a0.1<1>:uw {first:#x}:uw\n\
                     {when} shr {size} r10.0<1>:ud {at}{region}:ud 3:w\n\
                     {when} add {size} r10.0<1>:{ty} {at}{region}:{ty} r[a0.1]<8;8,1>:{ty}\n"
                ),
                5 => format!(
                    "(W) mov (1|M0) a0.0<1>:uw {near:#x}:uw\n\
                     cmp {size} (lt)f0.0 null<1>:d {at}{region}:d 20:w\n\
                     (f0.0) mov (16|M0) r22.0<1>:d r20.0<8;8,1>:d\n"
                ),
                6 => format!(
                    "(W) mov (1|M0) a0.0<1>:uw {near:#x}:uw\n\
                     {when} mov {size} {at}<1>:d 7:w\n\
                     {when} add {size} {at}<1>:d r4.0<8;8,1>:uw {at}{region}:w\n\
                     (W) mov (1|M0) r[a0.0]<1>:d r10.1<0;1,0>:d\n"
                ),
                0 => format!(
                    "(W) mul (16|M0) r6.0<1>:uw r4.0<16;16,1>:uw {step}:uw\n\
                     (W) add (16|M0) a0.0<1>:uw r6.0<16;16,1>:uw {first:#x}:uw\n\
                     {when} mov {size} r10.0<1>:{ty} {at}<1,0>:{ty}\n"
                ),
                1 => format!(
                    "(W) mov (1|M0) a0.0<1>:uw {near:#x}:uw\n\
                     {when} mov {size} {at}<1>:{ty} r20.0{all}:{ty}\n"
                ),
                _ => format!(
                    "(W) add (16|M0) r11.0<1>:d r11.0<8;8,1>:d r10.0<8;8,1>:d\n\
                     {when} mov {size} r22.0<1>:{ty} r10.0<8;8,1>:{ty}\n"
                ),
            };
        }
        text
    });
}

/// Products with the accumulator, in steps that follow each other and in others: host code computes some of them at once.
#[test]
fn products_of_two_steps_are_those_of_the_interpreter() {
    agree(0x5eed_0f1a_b0a7_0009, 160, |random, family| {
        let mut text = NUMBERS.to_owned() + "add (16|M0) r24.0<1>:d r20.0<8;8,1>:d -77777:d\n";
        let end = part(random, &mut text);
        let size = match family {
            Family::XeHpc => "(16|M0)",
            _ => "(8|M0)",
        };
        let second = match family {
            Family::XeHpc => &["mach", "macl"][..],
            _ => &["mach"],
        };
        for number in 0..14 {
            // Whether any channel executes, as Intel's compiler asks, and what looks much like it.
            let marks = family != Family::XeHpc && random.below(3) == 0;
            if marks {
                let start = random.pick(&["0x0", "0x0", "0x0", "0x100"]);
                let by = random.pick(&["(eq)", "(eq)", "(eq)", "(ne)"]);
                let who = random.pick(&["", "", "", "(W) ", "(f1.1) "]);
                let size = random.pick(&["(16|M0)", "(16|M0)", "(16|M0)", "(8|M0)"]);
                let any =
                    random.pick(&["f1.1.any16h", "f1.1.any16h", "~f1.1.any16h", "f1.1.all16h"]);
                let ones = random.pick(&["0xffff", "0xffff", "0xffff", "0xfff"]);
                text += &format!(
                    "(W) mov (1|M0) f1.1<1>:uw {start}:uw\n\
                     {who}cmp {size} {by}f1.1 null<1>:uw r4.2<0;1,0>:uw r4.2<0;1,0>:uw\n\
                     (W&{any}) mov (1|M0) f1.1<1>:uw {ones}:uw\n"
                );
            }
            let ty = random.pick(&["d", "ud"]);
            let other = if random.below(8) == 0 { "d" } else { ty };
            let from = random.pick(&[20, 24, 22]);
            let whole = random.pick(&[3, 0x9e37_79b1u32, 0xaaaa_aaab, 0x7fff_ffff, 0x1_0000]);
            let (low, by) = match random.below(3) {
                0 => (
                    "r24.0<16;8,2>:uw".to_owned(),
                    format!("r24.0<8;8,1>:{other}"),
                ),
                _ => (
                    format!("{:#x}:uw", whole & 0xffff),
                    format!("{whole:#x}:{other}"),
                ),
            };
            let all = match marks {
                true => random.pick(&["(W&f1.1)", "(W&f1.1)", "(W&f1.1)", "(W&~f1.1)", "(f1.1)"]),
                false => random.pick(&["(W)", "(W)", "(W)", ""]),
            };
            let half = match size {
                "(8|M0)" if marks => random.pick(&["(8|M0)", "(8|M8)"]),
                _ => size,
            };
            let when = random.pick(&["", "", "", "(W)", "(f0.0)"]);
            let step = random.pick(second);
            let between = match random.below(7) {
                0 => format!("mov {size} r{from}.0<1>:d r25.0<8;8,1>:d\n"),
                1 => format!("mov {size} r26.0<1>:d acc0.0<8;8,1>:d\n"),
                2 => format!("cmp {size} (gt)f0.0 null<1>:d r22.0<8;8,1>:d {number}:w\n"),
                3 => "mov (16|M0) r27.0<1>:uw r20.1<16;8,2>:uw\n".to_owned(),
                _ => String::new(),
            };
            let behind = match random.below(6) {
                0 => format!("add {size} r10.0<1>:d r10.0<8;8,1>:d acc0.0<8;8,1>:d\n"),
                1 => format!("(W) mul {size} acc0.0<1>:d r20.0<8;8,1>:d 5:uw\n"),
                2 => format!("mov {size} acc0.0<1>:d r22.0<8;8,1>:d\n"),
                _ => String::new(),
            };
            text += &format!(
                "{all} mul {size} acc0.0<1>:{ty} r{from}.0<8;8,1>:{ty} {low}\n{between}\
                 {when} {step} {half} r22.0<1>:{ty} r{from}.0<8;8,1>:{ty} {by}\n{behind}\
                 add {size} r10.0<1>:d r10.0<8;8,1>:d r22.0<8;8,1>:d\n"
            );
        }
        text + end
    });
}

/// Masks that host registers hold: results of all sizes, in channels by what comparisons of dwords and qwords found,
/// and by what has changed since.
#[test]
fn masks_are_those_of_the_interpreter() {
    agree(0x5eed_0f1a_b0a7_0005, 80, |random, _| {
        let mut text = "mov (16|M0) r20.0<1>:d r4.0<16;16,1>:uw\n\
                        mov (16|M0) r24.0<1>:uw r4.0<16;16,1>:uw\n\
                        (W) mov (1|M0) r12.0<1>:ud 0x5a3cc3a5:ud\n"
            .to_owned();
        let end = part(random, &mut text);
        for number in 0..30 {
            let flag = random.pick(&["f0.0", "f0.0", "f0.1"]);
            let size = random.pick(&["(16|M0)", "(16|M0)", "(8|M8)", "(8|M0)"]);
            let every = random.pick(&["", "", "W"]);
            let not = random.pick(&["", "~"]);
            let when = match every {
                "W" => format!("(W&{not}{flag})"),
                _ => format!("({not}{flag})"),
            };
            let every = every.replace('W', "(W)");
            let bound = random.below(17);
            let bit = 1 << (number % 12);
            text += &match random.below(13) {
                0 => format!("(W) mov (1|M0) {flag}<1>:uw r12.0<0;1,0>:uw\n"),
                // These write the flags that they depend on.
                11 => format!("{when} mov (2|M0) f0.0<1>:ud r20.0<2;2,1>:ud\n"),
                12 => format!("{when} mov (8|M0) f0.0<1>:ub r10.0<8;8,1>:ud\n"),
                1 => format!("{when} sel {size} r14.0<1>:d r10.0<8;8,1>:d r20.0<8;8,1>:d\n"),
                2 => format!("{when} mov {size} r16.0<1>:uw r20.0<16;8,2>:uw\n"),
                3 => format!("{when} mov {size} r17.0<4>:ub r10.0<8;8,1>:ud\n"),
                4 => format!("{when} mov {size} r22.0<2>:uw r20.0<8;8,1>:ud\n"),
                5 => format!("{when} add {size} r20.0<1>:d r20.0<8;8,1>:d -3:w\n"),
                6 | 7 => format!("{when} add {size} r10.0<1>:d r10.0<8;8,1>:d {bit}:w\n"),
                8 => format!("{when} cmp {size} (gt){flag} null<1>:d r20.0<8;8,1>:d {bound}:w\n"),
                9 => format!("{every} cmp {size} (ne){flag} r14.0<1>:d r20.0<8;8,1>:d {bound}:w\n"),
                _ => format!("{every} cmp {size} (lt){flag} null<1>:d r20.0<8;8,1>:d {bound}:w\n"),
            };
        }
        text + end
    });
}

/// Registers that are written and read whole, and in halves of their channels.
#[test]
fn halves_of_registers_are_those_of_the_interpreter() {
    agree(0x5eed_0f1a_b0a7_0011, 120, |random, family| {
        let mut text = "mov (16|M0) r20.0<1>:d r4.0<16;16,1>:uw\n\
                        mov (16|M0) r24.0<1>:d r4.0<16;16,1>:uw\n\
                        mov (16|M0) r26.0<1>:d r4.0<16;16,1>:uw\n"
            .to_owned();
        let end = part(random, &mut text);
        // Of whole ones, the second begins in the first's upper half where registers have eight dwords.
        let whole = |random: &mut Random| match (family, random.below(4)) {
            (Family::XeHpc, 0) => "r26.0".to_owned(),
            (_, 0) => "r25.0".to_owned(),
            _ => format!("r{}.0", random.pick(&[20, 24, 10])),
        };
        let half = |random: &mut Random| {
            let from = random.pick(&[20, 24, 26, 10]);
            match (family, random.below(2)) {
                (_, 0) => format!("r{from}.0"),
                (Family::XeHpc, _) => format!("r{from}.8"),
                _ => format!("r{}.0", from + 1),
            }
        };
        for number in 0..40 {
            let when = random.pick(&["", "", "(W)", "(f0.0)", "(~f0.0)", "(W&f0.0)"]);
            let (of_half, bound) = (random.pick(&["(8|M0)", "(8|M8)"]), random.below(40));
            text += &match random.below(8) {
                0 => {
                    let at = whole(random);
                    format!("cmp (16|M0) (gt)f0.0 null<1>:d {at}<8;8,1>:d {bound}:w\n")
                }
                1..=3 => {
                    let [to, a, b] = [(); 3].map(|()| whole(random));
                    format!("{when} add (16|M0) {to}<1>:d {a}<8;8,1>:d {b}<8;8,1>:d\n")
                }
                4 => {
                    let [to, a] = [(); 2].map(|()| half(random));
                    format!("{when} mul {of_half} {to}<1>:d {a}<8;8,1>:d {number}:w\n")
                }
                _ => {
                    let [to, a, b] = [(); 3].map(|()| half(random));
                    format!("{when} add {of_half} {to}<1>:d {a}<8;8,1>:d {b}<8;8,1>:d\n")
                }
            };
        }
        text + end
    });
}

/// Halves of qwords, whole ones, and bytes, of all channels and of some.
#[test]
fn parts_of_qwords_are_those_of_the_interpreter() {
    agree(0x5eed_0f1a_b0a7_0013, 150, |random, family| {
        let mut text = NUMBERS.to_owned();
        let end = part(random, &mut text);
        let long = family != Family::Gen12Lp;
        for number in 0..40 {
            let when = random.pick(&["", "", "(W)", "(f0.0)", "(~f0.0)", "(W&f0.0)"]);
            let size = match family {
                Family::XeHpc => random.pick(&["(16|M0)", "(16|M0)", "(8|M0)", "(8|M8)"]),
                _ => random.pick(&["(8|M0)", "(8|M8)"]),
            };
            let dwords = random.pick(&[20, 21, 10]);
            let qwords = random.pick(&[40, 40, 44]);
            let (dword, word) = (random.below(2), random.below(4));
            let byte = random.pick(&[0, 8, 16]);
            let bound = random.bits() as u32 & 0xff_ffff;
            text += &match random.below(12) {
                0 => format!("cmp (16|M0) (gt)f0.0 null<1>:d r20.0<8;8,1>:d {bound}:d\n"),
                1 | 2 => {
                    format!("{when} mov {size} r{qwords}.{dword}<2>:ud r{dwords}.0<8;8,1>:ud\n")
                }
                3 | 4 => format!(
                    "{when} add {size} r{dwords}.0<1>:ud r{qwords}.{dword}<8;4,2>:ud {number}:uw\n"
                ),
                5 => format!("{when} mov {size} r{qwords}.{word}<4>:uw r{dwords}.0<16;8,2>:uw\n"),
                6 => format!("{when} mov {size} r{dwords}.0<1>:d r{qwords}.{word}<16;4,4>:w\n"),
                7 | 8 if long => {
                    format!("{when} add {size} r{qwords}.0<1>:q r40.0<4;4,1>:q r44.0<4;4,1>:q\n")
                }
                9 => format!("{when} mov (8|M0) r24.{byte}<1>:ub r{dwords}.1<32;8,4>:ub\n"),
                10 => format!("{when} mov (8|M0) r24.{byte}<1>:b r20.{byte}<0;1,0>:b\n"),
                11 => format!("{when} mov (8|M0) r{dwords}.0<1>:d r24.{byte}<8;8,1>:b\n"),
                _ => {
                    format!("{when} add (8|M0) r{qwords}.0<1>:ud r40.0<8;8,1>:ud r44.0<8;8,1>:ud\n")
                }
            };
        }
        text + end
    });
}

/// Sums and differences whose carries the accumulator takes, with products before and behind them.
#[test]
fn carries_are_those_of_the_interpreter() {
    agree(0x5eed_0f1a_b0a7_0014, 120, |random, family| {
        let mut text = NUMBERS.to_owned() + "add (16|M0) r24.0<1>:d r20.0<8;8,1>:d -77777:d\n";
        let end = part(random, &mut text);
        let sizes: &[&str] = match family {
            Family::XeHpc => &["(16|M0)"],
            _ => &["(8|M0)", "(8|M0)", "(8|M8)"],
        };
        for number in 0..20 {
            let when = random.pick(&["", "", "", "(W)", "(f0.0)", "(~f0.0)"]);
            let size = random.pick(sizes);
            let [to, a, b] = [(); 3].map(|()| random.pick(&[20, 22, 24]));
            let step = random.pick(&["addc", "addc", "subb"]);
            let writes = match family {
                Family::XeHpc => "",
                _ => random.pick(&["{AccWrEn}", "{AccWrEn}", "{AccWrEn}", ""]),
            };
            let by = match random.below(2) {
                0 => "1:ud".to_owned(),
                _ => format!("r{b}.0<8;8,1>:ud"),
            };
            text += &match random.below(8) {
                0 => "cmp (16|M0) (gt)f0.0 null<1>:ud r20.0<8;8,1>:ud r24.0<8;8,1>:ud\n".to_owned(),
                1 | 2 => format!("{when} mov {size} r{to}.0<1>:ud acc0.0<8;8,1>:ud\n"),
                3 => format!("{when} mul {size} acc0.0<1>:ud r{a}.0<8;8,1>:ud {number}:uw\n"),
                4 => format!(
                    "{when} mach {size} r{to}.0<1>:ud r{a}.0<8;8,1>:ud {number}:ud {writes}\n"
                ),
                _ => format!("{when} {step} {size} r{to}.0<1>:ud r{a}.0<8;8,1>:ud {by} {writes}\n"),
            };
        }
        text + end
    });
}

/// Copies of neighbouring registers, whole arrays of them, which may meet what they copy.
#[test]
fn copies_of_registers_are_those_of_the_interpreter() {
    agree(0x5eed_0f1a_b0a7_0012, 150, |random, family| {
        let grf = family.grf_bytes();
        let mut text = String::new();
        for register in (20..100).step_by(2) {
            text += &format!("mul (16|M0) r{register}.0<1>:d r4.0<16;16,1>:uw {register}:w\n");
        }
        let bound = random.below(16);
        text += &format!(
            "cmp (16|M0) (ge)f0.0 null<1>:d r20.0<8;8,1>:d {}:w\n",
            20 * bound
        );
        let end = part(random, &mut text);
        for _ in 0..6 {
            let when = random.pick(&["", "", "(W)", "(f0.0)", "(~f0.0)", "(W&f0.0)"]);
            let (lanes, channels) = random.pick(&[(8, "(8|M0)"), (8, "(8|M8)"), (16, "(16|M0)")]);
            let count = random.pick(&[1, 2, 3, 5, 8, 17, 30]);
            let [from, to] = [(); 2].map(|()| 20 + random.below(40));
            let strange = random.below(2 * count);
            for step in 0..count {
                let byte = 4 * lanes * step;
                let at =
                    |first| format!("r{}.{}", first + byte / grf as u64, byte % grf as u64 / 4);
                let ty = random.pick(&["d", "d", "ud", "f"]);
                let to_ty = if ty == "ud" { "d" } else { ty };
                let (from, to) = (at(from), at(to));
                text += &format!("{when} mov {channels} {to}<1>:{to_ty} {from}<8;8,1>:{ty}\n");
                if step == strange {
                    text += "add (16|M0) r22.0<1>:d r22.0<8;8,1>:d r30.0<8;8,1>:d\n";
                }
            }
            let [at, from] = [(); 2].map(|()| 20 + random.below(40));
            text += &format!("add (8|M0) r{at}.0<1>:d r{from}.0<8;8,1>:d 3:w\n");
        }
        text += end;
        for register in 21..100 {
            text += &format!("xor (16|M0) r10.0<1>:d r10.0<8;8,1>:d r{register}.0<8;8,1>:d\n");
        }
        text
    });
}

/// Words, in registers and in accumulators, of which `mach` reads the whole in some programs.
#[test]
fn words_are_those_of_the_interpreter() {
    agree(0x5eed_0f1a_b0a7_0013, 120, |random, _| {
        let mut text = NUMBERS.to_owned();
        text += "mov (16|M0) r22.0<1>:uw r20.0<16;8,2>:uw\n\
                 cmp (16|M0) (lt)f0.0 null<1>:uw r22.0<8;8,1>:uw 0x8000:uw\n";
        let end = part(random, &mut text);
        let whole = random.below(2) == 0;
        for _ in 0..14 {
            let when = random.pick(&["", "", "(W)", "(f0.0)", "(~f0.0)"]);
            let channels = random.pick(&["(8|M0)", "(8|M8)", "(16|M0)", "(16|M0)"]);
            let operation = random.pick(&["add", "mul", "and", "xor", "add"]);
            let to = random.pick(&["acc0.0", "r22.0", "r24.0", "r24.8"]);
            let from = random.pick(&[
                "acc0.0<8;8,1>:uw",
                "r20.0<16;8,2>:uw",
                "-r20.0<16;8,2>:w",
                "r24.0<0;1,0>:w",
                "r22.0<8;8,1>:uw",
            ]);
            let by = random.pick(&["0x40:uw", "-3:w", "r22.0<8;8,1>:uw", "0x76543210:uv"]);
            text += &format!("{when} {operation} {channels} {to}<1>:uw {from} {by}\n");
            if whole && random.below(3) == 0 {
                text += "mach (8|M0) r26.0<1>:d r20.0<8;8,1>:d r20.0<8;8,1>:d\n";
            }
        }
        text + end
    });
}

/// Flags that host registers hold: parts of them are written by comparisons of some channels and by moves, and
/// read as predicates, as bytes and as words.
#[test]
fn flags_are_those_of_the_interpreter() {
    agree(0x5eed_0f1a_b0a7_0004, 60, |random, _| {
        let mut text = "mov (16|M0) r20.0<1>:d r4.0<16;16,1>:uw\n\
                        (W) mov (1|M0) r12.0<1>:ud 0x5a3cc3a5:ud\n"
            .to_owned();
        for number in 0..24 {
            let flag = random.pick(&["f0.0", "f0.0", "f0.1", "f1.0"]);
            let size = random.pick(&["(16|M0)", "(16|M0)", "(8|M0)", "(8|M8)"]);
            let when = random.pick(&["", "", "(W) "]);
            let not = random.pick(&["", "~"]);
            let bound = random.below(17);
            text += &match random.below(8) {
                0 => format!("(W) mov (1|M0) {flag}<1>:uw r12.0<0;1,0>:uw\n"),
                1 => format!("(W) mov (1|M0) r12.0<1>:uw {flag}<0;1,0>:uw\n"),
                2 => "(W) mov (1|M0) f0.0<1>:ud r12.0<0;1,0>:ud\n".to_owned(),
                3 | 4 => format!(
                    "({not}{flag}) add {size} r10.0<1>:d r10.0<8;8,1>:d {}:w\n",
                    1 << (number % 12)
                ),
                5 => format!(
                    "({not}{flag}) cmp {size} (gt){flag} null<1>:d r20.0<8;8,1>:d {bound}:w\n"
                ),
                _ => format!("{when}cmp {size} (lt){flag} null<1>:d r20.0<8;8,1>:d {bound}:w\n"),
            };
            if random.below(12) == 0 {
                text += &format!(
                    "(f0.0) if (16|M0) X{number} X{number}\n\
                     cmp (16|M0) (lt)f0.0 null<1>:d r20.0<8;8,1>:d {bound}:w\n\
                     (f0.0) add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 1:w\n\
                     X{number}:\nendif (16|M0) Y{number}\nY{number}:\n"
                );
            }
        }
        text
    });
}

#[cfg(target_arch = "x86_64")]
#[test]
fn threads_that_change_their_modes_stay_in_host_code_where_channels_part() {
    if eu_native::HostIsa::of_host().is_none() {
        return;
    }
    let family = Family::Gen12Lp;
    let body = "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4c0:uw\n\
                cmp (16|M0) (lt)f0.0 null<1>:uw r4.0<16;16,1>:uw 5:uw\n\
                (f0.0) if (16|M0) X X\n\
                add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 1:w\n\
                X:\nendif (16|M0) Y\nY:\n";
    let space = AddressSpace::with_anonymous(&[(CODE, 0x2000)]).expect("memory");
    let code = code(family, body);
    space.view().write(CODE, &code).expect("bound");
    let program = Arc::new(Program::new(&kernel(family), 128));
    let ran = run_slices(&program, &space, 0xffff, (Execution::Compile(None), 10_000));
    assert!(ran.stays);
}
