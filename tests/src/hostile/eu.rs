//! EU threads that execute arbitrary bytes.

use std::sync::Arc;

use arbitrary::{Arbitrary, Result, Unstructured};
use devinfo::{Family, GpuAddress};
use softgpu_eu::{
    Barrier, Code, Execution, GroupEnv, Kernel as Place, Pairs, Program, Slm, StateBases,
    StateCache, Stop, Thread, ThreadStart,
};
use softgpu_memory::AddressSpace;

use super::instruction::AnyInstruction;
use super::{AnyFamily, Target, grow};

/// EU bytes, executed.
pub const TARGET: Target = Target {
    name: "eu",
    rounds: 3000,
    check: |u| grow(u, run),
};

/// A kernel of instructions that decode, with some bits flipped, and a payload.
#[derive(Debug)]
pub struct Kernel {
    family: Family,
    code: Vec<u8>,
    payload: Vec<u8>,
    simd: u8,
    mask: u32,
    data: Vec<u8>,
}

impl<'a> Arbitrary<'a> for Kernel {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let AnyFamily(family) = u.arbitrary()?;
        let mut code = Vec::new();
        for _ in 0..u.int_in_range(1..=24)? {
            let mut bytes = AnyInstruction::of(family, u)?.bytes;
            if u.ratio(1, 4)? {
                let bit = u.int_in_range(0..=127usize)?;
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            code.extend_from_slice(&bytes);
        }
        Ok(Self {
            family,
            code,
            payload: u.arbitrary::<[u8; 192]>()?.to_vec(),
            simd: *u.choose(&[8, 16, 32])?,
            mask: u.arbitrary()?,
            data: u.arbitrary::<[u8; 64]>()?.to_vec(),
        })
    }
}

const CODE: u64 = 0x10_0000;
const DATA: u64 = 0x20_0000;
const STATES: u64 = 0x30_0000;
const BUDGET: u32 = 2000;

/// Runs the kernel as one thread, interpreted and as host code. It may end, fault or use up its
/// budget; it can reach only the address space.
///
/// # Panics
/// If the product does, if a fault does not say what it is, if more ran than the budget allows, or if
/// host code stops elsewhere.
pub fn run(kernel: &Kernel) {
    let interpreted = run_as(kernel, Execution::Interpret);
    let compiled = run_as(kernel, Execution::Compile(None));
    assert_eq!(compiled, interpreted, "host code stops elsewhere");
}

/// Where the thread stopped, after how many instructions, and its fault.
fn run_as(kernel: &Kernel, execution: Execution) -> (u64, u64, Option<String>) {
    let places = [(CODE, 0x1000), (DATA, 0x2000), (STATES, 0x1000)];
    let places = places.map(|(address, bytes)| (GpuAddress::new(address), bytes));
    let space = AddressSpace::with_anonymous(&places).expect("anonymous memory");
    let memory = space.view();
    memory
        .write(GpuAddress::new(CODE), &kernel.code)
        .expect("bound");
    memory
        .write(GpuAddress::new(DATA), &kernel.data)
        .expect("bound");
    memory
        .write(GpuAddress::new(STATES), &kernel.data)
        .expect("bound");
    let (slm, barrier) = (Slm::new(4096), Barrier::new(1));
    let state = StateCache::default();
    let place = Place {
        family: kernel.family,
        base: GpuAddress::new(CODE),
        entry: 0,
    };
    let code = Code::new(Arc::new(Program::new(&place, 128)), execution);
    let env = GroupEnv {
        family: kernel.family,
        memory: &memory,
        bases: StateBases {
            general: GpuAddress::new(DATA),
            surface: GpuAddress::new(STATES),
            dynamic: GpuAddress::new(STATES),
            indirect: GpuAddress::new(DATA),
            instruction: GpuAddress::new(CODE),
            bindless_surface: GpuAddress::new(STATES),
            bindless_sampler: GpuAddress::new(STATES),
            binding_table_pool: GpuAddress::new(STATES),
        },
        binding_table: 0,
        sampler_state: 0,
        slm: &slm,
        barrier: &barrier,
        pairs: &Pairs::new(1),
        state: &state,
        checks: None,
    };
    let mut thread = Thread::new(&ThreadStart {
        group: [0; 3],
        family: kernel.family,
        payload: &kernel.payload,
        ip: 0,
        dispatch_mask: kernel.mask,
        simd: kernel.simd,
        grf_count: 128,
        sr0: 0,
        msg0: 0,
        thread_slot: 0,
        cr0: 0,
    });
    let mut fault = None;
    for _ in 0..4 {
        match thread.run(&env, &code, BUDGET) {
            Ok(Stop::EndOfThread) => break,
            Ok(Stop::Budget | Stop::Barrier(_) | Stop::Pair) => {}
            Err(error) => {
                let text = error.to_string();
                assert!(!text.is_empty(), "a fault says what it is");
                fault = Some(text);
                break;
            }
        }
    }
    let executed = thread.counters().instructions;
    assert!(
        executed <= u64::from(BUDGET) * 4,
        "{executed} instructions in the budget"
    );
    (thread.ip(), executed, fault)
}
