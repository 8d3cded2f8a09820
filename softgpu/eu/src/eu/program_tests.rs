//! Small programs, assembled and run: how channels branch, call and return separately.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use devinfo::{Family, GpuAddress};
use eu_native::HostIsa;
use isa_encoder::{AsmOptions, assemble};

use super::regs::{self, Registers};
use super::thread::{Counters, Stop, Thread, ThreadStart};
use super::{Code, Execution, Program, Programs};
use crate::sf::StateCache;
use crate::{Barrier, Fault, GroupEnv, Kernel, Pairs, Slm, StateBases};
use softgpu_memory::{AddressSpace, View};

pub(super) const CODE: GpuAddress = GpuAddress::new(0x1_0000);

/// Runs a SIMD16 program on the channels in `mask` to its end. Returns the dwords of r10.
fn run(mask: u32, body: &str) -> [u32; 16] {
    run_on(Family::Gen12Lp, mask, body).expect("no fault")
}

/// The same on a given family, or the fault that ends it.
pub(super) fn run_on(family: Family, mask: u32, body: &str) -> Result<[u32; 16], Fault> {
    let space = AddressSpace::with_anonymous(&[(CODE, 0x2000)]).expect("memory");
    let program = Arc::new(Program::new(&kernel(family), 128));
    space
        .view()
        .write(CODE, &code(family, body))
        .expect("bound");
    run_program(&program, &space, mask)
}

pub(super) fn kernel(family: Family) -> Kernel {
    Kernel {
        family,
        base: CODE,
        entry: 0,
    }
}

/// Where a group runs whose code is at [`CODE`], with nothing bound.
pub(super) fn environment<'a>(
    family: Family,
    (memory, state): (&'a View, &'a StateCache),
    (slm, barrier, pairs): (&'a Slm, &'a Barrier, &'a Pairs),
) -> GroupEnv<'a> {
    GroupEnv {
        family,
        memory,
        bases: StateBases {
            instruction: CODE,
            ..StateBases::default()
        },
        binding_table: 0,
        sampler_state: 0,
        slm,
        barrier,
        pairs,
        state,
        checks: None,
    }
}

/// The code of a program.
pub(super) fn code(family: Family, body: &str) -> Vec<u8> {
    let (platform, end) = match family {
        Family::Gen8 => ("bdw", " (8|M0) null r127 0x27 0x02000010"),
        Family::Gen9 => ("skl", " (8|M0) null r127 0x27 0x02000010"),
        Family::Gen12Lp => ("tgl", ".ts (8|M0) null r127 null 0x0 0x02000010"),
        _ => ("pvc", ".gtwy (1|M0) null r127 null:0 0x0 0x02000010"),
    };
    let text = format!(
        "//.platform {platform}\n\
         (W) mov (16|M0) r10.0<1>:d 0:w\n\
         (W) mov (8|M0) r4.0<1>:uw 0x76543210:uv\n\
         (W) add (8|M0) r4.8<1>:uw r4.0<1;1,0>:uw 8:uw\n\
         {body}\n\
         (W) mov (8|M0) r127.0<1>:ud r0.0<1;1,0>:ud\n\
         (W) send{end} {{EOT}}\n"
    );
    assemble(&text, &AsmOptions::default())
        .expect("the program assembles")
        .code
}

/// What a run came to.
pub(super) struct Ran {
    stop: Result<Stop, Fault>,
    ip: u64,
    counters: Counters,
    /// The instructions of the first slice.
    first: u64,
    registers: Registers,
    local: Vec<u32>,
    /// Whether other threads that begin so stay in host code where channels part.
    pub(super) stays: bool,
}

/// Runs the program that memory holds: interpreted, as host code for each set of instructions that the host
/// has, and as host code in short slices, which must agree in all registers, counts and shared local memory.
fn run_program(
    program: &Arc<Program>,
    space: &AddressSpace,
    mask: u32,
) -> Result<[u32; 16], Fault> {
    let family = program.family();
    let expected = run_slices(program, space, mask, (Execution::Interpret, 10_000));
    let least = Arc::new(Program::new(&kernel(family), 128));
    let ways = [(program, None), (&least, Some(HostIsa::Avx2))];
    for (program, isa) in ways {
        for slice in [10_000, 1, 3, 7] {
            let execution = Execution::Compile(isa);
            let got = run_slices(program, space, mask, (execution, slice));
            let context = format!("{execution:?} in slices of {slice}");
            assert_eq!(
                (&got.stop, got.ip),
                (&expected.stop, expected.ip),
                "{context}"
            );
            assert_eq!(got.counters, expected.counters, "{context}");
            assert_eq!(
                got.registers.shown(),
                expected.registers.shown(),
                "{context}"
            );
            assert_eq!(got.local, expected.local, "{context}");
        }
    }
    assert_eq!(expected.stop?, Stop::EndOfThread);
    let r10 = regs::GRF_BASE + 10 * family.grf_bytes();
    Ok(each(|lane| expected.registers.dword(r10 + 4 * lane)))
}

