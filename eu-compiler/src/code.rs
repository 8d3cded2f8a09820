//! Machine instructions over virtual registers: what selection makes, register allocation places
//! and emission encodes.

use isa_encoder::build::Reg;
use isa_encoder::message::Message;
use isa_encoder::{ArfKind, CondMod, Flag, MathFunction, Opcode, Region, SyncFunction, Type};

use crate::ir::Block;
use crate::relocate;

/// A virtual register: consecutive bytes of the register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

impl Var {
    /// For tables with an element a register.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a virtual register is.
#[derive(Clone, Copy, Debug)]
pub struct VarData {
    /// Its size in bytes.
    pub size: u32,
    /// Its alignment in bytes.
    pub align: u32,
    /// Its place, if a thread starts with it there.
    pub fixed: Option<u32>,
    /// The loop header whose phi it is.
    pub header: Option<Block>,
    /// It is not spilled: it is only there for one instruction.
    pub stays: bool,
}

/// A place in a virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The register.
    pub var: Var,
    /// The byte in it.
    pub byte: u32,
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    /// Elements of a virtual register.
    Var {
        /// Where they begin.
        place: Place,
        /// Their type.
        ty: Type,
        /// Elements from channel to channel; 0 for the same in all.
        stride: u8,
        /// Negated.
        neg: bool,
        /// Its magnitude.
        abs: bool,
    },
    /// Elements of a virtual register, each for several channels.
    Repeated {
        /// Where they begin.
        place: Place,
        /// Their type.
        ty: Type,
        /// Elements from one to the next.
        step: u8,
        /// Channels that take one.
        times: u8,
    },
    /// A number.
    Imm(i64, Type),
    /// An architecture register, with an element's index.
    Arf(ArfKind, u8, u8, Type, u8),
    /// The null register.
    Null(Type),
    /// Registers by address: `a0` from this word on, one word for each channel or one for all.
    Indirect {
        /// The word of a0.
        word: u8,
        /// The type.
        ty: Type,
        /// One address for each channel.
        each: bool,
    },
    /// The byte address of a virtual register in the register file.
    AddressOf(Place),
}

impl Operand {
    /// Negated.
    pub fn negated(self) -> Operand {
        match self {
            Operand::Var {
                place,
                ty,
                stride,
                neg,
                abs,
            } => Operand::Var {
                place,
                ty,
                stride,
                neg: !neg,
                abs,
            },
            other => other,
        }
    }

    /// The magnitude.
    pub fn magnitude(self) -> Operand {
        match self {
            Operand::Var {
                place, ty, stride, ..
            } => Operand::Var {
                place,
                ty,
                stride,
                neg: false,
                abs: true,
            },
            other => other,
        }
    }
}

/// A message.
#[derive(Clone, Copy, Debug)]
pub struct SendData {
    /// Which.
    pub message: Message,
    /// The response, if there is one: where and how many registers.
    pub response: Option<(Place, u8)>,
    /// Header or addresses.
    pub src0: (Place, u8),
    /// The first payload begins with a header.
    pub header: bool,
    /// Data.
    pub src1: Option<(Place, u8)>,
}

/// Registers that go to the thread's scratch memory, or come from it.
#[derive(Clone, Copy, Debug)]
pub struct SpillData {
    /// Where they go to memory.
    pub stores: bool,
    /// The registers.
    pub data: (Place, u8),
    /// The first byte in the thread's scratch memory.
    pub offset: u32,
    /// The register that says where the thread's scratch memory is. Where a send has one payload,
    /// the stored registers follow it.
    pub header: Place,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// Arithmetic and moves.
    Alu(Opcode),
    /// A function of `math`.
    Math(MathFunction),
    /// A message.
    Send(SendData),
    /// A message to scratch memory.
    Spill(SpillData),
    /// A block begins; channels may wait for it.
    Label(Block, bool),
    /// The channels that the predicate selects go to a later block, where they wait.
    Goto(Block),
    /// The channels that the predicate selects go back to a block; the others wait here.
    Back(Block),
    /// The whole thread goes to a block.
    Jump(Block),
    /// `sync`.
    Sync(SyncFunction),
    /// `wait` for a notification.
    Wait,
    /// The virtual register begins here, with no value.
    Define(Var),
    /// The thread ends.
    End,
}

/// The flag that is zero from the start of the kernel on, if something uses it.
pub const NOTHING: Flag = Flag {
    register: 1,
    subregister: 0,
};

/// A predicate: of f0, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// None.
    None,
    /// The channel's bit.
    When,
    /// The channel's bit is not set.
    Unless,
    /// Of no channel: a bit of [`NOTHING`].
    Never,
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Inst {
    /// What it does.
    pub what: What,
    /// Channels.
    pub exec: u8,
    /// The first channel.
    pub from: u8,
    /// Ignores the execution mask.
    pub no_mask: bool,
    /// The predicate.
    pub predicate: Predicate,
    /// The condition that writes f0, or selects.
    pub cond: Option<CondMod>,
    /// Saturates.
    pub saturate: bool,
    /// Writes the accumulator, too.
    pub accumulates: bool,
    /// The destination.
    pub dst: Option<Operand>,
    /// The sources.
    pub srcs: [Option<Operand>; 3],
    /// The word of the SPIR-V module that it comes from; 0 if there is none.
    pub at: u32,
}

