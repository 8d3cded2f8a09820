//! `//.payload load`: the code that loads a thread's payload.
//!
//! With a compute walker a thread starts with only r0. Its payload is in memory where r0 says
//! ([`devinfo::thread`]): first the cross-thread data, then each thread's local ids. A media walker
//! loads both into registers.
//!
//! The code has two parts, each at a multiple of 64 bytes, as in Intel's compiler: the first loads
//! the local ids, the second the cross-thread data. A walker that generates the ids itself starts
//! the thread at the second (`offset_to_skip_per_thread_data_load` of a zebin). Sources: IGC
//! `PrologEpilog.cpp` (PayloadLoader) and its output for dg2 and pvc.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use devinfo::thread::{self, HeaderField};
use devinfo::{Family, WalkerKind};

use super::directive::{Payload, SwsbMode};
use super::emit::Emitter;
use super::fragment::Fragment;
use super::instruction::Parsed;
use super::source::{self, Kernel, Source};
use super::{AsmOptions, Diagnostic, Span, scoreboard};
use crate::model::{Instruction, Opcode};

/// Both parts begin at a multiple of this many bytes, as a kernel's start address must.
const ALIGNMENT: usize = 64;

/// Puts the code in front of a kernel that has a payload and does not load it itself. Returns the
/// offset at which a thread begins that has its local ids; 0 if there is only one entry.
pub fn prepend(emitter: &Emitter, kernel: &mut Kernel, diagnostics: &mut Vec<Diagnostic>) -> usize {
    let family = emitter.family;
    let directives = &kernel.directives;
    if directives.payload == Payload::Raw || !loads_by_itself(family) {
        return 0;
    }
    let ids = directives.local_id_bytes(family);
    let cross_thread = directives.cross_thread_bytes();
    let writer = Writer {
        emitter: &emitter.uncompacted(),
        grf: family.grf_bytes() as u32,
        span: kernel.fragment.place(),
    };
    let mut code = Fragment::default();
    if ids > 0 {
        code = writer.assemble(&writer.local_ids(ids, cross_thread), diagnostics);
        writer.pad(&mut code);
    }
    let entry = code.code.len();
    if cross_thread > 0 {
        let text = writer.cross_thread(cross_thread, 1 + ids / writer.grf);
        code.append(writer.assemble(&text, diagnostics));
    }
    code.append(core::mem::take(&mut kernel.fragment));
    kernel.fragment = code;
    entry
}

/// Whether a thread of the family must load its payload.
pub fn loads_by_itself(family: Family) -> bool {
    family.walker() == WalkerKind::Compute
}

struct Writer<'a> {
    emitter: &'a Emitter,
    grf: u32,
    /// The text that the code belongs to.
    span: Span,
}

impl Writer<'_> {
    /// Fills a part up with `nop`.
    fn pad(&self, code: &mut Fragment) {
        while !code.code.len().is_multiple_of(ALIGNMENT) {
            let nop = Parsed::implied(Instruction::new(Opcode::Nop), self.span);
            self.emitter.push(&nop, code);
        }
    }

    /// The address of the payload, in dword 2 of the header r127. The last two registers are the
    /// least likely to hold an argument.
    fn base(&self, out: &mut String) {
        let size = self.grf / 4;
        *out += &format!("(W) mov ({size}|M0) r127.0<1>:ud 0x0:ud\n");
        let HeaderField { dword, mask } = thread::PAYLOAD;
        *out += &format!("(W) and (1|M0) r127.2<1>:ud r0.{dword}<0;1,0>:ud {mask:#X}:ud\n");
    }

    /// Local ids follow the cross-thread data, `bytes` per thread.
    fn local_ids(&self, bytes: u32, cross_thread: u32) -> String {
        let mut out = String::new();
        self.base(&mut out);
        let HeaderField { dword, mask } = thread::THREAD_IN_GROUP;
        let word = 2 * dword;
        out += &format!("(W) and (1|M0) r127.0<1>:uw r0.{word}<0;1,0>:uw {mask:#X}:uw\n");
        if cross_thread > 0 {
            out += &format!("(W) add (1|M0) r127.2<1>:ud r127.2<0;1,0>:ud {cross_thread:#x}:uw\n");
        }
        out +=
            &format!("(W) mad (1|M0) r127.2<1>:ud r127.2<0;0>:ud r127.0<0;0>:uw {bytes:#x}:uw\n");
        self.loads(&mut out, 1, bytes);
        out
    }

    fn cross_thread(&self, bytes: u32, register: u32) -> String {
        let mut out = String::new();
        self.base(&mut out);
        self.loads(&mut out, register, bytes);
        out
    }

    /// Loads `bytes` at r127.2, in pieces of 4, 2 and 1 registers.
    fn loads(&self, out: &mut String, mut register: u32, bytes: u32) {
        let mut left = bytes.div_ceil(self.grf);
        while left > 0 {
            let piece = match left {
                4.. => 4,
                2.. => 2,
                _ => 1,
            };
            *out += &self.load(register, piece);
            left -= piece;
            register += piece;
            if left > 0 {
                let step = piece * self.grf;
                *out += &format!("(W) add (1|M0) r127.2<1>:ud r127.2<0;1,0>:ud {step:#x}:uw\n");
            }
        }
    }

    /// Loads 1, 2 or 4 registers from stateless memory.
    fn load(&self, register: u32, count: u32) -> String {
        // 1, 2, 4 as 0, 1, 2.
        let code = count.trailing_zeros();
        let lengths = 1 << 25 | count << 20;
        if self.grf == 32 {
            // Aligned OWord block read of binding table entry 0xFD: header, 2 OWords per register.
            let desc = lengths | 1 << 19 | 1 << 14 | (2 + code) << 8 | 0xfd;
            format!("(W) send.dc0 (8|M0) r{register} r127 null:0 0x0 {desc:#010x}\n")
        } else {
            // load.ugm.d32xNt.a32 of binding table entry 0xFF, N = 16, 32, 64. It takes the
            // address from dword 0.
            let desc = 3 << 29 | lengths | 1 << 15 | (5 + code) << 12 | 2 << 9 | 2 << 7;
            format!(
                "(W) mov (1|M0) r126.0<1>:ud r127.2<0;1,0>:ud\n\
                 (W) send.ugm (1|M0) r{register} r126 null:0 0xFF000000 {desc:#010x}\n"
            )
        }
    }

    /// The instructions of a part; at its end it waits for all its loads.
    fn assemble(&self, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Fragment {
        let mut kernel = self.read(text, diagnostics);
        kernel.directives.swsb = SwsbMode::Auto;
        scoreboard::annotate(text, self.emitter, &mut kernel, diagnostics);
        let mut code = kernel.fragment;
        let last = "(W) sync.nop null {A@1}\n(W) sync.allwr null\n";
        code.append(self.read(last, diagnostics).fragment);
        code.place_at(self.span);
        code
    }

    fn read(&self, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Kernel {
        let options = AsmOptions::for_family(self.emitter.family);
        let part = source::part(text, 0..text.len(), Some(self.emitter), 0);
        let mut source = Source::join(text, Vec::from([part]), &options);
        diagnostics.append(&mut source.diagnostics);
        source.kernels.pop().unwrap_or_default()
    }
}