/// Runs the program in slices.
pub(super) fn run_slices(
    program: &Arc<Program>,
    space: &AddressSpace,
    mask: u32,
    (execution, slice): (Execution, u32),
) -> Ran {
    let family = program.family();
    let view = space.view();
    let barrier = Barrier::new(1);
    let state = StateCache::default();
    let slm = Slm::new(256);
    let pairs = Pairs::new(1);
    let env = environment(family, (&view, &state), (&slm, &barrier, &pairs));
    let code = Code::new(Arc::clone(program), execution);
    let mut thread = Thread::new(&ThreadStart {
        family,
        payload: &[],
        group: [0; 3],
        ip: 0,
        dispatch_mask: mask,
        simd: 16,
        grf_count: 128,
        sr0: 0,
        msg0: 0,
        thread_slot: 0,
        cr0: 0,
    });
    let mut stop = thread.run(&env, &code, slice);
    let first = thread.counters().instructions;
    while stop == Ok(Stop::Budget) && thread.counters().instructions < 10_000 {
        stop = thread.run(&env, &code, slice);
    }
    let known = code.first(0);
    let longest = known.and_then(|(routine, ..)| routine.native().longest_block());
    assert!(longest.is_none_or(|steps| steps <= 512), "{longest:?}");
    let stays = known.is_some_and(|(routine, ..)| routine.native().stays(0, mask));
    let counters = thread.counters();
    let words = slm.words().iter().map(|word| word.load(Relaxed));
    Ran {
        stop,
        ip: thread.ip(),
        counters,
        first,
        stays,
        local: words.collect(),
        registers: thread.state_mut().regs.clone(),
    }
}

/// The value of each channel by a rule.
fn each(rule: impl Fn(usize) -> u32) -> [u32; 16] {
    std::array::from_fn(rule)
}

/// A block that is longer than the slices of threads would always be interpreted.
#[test]
fn long_blocks_are_host_code_in_parts() {
    let family = Family::Gen12Lp;
    let space = AddressSpace::with_anonymous(&[(CODE, 0x8000)]).expect("memory");
    let body = "add (16|M0) r10.0<1>:d r10.0<1;1,0>:d r4.0<1;1,0>:uw\n".repeat(1300);
    let code = code(family, &body);
    space.view().write(CODE, &code).expect("bound");
    let program = Arc::new(Program::new(&kernel(family), 128));
    let sums = run_program(&program, &space, 0xffff).expect("no fault");
    assert_eq!(sums, each(|lane| 1300 * lane as u32));
    if HostIsa::of_host().is_some() {
        // A slice that ended inside a part would leave the rest of the block to the interpreter.
        let ran = run_slices(&program, &space, 0xffff, (Execution::Compile(None), 700));
        assert_eq!(
            ran.first, 512,
            "a slice ends before the part that it has no room for"
        );
    }
}

#[test]
fn programs_follow_what_memory_holds() {
    let family = Family::Gen12Lp;
    let space = AddressSpace::with_anonymous(&[(CODE, 0x2000)]).expect("memory");
    let other = AddressSpace::with_anonymous(&[(CODE, 0x2000)]).expect("memory");
    let put = |space: &AddressSpace, value: u32| {
        let body = format!("(W) mov (16|M0) r10.0<1>:ud {value}:ud");
        let code = code(family, &body);
        space.view().write(CODE, &code).expect("bound");
    };
    let programs = Programs::default();
    let run = |space: &AddressSpace| {
        let program = programs.get(&kernel(family), 128);
        let got = run_program(&program, space, 0xffff).expect("no fault");
        (got[0], program.routines())
    };
    put(&space, 1);
    assert_eq!(run(&space), (1, 1));
    assert_eq!(run(&space), (1, 1), "it is decoded once");
    put(&space, 2);
    assert_eq!(run(&space), (2, 2), "kernel memory was rewritten");
    put(&other, 1);
    assert_eq!(
        run(&other),
        (1, 2),
        "the same code in another address space"
    );
    put(&space, 1);
    assert_eq!(run(&space), (1, 2));
    let large = programs.get(&kernel(family), 256);
    assert_eq!(
        large.routines(),
        0,
        "another register file is another program"
    );
}

