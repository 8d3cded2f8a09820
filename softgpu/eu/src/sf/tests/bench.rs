//! A thread group with a little memory, and a way to send messages from it.

use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;

use batchbuffer::states::render_surface_state as rss;
use devinfo::{Family, GpuAddress};
#[cfg(target_arch = "x86_64")]
use eu_native::{Channels, HostIsa};
use isa_encoder::message::{Lengths, Lsc, LscAddress, Message as Meaning};
use oracles::Random;

use crate::sf::{Effect, Message, Plain, Registers, StateCache, Texels, execute};
use crate::{Barrier, Checks, Fault, GroupEnv, Pairs, Slm, StateBases};
use softgpu_memory::AddressSpace;

/// Where test memory is bound.
pub const MEMORY: u64 = 0x10_0000;
/// Its size.
pub const MEMORY_BYTES: u64 = 0x10_0000;
/// Where the binding table and surface states are.
pub const STATES: u64 = 0x80_0000;
pub const STATES_BYTES: u64 = 0x1_0000;
/// The binding table's offset from the surface state base.
pub const TABLE: u32 = 0x8000;
/// General state base: inside test memory.
pub const GENERAL: u64 = MEMORY + 0x8_0000;
/// Bytes of SLM.
pub const SLM_BYTES: usize = 4096;

pub struct Bench {
    pub family: Family,
    pub space: AddressSpace,
    pub slm: Slm,
    pub barrier: Barrier,
    pub checks: Checks,
    /// Messages that went the short way too, with the same outcome.
    pub short: Cell<u32>,
    /// The same as host code, for all channels and for any.
    pub hosted: Cell<[u32; 2]>,
}

/// A message's short way.
#[derive(Debug)]
enum Short {
    Plain(Plain),
    /// With the extended descriptor.
    Texels(Texels, u32),
}

impl Short {
    fn run(&self, regs: &mut [u8], mask: u32, env: &GroupEnv<'_>) -> bool {
        match self {
            Self::Plain(plain) => plain.run(regs, mask, env),
            Self::Texels(texels, extended) => texels.run(regs, mask, *extended, env),
        }
    }
}

impl Bench {
    pub fn new(family: Family) -> Self {
        let space = AddressSpace::with_anonymous(&[
            (GpuAddress::new(MEMORY), MEMORY_BYTES),
            (GpuAddress::new(STATES), STATES_BYTES),
        ])
        .expect("test memory");
        Self {
            family,
            space,
            slm: Slm::new(SLM_BYTES),
            barrier: Barrier::new(1),
            checks: Checks::default(),
            short: Cell::default(),
            hosted: Cell::default(),
        }
    }

    /// Host code, where there is any, performed messages.
    pub fn assert_hosted(&self, what: &str) {
        let hosted = self.hosted.get();
        let supported = HostIsa::of_host().is_some();
        assert!(
            !supported || hosted.iter().all(|&messages| messages > 10),
            "{what}: {hosted:?} for all channels and for any"
        );
    }

    pub fn write(&self, address: u64, data: &[u8]) {
        let view = self.space.view();
        view.write(GpuAddress::new(address), data).expect("bound");
    }

    pub fn read(&self, address: u64, bytes: usize) -> Vec<u8> {
        let mut out = vec![0; bytes];
        let view = self.space.view();
        view.read(GpuAddress::new(address), &mut out)
            .expect("bound");
        out
    }

    /// Fills test memory with random bytes and returns them.
    pub fn scramble(&self, random: &mut Random) -> Vec<u8> {
        let bytes = random.bytes(MEMORY_BYTES as usize);
        self.write(MEMORY, &bytes);
        bytes
    }

    /// Puts a surface state at binding table entry `index`.
    pub fn bind(&self, index: u8, state: &[u32]) {
        let offset = u32::from(index) * 64;
        let bytes: Vec<u8> = state.iter().flat_map(|dword| dword.to_le_bytes()).collect();
        self.write(STATES + u64::from(offset), &bytes);
        self.write(
            STATES + u64::from(TABLE) + 4 * u64::from(index),
            &offset.to_le_bytes(),
        );
    }

