//! Code that loads a thread's payload, on platforms whose threads start without it.
//!
//! It is as Intel's compiler writes it. The part for local ids ends before the second entry, where
//! threads begin whose ids the walker made.

use devinfo::thread;
use isa_encoder::build::{self, Builder, Op, Payload, Reg, Scoreboard, SendOp, grf};
use isa_encoder::message::{
    AddressSize, BlockAlignment, BlockPort, CacheControl, DataSize, Direction, Hdc, HdcAddress,
    HdcSurface, Lsc, LscAddress, LscPort, Message, OwordCount,
};
use isa_encoder::{Opcode, SyncFunction, Type as M};

use crate::builder::{builder, text};
use crate::code::Code;
use crate::target::Target;

/// The registers that this code uses; the first one is the header or the address of messages.
const HEADER: Reg = grf(127);
const OTHER: Reg = grf(126);

/// The granularity of cross-thread data in memory.
const UNIT: u32 = 32;

/// The element of [`HEADER`] that has the address.
const fn address(target: &Target) -> u8 {
    if target.caps.payload_blocks { 2 } else { 0 }
}

/// Puts the address of the payload in its place.
fn base(b: &mut Builder, target: &Target) {
    if target.caps.payload_blocks {
        let lanes = (target.grf() / 4) as u8;
        b.emit(
            Op::new(Opcode::Mov, lanes)
                .no_mask()
                .dst(HEADER.ty(M::Ud))
                .src(build::imm(0, M::Ud)),
        );
    }
    let field = thread::PAYLOAD;
    b.emit(
        Op::new(Opcode::And, 1)
            .no_mask()
            .dst(HEADER.element(address(target), M::Ud))
            .src(grf(0).element(field.dword as u8, M::Ud))
            .src(build::imm(i64::from(field.mask), M::Ud)),
    );
}

/// Local ids of some dimensions follow the cross-thread data in memory; those that the code reads are
/// loaded. What the walker brought is where they go, and moves behind them.
///
/// # Errors
/// An instruction that the builder refuses.
pub fn load_ids(target: &Target, code: &Code, cross_thread: u32) -> Result<Vec<u8>, String> {
    let bytes = code.local_ids * target.local_id_bytes();
    let mut b = builder(target);
    let inline = (target.inline_data() / 4) as u8;
    if inline != 0 {
        let behind = grf(target.payload_register(code.local_ids) as u8);
        b.emit(
            Op::new(Opcode::Mov, inline)
                .no_mask()
                .dst(behind.ty(M::Ud))
                .src(grf(1).ty(M::Ud)),
        );
    }
    base(&mut b, target);
    let field = thread::THREAD_IN_GROUP;
    let offset = HEADER.element(address(target), M::Ud);
    let word = |element| OTHER.element(element, M::Uw);
    b.emit(
        Op::new(Opcode::And, 1)
            .no_mask()
            .dst(word(0))
            .src(grf(0).element(2 * field.dword as u8, M::Uw))
            .src(build::imm(i64::from(field.mask), M::Uw)),
    );
    let aligned = cross_thread.next_multiple_of(UNIT);
    if aligned != 0 {
        b.emit(
            Op::new(Opcode::Add, 1)
                .no_mask()
                .dst(offset)
                .src(offset)
                .src(build::imm(i64::from(aligned), M::Ud)),
        );
    }
    b.emit(
        Op::new(Opcode::Mad, 1)
            .no_mask()
            .dst(offset)
            .src(offset)
            .src(word(0))
            .src(build::imm(i64::from(bytes), M::Uw)),
    );
    loads(&mut b, target, 1, code.read_ids * target.local_id_bytes())?;
    finish_part(b, target)
}

/// Loads what the walker did not bring of the cross-thread payload.
///
/// # Errors
/// An instruction that the builder refuses.
pub fn load_cross_thread(
    b: &mut Builder,
    target: &Target,
    local_ids: u32,
    bytes: u32,
) -> Result<(), String> {
    base(b, target);
    let first = target.payload_byte(local_ids, target.inline_data()) / target.grf();
    loads(b, target, first as u8, bytes)
}

/// Finishes a part, whose last instruction is a message that waits for all arithmetic before it: the
/// part waits for its messages, because the next one knows nothing of them.
fn finish_part(b: Builder, target: &Target) -> Result<Vec<u8>, String> {
    let mut part = b.finish().map_err(text)?.code;
    let mut last = builder(target).scoreboard(Scoreboard::Keep);
    last.emit(Op::sync(SyncFunction::AllWr));
    part.extend(last.finish().map_err(text)?.code);
    Ok(part)
}

/// Loads whole registers from the address on.
fn loads(b: &mut Builder, target: &Target, mut to: u8, bytes: u32) -> Result<(), String> {
    let size = target.grf();
    let mut left = bytes.div_ceil(size);
    while left > 0 {
        let piece = 1 << left.min(4).ilog2();
        load(b, target, to, piece as u8)?;
        to += piece as u8;
        left -= piece;
        if left > 0 {
            let offset = HEADER.element(address(target), M::Ud);
            b.emit(
                Op::new(Opcode::Add, 1)
                    .no_mask()
                    .dst(offset)
                    .src(offset)
                    .src(build::imm(i64::from(piece * size), M::Uw)),
            );
        }
    }
    Ok(())
}

fn load(b: &mut Builder, target: &Target, to: u8, registers: u8) -> Result<(), String> {
    let response = Payload {
        reg: grf(to),
        len: registers,
    };
    let classic = target.caps.payload_blocks;
    let (message, exec_size) = if classic {
        let message = Hdc::OwordBlock {
            direction: Direction::Read,
            address: HdcAddress::A32(HdcSurface::Stateless { coherent: false }),
            alignment: BlockAlignment::Dword,
            count: match registers {
                1 => OwordCount::Two,
                2 => OwordCount::Four,
                _ => OwordCount::Eight,
            },
            port: BlockPort::Data,
        };
        (Message::Hdc(message), 8)
    } else {
        let message = Lsc::Vector {
            port: LscPort::Ugm,
            direction: Direction::Read,
            address: LscAddress::Bti {
                index: 255,
                offset: 0,
            },
            address_size: AddressSize::A32,
            data: DataSize::D32,
            elements: 16 * registers,
            transpose: true,
            strided: false,
            cache: CacheControl::DEFAULT,
        };
        (Message::Lsc(message), 1)
    };
    b.send(SendOp {
        message,
        exec_size,
        no_mask: true,
        response,
        src0: Payload {
            reg: HEADER,
            len: 1,
        },
        header: classic,
        src1: None,
        extended: None,
        eot: false,
    })
    .map_err(text)
}