#[test]
fn a_jump_to_a_register_enters_a_routine_of_its_own() {
    let family = Family::Gen12Lp;
    let space = AddressSpace::with_anonymous(&[(CODE, 0x2000)]).expect("memory");
    let program = Arc::new(Program::new(&kernel(family), 128));
    let body = "(W) mov (1|M0) r20.0<1>:d 32:d
                (W) jmpi r20.0<0;1,0>:d
                (W) mov (16|M0) r10.0<1>:ud 1:ud
                (W) add (16|M0) r10.0<1>:ud r10.0<1;1,0>:ud 2:ud";
    space
        .view()
        .write(CODE, &code(family, body))
        .expect("bound");
    let got = run_program(&program, &space, 0xffff).expect("no fault");
    assert_eq!((got[0], program.routines()), (2, 2));
}

#[test]
fn a_call_in_divergent_code_takes_its_channels_and_brings_them_back() {
    let got = run(
        0xffff,
        "     cmp (16|M0) (lt)f0.0 null<1>:uw r4.0<16;16,1>:uw 5:uw
         (f0.0) call (16|M0) r20.0 DOUBLE
               add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 100:w
         (W)   jmpi (1|M0) END
         DOUBLE:
               add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 1:w
               ret (16|M0) r20.0
         END:",
    );
    assert_eq!(got, each(|lane| if lane < 5 { 101 } else { 100 }));
}

