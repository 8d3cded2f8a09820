//! Small programs, assembled and run: what channels do that branch, call and return apart.

use devinfo::{Family, GpuAddress};
use isa_encoder::{AsmOptions, assemble};

use super::thread::{Stop, Thread, ThreadStart};
use super::{CodeCache, regs};
use crate::mem::AddressSpace;
use crate::sf::StateCache;
use crate::{Barrier, GroupEnv, Slm, StateBases};

const CODE: GpuAddress = GpuAddress::new(0x1_0000);

/// Runs a SIMD16 program on the channels in `mask` to its end: the dwords of r10.
fn run(mask: u32, body: &str) -> [u32; 16] {
    let text = format!(
        "//.platform tgl\n\
         (W) mov (16|M0) r10.0<1>:d 0:w\n\
         (W) mov (8|M0) r4.0<1>:uw 0x76543210:uv\n\
         (W) add (8|M0) r4.8<1>:uw r4.0<8;8,1>:uw 8:uw\n\
         {body}\n\
         (W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n\
         (W) send.ts (8|M0) null r127 null 0x0 0x02000010 {{EOT}}\n"
    );
    let assembly = assemble(&text, &AsmOptions::default()).expect("the program assembles");
    let space = AddressSpace::with_anonymous(&[(CODE, 0x2000)]).expect("memory");
    let view = space.view();
    view.write(CODE, &assembly.code).expect("bound");
    let (slm, barrier) = (Slm::new(0), Barrier::new(1));
    let (code, state) = (CodeCache::new(), StateCache::default());
    let env = GroupEnv {
        family: Family::Gen12Lp,
        memory: &view,
        bases: StateBases {
            instruction: CODE,
            ..StateBases::default()
        },
        binding_table: 0,
        sampler_state: 0,
        slm: &slm,
        barrier: &barrier,
        code: &code,
        state: &state,
        checks: None,
    };
    let mut thread = Thread::new(&ThreadStart {
        family: Family::Gen12Lp,
        payload: &[],
        ip: 0,
        dispatch_mask: mask,
        simd: 16,
        grf_count: 128,
        sr0: 0,
        msg0: 0,
        cr0: 0,
    });
    assert_eq!(thread.run(&env, 10_000), Ok(Stop::EndOfThread));
    let registers = &thread.state_mut().regs;
    std::array::from_fn(|lane| registers.dword(regs::GRF_BASE + 320 + 4 * lane))
}

/// The value of each channel by a rule.
fn each(rule: impl Fn(usize) -> u32) -> [u32; 16] {
    std::array::from_fn(rule)
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
