//! Ways round the usual path of a step, behind all blocks: they are rarely taken.

use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};

use crate::model::Rounding;
use crate::owed::Owed;
use crate::registers::{Content, Pool, Ymm};
use crate::translate::Translator;
use crate::wide::KEPT;

/// What a step does instead of its usual path.
pub(crate) struct Detour {
    op: u32,
    rounding: Rounding,
    /// To call back, to do nothing, and where both meet the usual path.
    ways: [DynamicLabel; 3],
    /// What registers hold there.
    contents: Vec<(Ymm, Content)>,
    /// What they owe where it begins.
    owed: Vec<Owed>,
}

impl Translator {
    /// Notes a detour, which is translated at the end: it is rarely taken.
    pub(crate) fn defer(&mut self, op: u32, ways: [DynamicLabel; 3]) {
        let owed = self.meet_ways();
        let rounding = self.rounding;
        let mut contents = self.pool.contents();
        contents.extend(self.wide.contents());
        contents.extend(self.kept.contents());
        self.detours.push(Detour {
            op,
            rounding,
            ways,
            contents,
            owed,
        });
    }

    pub(crate) fn detour(&mut self, detour: &Detour) {
        let [slow, skip, done] = detour.ways;
        self.rounding = detour.rounding;
        let is_owed = |register| detour.owed.iter().any(|owed| owed.register == register);
        let (owed, rest): (Vec<_>, Vec<_>) =
            (detour.contents.iter()).partition(|(register, _)| is_owed(*register));
        let rest_of_all = self.ops.new_dynamic_label();
        dynasm!(self.ops ; =>slow);
        self.pay_detour(&detour.owed);
        self.call_back(detour.op);
        for &(register, content) in owed {
            self.bring_back(register, content);
        }
        dynasm!(self.ops ; jmp =>rest_of_all ; =>skip);
        // Where there was nothing to do, registers still have what they owe. What others are to hold may be part of that.
        self.pay_detour(&detour.owed);
        dynasm!(self.ops ; =>rest_of_all);
        for &(register, content) in rest {
            self.bring_back(register, content);
        }
        dynasm!(self.ops ; jmp =>done);
    }

    /// Brings a register's content back.
    pub(crate) fn bring_back(&mut self, register: u8, content: Content) {
        if register < Pool::COUNT {
            self.restore(register, content);
        } else if register < KEPT {
            self.wide_restore(register, content);
        } else {
            self.kept_restore(register, content);
        }
    }

    /// The same, of the registers of AVX2.
    fn restore(&mut self, register: Ymm, content: Content) {
        match content {
            Content::Bytes(at, _) => dynasm!(self.ops; vmovdqu Ry(register), [r12 + at as i32]),
            Content::Splat(at, 8) => {
                dynasm!(self.ops; vpbroadcastq Ry(register), [r12 + at as i32]);
            }
            Content::Splat(at, _) => {
                dynasm!(self.ops; vpbroadcastd Ry(register), [r12 + at as i32]);
            }
            Content::Mask(mask) => self.restore_mask(register, mask),
            Content::Constant(value, lane) => {
                let label = self.literal(value, lane.into());
                if lane == 8 {
                    dynasm!(self.ops; vpbroadcastq Ry(register), [=>label]);
                } else {
                    dynasm!(self.ops; vpbroadcastd Ry(register), [=>label]);
                }
            }
        }
    }
}
