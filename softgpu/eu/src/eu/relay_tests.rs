//! Threads that begin one after the other in one register file, against threads that have one each.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use devinfo::Family;
use isa_encoder::{AsmOptions, assemble, encode};
use oracles::Random;

use super::agreement;
use super::program_tests::{CODE, environment};
use super::regs;
use super::thread::{Counters, Stop, Thread, ThreadStart};
use super::{Code, Execution, Program};
use crate::sf::StateCache;
use crate::{Barrier, Fault, Kernel, Pairs, Slm};
use softgpu_memory::{AddressSpace, View};

const FAMILY: Family = Family::Gen12Lp;
const THREADS: usize = 20;
/// Registers of a payload: it ends in the middle of a line.
const PAYLOAD: usize = 3;

/// Ends a thread.
const END: &str = "(W) mov (8|M0) r127.0<1>:ud r0.0<1;1,0>:ud\n\
                   (W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}\n";

fn assembled(body: &str) -> Vec<u8> {
    let text = format!("//.platform tgl\n{body}\n{END}");
    let code = assemble(&text, &AsmOptions::default());
    code.expect("the program assembles").code
}

/// What a thread leaves: its registers, and shared local memory.
type Left = (Vec<u8>, Vec<u32>);

/// What threads that begin in one register file came to.
struct Outcome {
    ended: usize,
    executed: Counters,
    last: Option<Result<Stop, Fault>>,
    left: Left,
}

struct Bench<'a> {
    view: View<'a>,
    program: Arc<Program>,
    payloads: Vec<Vec<u8>>,
    mask: u32,
    budget: u32,
}

impl<'a> Bench<'a> {
    fn new(space: &'a AddressSpace, code: &[u8], random: &mut Random) -> Self {
        let view = space.view();
        view.write(CODE, code).expect("bound");
        let kernel = Kernel {
            family: FAMILY,
            base: CODE,
            entry: 0,
        };
        let payload = |_| {
            let words = (0..PAYLOAD * 8).flat_map(|_| (random.bits() as u32 % 4096).to_le_bytes());
            words.collect()
        };
        Self {
            view,
            program: Arc::new(Program::new(&kernel, 128)),
            payloads: (0..THREADS).map(payload).collect(),
            mask: 0xffff_ffff,
            budget: 4096,
        }
    }

