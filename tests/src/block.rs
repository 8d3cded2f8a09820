//! Parts of kernels that are built for every family: a block of 64 bytes for each group or item, by
//! messages of the classic data port up to Gen12LP, by load/store messages after it.

use devinfo::{Family, span};
use isa_encoder::build::{BuildError, Builder, Op, Operand, Payload, SendOp, grf, imm};
use isa_encoder::message::{
    AddressSize, BlockAlignment, BlockPort, CacheControl, DataSize, Direction, Hdc, HdcAddress,
    HdcSurface, Lsc, LscAddress, LscPort, Message, OwordCount,
};
use isa_encoder::{Opcode, Type};

/// Dwords of a block.
pub const BLOCK: usize = 16;

/// Registers of a block.
pub fn registers(family: Family) -> u8 {
    (BLOCK * 4 / family.grf_bytes()) as u8
}

/// Dwords of a binding table entry, `elements` of them from each address.
pub fn load_store(direction: Direction, index: u8, elements: u8, transpose: bool) -> Message {
    Message::Lsc(Lsc::Vector {
        port: LscPort::Ugm,
        direction,
        address: LscAddress::Bti { index, offset: 0 },
        address_size: AddressSize::A32,
        data: DataSize::D32,
        elements,
        transpose,
        strided: false,
        cache: CacheControl::DEFAULT,
    })
}

/// A block of a binding table entry.
pub fn block(family: Family, direction: Direction, bti: u8) -> Message {
    if span!(XeHpg..).contains(family) {
        return load_store(direction, bti, BLOCK as u8, true);
    }
    Message::Hdc(Hdc::OwordBlock {
        direction,
        address: HdcAddress::A32(HdcSurface::Bti(bti)),
        alignment: match direction {
            Direction::Read => BlockAlignment::Dword,
            Direction::Write => BlockAlignment::Oword,
        },
        count: OwordCount::Four,
        port: BlockPort::Data,
    })
}

/// Puts the place of block `number` into register `reg`: a header or an address. `log2` is of the
/// offset's unit in bytes.
fn place(b: &mut Builder, reg: u8, log2: i64, number: Operand) {
    let ud = |reg| grf(reg).ty(Type::Ud);
    let lsc = span!(XeHpg..).contains(b.family());
    if !lsc {
        b.emit(Op::new(Opcode::Mov, 8).no_mask().on(ud(reg), &[ud(0)]));
    }
    // A header has its offset in dword 2.
    let (dword, log2) = if lsc { (0, 0) } else { (2, log2) };
    let to = grf(reg).element(dword, Type::Ud);
    let shift = Op::new(Opcode::Shl, 1).no_mask();
    b.emit(shift.on(to, &[number, imm(6 - log2, Type::W)]));
}

/// Reads block `number` of binding table entry `bti` to register `data`. Changes r10.
///
/// # Errors
/// As [`Builder::send`].
pub fn read(b: &mut Builder, bti: u8, number: Operand, data: u8) -> Result<(), BuildError> {
    let family = b.family();
    let lsc = span!(XeHpg..).contains(family);
    place(b, 10, 0, number);
    let message = block(family, Direction::Read, bti);
    b.send(SendOp {
        no_mask: true,
        response: Payload::new(grf(data), registers(family)),
        header: !lsc,
        ..SendOp::new(message, if lsc { 1 } else { 16 }, Payload::new(grf(10), 1))
    })
}

/// Writes block `number` of binding table entry `bti` from register 41 on, and ends. Changes r40.
///
/// # Errors
/// As [`Builder::send`].
pub fn write(b: &mut Builder, bti: u8, number: Operand) -> Result<(), BuildError> {
    let family = b.family();
    let lsc = span!(XeHpg..).contains(family);
    place(b, 40, 4, number);
    let len = registers(family);
    let together = family == Family::Gen8;
    let src0 = Payload::new(grf(40), if together { 1 + len } else { 1 });
    let message = block(family, Direction::Write, bti);
    b.send(SendOp {
        no_mask: true,
        header: !lsc,
        src1: (!together).then_some(Payload::new(grf(41), len)),
        ..SendOp::new(message, if lsc { 1 } else { 16 }, src0)
    })?;
    b.end_of_thread(grf(127))
}
