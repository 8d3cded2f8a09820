//! Kernels of one lane: a thread for each work-item, with its ids packed in one register, on every
//! family.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the helpers of these tests fail by panicking"
)]

use std::time::Duration;

use devinfo::{Family, Target, span};
use isa_encoder::build::{BuildError, Builder, Op, Operand, Payload, SendOp, grf, imm, null};
use isa_encoder::message::{
    AddressSize, BlockAlignment, BlockPort, CacheControl, DataSize, Direction, Hdc, HdcAddress,
    HdcSurface, Lsc, LscAddress, LscPort, Message, OwordCount,
};
use isa_encoder::{Opcode, Type};
use stack_tests::launch::device;
use umd::{Arg, Binary, NdRange, Program, QueueOptions};

/// The dwords that each thread writes.
const BLOCK: usize = 16;
/// The value of lanes that no id overwrites.
const LANE: i32 = 0x55;
const LOCAL: [u32; 3] = [4, 3, 2];
/// Groups at the upper edge of x are narrower.
const GLOBAL: [u64; 3] = [10, 3, 2];

fn scalar(opcode: Opcode, to: Operand, from: &[Operand]) -> Op {
    let op = Op::new(opcode, 1).no_mask().dst(to);
    from.iter().fold(op, |op, operand| op.src(*operand))
}

/// Writes x, y, z and the group to the first dwords of the item's block, [`LANE`] to the others by
/// an instruction that all lanes of the thread must be enabled for.
fn body(b: &mut Builder) -> Result<(), BuildError> {
    let family = b.family();
    let lsc = span!(XeHpg..).contains(family);
    let in_register = (family.grf_bytes() / 4) as u8;
    let data = |index: u8| grf(41 + index / in_register).element(index % in_register, Type::Ud);
    let id = |d: u8| grf(1).element(d, Type::Uw);
    let temp = |index: u8| grf(30).element(index, Type::Ud);
    let group = grf(0).element(1, Type::Ud);

    b.emit(
        Op::new(Opcode::Mov, BLOCK as u8)
            .dst(grf(41).ty(Type::D))
            .src(imm(LANE.into(), Type::D)),
    );
    for d in 0..3 {
        b.emit(scalar(Opcode::Mov, data(d), &[id(d)]));
        b.emit(scalar(Opcode::Mov, temp(d), &[id(d)]));
    }
    b.emit(scalar(Opcode::Mov, data(3), &[group]));
    // The item's number: x + 4 y + 12 z + 24 groups, 12 and 24 as sums of powers of two.
    let terms = [
        (temp(1), 2),
        (temp(2), 3),
        (temp(2), 2),
        (group, 4),
        (group, 3),
    ];
    for (value, power) in terms {
        b.emit(scalar(Opcode::Shl, temp(3), &[value, imm(power, Type::W)]));
        b.emit(scalar(Opcode::Add, temp(0), &[temp(0), temp(3)]));
    }
    // The start of its block, in OWords or bytes.
    if !lsc {
        b.emit(
            Op::new(Opcode::Mov, 8)
                .no_mask()
                .dst(grf(40).ty(Type::Ud))
                .src(grf(0).ty(Type::Ud)),
        );
    }
    let (place, power) = if lsc { (0, 6) } else { (2, 2) };
    let place = grf(40).element(place, Type::Ud);
    b.emit(scalar(Opcode::Shl, place, &[temp(0), imm(power, Type::W)]));

    let message = if lsc {
        Message::Lsc(Lsc::Vector {
            port: LscPort::Ugm,
            direction: Direction::Write,
            address: LscAddress::Bti {
                index: 0,
                offset: 0,
            },
            address_size: AddressSize::A32,
            data: DataSize::D32,
            elements: BLOCK as u8,
            transpose: true,
            strided: false,
            cache: CacheControl::DEFAULT,
        })
    } else {
        Message::Hdc(Hdc::OwordBlock {
            direction: Direction::Write,
            address: HdcAddress::A32(HdcSurface::Bti(0)),
            alignment: BlockAlignment::Oword,
            count: OwordCount::Four,
            port: BlockPort::Data,
        })
    };
    let len = (BLOCK * 4 / family.grf_bytes()) as u8;
    let together = family == Family::Gen8;
    b.send(SendOp {
        message,
        exec_size: if lsc { 1 } else { 16 },
        no_mask: true,
        response: Payload {
            reg: null(),
            len: 0,
        },
        src0: Payload {
            reg: grf(40),
            len: if together { 1 + len } else { 1 },
        },
        header: !lsc,
        src1: (!together).then_some(Payload { reg: grf(41), len }),
        extended: None,
        eot: false,
    })?;
    b.end_of_thread(grf(127))
}

