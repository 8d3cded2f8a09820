//! Dwords of shared local memory.

use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

use crate::model::{LOCAL_OFFSET, LocalStep};
use crate::registers::Ymm;
use crate::translate::{Chosen, LOCAL, LOCAL_BYTES, Translator};

impl Translator {
    /// Translates the usual case; the caller executes `op` in any other: an offset that is outside
    /// or no multiple of 4, a store by some channels only or to places that do not follow each
    /// other.
    pub(crate) fn local(&mut self, step: &LocalStep, op: u32) {
        let chosen = self.mask(&step.masking, step.lanes);
        if step.lanes < 8 || step.stores && (step.planes != 1 || chosen != Chosen::All) {
            return self.call(op);
        }
        let (slow, done) = (self.ops.new_dynamic_label(), self.ops.new_dynamic_label());
        dynasm!(self.ops
            ; cmp DWORD [rbx + LOCAL_BYTES], 0
            ; je =>slow
            ; mov rax, [rbx + LOCAL]
        );
        if step.stores {
            self.store_local(step, slow);
        } else {
            self.load_local(step, chosen, slow);
        }
        dynasm!(self.ops ; jmp =>done ; =>slow);
        self.call(op);
        dynasm!(self.ops ; =>done);
        self.pool.clear();
    }

    fn load_local(&mut self, step: &LocalStep, chosen: Chosen, slow: dynasmrt::DynamicLabel) {
        let chunks = usize::from(step.lanes) / 8;
        let more = i64::from(step.offset) as u64 & LOCAL_OFFSET;
        let last = 4 * (u64::from(step.planes) - 1);
        let mut offsets: [Ymm; 4] = [0; 4];
        let mut masks: [Ymm; 4] = [0; 4];
        // All checks come before the first write: the response may be where the addresses are.
        for chunk in 0..chunks {
            let from = step.addresses as i32 + 32 * chunk as i32;
            let at = self.pool.take();
            dynasm!(self.ops ; vmovdqu Ry(at), [r12 + from]);
            if more != 0 {
                let more = self.constant(more, 4);
                dynasm!(self.ops ; vpaddd Ry(at), Ry(at), Ry(more));
                self.pool.release(more);
            }
            let bits = self.constant(LOCAL_OFFSET, 4);
            dynasm!(self.ops ; vpand Ry(at), Ry(at), Ry(bits));
            self.pool.release(bits);
            if chosen == Chosen::InEsi {
                let mask = self.pool.take();
                dynasm!(self.ops ; vmovd Rx(mask), esi);
                self.spread_from(mask, 8 * chunk, 4);
                // Channels that are not served may have any address.
                dynasm!(self.ops ; vpand Ry(at), Ry(at), Ry(mask));
                masks[chunk] = mask;
            }
            let (end, limit) = (self.pool.take(), self.pool.take());
            if last != 0 {
                let last = self.constant(last, 4);
                dynasm!(self.ops ; vpaddd Ry(end), Ry(at), Ry(last));
                self.pool.release(last);
            } else {
                dynasm!(self.ops ; vmovdqa Ry(end), Ry(at));
            }
            let low = self.constant(3, 4);
            dynasm!(self.ops
                ; vptest Ry(at), Ry(low)
                ; jnz =>slow
                ; vpbroadcastd Ry(limit), [rbx + LOCAL_BYTES]
                // In dwords, of which the last must be inside: below the limit.
                ; vpmaxud Ry(limit), Ry(limit), Ry(end)
                ; vpcmpeqd Ry(limit), Ry(limit), Ry(end)
                ; vptest Ry(limit), Ry(limit)
                ; jnz =>slow
            );
            for used in [low, end, limit] {
                self.pool.release(used);
            }
            offsets[chunk] = at;
        }
        for plane in 0..i32::from(step.planes) {
            for chunk in 0..chunks {
                let to = step.data as i32 + plane * step.plane_bytes as i32 + 32 * chunk as i32;
                let (out, mask) = (self.pool.take(), self.pool.take());
                match chosen {
                    Chosen::All => dynasm!(self.ops ; vpcmpeqd Ry(mask), Ry(mask), Ry(mask)),
                    Chosen::InEsi => dynasm!(self.ops
                        ; vmovdqa Ry(mask), Ry(masks[chunk])
                        ; vmovdqu Ry(out), [r12 + to]
                    ),
                }
                self.gather_dwords(out, offsets[chunk], mask, 4 * plane as i8);
                dynasm!(self.ops ; vmovdqu [r12 + to], Ry(out));
                self.pool.release(out);
                self.pool.release(mask);
            }
        }
        self.pool.release_all();
    }

    /// `vpgatherdd out, [rax + at + displacement], mask`: the assembler does not take registers
    /// that it does not know for its index.
    fn gather_dwords(&mut self, out: Ymm, at: Ymm, mask: Ymm, displacement: i8) {
        let high = u8::from(out < 8) << 7 | u8::from(at < 8) << 6;
        for byte in [
            0xc4,
            0x22 | high,
            0x05 | (!mask & 15) << 3,
            0x90,
            0x44 | (out & 7) << 3,
            (at & 7) << 3,
            displacement as u8,
        ] {
            self.ops.push(byte);
        }
    }

    fn store_local(&mut self, step: &LocalStep, slow: dynasmrt::DynamicLabel) {
        let chunks = usize::from(step.lanes) / 8;
        let bytes = 4 * i32::from(step.lanes);
        for chunk in 0..chunks {
            let from = step.addresses as i32;
            let bits = self.offsets(chunk);
            let first = self.pool.take();
            dynasm!(self.ops
                ; vpbroadcastd Ry(first), [r12 + from]
                ; vpaddd Ry(first), Ry(first), [=>bits]
                ; vpxor Ry(first), Ry(first), [r12 + from + 32 * chunk as i32]
                ; vptest Ry(first), Ry(first)
                ; jnz =>slow
            );
            self.pool.release(first);
        }
        dynasm!(self.ops
            ; mov ecx, [r12 + step.addresses as i32]
            ; add ecx, step.offset
            ; and ecx, LOCAL_OFFSET as i32
            ; test ecx, 3
            ; jnz =>slow
            ; lea edx, [rcx + bytes]
            ; cmp edx, [rbx + LOCAL_BYTES]
            ; ja =>slow
        );
        for chunk in 0..chunks as i32 {
            let value = self.pool.take();
            dynasm!(self.ops
                ; vmovdqu Ry(value), [r12 + step.data as i32 + 32 * chunk]
                ; vmovdqu [rax + rcx + 32 * chunk], Ry(value)
            );
            self.pool.release(value);
        }
    }
}