    /// A RAW buffer.
    pub fn bind_buffer(&self, index: u8, address: u64, bytes: u64) {
        let last = bytes - 1;
        let state = rss::state(self.family)
            .set(rss::SURFACE_TYPE, 4u64)
            .set(rss::SURFACE_FORMAT, 0x1ffu64)
            .set(rss::WIDTH, last & 0x7f)
            .set(rss::HEIGHT, last >> 7 & 0x3fff)
            .set(rss::DEPTH, last >> 21)
            .set(rss::SURFACE_BASE_ADDRESS, address)
            .finish()
            .expect("in range");
        self.bind(index, &state);
    }

    /// Executes raw parts.
    pub fn execute(&self, message: Message<'_>) -> Result<Effect, Fault> {
        self.within(Some(&self.checks), |env| execute(message, env))
    }

    /// Runs `body` in the group.
    fn within<R>(&self, checks: Option<&Checks>, body: impl FnOnce(&GroupEnv<'_>) -> R) -> R {
        let view = self.space.view();
        let base = GpuAddress::new(STATES);
        body(&GroupEnv {
            family: self.family,
            memory: &view,
            bases: StateBases {
                general: GpuAddress::new(GENERAL),
                surface: base,
                dynamic: base,
                indirect: GpuAddress::new(0),
                instruction: GpuAddress::new(0),
                bindless_surface: base,
                bindless_sampler: base,
                binding_table_pool: base,
            },
            binding_table: TABLE,
            sampler_state: 0xc000,
            slm: &self.slm,
            barrier: &self.barrier,
            pairs: &Pairs::new(1),
            state: &StateCache::default(),
            checks,
        })
    }

    /// All that messages can change.
    fn contents(&self) -> (Vec<u8>, Vec<u32>) {
        let words = self.slm.words().iter();
        let memory = self.read(MEMORY, MEMORY_BYTES as usize);
        (memory, words.map(|word| word.load(Relaxed)).collect())
    }

    fn restore(&self, (memory, words): &(Vec<u8>, Vec<u32>)) {
        self.write(MEMORY, memory);
        for (word, value) in self.slm.words().iter().zip(words) {
            word.store(*value, Relaxed);
        }
    }

    /// Performs a prepared message, with the response behind the payload and where the payload is.
    /// The general path gave `expected` and left memory as it is now.
    fn check_short(
        &self,
        prepare: impl Fn(&Registers) -> Option<Short>,
        mask: u32,
        sources: [&[u8]; 2],
        before: &(Vec<u8>, Vec<u32>),
        expected: &[u8],
    ) {
        let after = self.contents();
        let [src0, src1] = sources.map(|source| source.len() as u32);
        let payload = sources.concat();
        for overlaps in [false, true] {
            let at = if overlaps { 0 } else { payload.len() };
            let mut regs = payload.clone();
            regs.resize(regs.len().max(at + expected.len()), 0xcc);
            if overlaps {
                regs[..expected.len()].fill(0xcc);
                regs[..payload.len()].copy_from_slice(&payload);
            }
            let registers = Registers {
                src0: (0, src0),
                src1: (src0, src1),
                dst: (at as u32, expected.len() as u32),
            };
            let Some(short) = prepare(&registers) else {
                return;
            };
            self.restore(before);
            let start = regs.clone();
            let done = self.within(None, |env| short.run(&mut regs, mask, env));
            if done {
                self.short.set(self.short.get() + 1);
                assert!(self.contents() == after, "{short:?} leaves other memory");
                if !overlaps {
                    assert_eq!(&regs[at..][..expected.len()], expected, "{short:?}");
                } else if mask.count_ones() as usize * 4 == expected.len() {
                    assert_eq!(&regs[..expected.len()], expected, "{short:?}");
                }
            } else {
                assert!(regs == start, "{short:?} leaves registers changed");
            }
        }
        self.restore(&after);
    }

    /// Performs a message as host code, which must do what the general path did.
    #[cfg(target_arch = "x86_64")]
    fn check_host(
        &self,
        prepare: impl Fn(&Registers, usize) -> Option<eu_native::Step>,
        name: u32,
        (exec_size, mask): (u8, u32),
        sources: [&[u8]; 2],
        before: &(Vec<u8>, Vec<u32>),
        expected: &[u8],
    ) {
        let here: Vec<_> = HostIsa::ALL
            .into_iter()
            .filter(|isa| isa.is_here())
            .collect();
        let after = self.contents();
        let [src0, src1] = sources.map(|source| source.len() as u32);
        let payload = sources.concat();
        for overlaps in [false, true] {
            let at = if overlaps { 0 } else { payload.len() };
            let mut regs = payload.clone();
            regs.resize(regs.len().max(at + expected.len()), 0xcc);
            let registers = Registers {
                src0: (0, src0),
                src1: (src0, src1),
                dst: (at as u32, expected.len() as u32),
            };
            let Some(step) = prepare(&registers, regs.len()) else {
                break;
            };
            let size = u32::MAX >> (32 - exec_size);
            let served = match &step {
                // Without channels, messages are not even sent. These do not depend on which.
                eu_native::Step::Block(block) if !block.first_only => size,
                _ if mask & size == 0 => break,
                _ => mask & size,
            };
            let start = regs;
            let ways = here.iter().flat_map(|&isa| {
                let all = (0, Channels::All(served), isa);
                [all, (1, Channels::Any, isa)]
            });
            for (layout, channels, isa) in ways {
                self.restore(before);
                let mut regs = start.clone();
                let run = |env: &GroupEnv<'_>| {
                    super::host::run(&step, (&mut regs, name), served, (channels, isa), env)
                };
                if !self.within(None, run) {
                    assert!(self.contents() == *before, "{step:?} leaves other memory");
                    continue;
                }
                let mut hosted = self.hosted.get();
                hosted[layout] += 1;
                self.hosted.set(hosted);
                let what = format!("{step:?} with {mask:#x}, {channels:?}, {isa}");
                assert!(self.contents() == after, "{what} leaves other memory");
                let got = &regs[at..][..expected.len()];
                if overlaps {
                    // Registers that are not written keep what they had.
                    let mut bytes = got.iter().zip(expected).zip(&start[at..]);
                    let right = bytes.all(|((got, expected), start)| {
                        got == expected || *expected == 0xcc && got == start
                    });
                    assert!(right, "{what}");
                } else {
                    assert_eq!(got, expected, "{what}");
                }
            }
        }
        self.restore(&after);
    }

