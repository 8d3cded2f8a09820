//! Groups whose threads take turns in host code, against the same threads interpreted one by one.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use devinfo::Family;
use oracles::Random;

use super::program_tests::{CODE, code, environment, kernel};
use super::regs::Registers;
use super::thread::{Counters, Stop, Thread, ThreadStart};
use super::{Code, Execution, Program};
use crate::sf::StateCache;
use crate::{Barrier, Fault, Pairs, Slm};
use softgpu_memory::AddressSpace;

const FAMILY: Family = Family::Gen12Lp;
const THREADS: u32 = 5;

/// Signals the barrier; `between`; waits.
fn barrier(between: &str) -> String {
    format!(
        "(W) send.gtwy (1|M0) null r127 null 0x0 0x02000004\n{between}\n\
         (W) sync.bar null\n"
    )
}

/// Each thread writes to its part of shared local memory, and reads the next one's, some rounds long.
fn program(random: &mut Random) -> String {
    let part = random.below(17);
    let parted = random.below(17);
    let inside = match random.below(2) {
        // All threads get there, with some of their channels.
        0 => barrier(""),
        _ => String::new(),
    };
    let meet = barrier(random.pick(&["", "add (16|M0) r24.0<1>:d r24.0<8;8,1>:d 1:w\n"]));
    let modes = random.pick(&["", "(W) xor (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x20:uw\n"]);
    let rounds = 1 + random.below(4);
    format!(
        "(W) shl (16|M0) r16.0<1>:d r4.0<16;16,1>:uw 2:w\n\
         (W) add (16|M0) r17.0<1>:d r16.0<8;8,1>:d r2.0<0;1,0>:d\n\
         (W) add (16|M0) r19.0<1>:d r16.0<8;8,1>:d r2.1<0;1,0>:d\n\
         (W) mov (1|M0) r30.0<1>:d {rounds}:w\n\
         again:\n\
         add (16|M0) r10.0<1>:d r10.0<8;8,1>:d r1.0<0;1,0>:d\n\
         cmp (16|M0) (lt)f0.0 null<1>:uw r4.0<16;16,1>:uw {part}:uw\n\
         (f0.0) if (16|M0) X X\n\
         add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 3:w\n\
         X:\nendif (16|M0) Y\nY:\n\
         send.dc1 (16|M0) null r17 r10 0x80 0x04025EFE\n\
         {modes}\
         {meet}\
         send.dc1 (16|M0) r12 r19 null 0x0 0x04205EFE\n\
         cmp (16|M0) (lt)f0.0 null<1>:uw r4.0<16;16,1>:uw {parted}:uw\n\
         (f0.0) if (16|M0) V V\n\
         add (16|M0) r10.0<1>:d r10.0<8;8,1>:d r12.0<8;8,1>:d\n\
         {inside}\
         V:\nendif (16|M0) U\nU:\n\
         {meet}\
         (W) add (1|M0) r30.0<1>:d r30.0<0;1,0>:d -1:w\n\
         (W) cmp (16|M0) (gt)f1.0 null<1>:d r30.0<0;1,0>:d 0:w\n\
         (W&f1.0) jmpi (1|M0) again\n"
    )
}

/// Each thread's registers and counts, and shared local memory.
type Left = (Vec<(Registers, Counters)>, Vec<u32>);

/// A fault, the thread that it is of, and where that is.
type Failed = (Fault, usize, u64);

/// Runs the threads of a group to their ends.
fn run(
    program: &Arc<Program>,
    space: &AddressSpace,
    execution: Execution,
    budget: u32,
) -> Result<Left, Failed> {
    run_with(
        (program, space),
        [0xffff; THREADS as usize],
        execution,
        budget,
    )
}

