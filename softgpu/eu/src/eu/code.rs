//! The decoded-instruction cache.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use isa_encoder::{Opcode, Specific};

use super::family::Rules;
use super::lower::lower;
use super::op::{Action, Op};
use crate::{Fault, GroupEnv};
use softgpu_memory as memory;

/// Instructions start at multiples of this.
const GRAIN: u32 = 8;
/// Grains in a page of the index.
const PAGE: usize = 512;
/// Ops kept before the cache starts over: bounds its memory against code that is all jumps.
const MAX_OPS: usize = 1 << 18;
const NONE: u32 = u32::MAX;

/// Decoded and lowered instructions of the kernels that one walker runs.
///
/// Keyed by instruction address. One host thread owns one (it is not `Sync`), and it must not
/// outlive the walker: kernel memory may be rewritten before the next one.
#[derive(Default)]
pub struct CodeCache {
    inner: RefCell<Inner>,
}

#[derive(Default)]
struct Inner {
    ops: Vec<Op>,
    pages: HashMap<u32, Box<[u32; PAGE]>>,
    /// The op that was found last: threads start at one place.
    last: Cell<u32>,
    grf_count: u16,
}

impl core::fmt::Debug for CodeCache {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("CodeCache").finish_non_exhaustive()
    }
}

impl CodeCache {
    /// An empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything, keeping the allocation: for the next walker.
    pub fn clear(&mut self) {
        let inner = self.inner.get_mut();
        inner.ops.clear();
        inner.pages.clear();
    }

    /// Runs `body` on the cached ops.
    pub(super) fn with<R>(&self, body: impl FnOnce(&Code<'_>) -> R) -> R {
        let inner = self.inner.borrow();
        body(&Code { inner: &inner })
    }

    /// Makes sure that the instruction at `ip` is cached, and those after it up to a branch.
    ///
    /// # Errors
    /// [`Fault::Memory`] where nothing is bound, [`Fault::IllegalInstruction`] for bytes that are no
    /// instruction. Only the instruction at `ip` itself faults.
    pub(super) fn load(
        &self,
        env: &GroupEnv<'_>,
        rules: Rules,
        grf_count: u16,
        ip: u32,
    ) -> Result<(), Fault> {
        let mut inner = self.inner.borrow_mut();
        if inner.grf_count != grf_count || inner.ops.len() >= MAX_OPS {
            inner.ops.clear();
            inner.pages.clear();
            inner.grf_count = grf_count;
        }
        let mut at = ip;
        loop {
            let op = match decode(env, rules, grf_count, at) {
                Ok(op) => op,
                Err(fault) if at == ip => return Err(fault),
                Err(_) => return Ok(()),
            };
            let index = inner.ops.len() as u32;
            let next = op.next_ip;
            let ends = matches!(op.action, Action::Flow)
                || matches!(op.action, Action::Send(send) if send.eot);
            inner.ops.push(op);
            let page = inner
                .pages
                .entry(at / GRAIN / PAGE as u32)
                .or_insert_with(|| Box::new([NONE; PAGE]));
            page[(at / GRAIN) as usize % PAGE] = index;
            let known = inner.find(next).is_some();
            if ends || known || inner.ops.len() >= MAX_OPS {
                return Ok(());
            }
            at = next;
        }
    }
}

impl Inner {
    #[inline]
    fn find(&self, ip: u32) -> Option<u32> {
        let last = self.last.get();
        match self.ops.get(last as usize) {
            Some(op) if op.ip == ip => Some(last),
            _ => self.look_up(ip),
        }
    }

    fn look_up(&self, ip: u32) -> Option<u32> {
        let page = self.pages.get(&(ip / GRAIN / PAGE as u32))?;
        let index = page[(ip / GRAIN) as usize % PAGE];
        if index == NONE || !ip.is_multiple_of(GRAIN) {
            return None;
        }
        self.last.set(index);
        Some(index)
    }
}

/// The cached ops.
#[derive(Clone, Copy)]
pub(super) struct Code<'a> {
    inner: &'a Inner,
}

impl<'a> Code<'a> {
    /// The index of the op at `ip`, if it is cached.
    #[inline]
    pub fn find(&self, ip: u32) -> Option<usize> {
        self.inner.find(ip).map(|index| index as usize)
    }

    /// As [`Code::find`], for a jump of the op at `index`, which remembers where it went last.
    #[inline]
    pub fn find_near(&self, index: usize, ip: u32) -> Option<usize> {
        let ops = self.ops();
        let here = ops.get(index)?;
        let memo = here.memo.get();
        match ops.get(memo as usize) {
            Some(op) if op.ip == ip => Some(memo as usize),
            _ => {
                let found = self.inner.find(ip)?;
                here.memo.set(found);
                Some(found as usize)
            }
        }
    }

    /// All ops; one that does not branch is followed by its successor where the addresses say so.
    #[inline]
    pub fn ops(&self) -> &'a [Op] {
        &self.inner.ops
    }
}

fn fetch(env: &GroupEnv<'_>, ip: u32) -> Result<([u8; 16], usize), Fault> {
    let address = env.bases.instruction.offset(ip.into());
    let mut bytes = [0; 16];
    let fault = |fault: memory::Fault| Fault::from(fault.of_fetch());
    env.memory.read(address, &mut bytes[..8]).map_err(fault)?;
    // An 8-byte instruction may be the last thing in a page.
    match env.memory.read(address.offset(8), &mut bytes[8..]) {
        Ok(()) => Ok((bytes, 16)),
        Err(_) if is_compacted(&bytes) => Ok((bytes, 8)),
        Err(second) => Err(fault(second)),
    }
}

/// Whether the instruction is an 8-byte one: CmptCtrl is bit 29 in every family.
const fn is_compacted(bytes: &[u8; 16]) -> bool {
    bytes[3] & 0x20 != 0
}

fn decode_at(
    env: &GroupEnv<'_>,
    rules: Rules,
    ip: u32,
) -> Result<(isa_encoder::Instruction, u32), Fault> {
    let (bytes, length) = fetch(env, ip)?;
    let (instruction, length) =
        isa_encoder::decode(rules.family, &bytes[..length]).map_err(|error| {
            Fault::IllegalInstruction {
                why: format!("at {ip:#x}: {error}"),
            }
        })?;
    Ok((instruction, ip.wrapping_add(length as u32)))
}

fn decode(env: &GroupEnv<'_>, rules: Rules, grf_count: u16, ip: u32) -> Result<Op, Fault> {
    let (mut instruction, next) = decode_at(env, rules, ip)?;
    if let (Opcode::Break, Specific::Branch(branch)) =
        (instruction.opcode, &mut instruction.specific)
        && let Some(uip) = branch.uip
    {
        // UIP names the `while` that ends the loop; channels that leave it wait behind that.
        let end = ip.wrapping_add_signed(uip);
        if let Ok((last, after)) = decode_at(env, rules, end)
            && last.opcode == Opcode::While
        {
            branch.uip = Some(after.wrapping_sub(ip) as i32);
        }
    }
    lower(rules, grf_count, &instruction, ip, next)
}
