//! Sends in the load/store syntax: `load.ugm.d32.a64 (32|M0) r8:2 [r12:4+0x40]`.
//!
//! What this syntax cannot express exactly stays a send: a descriptor in a register, reserved bits,
//! a message that breaks a rule, cache control of shared local memory.

use alloc::string::String;
use core::fmt::{self, Write};

use devinfo::Family;

use super::print::Printer;
use crate::message::{
    CacheControl, Descriptors, Elements, Lsc, LscAddress, LscPort, Mask, Message, Operands,
    Operation,
};
use crate::model::{ArfKind, Descriptor, Dst, Instruction, Opcode, RegFile, Register, Send, Src};

/// Lengths in a descriptor.
const LENGTHS: u32 = 0x1ff0_0000;

/// A send that the syntax can express.
pub(super) struct Text {
    operation: Operation,
    message: Lsc,
    send: Send,
    dst: Register,
    src: [Register; 2],
}

impl Text {
    /// The text of `instruction`, if it has one.
    pub(super) fn of(family: Family, instruction: &Instruction) -> Option<Self> {
        let send = *instruction.send()?;
        let (Opcode::Send, Some(function)) = (instruction.opcode, send.sfid) else {
            return None;
        };
        let descriptors = Descriptors::of(&send)?;
        let Ok(Message::Lsc(message)) = Message::decode(family, function, descriptors) else {
            return None;
        };
        let operation = Operation::of(&message)?;
        let Ok((_, again)) = Message::Lsc(message).encode(family) else {
            return None;
        };
        let in_register = matches!(send.exdesc, Descriptor::Register { .. });
        let exact = again.descriptor == descriptors.descriptor & !LENGTHS
            && again.extended == descriptors.extended
            && again.extended_offset.unwrap_or(0) == send.exdesc_offset
            && !(in_register && (message.is_flat() || operation == Operation::Fence))
            && !(message.port() == LscPort::Slm
                && message.cache().unwrap_or_default() != CacheControl::DEFAULT);
        let Dst::Direct { reg: dst, .. } = instruction.dst else {
            return None;
        };
        let payload = |index: usize| match instruction.src.get(index) {
            Some(Src::Direct { reg, .. }) => Some(*reg),
            _ => None,
        };
        let src = [payload(0)?, payload(1)?];
        let implied = match operation.operands() {
            Operands::Load => is_null(src[1]) && matches!(send.src1_len, None | Some(0)),
            Operands::Store => is_null(dst) && send.dst_len() == Some(0),
            Operands::Atomic => true,
        };
        (exact && implied).then_some(Self {
            operation,
            message,
            send,
            dst,
            src,
        })
    }
}

fn is_null(reg: Register) -> bool {
    reg.file == RegFile::Arf(ArfKind::Null)
}

impl Printer<'_> {
    /// The operation with the words for its data and addresses.
    fn load_store_name(&mut self, text: &Text) {
        let out = &mut *self.out;
        let message = &text.message;
        let _ = write!(out, "{}.{}", text.operation, message.port());
        let _ = match *message {
            Lsc::Vector {
                data,
                elements,
                transpose,
                ..
            }
            | Lsc::StoreUncompressed {
                data,
                elements,
                transpose,
                ..
            } => write!(out, ".{data}{}", Elements(elements, transpose)),
            Lsc::Quad {
                data, components, ..
            }
            | Lsc::StoreUncompressedQuad {
                data, components, ..
            } => write!(out, ".{data}.{}", Mask(components)),
            Lsc::Block2d { data, layout, .. } => write!(out, ".{data}{layout}"),
            Lsc::Atomic { data, .. } | Lsc::AppendCounter { data, .. } => write!(out, ".{data}"),
            Lsc::Fence { flush, scope, .. } => write!(out, ".{flush}.{scope}"),
            Lsc::Compression { .. } | Lsc::ReadState { .. } | Lsc::LoadStatus { .. } => Ok(()),
        };
        if let Some(size) = Operation::address_size(message) {
            let _ = write!(out, ".{size}");
        }
        let _ = write!(out, "{}", message.cache().unwrap_or_default());
    }

    fn load_store(&mut self, text: &Text) {
        self.in_front();
        self.load_store_name(text);
        self.channels();
        self.out.push_str("  ");
        let operands = text.operation.operands();
        if operands != Operands::Store {
            self.payload(text.dst, text.send.dst_len());
            self.out.push_str("  ");
        }
        self.address(text);
        if operands != Operands::Load {
            self.out.push_str("  ");
            self.payload(text.src[1], text.send.src1_len);
        }
        self.options();
    }

    fn payload(&mut self, reg: Register, length: Option<u8>) {
        self.register(reg, None);
        if let Some(length) = length {
            let _ = write!(self.out, ":{length}");
        }
    }

    fn address(&mut self, text: &Text) {
        let (kind, surface, offset) = match text.message.address() {
            None => ("", 0, 0),
            Some(LscAddress::Flat { offset }) => ("", 0, offset),
            // As in the extended descriptor.
            Some(LscAddress::Bss { state, offset }) => ("bss", state << 6, offset),
            Some(LscAddress::Ss { state, offset }) => ("ss", state << 6, offset),
            Some(LscAddress::Bti { index, offset }) => ("bti", index.into(), offset),
        };
        let out = &mut *self.out;
        out.push_str(kind);
        let _ = match (kind, text.send.exdesc) {
            ("", _) => Ok(()),
            (_, Descriptor::Register { subreg }) => write!(out, "[a0.{subreg}]"),
            ("bti", Descriptor::Immediate(_)) => write!(out, "[{surface}]"),
            (_, Descriptor::Immediate(_)) => write!(out, "[0x{surface:X}]"),
        };
        self.out.push('[');
        self.payload(text.src[0], text.send.src0_len());
        let _ = match text.message {
            Lsc::Block2d { offset: [0, 0], .. } => Ok(()),
            Lsc::Block2d { offset: [x, y], .. } => {
                write!(self.out, "+({},{})", Hex(x.into(), ""), Hex(y.into(), ""))
            }
            _ if offset == 0 => Ok(()),
            _ => write!(self.out, "{}", Hex(offset, "+")),
        };
        self.out.push(']');
    }
}

/// A number as IGA writes it, `-0x40`, and the prefix of numbers that are not negative.
struct Hex(i32, &'static str);

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { self.1 };
        write!(f, "{sign}0x{:X}", self.0.unsigned_abs())
    }
}

/// Appends `instruction` in the load/store syntax, without a line end; `false` if it has none.
pub(super) fn instruction(out: &mut String, family: Family, instruction: &Instruction) -> bool {
    let Some(text) = Text::of(family, instruction) else {
        return false;
    };
    Printer::new(out, family, instruction).load_store(&text);
    true
}