/// The same with these channels of each.
fn run_with(
    (program, space): (&Arc<Program>, &AddressSpace),
    masks: [u32; THREADS as usize],
    execution: Execution,
    budget: u32,
) -> Result<Left, Failed> {
    let view = space.view();
    let group = Barrier::new(THREADS);
    let state = StateCache::default();
    let slm = Slm::new(1024);
    let pairs = Pairs::new(THREADS);
    let env = environment(program.family(), (&view, &state), (&slm, &group, &pairs));
    let code = Code::new(Arc::clone(program), execution);
    let start = |index: u32| {
        let mut payload = [0u8; 96];
        let next = (index + 1) % THREADS;
        payload[32..36].copy_from_slice(&(index * 77 + 5).to_le_bytes());
        payload[64..68].copy_from_slice(&(index * 64).to_le_bytes());
        payload[68..72].copy_from_slice(&(next * 64).to_le_bytes());
        payload
    };
    let payloads: Vec<_> = (0..THREADS).map(start).collect();
    let thread = |payload, dispatch_mask| {
        Thread::new(&ThreadStart {
            group: [0; 3],
            family: program.family(),
            payload,
            ip: 0,
            dispatch_mask,
            simd: 16,
            grf_count: 128,
            sr0: 0,
            msg0: 0,
            thread_slot: 0,
            cr0: 0x4c0,
        })
    };
    let starts = payloads.iter().zip(masks);
    let mut threads: Vec<_> = starts
        .map(|(payload, mask)| thread(payload, mask))
        .collect();
    let mut ended = 0;
    for _ in 0..4000 {
        if let Execution::Interpret = execution {
            ended = 0;
            for (index, thread) in threads.iter_mut().enumerate() {
                let stop = thread.run(&env, &code, budget);
                let stop = stop.map_err(|fault| (fault, index, thread.ip()))?;
                ended += usize::from(stop == Stop::EndOfThread);
            }
        } else {
            let mut all: Vec<_> = threads.iter_mut().collect();
            let turns = Thread::take_turns(&mut all, &env, &code, budget);
            let (_, stops) = turns.map_err(|(index, fault)| (fault, index, all[index].ip()))?;
            ended = stops
                .iter()
                .filter(|stop| **stop == Stop::EndOfThread)
                .count();
        }
        if ended == threads.len() {
            break;
        }
    }
    assert_eq!(ended, threads.len(), "{execution:?}, {budget} at once");
    let words = slm.words().iter().map(|word| word.load(Relaxed)).collect();
    let left = |thread: &mut Thread| (thread.state_mut().regs.clone(), thread.counters());
    Ok((threads.iter_mut().map(left).collect(), words))
}

/// Host code of several masks, and threads that it is not for, in one group.
#[test]
fn threads_of_a_group_may_have_different_channels() {
    let mut random = Random::new(0x5eed_0b41_0002);
    for number in 0..12 {
        let space = AddressSpace::with_anonymous(&[(CODE, 0x2000)]).expect("memory");
        let text = program(&mut random);
        space
            .view()
            .write(CODE, &code(FAMILY, &text))
            .expect("bound");
        let program = Arc::new(Program::new(&kernel(FAMILY), 128));
        let mut mask = || random.pick(&[0xffff, 0xffff, 0x00ff, 0x0001, 0x7fff, 0x0f0f]);
        let masks = [(); THREADS as usize].map(|()| mask());
        let run = |execution, budget| {
            run_with((&program, &space), masks, execution, budget).expect("no fault")
        };
        let expected = run(Execution::Interpret, 10_000);
        for budget in [10_000, 10_000, 10_000, 40, 7] {
            let got = run(Execution::Compile(None), budget);
            assert!(
                got.1 == expected.1,
                "program {number}, {budget}: local memory\n{text}"
            );
            for (index, (got, expected)) in got.0.iter().zip(&expected.0).enumerate() {
                let context =
                    format!("program {number}, {budget}, {masks:x?}, thread {index}\n{text}");
                assert!(got.0.shown() == expected.0.shown(), "{context}");
                assert_eq!(got.1, expected.1, "{context}");
            }
        }
    }
}

/// The fault is of the thread that made it, wherever that is among those that wait.
#[test]
fn a_thread_may_fault_while_others_wait() {
    for of in 0..THREADS {
        for round in [1, 2, 5] {
            let meet = barrier("");
            let value = of * 77 + 5;
            // A store to stateless memory, where nothing is bound.
            let text = format!(
                "(W) shl (16|M0) r16.0<1>:d r4.0<16;16,1>:uw 2:w\n\
                 (W) mov (1|M0) r30.0<1>:d 6:w\n\
                 again:\n\
                 {meet}\
                 (W) add (1|M0) r30.0<1>:d r30.0<0;1,0>:d -1:w\n\
                 (W) cmp (16|M0) (eq)f0.0 null<1>:d r30.0<0;1,0>:d {round}:w\n\
                 (W&f0.0) cmp (16|M0) (eq)f0.0 null<1>:d r1.0<0;1,0>:d {value}:w\n\
                 (f0.0) send.dc1 (16|M0) null r16 r10 0x80 0x04025EFF\n\
                 {meet}\
                 (W) cmp (16|M0) (gt)f1.0 null<1>:d r30.0<0;1,0>:d 0:w\n\
                 (W&f1.0) jmpi (1|M0) again\n"
            );
            let space = AddressSpace::with_anonymous(&[(CODE, 0x2000)]).expect("memory");
            space
                .view()
                .write(CODE, &code(FAMILY, &text))
                .expect("bound");
            let program = Arc::new(Program::new(&kernel(FAMILY), 128));
            let failed = |execution, budget| {
                let failed = run(&program, &space, execution, budget).err();
                failed.map(|(fault, index, ip)| (fault.to_string(), index, ip))
            };
            let expected = failed(Execution::Interpret, 10_000);
            let whose = expected.as_ref().map(|(_, index, _)| *index as u32);
            assert_eq!(whose, Some(of), "round {round}: {expected:?}");
            for budget in [10_000, 10_000, 10_000, 11, 3] {
                let got = failed(Execution::Compile(None), budget);
                assert_eq!(got, expected, "round {round}, {budget}");
            }
        }
    }
}