fn expected() -> Vec<i32> {
    let groups = GLOBAL[0].div_ceil(u64::from(LOCAL[0])) as usize;
    let items = LOCAL.iter().product::<u32>() as usize;
    let mut out = vec![0; groups * items * BLOCK];
    for group in 0..groups as u32 {
        let width = LOCAL[0].min(GLOBAL[0] as u32 - group * LOCAL[0]);
        for (x, y, z) in (0..LOCAL[2])
            .flat_map(|z| (0..LOCAL[1]).map(move |y| (y, z)))
            .flat_map(|(y, z)| (0..width).map(move |x| (x, y, z)))
        {
            let item = (x + 4 * y + 12 * z + 24 * group) as usize;
            let block = &mut out[item * BLOCK..][..BLOCK];
            block.fill(LANE);
            for (to, id) in block.iter_mut().zip([x, y, z, group]) {
                *to = id as i32;
            }
        }
    }
    out
}

#[test]
fn every_item_is_a_thread_with_packed_ids() {
    for platform in [
        "bdw", "skl", "icl", "tgl", "dg2", "mtl", "pvc", "lnl", "bmg", "ptl",
    ] {
        let target = Target::parse(platform).unwrap();
        let mut b = Builder::new(target.platform);
        let built = body(&mut b).and_then(|()| b.finish());
        let built = built.unwrap_or_else(|error| panic!("{platform}: {error}"));
        let text = format!(
            "//.platform {platform}\n//.kernel k\n//.simd 1\n//.ids xyz\n//.arg out buf:0\n\
             //.local 4,3,2\n{}",
            built.text
        );
        let binary = Binary::assemble(&text, None).unwrap_or_else(|e| panic!("{platform}: {e}"));
        let device = device(&format!("soft:{platform}"));
        let program = Program::new(&device, binary).unwrap();
        let mut kernel = program.kernel("k").unwrap();
        assert_eq!(kernel.info().simd, 1);
        let expected = expected();
        let out = device.buffer(expected.len() as u64 * 4).unwrap();
        kernel.set_arg(0, Arg::Buffer(&out)).unwrap();
        let range = NdRange::new(&GLOBAL).unwrap().with_local(&LOCAL).unwrap();
        let queue = device.queue(QueueOptions::default()).unwrap();
        let event = queue.enqueue(&kernel, &range, &[]).unwrap();
        event
            .wait(Duration::from_secs(60))
            .unwrap_or_else(|error| panic!("{platform}: {error}\n{text}"));
        let mut bytes = vec![0; expected.len() * 4];
        out.read(0, &mut bytes).unwrap();
        let got: Vec<i32> = bytes
            .as_chunks()
            .0
            .iter()
            .map(|bytes| i32::from_le_bytes(*bytes))
            .collect();
        let differs = got
            .chunks(BLOCK)
            .zip(expected.chunks(BLOCK))
            .position(|(a, b)| a != b);
        if let Some(item) = differs {
            let at = item * BLOCK..(item + 1) * BLOCK;
            panic!("{platform}: item {item} wrote {:?}\n{text}", &got[at]);
        }
    }
}
