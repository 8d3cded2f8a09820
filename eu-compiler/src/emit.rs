//! Emission: from allocated instructions to bytes, by `isa_encoder::build`.

use hashbrown::HashMap;
use isa_encoder::build::{self, Builder, Label, Op, Payload, Reg, SendOp, grf};
use isa_encoder::message::{
    AddressSize, CacheControl, DataSize, Direction, Hdc, Lsc, LscAddress, LscPort, Message,
};
use isa_encoder::{ArfKind, Flag, Opcode, Options, PredControl, Region, Type as M};

use crate::builder::{builder, text};
use crate::code::{
    Code, Inst, NOTHING, Operand, Place, Predicate, SpillData, What, region, register,
};
use crate::ir::Block;
use crate::lines::CodeLines;
use crate::prolog;
use crate::regalloc::{Allocation, MIDDLE};
use crate::target::Target;

/// Finished code.
#[derive(Clone, Debug, Default)]
pub struct Emitted {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where threads begin that have their local ids.
    pub entry_with_ids: u32,
    /// Where code comes from.
    pub lines: CodeLines,
}

/// The dword of a0 for the surface of scratch memory.
const SURFACE: u8 = 2;

/// Scratch blocks are counted in these, in bytes.
const HWORD: u32 = 32;

/// Both entries begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// Bytes of an instruction.
const INSTRUCTION: usize = 16;

/// Encodes a kernel.
///
/// # Errors
/// An instruction that the builder or the rules of the hardware refuse.
pub fn emit(
    code: &Code,
    allocation: &Allocation,
    target: &Target,
    payload_bytes: u32,
) -> Result<Emitted, String> {
    let mut out = Emitted::default();
    let mut b = builder(target);
    b.reserve(code.insts.len());
    if target.caps.loads_payload {
        let in_memory = payload_bytes.saturating_sub(target.inline_data());
        if code.local_ids != 0 {
            out.bytes = prolog::load_ids(target, code, in_memory)?;
            let mut nops = builder(target);
            let end = out.bytes.len().next_multiple_of(ALIGNMENT);
            for _ in 0..(end - out.bytes.len()) / INSTRUCTION {
                nops.emit(Op::new(Opcode::Nop, 1));
            }
            out.bytes.extend(nops.finish().map_err(text)?.code);
            out.entry_with_ids = out.bytes.len() as u32;
        }
        if in_memory != 0 {
            prolog::load_cross_thread(&mut b, target, code.local_ids, in_memory)?;
        }
    }
    let (body, words) = Emitter::new(code, allocation, target, b).run()?;
    let first = out.bytes.len();
    let places = words.into_iter().filter_map(|(index, word)| {
        let offset = first + body.starts.get(index)?;
        Some((offset as u32, word))
    });
    out.lines = CodeLines(places.collect());
    out.bytes.extend(body.code);
    Ok(out)
}

struct Emitter<'a> {
    code: &'a Code,
    places: &'a [u32],
    target: &'a Target,
    b: Builder,
    labels: HashMap<Block, Label>,
    /// The blocks where channels wait, with their instruction.
    joins: Vec<(usize, Block)>,
}

impl<'a> Emitter<'a> {
    fn new(code: &'a Code, allocation: &'a Allocation, target: &'a Target, mut b: Builder) -> Self {
        let mut labels = HashMap::new();
        let mut joins = Vec::new();
        for (index, inst) in code.insts.iter().enumerate() {
            if let What::Label(block, join) = inst.what {
                labels.insert(block, b.label());
                if join {
                    joins.push((index, block));
                }
            }
        }
        Self {
            code,
            places: &allocation.places,
            target,
            b,
            labels,
            joins,
        }
    }

    /// The code, and of which instructions of the builder on it comes from which word of the module.
    fn run(mut self) -> Result<(build::Kernel, Vec<(usize, u32)>), String> {
        let code = self.code;
        let mut words: Vec<(usize, u32)> = Vec::new();
        for (index, inst) in code.insts.iter().enumerate() {
            let is_new = words.last().is_none_or(|(_, word)| *word != inst.at);
            if inst.at != 0 && is_new {
                words.push((self.b.count(), inst.at));
            }
            self.inst(index, inst)?;
        }
        Ok((self.b.finish().map_err(text)?, words))
    }

