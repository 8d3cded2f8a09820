//! The builder where it stands alone: extended descriptors in registers, three-source operands.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use devinfo::Family;
use isa_encoder::build::{BuildError, Builder, Op, Payload, SendOp, grf, null};
use isa_encoder::message::{
    AddressSize, CacheControl, DataSize, Descriptors, Direction, Lsc, LscAddress, LscPort, Message,
};
use isa_encoder::{Descriptor, Opcode, Sfid, Specific, Type, decode};

/// A store of a dword a channel at an offset into a bindless surface.
fn store(extended: Option<u8>) -> SendOp {
    SendOp {
        message: Message::Lsc(Lsc::Vector {
            port: LscPort::Ugm,
            direction: Direction::Write,
            address: LscAddress::Bss {
                state: 0x1000,
                offset: 16,
            },
            address_size: AddressSize::A32,
            data: DataSize::D32,
            elements: 1,
            transpose: false,
            strided: false,
            cache: CacheControl::DEFAULT,
        }),
        exec_size: 16,
        no_mask: false,
        response: Payload {
            reg: null(),
            len: 0,
        },
        src0: Payload {
            reg: grf(10),
            len: 1,
        },
        header: false,
        src1: Some(Payload {
            reg: grf(12),
            len: 1,
        }),
        extended,
        eot: false,
    }
}

/// An offset beside a surface has no room in the instruction's own extended descriptor.
#[test]
fn offsets_into_surfaces_need_a_register() {
    let mut b = Builder::new(Family::Xe2);
    assert!(matches!(
        b.send(store(None)),
        Err(BuildError::ExtendedDescriptor { index: 0 })
    ));
    let mut b = Builder::new(Family::Xe2);
    let op = store(Some(2));
    b.send(op).unwrap();
    let kernel = b.finish().unwrap();
    let (instruction, _) = decode(Family::Xe2, &kernel.code).unwrap();
    let Specific::Send(send) = instruction.specific else {
        panic!("a send");
    };
    assert_eq!(send.exdesc, Descriptor::Register { subreg: 2 });
    assert_eq!(send.src1_len, Some(1));
    // The offset is beside the register; what the register must hold is the surface.
    let (sfid, made) = op.message.encode(Family::Xe2).unwrap();
    let descriptors = Descriptors {
        extended: made.extended,
        ..Descriptors::of(&send).unwrap()
    };
    assert_eq!(sfid, Sfid::Ugm);
    let decoded = Message::decode(Family::Xe2, sfid, descriptors).unwrap();
    assert_eq!(decoded, op.message);
}

/// In align16 mode consecutive elements have one form, however they are told.
#[test]
fn three_sources_are_built_for_every_family() {
    for family in Family::ALL {
        let mut b = Builder::new(family);
        let channels = (family.grf_bytes() / 4) as u8;
        let r = |number| grf(number).ty(Type::F);
        let mad = Op::new(Opcode::Mad, channels).dst(r(10));
        b.emit(mad.src(r(12)).src(r(14)).src(r(16)));
        let kernel = b.finish().unwrap_or_else(|e| panic!("{family}: {e}"));
        assert_eq!(kernel.code.len(), 16, "{family}\n{}", kernel.text);
    }
}
