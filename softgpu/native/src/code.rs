//! Executable code.

use dynasmrt::mmap::MutableBuffer;
use dynasmrt::{AssemblyOffset, ExecutableBuffer};
use eu_lanes::HostIsa;

use crate::frame::Frame;
use crate::model::{Block, Layout, Rounding};
use crate::translate::{AFTER, Translator, mxcsr};

/// The host code of some blocks.
#[derive(Debug)]
pub struct Code {
    #[expect(dead_code, reason = "owns the code")]
    buffer: ExecutableBuffer,
    /// The code of `Translator::frame`.
    start: *const u8,
    /// That of `Translator::threads`.
    threads: *const u8,
    entries: Box<[*const u8]>,
    /// What MXCSR is in each block.
    modes: Box<[u32]>,
    /// Whether all round to nearest.
    nearest: bool,
}

// SAFETY: the buffer is never written again, and the pointers point into it.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

/// Which op is next after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// This one.
    Op(u32),
    /// The one after this one.
    After(u32),
    /// The branch callback knows.
    Told,
}

/// The code of blocks, where each begins, and where the code that begins threads does.
fn translated(
    mut translator: Translator,
    blocks: &[Block],
) -> Option<(Vec<u8>, Vec<AssemblyOffset>, AssemblyOffset)> {
    translator.frame();
    let threads = translator.threads();
    translator.turns();
    translator.partings(blocks);
    for number in 0..blocks.len() {
        translator.block(blocks, number);
    }
    let (code, starts) = translator.finish()?;
    Some((code, starts, threads))
}

impl Code {
    /// Translates `blocks` for these instructions of the host; `None` where its processor lacks them, or if
    /// memory lacks.
    pub fn new(blocks: &[Block], layout: Layout, isa: HostIsa) -> Option<Self> {
        if !isa.is_here() {
            return None;
        }
        let lazy = (isa >= HostIsa::Avx512).then(|| Translator::lazy(layout, blocks, isa));
        let (code, starts, threads) = lazy
            .and_then(|translator| translated(translator, blocks))
            .or_else(|| translated(Translator::new(layout, blocks, isa), blocks))?;
        let mut buffer = MutableBuffer::new(code.len()).ok()?;
        buffer.set_len(code.len());
        buffer.copy_from_slice(&code);
        let buffer = buffer.make_exec().ok()?;
        let entries = starts.into_iter().map(|start| buffer.ptr(start)).collect();
        let start = buffer.ptr(AssemblyOffset(0));
        let threads = buffer.ptr(threads);
        Some(Self {
            buffer,
            start,
            threads,
            entries,
            modes: blocks.iter().map(|block| mxcsr(block.rounding)).collect(),
            nearest: !blocks.iter().any(Block::rounds),
        })
    }

    /// Runs from the start of block `number` on; `None` if there is no such block.
    ///
    /// # Safety
    /// - `frame.regs` points to the register bytes that the operands of the blocks lie in, with 64
    ///   more after the last, writable, and not referenced elsewhere during the run except by the
    ///   callbacks. The same holds of the registers of all seats. Each seat leads to the next one and all of them
    ///   back to the first; [`Seat::resume`](crate::Seat::resume) is null, or this code's, and that of a thread
    ///   that may go on there.
    /// - `frame.windows` has all windows that the blocks name. At any time, their bytes may be read
    ///   and, if a step that stores names the window, written; the same holds of `frame.local`.
    /// - The callbacks return what [`Frame`] says, blocks that exist included, and do not unwind.
    pub unsafe fn run(&self, frame: &mut Frame, number: u32) -> Option<Next> {
        let entry = *self.entries.get(number as usize)?;
        let modes = *self.modes.get(number as usize)?;
        // SAFETY: `entry` is the start of a block in the buffer; the rest is the caller's promise.
        Some(unsafe { self.enter(frame, entry, modes) })
    }

    /// Where the block of this number begins, for a [`Seat`](crate::Seat); `None` if there is no such block, or
    /// if host code would have to round otherwise there.
    pub fn place(&self, number: u32) -> Option<*const u8> {
        let entry = *self.entries.get(number as usize)?;
        self.nearest.then_some(entry)
    }

    /// Begins the threads of the frame, of which there is one at least, with block `number`, one after
    /// the other until one stops elsewhere than at its end, or the last one is there; `None` if there is
    /// no such block, or if it rounds other than to nearest.
    ///
    /// # Safety
    /// As [`run`](Self::run). The frame's threads are as [`Threads`](crate::Threads) says, and the
    /// register bytes have room for the payload and for the lines to clean.
    pub unsafe fn begin(&self, frame: &mut Frame, number: u32) -> Option<Next> {
        let modes = *self.modes.get(number as usize)?;
        // What a thread leaves behind does not round the next one.
        if modes != mxcsr(Rounding::Nearest) {
            return None;
        }
        frame.first = *self.entries.get(number as usize)?;
        // SAFETY: the code of `Translator::threads` goes on at the start of a block.
        Some(unsafe { self.enter(frame, self.threads, modes) })
    }

    /// # Safety
    /// As [`run`](Self::run); `entry` is the start of a block, or that of the code that begins threads.
    unsafe fn enter(&self, frame: &mut Frame, entry: *const u8, modes: u32) -> Next {
        frame.entries = self.entries.as_ptr();
        // SAFETY: the buffer starts with the code of `Translator::frame`, which has this signature
        // and keeps to the calling convention.
        let start: unsafe extern "sysv64" fn(&mut Frame, *const u8, u32) =
            unsafe { core::mem::transmute(self.start) };
        // SAFETY: the caller's promise.
        unsafe { start(frame, entry, modes) };
        match frame.at {
            Frame::LEAVE => Next::Told,
            at if at & AFTER != 0 => Next::After(at & !AFTER),
            at => Next::Op(at),
        }
    }
}