    /// The next block after an instruction where channels wait.
    fn next_join(&self, index: usize) -> Option<Label> {
        let after = self.joins.partition_point(|(at, _)| *at <= index);
        let next = self.joins.get(after)?;
        self.labels.get(&next.1).copied()
    }

    fn label(&self, block: Block) -> Result<Label, String> {
        let label = self.labels.get(&block).copied();
        label.ok_or_else(|| format!("b{} has no label", block.0))
    }

    fn inst(&mut self, index: usize, inst: &Inst) -> Result<(), String> {
        match inst.what {
            What::Define(_) => {}
            What::Alu(opcode) => {
                let op = self.operands(Op::new(opcode, inst.exec), inst)?;
                self.b.emit(op);
            }
            What::Math(function) => {
                let op = self.operands(Op::math(function, inst.exec), inst)?;
                self.b.emit(op);
            }
            What::Sync(function) => {
                self.b.emit(Op::sync(function));
            }
            What::Wait => {
                let count = Reg::arf(ArfKind::Notification, 0).element(0, M::Ud);
                self.b.emit(
                    Op::new(Opcode::Wait, 1)
                        .no_mask()
                        .dst(count)
                        .src(count.region(Region::SCALAR)),
                );
            }
            What::Send(send) => {
                let mut op = SendOp {
                    message: send.message,
                    exec_size: inst.exec,
                    no_mask: inst.no_mask,
                    response: Payload {
                        reg: build::null(),
                        len: 0,
                    },
                    src0: self.payload(send.src0),
                    header: send.header,
                    src1: send.src1.map(|src| self.payload(src)),
                    extended: None,
                    eot: false,
                };
                if let Some((place, len)) = send.response {
                    op.response = self.payload((place, len));
                }
                self.send(op, inst)?;
            }
            What::Spill(spill) => self.spill(&spill)?,
            What::Label(block, join) => {
                let label = self.label(block)?;
                self.b.bind(label);
                if join {
                    let next = self.next_join(index);
                    let op = Op::new(Opcode::Join, inst.exec);
                    match next {
                        Some(next) => self.b.branch(op, Some(next), None),
                        None => {
                            let after = self.b.label();
                            self.b.branch(op, Some(after), None);
                            self.b.bind(after);
                        }
                    }
                }
            }
            What::Jump(to) => {
                let op = self.predicated(Op::new(Opcode::Jmpi, 1).no_mask(), inst);
                let to = self.label(to)?;
                self.b.branch(op, Some(to), None);
            }
            What::Goto(to) => {
                let to = self.label(to)?;
                let next = self.next_join(index).unwrap_or(to);
                let op = self.predicated(Op::new(Opcode::Goto, inst.exec), inst);
                self.b.branch(op, Some(next), Some(to));
            }
            What::Back(to) => {
                let to = self.label(to)?;
                let op = self.predicated(Op::new(Opcode::While, inst.exec), inst);
                self.b.branch(op, Some(to), None);
            }
            What::End => {
                let last = (self.target.registers - 1).min(255) as u8;
                self.b.end_of_thread(grf(last)).map_err(text)?;
            }
        }
        Ok(())
    }

    /// A message to scratch memory: a block of the data port, or of the scratch surface.
    fn spill(&mut self, spill: &SpillData) -> Result<(), String> {
        let (place, count) = spill.data;
        let data = self.payload(spill.data);
        let header = self.payload((spill.header, 1));
        let direction = match spill.stores {
            true => Direction::Write,
            false => Direction::Read,
        };
        let grf = self.target.grf();
        let (message, exec_size, extended) = if self.target.caps.scratch_blocks {
            let block = Hdc::ScratchBlock {
                direction,
                hwords: (u32::from(count) * grf / HWORD) as u8,
                offset: (spill.offset / HWORD) as u16,
                dword_channels: false,
            };
            (Message::Hdc(block), 16, None)
        } else {
            // The surface, as the extended descriptor has it.
            let surface = self.place(spill.header).0.element(1, M::Ud);
            self.b.emit(
                Op::new(Opcode::Mov, 1)
                    .no_mask()
                    .dst(Reg::arf(ArfKind::Address, 0).element(SURFACE, M::Ud))
                    .src(surface),
            );
            let block = Lsc::Vector {
                port: LscPort::Ugm,
                direction,
                address: LscAddress::Ss {
                    state: 0,
                    offset: spill.offset as i32 - MIDDLE,
                },
                address_size: AddressSize::A32,
                data: DataSize::D32,
                elements: (u32::from(count) * grf / 4) as u8,
                transpose: true,
                strided: false,
                cache: CacheControl::DEFAULT,
            };
            (Message::Lsc(block), 1, Some(SURFACE))
        };
        let mut op = SendOp {
            no_mask: true,
            header: self.target.caps.scratch_blocks,
            extended,
            ..SendOp::new(message, exec_size, header)
        };
        match (spill.stores, self.target.two_payloads()) {
            (false, _) => op.response = data,
            (true, true) => op.src1 = Some(data),
            // The data follow the header.
            (true, false) if place.var == spill.header.var => op.src0.len += count,
            (true, false) => return Err("a spilled register is not behind its header".to_owned()),
        }
        self.b.send(op).map_err(text)
    }