/// An address that a register has may lead to code that nothing else shows, also where host code has the program's
/// begin for two modes: a branch that is not taken leads to it.
#[test]
fn calls_lead_to_code_that_is_not_known() {
    let body = "(W) mov (1|M0) r60.0<1>:d 64:d
         (W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x400:uw
         (W&f1.0) jmpi (1|M0) -80
         (W) and (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0xFFFFFBFF:ud
         add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 1:w
         call (16|M0) r20.0 r60.0
         add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 256:w
         (W) mov (8|M0) r127.0<1>:ud r0.0<1;1,0>:ud
         (W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}
         add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 16:w
         ret (16|M0) r20.0";
    assert_eq!(run(0xffff, body), [273; 16]);
}

#[test]
fn channels_return_one_by_one() {
    let got = run(
        0xfff0,
        "     call (16|M0) r20.0 PART
               add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 100:w
         (W)   jmpi (1|M0) END
         PART:
               cmp (16|M0) (lt)f0.0 null<1>:uw r4.0<16;16,1>:uw 8:uw
               add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 1:w
         (f0.0) ret (16|M0) r20.0
               add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 10:w
               ret (16|M0) r20.0
         END:",
    );
    let want = |lane| match lane {
        0..4 => 0,
        4..8 => 101,
        _ => 111,
    };
    assert_eq!(got, each(want));
}

#[test]
fn calls_nest_and_each_level_has_its_own_channels() {
    let got = run(
        0xffff,
        "     cmp (16|M0) (lt)f0.0 null<1>:uw r4.0<16;16,1>:uw 8:uw
         (f0.0) call (16|M0) r20.0 OUTER
               add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 1000:w
         (W)   jmpi (1|M0) END
         OUTER:
               cmp (16|M0) (lt)f0.1 null<1>:uw r4.0<16;16,1>:uw 3:uw
         (f0.1) call (16|M0) r21.0 INNER
               add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 10:w
               ret (16|M0) r20.0
         INNER:
               add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 1:w
               ret (16|M0) r21.0
         END:",
    );
    let want = |lane| match lane {
        0..3 => 1011,
        3..8 => 1010,
        _ => 1000,
    };
    assert_eq!(got, each(want));
}

#[test]
fn an_unmasked_call_runs_with_the_channels_that_are_active() {
    let got = run(
        0x0ff0,
        "(W)   call (16|M0) r20.0 ONE
               add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 100:w
         (W)   jmpi (1|M0) END
         ONE:
               add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 1:w
         (W)   ret (16|M0) r20.0
         END:",
    );
    assert_eq!(
        got,
        each(|lane| if (4..12).contains(&lane) { 101 } else { 0 })
    );
}

#[test]
fn an_unmasked_call_in_divergent_code_returns_by_a_masked_ret() {
    let got = run(
        0xffff,
        "     cmp (16|M0) (lt)f0.0 null<1>:uw r4.0<16;16,1>:uw 6:uw
         (f0.0) if (16|M0) SKIP SKIP
         (W)   call (16|M0) r20.0 ONE
               add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 100:w
         SKIP:
               endif (16|M0) AFTER
         AFTER:
               add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 1000:w
         (W)   jmpi (1|M0) END
         ONE:
               add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 1:w
               ret (16|M0) r20.0
         END:",
    );
    assert_eq!(got, each(|lane| if lane < 6 { 1101 } else { 1000 }));
}

#[test]
fn loops_leave_channel_by_channel() {
    let got = run(
        0xffff,
        "LOOP:
               add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 1:w
               cmp (16|M0) (gt)f0.0 null<1>:d r10.0<8;8,1>:d r4.0<16;16,1>:uw
         (f0.0) break (16|M0) BACK BACK
         BACK:
               while (16|M0) LOOP
               add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 100:w",
    );
    assert_eq!(got, each(|lane| lane as u32 + 101));
}

#[test]
fn words_accumulate_in_sixteen_channels_of_33_bits() {
    for (ty, start, want) in [("w", 100, 135), ("w", -100, -65), ("uw", 0xff00, 0xff23)] {
        let got = run(
            0xffff,
            &format!(
                "(W) mov (16|M0) r20.0<1>:{ty} 5:{ty}
                 (W) mov (16|M0) r21.0<1>:{ty} 7:{ty}
                 (W) mov (16|M0) acc0.0<1>:{ty} {start}:{ty}
                 (W) mac (16|M0) r22.0<1>:{ty} r20.0<16;16,1>:{ty} r21.0<16;16,1>:{ty}
                 (W) mov (16|M0) r10.0<1>:d r22.0<16;16,1>:{ty}"
            ),
        );
        assert_eq!(got, [want as u32; 16], "{ty} {start}");
    }
    // Each channel has its own element, and keeps the bits that do not fit 16.
    let got = run(
        0xffff,
        "(W) mul (16|M0) acc0.0<1>:w r4.0<16;16,1>:w 4096:w
         (W) mov (16|M0) r20.0<1>:w -4000:w
         (W) mac (16|M0) (sat)r22.0<1>:w r4.0<16;16,1>:w r20.0<16;16,1>:w
         (W) mov (16|M0) r10.0<1>:d r22.0<16;16,1>:w",
    );
    assert_eq!(got, each(|lane| lane as u32 * 96));
}

#[test]
fn sums_of_differences_accumulate_on_words() {
    let got = run_on(
        Family::Gen9,
        0xffff,
        "(W) mov (16|M0) acc0.0<1>:w r4.0<16;16,1>:w
         (W) mov (16|M0) r20.0<2>:ub r4.0<16;16,1>:uw
         (W) mov (16|M0) r21.0<2>:ub 20:uw
         (W) sada2 (16|M0) r22.0<1>:w r20.0<32;16,2>:ub r21.0<32;16,2>:ub
         (W) mov (16|M0) r10.0<1>:d r22.0<16;16,1>:w",
    );
    let want = |lane: usize| {
        let pair = lane & !1;
        (lane + (20 - pair) + (20 - pair - 1)) as u32
    };
    assert_eq!(got, Ok(each(want)));
}

#[test]
fn the_channel_offset_selects_the_accumulator_of_its_type() {
    // acc0 and acc1 hold 5 and 6; `mac` adds 2 * 3 to those of its channels.
    for (channels, ty, want) in [
        ("8|M0", "f", 11),
        ("8|M8", "f", 12),
        ("8|M16", "f", 11),
        ("16|M0", "hf", 11),
        ("16|M16", "hf", 12),
    ] {
        let got = run(
            0xffff,
            &format!(
                "(W) mov (16|M0) r20.0<1>:{ty} 2.0:{ty}
                 (W) mov (16|M0) r24.0<1>:{ty} 3.0:{ty}
                 (W) mov (8|M0) acc0.0<1>:{ty} 5.0:{ty}
                 (W) mov (8|M0) acc1.0<1>:{ty} 6.0:{ty}
                 (W) mac ({channels}) r22.0<1>:{ty} r20.0<1;1,0>:{ty} r24.0<1;1,0>:{ty}
                 (W) mov (8|M0) r10.0<1>:d r22.0<8;8,1>:{ty}"
            ),
        );
        assert_eq!(got[..8], [want; 8], "({channels}) {ty}");
    }
    // Words and dwords have only acc0.
    for (channels, ty) in [
        ("16|M0", "w"),
        ("16|M16", "w"),
        ("8|M0", "d"),
        ("8|M8", "d"),
    ] {
        let got = run(
            0xffff,
            &format!(
                "(W) mov (16|M0) r20.0<1>:w 2:w
                 (W) mov ({channels}) acc0.0<1>:{ty} 5:{ty}
                 (W) mac ({channels}) r22.0<1>:{ty} r20.0<1;1,0>:{ty} 3:w
                 (W) mov (8|M0) r10.0<1>:d r22.0<8;8,1>:{ty}"
            )
            .replace(":d 3:w", ":w 3:w"),
        );
        assert_eq!(got[..8], [11; 8], "({channels}) {ty}");
    }
}

#[test]
fn small_floats_are_converted_to_and_from() {
    let got = run_on(
        Family::XeHpc,
        0xffff,
        "(W) mov (16|M0) r20.0<1>:f 1.75:f
         (W) mov (16|M0) r10.0<1>:tf32 r20.0<1;1,0>:f",
    );
    assert_eq!(got, Ok([0x3fe0_0000; 16]));
    let got = run_on(
        Family::XeHpc,
        0xffff,
        "(W) mov (16|M0) r20.0<1>:hf -1.75:hf
         (W) mov (16|M0) r21.0<1>:bf8 r20.0<1;1,0>:hf
         (W) mov (16|M0) r22.0<1>:hf r21.0<1;1,0>:bf8
         (W) mov (16|M0) r10.0<1>:d r21.0<1;1,0>:ub
         (W) mov (16|M0) r23.0<1>:d r22.0<1;1,0>:uw
         (W) shl (16|M0) r23.0<1>:d r23.0<1;1,0>:d 16:w
         (W) or (16|M0) r10.0<1>:d r10.0<1;1,0>:d r23.0<1;1,0>:d",
    );
    assert_eq!(got, Ok([0xbf00_00bf; 16]));
}

#[test]
fn what_is_not_executed_is_refused_with_the_reason() {
    for (body, reason) in [
        (
            "dpas.8x8 (16|M0) r125:f r40:f r60:hf r80.0:hf",
            "the destination takes 512 bytes",
        ),
        (
            "dpas.8x8 (16|M0) r20:f r125:f r60:hf r80.0:hf",
            "source 0 takes 512 bytes",
        ),
        (
            "dpas.8x8 (16|M0) r20:f r40:f r125:hf r80.0:hf",
            "source 1 takes 512 bytes",
        ),
        (
            "dpas.8x8 (16|M0) r20:f r40:f r60:hf r126.0:hf",
            "source 2 takes 256 bytes",
        ),
        (
            "add (16|M0) r20.0<1>:tf32 r40.0<1;1,0>:f r60.0<1;1,0>:f",
            "a destination of type tf32",
        ),
    ] {
        let fault = run_on(Family::XeHpc, 0xffff, body).expect_err(body);
        assert!(fault.to_string().contains(reason), "{body}: {fault}");
    }
    let last = "dpas.8x8 (16|M0) r120:f r112:f r104:hf r124.0:hf";
    assert!(run_on(Family::XeHpc, 0xffff, last).is_ok(), "{last}");
}

/// A mask selects the one element to write to an indirect place, as compilers store to arrays in
/// registers: the channels that write nothing would be beyond the last register.
#[test]
fn an_indirect_destination_is_as_long_as_what_is_written() {
    let store = |mask: u32| {
        format!(
            "(W) mov (8|M0) r127.0<1>:d 0:w\n\
             (W) mov (1|M0) a0.0<1>:uw 0xFE4:uw\n\
             (W) mov (1|M0) f0.0<1>:uw {mask:#x}:uw\n\
             (f0.0) mov (8|M0) r[a0.0]<1>:d 5:w\n\
             (W) mov (8|M0) r10.0<1>:d r127.0<1;1,0>:d\n"
        )
    };
    // 0xFE4 and three dwords are dword 4 of r127.
    let expected = each(|lane| if lane == 4 { 5 } else { 0 });
    assert_eq!(run(0xffff, &store(1 << 3)), expected);
    assert_eq!(run(0xffff, &store(0)), [0; 16]);
    let fault = run_on(Family::Gen12Lp, 0xffff, &store(1 << 7)).unwrap_err();
    assert!(
        fault.to_string().contains("indirect destination 0xfe4"),
        "{fault}"
    );
}

#[test]
fn host_code_loads_and_stores_shared_local_memory() {
    // Stores to consecutive dwords, loads from them in reverse and of two components, the last of
    // which is outside, and stores in reverse.
    let body = "(W) mov (16|M0) r12.0<1>:ud r4.0<1;1,0>:uw\n\
         (W) shl (16|M0) r12.0<1>:ud r12.0<1;1,0>:ud 2:ud\n\
         (W) add (16|M0) r12.0<1>:ud r12.0<1;1,0>:ud 192:ud\n\
         (W) mul (16|M0) r14.0<1>:ud r12.0<1;1,0>:ud 5:uw\n\
         send.dc1 (16|M0) null r12 r14 0x80 0x04025EFE\n\
         (W) add (16|M0) r16.0<1>:d -r12.0<1;1,0>:d 444:w\n\
         send.dc1 (16|M0) r18 r16 null 0x0 0x04205EFE\n\
         add (16|M0) r10.0<1>:ud r10.0<1;1,0>:ud r18.0<1;1,0>:ud\n\
         send.dc1 (16|M0) r20 r12 null 0x0 0x04405CFE\n\
         add (16|M0) r10.0<1>:ud r10.0<1;1,0>:ud r22.0<1;1,0>:ud\n\
         send.dc1 (16|M0) null r16 r10 0x80 0x04025EFE\n\
         send.dc1 (16|M0) r12 r12 null 0x0 0x04205EFE\n\
         add (16|M0) r10.0<1>:ud r10.0<1;1,0>:ud r12.0<1;1,0>:ud";
    let value = |lane: usize| {
        if lane < 16 {
            5 * (192 + 4 * lane as u32)
        } else {
            0
        }
    };
    let sum = |lane: usize| value(15 - lane) + value(lane + 1);
    let expected = each(|lane| sum(lane) + sum(15 - lane));
    assert_eq!(run(0xffff, body), expected);
    // Some channels only: those of the others stay zero.
    let some = run(0x5a0f, body);
    assert_eq!(some[4], 0);
    assert_ne!(some[0], expected[0]);
}

/// Who waits for a lock would use up its slice while the holder waits for its turn.
#[test]
fn a_slice_ends_where_nothing_is_exchanged() {
    if HostIsa::of_host().is_none() {
        return;
    }
    // 40 rounds of a compare and exchange of the dword at 0, which is 0 at first.
    let first = |old: u32, new: u32| {
        let space = AddressSpace::with_anonymous(&[(CODE, 0x8000)]).expect("memory");
        let body = format!(
            "(W) mov (16|M0) r16.0<1>:ud 0:ud\n\
             (W) mov (16|M0) r20.0<1>:ud {old}:ud\n\
             (W) mov (16|M0) r22.0<1>:ud {new}:ud\n\
             (W) mov (1|M0) r24.0<1>:d 40:w\n\
             again:\n\
             send.dc1 (16|M0) r18 r16 r20 0x100 0x0420AEFE\n\
             add (16|M0) r10.0<1>:ud r10.0<1;1,0>:ud r18.0<1;1,0>:ud\n\
             (W) add (1|M0) (gt)f0.0 r24.0<1>:d r24.0<0;1,0>:d -1:w\n\
             (W&f0.0) jmpi (1|M0) again"
        );
        let code = code(Family::Gen12Lp, &body);
        space.view().write(CODE, &code).expect("bound");
        let program = Arc::new(Program::new(&kernel(Family::Gen12Lp), 128));
        run_program(&program, &space, 0xffff).expect("no fault");
        run_slices(&program, &space, 0xffff, (Execution::Compile(None), 4096)).first
    };
    let whole = first(0, 0);
    assert!(whole > 160, "{whole}");
    let waits = first(1, 1);
    assert!(waits < 20, "{waits}");
}

#[test]
fn predicates_beyond_a_flag_are_the_same_in_host_code() {
    // The second half of the channels would have the bits of another flag.
    let body = "(W) mov (1|M0) f0.0<1>:ud 0xff00ff00:ud\n\
         (W) mov (1|M0) f1.0<1>:ud 0x0f0f0f0f:ud\n\
         (W&f0.0) mov (16|M16) r10.0<1>:ud 7:ud\n\
         (W&f0.1) add (16|M16) r10.0<1>:ud r10.0<1;1,0>:ud 1:ud\n\
         (W&f0.0.any16h) add (16|M0) r10.0<1>:ud r10.0<1;1,0>:ud 16:ud\n\
         (W&f1.0.all8h) add (8|M0) r10.0<1>:ud r10.0<1;1,0>:ud 256:ud";
    let got = run(0xffff, body);
    assert_eq!(got[0] & 16, 16);
    assert_eq!(got[0] & 256, 0);
}

#[test]
fn a_jump_of_several_channels_goes_if_any_goes() {
    let body = "(W) mov (1|M0) f0.0<1>:ud 0x2:ud\n\
         (W&f0.0) jmpi (16|M0) over\n\
         (W) mov (16|M0) r10.0<1>:ud 1:ud\n\
         over:\n\
         (W) add (16|M0) r10.0<1>:ud r10.0<1;1,0>:ud 2:ud";
    assert_eq!(run(0xffff, body), [2; 16]);
}

#[test]
fn modes_that_code_changes_hold_in_host_code_from_there_on() {
    // A denormal is kept, flushed, and kept again, by changes of cr0 that are known beforehand and
    // by one that is not; three times, so that blocks are entered with each value.
    let denormal = "(W) add (16|M0) r18.0<1>:f r14.0<1;1,0>:f 0x0:f\n";
    let sum = "(W) add (16|M0) r10.0<1>:ud r10.0<1;1,0>:ud r18.0<1;1,0>:ud\n";
    let body = format!(
        "(W) mov (16|M0) r14.0<1>:ud 1:ud\n\
         (W) mov (1|M0) r12.0<1>:ud 0:ud\n\
         again:\n\
         (W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x480:uw\n\
         {denormal}{sum}\
         (W) and (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0xFFFFFF7F:ud\n\
         {denormal}\
         (W) shl (16|M0) r18.0<1>:ud r18.0<1;1,0>:ud 4:ud\n\
         {sum}\
         (W) cmp (1|M0) (eq)f0.0 null<1>:ud r12.0<0;1,0>:ud 1:ud\n\
         (W&f0.0) jmpi (1|M0) over\n\
         (W) mov (1|M0) r13.0<1>:ud 0x80:ud\n\
         (W) xor (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud r13.0<0;1,0>:ud\n\
         over:\n\
         {denormal}\
         (W) shl (16|M0) r18.0<1>:ud r18.0<1;1,0>:ud 8:ud\n\
         {sum}\
         (W) add (1|M0) r12.0<1>:ud r12.0<0;1,0>:ud 1:ud\n\
         (W) cmp (1|M0) (lt)f0.0 null<1>:ud r12.0<0;1,0>:ud 3:ud\n\
         (W&f0.0) jmpi (1|M0) again"
    );
    assert_eq!(run(0xffff, &body), [0x203; 16]);
}

#[test]
fn nothing_of_a_thread_is_left_for_the_next_one() {
    let start = |payload, sr0| ThreadStart {
        group: [0; 3],
        family: Family::Xe2,
        payload,
        ip: 0,
        dispatch_mask: 0xffff,
        simd: 16,
        grf_count: 128,
        sr0,
        msg0: sr0,
        thread_slot: 0,
        cr0: sr0 & 0x80,
    };
    let mut thread = Thread::new(&start(&[7; 300], 0x8d));
    thread.restart(&start(&[8; 100], 0));
    let mut fresh = Thread::new(&start(&[8; 100], 0));
    let bytes = |thread: &mut Thread| thread.state_mut().regs.bytes().to_vec();
    assert_eq!(bytes(&mut thread), bytes(&mut fresh));
}