    fn start(&self, index: usize) -> ThreadStart<'_> {
        ThreadStart {
            family: FAMILY,
            payload: &self.payloads[index],
            group: [index as u32, 3, 5 * index as u32],
            ip: 0,
            dispatch_mask: self.mask,
            simd: 32,
            grf_count: 128,
            sr0: index as u32,
            msg0: 7 * index as u32,
            thread_slot: index as u32,
            cr0: 0x4c0,
        }
    }

    /// Begins threads from one on, `count` of them.
    fn begin(&self, first: usize, count: usize, execution: Execution) -> Outcome {
        let mut thread = Thread::new(&self.start(first));
        self.begin_in(&mut thread, (first, count), &self.code(execution))
    }

    fn code(&self, execution: Execution) -> Code {
        Code::new(Arc::clone(&self.program), execution)
    }

    /// The same, in a register file that other threads have used.
    fn begin_in(
        &self,
        thread: &mut Thread,
        (first, count): (usize, usize),
        code: &Code,
    ) -> Outcome {
        let (slm, barrier, pairs) = (Slm::new(256), Barrier::new(2), Pairs::new(2));
        let state = StateCache::default();
        let env = environment(FAMILY, (&self.view, &state), (&slm, &barrier, &pairs));
        let (mut ended, mut executed, mut last) = (0, Counters::default(), None);
        while ended < count && last.is_none() {
            let start = |index| self.start(first + ended + index);
            let relay = thread.relay(count - ended, start, &env, code, self.budget);
            ended += relay.ended;
            executed += relay.executed;
            last = relay.last;
        }
        let words = slm.words().iter().map(|word| word.load(Relaxed));
        let left = (thread.state().regs.shown(), words.collect());
        Outcome {
            ended,
            executed,
            last,
            left,
        }
    }

    /// The bytes of general registers behind the payload that a thread does not write: whatever stands there, stays.
    fn untouched(&self, index: usize, random: &mut Random) -> Vec<bool> {
        let (slm, barrier, pairs) = (Slm::new(256), Barrier::new(2), Pairs::new(2));
        let state = StateCache::default();
        let env = environment(FAMILY, (&self.view, &state), (&slm, &barrier, &pairs));
        let start = self.start(index);
        let behind = regs::GRF_BASE + start.payload.len()..regs::end(FAMILY, 128);
        let mut same = vec![false; regs::end(FAMILY, 128)];
        same[behind.clone()].fill(true);
        // What is written may be what stood there, but hardly each time.
        for _ in 0..4 {
            let before: Vec<u8> = behind.clone().map(|_| random.bits() as u8).collect();
            let mut thread = Thread::new(&start);
            thread.restart(&start);
            thread.state_mut().regs.bytes_mut()[behind.clone()].copy_from_slice(&before);
            // What it comes to does not matter: addresses may depend on what it reads.
            let _ = thread.run(&env, &self.code(Execution::Interpret), self.budget);
            for (at, before) in behind.clone().zip(before) {
                same[at] &= thread.state().regs.bytes()[at] == before;
            }
        }
        same
    }

    /// Each number of threads leaves what the last of them leaves alone, and counts what all do. What stands in registers
    /// that it has not written does not matter.
    fn agrees(&self, context: &str) {
        let mut random = Random::new(0x0dd_ba11);
        let mut executed = Counters::default();
        for count in 1..=self.payloads.len() {
            let mut alone = self.begin(count - 1, 1, Execution::Interpret);
            executed += alone.executed;
            // With what stands there it may go another way: what it has written alone counts.
            let mut untouched = self.untouched(count - 1, &mut random);
            for (untouched, byte) in untouched.iter_mut().zip(&alone.left.0) {
                *untouched &= *byte == 0;
            }
            let forget = |left: &mut Left| {
                for (byte, untouched) in left.0.iter_mut().zip(&untouched) {
                    *byte = if *untouched { 0 } else { *byte };
                }
            };
            forget(&mut alone.left);
            // The first one translates the program.
            for _ in 0..2 {
                let mut all = self.begin(0, count, Execution::Compile(None));
                forget(&mut all.left);
                let ended = count - 1 + alone.ended;
                assert_eq!((all.ended, &all.last), (ended, &alone.last), "{context}");
                assert_eq!(all.executed, executed, "{context}: {count} threads");
                assert!(all.left == alone.left, "{context}: {count} threads");
            }
            if alone.last.is_some() {
                return;
            }
        }
    }
}

fn space() -> AddressSpace {
    AddressSpace::with_anonymous(&[(CODE, 0x8000)]).expect("memory")
}

#[test]
fn nothing_of_an_earlier_kernel_is_left() {
    let mut random = Random::new(61);
    let space = space();
    let reads = "mov (8|M0) r30.0<1>:ud r3.0<8;8,1>:ud\n(W) mov (8|M0) r31.0<1>:ud sr0.0<8;8,1>:ud";
    for writes in [
        "mov (8|M0) r3.0<1>:ud r1.0<8;8,1>:ud",
        "(W) mov (1|M0) sr0.1<1>:ud r1.0<0;1,0>:ud",
    ] {
        // The first threads translate a program, whose code lies where the other one's does.
        let mut begun = |body| {
            let bench = Bench::new(&space, &assembled(body), &mut random);
            let code = bench.code(Execution::Compile(None));
            let mut thread = Thread::new(&bench.start(0));
            bench.begin_in(&mut thread, (0, 4), &code);
            (bench, code)
        };
        let (before, first) = begun(writes);
        let (bench, second) = begun(reads);
        let mut thread = Thread::new(&before.start(0));
        before.begin_in(&mut thread, (0, 4), &first);
        let after = bench.begin_in(&mut thread, (0, 4), &second);
        let alone = bench.begin(3, 1, Execution::Interpret);
        assert!(after.left == alone.left, "{writes}");
    }
}

