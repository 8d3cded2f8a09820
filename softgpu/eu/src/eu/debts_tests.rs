//! Results that host code keeps in registers of the host, against the interpreter: operations, loads and stores on a few
//! registers, which they read and write whole, in halves and one by one, for all channels, for some and for none.

use devinfo::Family;
use oracles::Random;

use super::program_tests::run_on;

/// The registers from r20 on that programs use.
const REGISTERS: u64 = 28;

/// Numbers in all registers, and what addresses are of: the next dwords, the same in reverse, and one.
fn begin() -> String {
    let mut text = "(W) mov (16|M0) r12.0<1>:ud r4.0<1;1,0>:uw\n\
                    (W) shl (16|M0) r12.0<1>:ud r12.0<1;1,0>:ud 2:ud\n\
                    (W) add (16|M0) r12.0<1>:ud r12.0<1;1,0>:ud 192:ud\n\
                    (W) add (16|M0) r14.0<1>:d -r12.0<1;1,0>:d 444:w\n\
                    (W) mov (16|M0) r16.0<1>:ud 256:ud\n"
        .to_owned();
    for register in (20..20 + REGISTERS).step_by(2) {
        text += &format!(
            "(W) mul (16|M0) r{register}.0<1>:ud r12.0<1;1,0>:ud {}:uw\n",
            register * 37
        );
    }
    text
}

/// Something that is done with registers, for the channels of `when`.
fn something(random: &mut Random, family: Family, when: &str) -> String {
    let any = |random: &mut Random| 20 + random.below(REGISTERS - 1);
    let [to, first, second] = [any(random), any(random), any(random)];
    let address = random.pick(&[12, 14, 16]);
    let size = random.pick(&["(16|M0)", "(16|M0)", "(8|M0)", "(8|M8)"]);
    let (lane, other) = (random.below(8), random.below(8));
    let kind = random.below(20);
    if family == Family::XeHpc && (8..14).contains(&kind) {
        return match kind % 2 {
            0 => format!("{when} send.slm (16|M0) r{to} r{address} null:0 0x0 0x02100500\n"),
            _ => format!("{when} send.slm (16|M0) null r{address} r{first}:1 0x0 0x02000504\n"),
        };
    }
    match kind {
        0 | 1 => {
            format!("{when} add {size} r{to}.0<1>:d r{first}.0<8;8,1>:d r{second}.0<8;8,1>:d\n")
        }
        2 => format!("{when} mov {size} r{to}.0<1>:d r{first}.0<8;8,1>:d\n"),
        3 => format!(
            "{when} xor {size} r{to}.0<2>:uw r{first}.0<16;8,2>:uw r{second}.1<16;8,2>:uw\n"
        ),
        4 => format!("{when} add {size} r{to}.0<1>:uw r{first}.0<8;8,1>:uw 3:uw\n"),
        5 => format!("{when} mov {size} r{to}.0<1>:d r{first}.{lane}<0;1,0>:d\n"),
        6 => format!("(W) add (1|M0) r{to}.{lane}<1>:d r{first}.{other}<0;1,0>:d 5:w\n"),
        7 => format!("{when} mov (8|M0) r{to}.0<4>:ub r{first}.0<8;8,1>:ud\n"),
        8 => format!("{when} send.dc1 (16|M0) r{to} r{address} null 0x0 0x04205EFE\n"),
        9 => format!("{when} send.dc1 (8|M0) r{to} r{address} null 0x0 0x02106EFE\n"),
        10 => format!("{when} send.dc1 (16|M0) null r{address} r{first} 0x80 0x04025EFE\n"),
        11 => format!("{when} send.dc1 (8|M0) null r{address} r{first} 0x40 0x02026EFE\n"),
        // Exchanges what is equal to the first of two operands, and adds.
        12 => format!("{when} send.dc1 (16|M0) r{to} r{address} r{first} 0x100 0x0420AEFE\n"),
        13 => format!("{when} send.dc1 (16|M0) r{to} r{address} r{first} 0x80 0x0420A7FE\n"),
        14 => format!("{when} cbit {size} r{to}.0<1>:ud r{first}.0<8;8,1>:ud\n"),
        15 => format!("{when} lzd {size} r{to}.0<1>:ud r{first}.0<8;8,1>:ud\n"),
        // Regions that have no form for whole registers, at any place.
        16 => format!("{when} add (4|M0) r{to}.0<2>:d r{first}.0<16;4,4>:d 1:w\n"),
        17 => format!("{when} add (8|M0) r{to}.{lane}<1>:d r{first}.{other}<8;8,1>:d 3:w\n"),
        18 => format!("{when} mov (8|M0) r{to}.0<2>:hf r{first}.0<8;8,1>:f\n"),
        _ => format!("{when} add {size} r{to}.0<1>:d r{first}.0<8;8,1>:d -r{second}.0<8;8,1>:d\n"),
    }
}

#[test]
fn what_is_owed_is_there_where_something_reads_it() {
    let seed = 0x5eed_0f1a_b0a7_0031;
    eprintln!("seed {seed:#x}");
    let mut random = Random::new(seed);
    for number in 0..400 {
        let family = random.pick(&[Family::Gen12Lp, Family::Gen12Lp, Family::XeHpc]);
        let mut text = begin();
        for part in 0..6 {
            let (all, bound) = (random.below(3) == 0, random.below(18));
            text += &format!(
                "cmp (16|M0) (lt)f0.0 null<1>:uw r4.0<16;16,1>:uw {}:uw\n",
                random.below(18)
            );
            if !all {
                text += &format!(
                    "cmp (16|M0) (lt)f1.0 null<1>:uw r4.0<16;16,1>:uw {bound}:uw\n\
                     (f1.0) if (16|M0) P{part} P{part}\n"
                );
            }
            for _ in 0..random.below(14) {
                let when = random.pick(&["", "", "(f0.0)", "(~f0.0)", "(W)"]);
                text += &something(&mut random, family, when);
            }
            if !all {
                text += &format!("P{part}:\nendif (16|M0) Q{part}\nQ{part}:\n");
            }
        }
        let some = random.bits() as u32 & 0xffff | 1;
        let mask = random.pick(&[0xffff, 0xffff, some]);
        eprintln!("program {number} for {family:?}, channels {mask:#x}");
        if let Err(fault) = run_on(family, mask, &text) {
            panic!("{fault}\n{text}");
        }
    }
}
