//! Instructions under construction.

use devinfo::Family;

use super::operand::Operand;
use crate::model::{
    CondMod, Dpas, Dst, Flag, Instruction, MathFunction, Opcode, Options, PredControl, Predicate,
    Specific, Src, Swsb, SyncFunction,
};

/// An instruction with operands; see [`super::Builder::emit`].
#[derive(Clone, Copy, Debug)]
pub struct Op {
    instruction: Instruction,
    dst: Option<Operand>,
    sources: [Option<Operand>; 3],
    count: usize,
}

impl Op {
    /// An instruction of `exec_size` channels.
    pub const fn new(opcode: Opcode, exec_size: u8) -> Op {
        let mut instruction = Instruction::new(opcode);
        instruction.exec_size = exec_size;
        Op {
            instruction,
            dst: None,
            sources: [None; 3],
            count: 0,
        }
    }

    /// A function of `math`.
    pub const fn math(function: MathFunction, exec_size: u8) -> Op {
        let mut op = Op::new(Opcode::Math, exec_size);
        op.instruction.specific = Specific::Math(function);
        op
    }

    /// A function of `sync`, executed once (Gen12LP on).
    pub const fn sync(function: SyncFunction) -> Op {
        let mut op = Op::new(Opcode::Sync, 1).no_mask();
        op.instruction.specific = Specific::Sync(function);
        op
    }

    /// `bfn` with this truth table: bit `4*s2 + 2*s1 + s0` (XeHPG on).
    pub const fn bfn(table: u8, exec_size: u8) -> Op {
        let mut op = Op::new(Opcode::Bfn, exec_size);
        op.instruction.specific = Specific::Bfn(table);
        op
    }

    /// `dpas` of this systolic depth (8) and repeat count (1 to 8), with 8 channels on XeHPG and 16
    /// later.
    pub const fn dpas(depth: u8, repeat: u8, exec_size: u8) -> Op {
        let mut op = Op::new(Opcode::Dpas, exec_size);
        op.instruction.specific = Specific::Dpas(Dpas { depth, repeat });
        op
    }

    /// The channel of the thread that this instruction's first channel is: 0, 4 … 28.
    pub const fn channels_from(mut self, channel: u8) -> Op {
        self.instruction.channel_offset = channel;
        self
    }

    /// Runs in all channels, whatever the execution mask: `(W)`.
    pub const fn no_mask(mut self) -> Op {
        self.instruction.no_mask = true;
        self
    }

    /// Runs in the channels whose flag bit is set.
    pub const fn when(self, flag: Flag) -> Op {
        self.predicated(flag, PredControl::Sequential, false)
    }

    /// Runs in the channels whose flag bit is not set.
    pub const fn unless(self, flag: Flag) -> Op {
        self.predicated(flag, PredControl::Sequential, true)
    }

    /// Runs in the channels that the predicate selects.
    pub const fn predicated(mut self, flag: Flag, control: PredControl, inverse: bool) -> Op {
        self.instruction.flag = flag;
        self.instruction.predicate = Some(Predicate { control, inverse });
        self
    }

    /// Compares the result and puts a bit for each channel into `flag` (in `sel`: selects by it).
    pub const fn cond(mut self, cond: CondMod, flag: Flag) -> Op {
        self.instruction.cond = Some(cond);
        self.instruction.flag = flag;
        self
    }

    /// Saturates the result.
    pub const fn saturate(mut self) -> Op {
        self.instruction.saturate = true;
        self
    }

    /// The destination.
    pub const fn dst(mut self, dst: Operand) -> Op {
        self.dst = Some(dst);
        self
    }

    /// The destination and the sources.
    pub fn on(self, dst: Operand, sources: &[Operand]) -> Op {
        sources.iter().fold(self.dst(dst), |op, src| op.src(*src))
    }

    /// The next source. No instruction has a fourth one: [`super::BuildError::Sources`].
    pub fn src(mut self, src: Operand) -> Op {
        if let Some(place) = self.sources.get_mut(self.count) {
            *place = Some(src);
        }
        self.count += 1;
        self
    }

    pub(super) fn has_too_many_sources(&self) -> bool {
        self.count > self.sources.len()
    }

    pub(super) fn opcode(&self) -> Opcode {
        self.instruction.opcode
    }

    /// The scoreboard annotation, for kernels that keep their own.
    pub const fn swsb(mut self, swsb: Swsb) -> Op {
        self.instruction.swsb = swsb;
        self
    }

    /// Further options.
    pub fn options(mut self, options: Options) -> Op {
        self.instruction.options |= options;
        self
    }

    pub(super) fn finish(self, family: Family) -> Instruction {
        let given = self.instruction;
        let mut out = given;
        for (index, (place, operand)) in out.src.iter_mut().zip(self.sources).enumerate() {
            *place = match operand {
                Some(operand) => operand.src(index, &given, family),
                None => Src::None,
            };
        }
        if let Some(dst) = self.dst {
            out.dst = dst.dst(&given, family);
        }
        // A comparison without a destination drops its result.
        if out.dst == Dst::None
            && matches!(out.opcode, Opcode::Cmp | Opcode::Cmpn)
            && let Some(ty) = self.sources[0].map(Operand::ty)
        {
            out.dst = super::null().ty(ty).dst(&given, family);
        }
        out
    }
}