#[test]
fn threads_leave_nothing_to_the_next_one_that_it_reads() {
    let loops = "(W) mov (1|M0) r20.0<1>:ud 0:ud
         again:
         add (16|M0) r21.0<1>:ud r21.0<1;1,0>:ud r1.0<1;1,0>:ud
         (W) add (1|M0) r20.0<1>:ud r20.0<0;1,0>:ud 1:ud
         (W) cmp (1|M0) (lt)f0.0 null<1>:ud r20.0<0;1,0>:ud 5:ud
         (W&f0.0) jmpi (1|M0) again";
    let programs = [
        ("nothing", ""),
        // Read, and then written.
        (
            "a register that nothing wrote",
            "add (16|M0) r30.0<1>:ud r30.0<1;1,0>:ud r1.0<1;1,0>:ud",
        ),
        (
            "a part of a line",
            "mov (16|M0) r30.0<1>:ud r1.0<1;1,0>:ud
             mov (8|M0) r33.0<1>:ud r2.0<1;1,0>:ud
             add (16|M0) r34.0<1>:ud r32.0<1;1,0>:ud 1:ud
             mov (16|M0) r32.0<1>:ud r34.0<1;1,0>:ud",
        ),
        (
            "every other element",
            "mov (16|M0) r30.0<2>:uw r1.0<1;1,0>:uw
             mov (16|M0) r32.1<2>:uw r1.0<1;1,0>:uw
             mov (16|M0) r32.0<2>:uw r30.0<2;1,0>:uw",
        ),
        (
            "a predicate",
            "cmp (16|M0) (lt)f0.0 null<1>:ud r1.0<1;1,0>:ud 2048:ud
             (f0.0) mov (16|M0) r30.0<1>:ud r2.0<1;1,0>:ud
             (f1.0) mov (16|M0) r32.0<1>:ud r2.0<1;1,0>:ud",
        ),
        (
            "its own payload",
            "add (16|M0) r1.0<1>:ud r2.0<1;1,0>:ud r0.0<0;1,0>:ud
             mov (8|M0) r0.0<1>:ud r3.0<1;1,0>:ud",
        ),
        (
            "modes, state and accumulators",
            "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x20:uw
             (W) mov (1|M0) sr0.1<1>:ud r1.0<0;1,0>:ud
             mul (8|M0) acc0.0<1>:d r1.0<1;1,0>:d r2.0<1;1,0>:uw
             mov (8|M0) r30.0<1>:ud sr0.0<0;1,0>:ud
             (W) xor (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud r4.0<0;1,0>:ud",
        ),
        (
            "elements that are not aligned",
            "mov (16|M0) r40.0<1>:ud r1.1<8;8,2>:uw //.bits 71:67=3
             mov (16|M0) r42.1<2>:uw r1.0<8;8,1>:ud //.bits 55:51=3
             mov (8|M0) r46.1<2>:ud r1.0<8;8,1>:ud //.bits 55:51=6",
        ),
        ("a loop", loops),
        (
            "other registers by address",
            "(W) mov (1|M0) a0.0<1>:uw 640:uw
             mov (16|M0) r40.0<1>:ud r[a0.0]<1;1,0>:ud
             mov (16|M0) r20.0<1>:ud r1.0<1;1,0>:ud",
        ),
        (
            "channels that part",
            "cmp (16|M0) (lt)f0.0 null<1>:ud r1.0<1;1,0>:ud 2048:ud
             (f0.0) if (16|M0) other other
             add (16|M0) r30.0<1>:ud r1.0<1;1,0>:ud 1:ud
             other:
             endif (16|M0) over
             over:
             add (16|M0) r30.0<1>:ud r30.0<1;1,0>:ud 1:ud",
        ),
    ];
    let mut random = Random::new(0x51de_ca11);
    for (name, body) in programs {
        let space = space();
        let mut bench = Bench::new(&space, &assembled(body), &mut random);
        for mask in [0xffff_ffff, 0xffff, 0xff, 0x5a5a] {
            bench.mask = mask;
            bench.agrees(&format!("{name}, channels {mask:#x}"));
        }
    }
}

#[test]
fn random_instructions_agree() {
    let seed = 0x0c0f_fee0;
    eprintln!("seed {seed:#x}");
    let mut random = Random::new(seed);
    let end = assembled("");
    let mut ran = 0;
    for _ in 0..150 {
        let mut code = Vec::new();
        let mut count = 0;
        while count < 12 {
            let mut instruction = agreement::instruction(&mut random);
            // The payload of a NaN is not specified.
            let types = instruction.src.iter().filter_map(|source| source.ty());
            if types.chain(instruction.dst.ty()).any(|ty| ty.is_float()) {
                continue;
            }
            instruction.predicate = instruction.predicate.filter(|_| random.below(3) == 0);
            if let Ok((bytes, length)) = encode(FAMILY, &instruction) {
                code.extend_from_slice(&bytes[..length]);
                count += 1;
            }
        }
        code.extend_from_slice(&end);
        let space = space();
        let mut bench = Bench::new(&space, &code, &mut random);
        bench.mask = random.pick(&[0xffff_ffff, 0xffff_ffff, 0xffff, 0xfff]);
        if bench.begin(0, 1, Execution::Interpret).last.is_none() {
            ran += 1;
        }
        bench.payloads.truncate(3);
        bench.agrees(&format!("{code:x?}"));
    }
    assert!(ran > 50, "{ran} programs reach their end");
}

#[test]
fn a_thread_that_does_not_end_is_the_last_to_begin() {
    let mut random = Random::new(3);
    // Those whose first dword is odd do not end in their slice.
    let body = "(W) mov (1|M0) r20.0<1>:ud 0:ud
         (W) and (1|M0) (ne)f0.0 null<1>:ud r1.0<0;1,0>:ud 1:ud
         (W&~f0.0) jmpi (1|M0) over
         again:
         (W) add (1|M0) r20.0<1>:ud r20.0<0;1,0>:ud 1:ud
         (W) cmp (1|M0) (lt)f0.0 null<1>:ud r20.0<0;1,0>:ud 1000:ud
         (W&f0.0) jmpi (1|M0) again
         over:
         add (16|M0) r30.0<1>:ud r20.0<0;1,0>:ud r2.0<1;1,0>:ud";
    let space = space();
    let mut bench = Bench::new(&space, &assembled(body), &mut random);
    bench.budget = 1000;
    for odd in [0, 3, 15, 16, 17] {
        for (index, payload) in bench.payloads.iter_mut().enumerate() {
            payload[32] = payload[32] & !1 | u8::from(index == odd);
        }
        bench.agrees(&format!("thread {odd}"));
        let all = bench.begin(0, THREADS, Execution::Compile(None));
        assert_eq!((all.ended, all.last), (odd, Some(Ok(Stop::Budget))));
    }
}

#[test]
fn the_fault_of_a_thread_is_at_its_instruction() {
    let mut random = Random::new(4);
    // A store to the address in r1, which is bound for even threads only.
    let body = "mov (8|M0) r20.0<1>:ud r1.0<1;1,0>:ud
         mov (8|M0) r21.0<1>:ud 0:ud
         (W) mov (4|M0) r22.0<2>:ud r1.0<0;1,0>:ud
         (W) mov (4|M0) r22.1<2>:ud 0:ud
         (W) mov (4|M0) r23.0<2>:ud r1.0<0;1,0>:ud
         (W) mov (4|M0) r23.1<2>:ud 0:ud
         send.dc1 (8|M0) null r22 r20 0x40 0x04066EFF";
    let space = space();
    let mut bench = Bench::new(&space, &assembled(body), &mut random);
    bench.mask = 0xff;
    for (index, payload) in bench.payloads.iter_mut().enumerate() {
        let bound = CODE.get() as u32 + 0x4000 + 64 * index as u32;
        let address = if index == 9 { 0x9_0000 } else { bound };
        payload[32..36].copy_from_slice(&address.to_le_bytes());
    }
    bench.agrees("stores");
    let all = bench.begin(0, THREADS, Execution::Compile(None));
    assert_eq!(all.ended, 9);
    assert!(
        matches!(all.last, Some(Err(Fault::Memory(_)))),
        "{:?}",
        all.last
    );
}