    fn send(&mut self, op: SendOp, inst: &Inst) -> Result<(), String> {
        self.b.send_from(op, inst.from).map_err(text)
    }

    fn payload(&self, (place, len): (Place, u8)) -> Payload {
        let (reg, _) = self.place(place);
        Payload { reg, len }
    }

    fn place(&self, place: Place) -> (Reg, u32) {
        let byte = self.places[place.var.index()].wrapping_add(place.byte);
        register(byte, self.target.grf())
    }

    fn predicated(&self, op: Op, inst: &Inst) -> Op {
        let flag = Flag::default();
        match inst.predicate {
            Predicate::None => op,
            Predicate::When => op.predicated(flag, PredControl::Sequential, false),
            Predicate::Unless => op.predicated(flag, PredControl::Sequential, true),
            Predicate::Never => op.predicated(NOTHING, PredControl::Sequential, false),
        }
    }

    fn operands(&self, op: Op, inst: &Inst) -> Result<Op, String> {
        let mut op = self.predicated(op, inst).channels_from(inst.from);
        if inst.no_mask {
            op = op.no_mask();
        }
        if let Some(cond) = inst.cond {
            op = op.cond(cond, Flag::default());
        }
        if inst.saturate {
            op = op.saturate();
        }
        if inst.accumulates {
            op = op.options(Options::ACC_WR_EN);
        }
        if let Some(dst) = inst.dst {
            if matches!(dst, Operand::Arf(ArfKind::Control, ..))
                && !self.target.software_scoreboard()
            {
                op = op.options(Options::SWITCH);
            }
            op = op.dst(self.operand(dst, true));
        }
        for src in inst.srcs.iter().flatten() {
            let src = self.operand(*src, false);
            // One channel has no next element.
            op = op.src(match inst.exec {
                1 if !matches!(src.ty(), M::V) => src.region(Region::SCALAR),
                _ => src,
            });
        }
        Ok(op)
    }

    fn operand(&self, operand: Operand, is_dst: bool) -> build::Operand {
        match operand {
            Operand::Var {
                place,
                ty,
                stride,
                neg,
                abs,
            } => {
                let (reg, byte) = self.place(place);
                let mut out = reg.element((byte / ty.bytes()) as u8, ty);
                out = match is_dst {
                    true => out.stride(stride.max(1)),
                    false => out.region(region(stride)),
                };
                if abs {
                    out = out.abs();
                }
                if neg {
                    out = out.neg();
                }
                out
            }
            Operand::Repeated {
                place,
                ty,
                step,
                times,
            } => {
                let (reg, byte) = self.place(place);
                let first = reg.element((byte / ty.bytes()) as u8, ty);
                first.region(Region::new(step, times, 0))
            }
            Operand::Imm(number, ty) => build::imm(number, ty),
            Operand::Arf(kind, number, element, ty, stride) => {
                let out = Reg::arf(kind, number).element(element, ty);
                match (is_dst, stride) {
                    (true, _) => out.stride(1),
                    (false, 0) => out.region(Region::SCALAR),
                    (false, stride) => out.region(region(stride)),
                }
            }
            Operand::Null(ty) => build::null().ty(ty),
            Operand::Indirect { word, ty, each } => {
                let out = build::Operand::indirect(word, 0, ty);
                match each {
                    true => out.region(Region::per_row(1, 0)),
                    false => out.region(Region::SCALAR),
                }
            }
            Operand::AddressOf(place) => {
                let byte = self.places[place.var.index()].wrapping_add(place.byte);
                build::imm(i64::from(byte), M::Uw)
            }
        }
    }
}