    /// Sends a message of so many lanes, of which those of the mask are enabled. `payload` is split
    /// after `split` registers; gives `response` registers, which are initially `0xcc`.
    pub fn send(
        &self,
        meaning: Meaning,
        lanes: (u8, u32),
        payload: &[u8],
        split: usize,
        response: usize,
    ) -> Vec<u8> {
        let sent = self.try_send((meaning, false), lanes, payload, split, response);
        sent.expect("performed")
    }

    /// The same of a message whose payload begins with a header, in one register.
    pub fn send_block(
        &self,
        meaning: Meaning,
        lanes: (u8, u32),
        payload: &[u8],
        response: usize,
    ) -> Vec<u8> {
        let sent = self.try_send((meaning, true), lanes, payload, 1, response);
        sent.expect("performed")
    }

    /// A message with or without header. What can go the short way (`plain`) must do there what it
    /// does on the general path.
    pub fn try_send(
        &self,
        (meaning, header): (Meaning, bool),
        (exec_size, mask): (u8, u32),
        payload: &[u8],
        split: usize,
        response: usize,
    ) -> Result<Vec<u8>, Fault> {
        let grf = self.family.grf_bytes();
        let (src0, src1) = payload.split_at(split * grf);
        let (function, descriptors) = meaning.encode(self.family).expect("encodes");
        let mut descriptor = descriptors.descriptor;
        Lengths {
            message: split as u8,
            response: response as u8,
            header,
        }
        .encode(&mut descriptor)
        .expect("lengths");
        let texels = |registers: &Registers, extended: Option<u32>| {
            let asked = (descriptor, extended.is_some());
            let texels = Texels::of(self.family, &meaning, asked, registers, exec_size)?;
            Some(Short::Texels(texels, extended.unwrap_or_default()))
        };
        let prepare = |registers: &Registers| {
            let plain = Plain::of(&meaning, descriptor, registers, exec_size, grf as u32);
            let plain = plain.map(Short::Plain);
            plain.or_else(|| texels(registers, None))
        };
        let [first, second] = [src0, src1].map(|source| source.len() as u32);
        let behind = Registers {
            src0: (0, first),
            src1: (first, second),
            dst: (first + second, (response * grf) as u32),
        };
        #[cfg(target_arch = "x86_64")]
        let name = named(&meaning);
        #[cfg(target_arch = "x86_64")]
        let prepare_host = |registers: &Registers, end: usize| {
            let surface = batchbuffer::surface::scratch_surfaces(self.family);
            let shape = (grf as u32, surface);
            let (meaning, name) = match name {
                Some(_) => (unnamed(meaning), Some(end as u32)),
                None => (meaning, None),
            };
            super::host::prepare(&meaning, descriptor, registers, exec_size, shape, name)
        };
        let is_prepared = prepare(&behind).is_some();
        #[cfg(target_arch = "x86_64")]
        let is_prepared = is_prepared || prepare_host(&behind, 0).is_some();
        let before = is_prepared.then(|| self.contents());
        let mut dst = vec![0xcc; response * grf];
        self.execute(Message {
            sfid: function.id(self.family).expect("function"),
            descriptor,
            extended_descriptor: descriptors.extended,
            extended_bindless_offset: descriptors.extended_bindless_offset,
            extended_offset: descriptors.extended_offset,
            exec_size,
            mask,
            thread_slot: 0,
            src0,
            src1,
            dst: &mut dst,
        })?;
        if let Some(before) = before {
            self.check_short(prepare, mask, [src0, src1], &before, &dst);
            if let Meaning::Lsc(Lsc::Quad {
                address: LscAddress::Bss { state, .. },
                ..
            }) = meaning
            {
                let prepare = |registers: &Registers| texels(registers, Some(state));
                self.check_short(prepare, mask, [src0, src1], &before, &dst);
            }
            #[cfg(target_arch = "x86_64")]
            self.check_host(
                prepare_host,
                name.unwrap_or_default(),
                (exec_size, mask),
                [src0, src1],
                &before,
                &dst,
            );
        }
        Ok(dst)
    }
}

/// The state's offset in the bindless heap, if a message has one.
#[cfg(target_arch = "x86_64")]
fn named(meaning: &Meaning) -> Option<u32> {
    match *meaning {
        Meaning::Lsc(
            Lsc::Vector {
                address: LscAddress::Bss { state, .. },
                ..
            }
            | Lsc::Atomic {
                address: LscAddress::Bss { state, .. },
                ..
            },
        ) => Some(state),
        _ => None,
    }
}

/// The message as its descriptors are decoded where a register has the extended one.
#[cfg(target_arch = "x86_64")]
fn unnamed(mut meaning: Meaning) -> Meaning {
    if let Meaning::Lsc(
        Lsc::Vector {
            address: LscAddress::Bss { state, .. },
            ..
        }
        | Lsc::Atomic {
            address: LscAddress::Bss { state, .. },
            ..
        },
    ) = &mut meaning
    {
        *state = 0;
    }
    meaning
}