impl Inst {
    /// An instruction of some channels.
    pub const fn new(what: What, exec: u8) -> Inst {
        Inst {
            what,
            exec,
            from: 0,
            no_mask: false,
            predicate: Predicate::None,
            cond: None,
            saturate: false,
            accumulates: false,
            dst: None,
            srcs: [None; 3],
            at: 0,
        }
    }

    /// Calls `f` with each access to a virtual register, in registers of `grf` bytes.
    pub fn accesses(&self, grf: u32, mut f: impl FnMut(Access)) {
        let mut operand = |operand: &Operand, writes: bool| match operand {
            Operand::Var {
                place, ty, stride, ..
            } => {
                let pitch = u32::from(*stride) * ty.bytes();
                let last = u32::from(self.exec.saturating_sub(1)) * pitch;
                f(Access {
                    var: place.var,
                    bytes: place.byte..place.byte + last + ty.bytes(),
                    writes,
                });
            }
            Operand::Repeated {
                place,
                ty,
                step,
                times,
            } => {
                let last = u32::from(self.exec.saturating_sub(1)) / u32::from((*times).max(1));
                let last = last * u32::from(*step) * ty.bytes();
                f(Access {
                    var: place.var,
                    bytes: place.byte..place.byte + last + ty.bytes(),
                    writes,
                });
            }
            Operand::AddressOf(place) => f(Access {
                var: place.var,
                bytes: 0..u32::MAX,
                writes,
            }),
            _ => {}
        };
        for src in self.srcs.iter().flatten() {
            operand(src, false);
        }
        if let Some(dst) = &self.dst {
            operand(dst, true);
        }
        let mut whole = |(place, count): (Place, u8), writes| {
            f(Access {
                var: place.var,
                bytes: place.byte..place.byte + u32::from(count) * grf,
                writes,
            });
        };
        match &self.what {
            What::Send(send) => {
                whole(send.src0, false);
                if let Some(data) = send.src1 {
                    whole(data, false);
                }
                if let Some(response) = send.response {
                    whole(response, true);
                }
            }
            What::Spill(spill) => {
                whole((spill.header, 1), false);
                whole(spill.data, !spill.stores);
            }
            _ => {}
        }
        if let What::Define(var) = self.what {
            f(Access {
                var,
                bytes: 0..u32::MAX,
                writes: true,
            });
        }
    }

    /// Calls `f` with each place in a virtual register that it names.
    pub fn places(&mut self, mut f: impl FnMut(&mut Place)) {
        for operand in self.dst.iter_mut().chain(self.srcs.iter_mut().flatten()) {
            if let Operand::Var { place, .. }
            | Operand::Repeated { place, .. }
            | Operand::AddressOf(place) = operand
            {
                f(place);
            }
        }
        match &mut self.what {
            What::Send(send) => {
                f(&mut send.src0.0);
                let more = send.response.iter_mut().chain(&mut send.src1);
                more.for_each(|(place, _)| f(place));
            }
            What::Spill(spill) => {
                f(&mut spill.header);
                f(&mut spill.data.0);
            }
            _ => {}
        }
    }

    /// Whether the thread or its channels may go elsewhere behind it.
    pub const fn branches(&self) -> bool {
        matches!(
            self.what,
            What::Goto(_) | What::Back(_) | What::Jump(_) | What::End
        )
    }

    /// Whether it reads registers by address.
    pub fn is_indirect(&self) -> bool {
        let mut operands = self.srcs.iter().flatten();
        operands.any(|operand| matches!(operand, Operand::Indirect { .. }))
    }
}

/// An access to a virtual register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Which.
    pub var: Var,
    /// The bytes of it, as far as it has them.
    pub bytes: std::ops::Range<u32>,
    /// It writes.
    pub writes: bool,
}

/// A kernel's instructions.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Virtual registers.
    pub vars: Vec<VarData>,
    /// Instructions in order.
    pub insts: Vec<Inst>,
    /// The first and last instruction of each loop, and its header.
    pub loops: Vec<(Block, usize, usize)>,
    /// Addresses that are known when the program is loaded, and the number that stands for the
    /// first; each further one is one more.
    pub addresses: Vec<relocate::Use>,
    /// That number.
    pub first_address: u32,
    /// The dimensions of local ids that threads have.
    pub local_ids: u32,
    /// How many of them there are up to the last one that the code reads.
    pub read_ids: u32,
}

impl Code {
    /// A new virtual register.
    pub fn var(&mut self, size: u32, align: u32) -> Var {
        self.vars.push(VarData {
            size,
            align,
            fixed: None,
            header: None,
            stays: false,
        });
        Var(self.vars.len() as u32 - 1)
    }
}

impl Code {
    /// Takes instructions out.
    pub fn retain(&mut self, mut keep: impl FnMut(&Inst) -> bool) {
        let mut moved = Vec::with_capacity(self.insts.len() + 1);
        let mut count = 0;
        self.insts.retain(|inst| {
            moved.push(count);
            let keeps = keep(inst);
            count += usize::from(keeps);
            keeps
        });
        moved.push(count);
        for (_, first, last) in &mut self.loops {
            *first = moved[*first];
            *last = moved[*last + 1].saturating_sub(1);
        }
    }
}

/// The region of a source with this stride.
pub const fn region(stride: u8) -> Region {
    match stride {
        0 => Region::SCALAR,
        stride => Region::new(stride, 1, 0),
    }
}

/// A general register and the byte in it, by the byte in the register file.
pub const fn register(byte: u32, grf: u32) -> (Reg, u32) {
    (isa_encoder::build::grf((byte / grf) as u8), byte % grf)
}
