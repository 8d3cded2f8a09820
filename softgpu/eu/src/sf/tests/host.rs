//! Messages as host code: what it performs must come out as on the general path.

use core::ffi::c_void;

use eu_lanes::Modes;
use eu_native::{Block, Channels, Code, End, Frame, HostIsa, Layout, Masking, Next, Step, Threads};
use isa_encoder::message::Message as Meaning;

use crate::GroupEnv;
use crate::sf::Registers;
use crate::sf::host::{self, Site};

/// Readable bytes behind the registers, of which the last are the flags.
const BEHIND: usize = 128;

/// A message of all channels, as host code performs it, if it does.
pub fn prepare(
    meaning: &Meaning,
    descriptor: u32,
    registers: &Registers,
    exec_size: u8,
    shape: (u32, bool),
    name: Option<u32>,
) -> Option<Step> {
    let site = Site {
        masking: Masking {
            channel_offset: 0,
            no_mask: false,
            predicate: None,
        },
        channels: exec_size,
        number: 5,
        name,
    };
    host::step(meaning, descriptor, registers, site, shape)
}

struct Asked<'a> {
    env: &'a GroupEnv<'a>,
    step: &'a Step,
    regs: &'a [u8],
    mask: u32,
    times: u32,
}

/// # Safety
/// Called by the host code of [`run`].
unsafe extern "sysv64" fn ask(frame: &mut Frame, _: u32) -> u32 {
    // SAFETY: `run` put it there, and nothing else uses it meanwhile.
    let asked = unsafe { &mut *frame.context.cast::<Asked<'_>>() };
    asked.times += 1;
    host::learn(asked.step, asked.regs, asked.mask, asked.env);
    0
}

/// Performs `step` on the registers, which are followed by `name` and `BEHIND` bytes with it, as host code
/// for these channels. False if it left that to its caller although it had been asked before.
pub fn run(
    step: &Step,
    (regs, name): (&mut Vec<u8>, u32),
    mask: u32,
    (channels, isa): (Channels, HostIsa),
    env: &GroupEnv<'_>,
) -> bool {
    let bytes = regs.len();
    regs.resize(bytes + BEHIND, 0);
    regs[bytes..bytes + 4].copy_from_slice(&name.to_le_bytes());
    let start = regs.clone();
    let block = Block {
        first: 0,
        enabled: channels,
        twin: None,
        ip: 0,
        end_ip: 0,
        rounding: Default::default(),
        modes: Modes::default(),
        steps: vec![step.clone()],
        channels: 0,
        end: End::Leave,
    };
    let layout = Layout {
        accumulators: 0,
        flags: (bytes + BEHIND - 32) as u32,
        control: (bytes + BEHIND - 16) as u32,
        state: 0,
        message: 0,
        general: 0,
        notification: 0,
        observed: true,
    };
    let code = Code::new(&[block], layout, isa).expect("translates");
    let mut asked = Asked {
        env,
        step,
        regs: &start,
        mask,
        times: 0,
    };
    for _ in 0..2 {
        // The second time, it has its window.
        asked.times = 0;
        regs.copy_from_slice(&start);
        let mut frame = Frame {
            regs: regs.as_mut_ptr(),
            context: (&raw mut asked).cast::<c_void>(),
            step: ask,
            branch: ask,
            entries: core::ptr::null(),
            first: core::ptr::null(),
            threads: Threads::NONE,
            barrier: core::ptr::null(),
            signalled: 0,
            generation: 0,
            seat: core::ptr::null_mut(),
            calls: 0,
            local: env.slm.words().as_ptr().cast_mut().cast(),
            local_bytes: 4 * env.slm.words().len() as u32,
            windows: env.state.windows().of(env.memory),
            general: env.bases.general.get(),
            left: 10,
            allowed: 10,
            channels: 0,
            active: mask,
            parked: 0,
            next_wake: u32::MAX,
            lowest_wake: u32::MAX,
            waiting: [Frame::NOWHERE; 32],
            at: 0,
        };
        // SAFETY: the operands lie in the registers, which have bytes behind them; `ask` keeps
        // to its contract; the windows are of the view, which is not refreshed.
        let next = unsafe { code.run(&mut frame, 0) };
        assert_eq!(next, Some(Next::Op(1)));
        if asked.times == 0 {
            break;
        }
    }
    let done = asked.times == 0;
    if !done {
        assert!(*regs == start, "{step:?} asks and leaves registers changed");
    }
    regs.truncate(bytes);
    done
}
