//! Channels that stop, and that wake, sixteen at a time. Compare `park_routine` and `wake_routine`.

use core::mem::offset_of;

use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

use super::{BYTES, FIRST, SECOND};
use crate::evex::{
    Lanes, Operand, VEXTRACTI32X8, VMOVDQU32_LOAD, VMOVDQU32_STORE, VPBLENDMD, VPCMPUD, VPMINUD,
    general,
};
use crate::frame::Frame;
use crate::registers::Zmm;
use crate::translate::{ACTIVE, PARKED, Translator};

const WAITING: i32 = offset_of!(Frame, waiting) as i32;

/// `vpcmpud`: equal, and greater.
const EQUAL: u8 = 0;
const GREATER: u8 = 6;

/// What these routines use: no value lives when they are called.
const PLACE: Zmm = 16;
const NOWHERE: Zmm = 17;
const HALVES: [[Zmm; 2]; 2] = [[18, 19], [20, 21]];

/// Where the addresses of sixteen channels are.
const fn addresses(half: usize) -> Operand {
    Operand::Memory(general::RBX, WAITING + (half * BYTES) as i32)
}

impl Translator {
    /// The channels in esi, which execute, stop, to wait at edx.
    pub(crate) fn wide_park(&mut self) {
        let (low, all) = (self.ops.new_dynamic_label(), Lanes::All);
        dynasm!(self.ops
            ; or [BYTE rbx + PARKED], esi
            ; mov eax, esi
            ; not esi
            ; and r13d, esi
            ; mov [BYTE rbx + ACTIVE], r13d
        );
        self.broadcast_general(PLACE, general::RDX, 4);
        for half in 0..2 {
            if half == 1 {
                dynasm!(self.ops ; shr eax, 16 ; jz =>low ; shr esi, 16);
            }
            // Those that do not stop stay as they are.
            self.mask_from(FIRST, general::RSI);
            let to = (NOWHERE, Lanes::Merge(FIRST));
            self.evex(VPBLENDMD, BYTES, to, PLACE, addresses(half));
            self.evex(VMOVDQU32_STORE, BYTES, (NOWHERE, all), 0, addresses(half));
        }
        dynasm!(self.ops ; =>low);
    }

    /// The channels that wait at edx execute.
    pub(crate) fn wide_wake(&mut self) {
        let (low, all, register) = (self.ops.new_dynamic_label(), Lanes::All, Operand::Register);
        self.broadcast_general(PLACE, general::RDX, 4);
        self.fill(NOWHERE, u32::MAX.into(), 4);
        // The lowest address of all, and of those beyond this one.
        let [[first, beyond], [more, further]] = HALVES;
        for (half, [own, behind]) in HALVES.into_iter().enumerate() {
            if half == 1 {
                dynasm!(self.ops ; test DWORD [BYTE rbx + PARKED], !0xffff ; jz =>low);
            }
            self.evex(VMOVDQU32_LOAD, BYTES, (own, all), 0, addresses(half));
            let to = (FIRST.0, all);
            self.evex_with(VPCMPUD, BYTES, to, own, register(PLACE), EQUAL);
            let woken = (own, Lanes::Merge(FIRST));
            self.evex(VMOVDQU32_LOAD, BYTES, woken, 0, register(NOWHERE));
            self.evex(VMOVDQU32_STORE, BYTES, (own, all), 0, addresses(half));
            let to = (SECOND.0, all);
            self.evex_with(VPCMPUD, BYTES, to, own, register(PLACE), GREATER);
            let to = (behind, Lanes::Merge(SECOND));
            self.evex(VPBLENDMD, BYTES, to, NOWHERE, register(own));
            if half == 0 {
                self.mask_to(general::RAX, FIRST);
            } else {
                self.mask_to(general::RCX, FIRST);
                dynasm!(self.ops ; shl ecx, 16 ; or eax, ecx);
                self.evex(VPMINUD, BYTES, (first, all), first, register(more));
                self.evex(VPMINUD, BYTES, (beyond, all), beyond, register(further));
            }
        }
        dynasm!(self.ops ; =>low);
        for (lower, (from, upper)) in [(0, (first, more)), (1, (beyond, further))] {
            self.evex_with(VEXTRACTI32X8, BYTES, (from, all), 0, register(upper), 1);
            self.evex(VPMINUD, 32, (lower, all), from, register(upper));
        }
        self.woken();
    }
}