#[test]
fn threads_that_take_turns_leave_what_those_do_that_run_one_by_one() {
    let mut random = Random::new(0x5eed_0b41_0001);
    for number in 0..30 {
        let space = AddressSpace::with_anonymous(&[(CODE, 0x2000)]).expect("memory");
        let text = program(&mut random);
        space
            .view()
            .write(CODE, &code(FAMILY, &text))
            .expect("bound");
        let program = Arc::new(Program::new(&kernel(FAMILY), 128));
        let expected = run(&program, &space, Execution::Interpret, 10_000).expect("no fault");
        for budget in [10_000, 10_000, 40, 9, 3] {
            let got = run(&program, &space, Execution::Compile(None), budget).expect("no fault");
            assert!(
                got.1 == expected.1,
                "program {number}, {budget}: local memory\n{text}"
            );
            for (index, (got, expected)) in got.0.iter().zip(&expected.0).enumerate() {
                let context = format!("program {number}, {budget}, thread {index}\n{text}");
                assert!(got.0.shown() == expected.0.shown(), "{context}");
                assert_eq!(got.1, expected.1, "{context}");
            }
        }
    }
}

/// From XeHPG on the payload names the barrier: host code takes that of the whole group, whatever the bits say
/// that have no meaning, and no other.
#[test]
fn barriers_that_payloads_name_are_passed() {
    let family = Family::XeHpc;
    let prepared = |name: u32| {
        let text = format!(
            "(W) mov (1|M0) r126.2<1>:ud {name:#x}:ud\n\
             (W) mov (1|M0) r30.0<1>:d 4:w\n\
             again:\n\
             add (16|M0) r10.0<1>:d r10.0<1;1,0>:d 3:w\n\
             (W) send.gtwy (1|M0) null r126 null:0 0x0 0x02000004\n\
             (W) sync.bar null\n\
             (W) add (1|M0) r30.0<1>:d r30.0<0;1,0>:d -1:w\n\
             (W) cmp (16|M0) (gt)f1.0 null<1>:d r30.0<0;1,0>:d 0:w\n\
             (W&f1.0) jmpi (1|M0) again\n"
        );
        let space = AddressSpace::with_anonymous(&[(CODE, 0x2000)]).expect("memory");
        let view = space.view();
        view.write(CODE, &code(family, &text)).expect("bound");
        (Arc::new(Program::new(&kernel(family), 128)), space)
    };
    for name in [0x0505_0000, 0x0505_3f00] {
        let (program, space) = prepared(name);
        let run = |execution, budget| run(&program, &space, execution, budget).expect("no fault");
        let expected = run(Execution::Interpret, 10_000);
        for budget in [10_000, 10_000, 9] {
            let got = run(Execution::Compile(None), budget);
            for (got, expected) in got.0.iter().zip(&expected.0) {
                assert!(got.0.shown() == expected.0.shown(), "{name:#x}, {budget}");
                assert_eq!(got.1, expected.1, "{name:#x}, {budget}");
            }
        }
    }
    for name in [0x0505_0001, 0x0505_4000, 0x0405_0000, 0x0504_0000] {
        let (program, space) = prepared(name);
        for execution in [Execution::Interpret, Execution::Compile(None)] {
            let fault = run(&program, &space, execution, 10_000).err();
            assert!(
                matches!(fault, Some((Fault::UnknownMessage { .. }, ..))),
                "{name:#x}: {fault:?}"
            );
        }
    }
}
