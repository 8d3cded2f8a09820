//! Batches of dwords that look like packets.

use arbitrary::{Arbitrary, Result, Unstructured};
use batchbuffer::packets::PacketId;
use batchbuffer::{Batch, Engine, Engines};
use devinfo::{Family, GpuAddress};
use kmd_iface::KmdError;

use super::soft::{self, BATCH, DATA, SIZE, Submitter};
use super::{AnyDriven, AnyFamily, Target, grow};

/// Batches that are decoded and printed.
pub const WALK: Target = Target {
    name: "batch",
    rounds: 3000,
    check: |u| grow(u, walk),
};

/// Batches that the software GPU executes.
pub const SUBMIT: Target = Target {
    name: "submit",
    rounds: 1000,
    check: |u| grow(u, submit),
};

/// Headers of packets that do something (opcode bits; lengths vary).
const HEADERS: [u32; 24] = [
    0x0000_0000,
    0x0500_0000,
    0x1000_0002,
    0x1100_0001,
    0x1200_0002,
    0x1300_0003,
    0x1480_0002,
    0x1500_0001,
    0x1700_0003,
    0x1780_0001,
    0x1880_0101,
    0x1b00_0002,
    0x0e00_0002,
    0x0d00_0000,
    0x6101_0014,
    0x6102_0001,
    0x6904_0302,
    0x6105_0000,
    0x7000_0007,
    0x7001_0002,
    0x7002_0002,
    0x7004_0000,
    0x7105_000d,
    0x7a00_0004,
];

/// A batch for the render engine.
#[derive(Clone, Debug)]
pub struct AnyBatch {
    /// The family of the packets.
    pub family: Family,
    /// The dwords.
    pub dwords: Vec<u32>,
}

impl AnyBatch {
    /// A batch for `family`.
    ///
    /// # Errors
    /// If `u` runs out.
    pub fn of(family: Family, u: &mut Unstructured<'_>) -> Result<Self> {
        let mut dwords = Vec::new();
        for _ in 0..u.int_in_range(1..=24)? {
            let mut header = *u.choose(&HEADERS)?;
            if u.ratio(1, 8)? {
                header ^= 1 << u.int_in_range(0..=31)?;
            }
            dwords.push(header);
            for _ in 0..u.int_in_range(0..=21)? {
                let kind = u.int_in_range(0..=3)?;
                dwords.push(match kind {
                    0 => 0,
                    1 => u32::from(u.arbitrary::<u8>()?) << 12 | 1,
                    2 => u.arbitrary::<u16>()?.into(),
                    _ => u.arbitrary()?,
                });
            }
        }
        Ok(Self { family, dwords })
    }
}

impl<'a> Arbitrary<'a> for AnyBatch {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let AnyFamily(family) = u.arbitrary()?;
        Self::of(family, u)
    }
}

/// Walks and prints the batch: every dword belongs to one step, and the walk ends.
///
/// # Panics
/// If the product does, or if steps overlap or leave dwords out.
pub fn walk(batch: &AnyBatch) {
    let start = GpuAddress::new(0x1000);
    let mut next = 0;
    for step in Batch::new(batch.family, Engine::Render, start, &batch.dwords) {
        assert_eq!(step.offset, next, "a step begins where the one before ends");
        let ends = next == batch.dwords.len();
        assert!(
            ends == step.dwords.is_empty(),
            "only the end of the dwords has none"
        );
        assert!(
            !ends || step.packet.is_err(),
            "the end of the dwords is no packet"
        );
        next = step.offset + step.dwords.len();
        assert!(!step.to_string().is_empty());
    }
    assert!(next <= batch.dwords.len());
}

/// Packets of the engine that runs kernels, with random fields; addresses are often in bound
/// memory.
#[derive(Clone, Debug)]
pub struct Packets {
    on: AnyDriven,
    dwords: Vec<u32>,
}

impl<'a> Arbitrary<'a> for Packets {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let on: AnyDriven = u.arbitrary()?;
        let family = on.platform.family;
        // Ponte Vecchio has no others.
        let engine = match family {
            Family::XeHpc => Engine::Compute,
            _ => Engine::Render,
        };
        let packets: Vec<_> = PacketId::ALL
            .iter()
            .map(|id| id.layout())
            .filter(|layout| layout.engines.contains(Engines::from(engine)))
            .filter_map(|layout| Some((layout.header?, layout.length(family)?)))
            .collect();
        let mut dwords = Vec::new();
        for _ in 0..u.int_in_range(1..=16)? {
            let (header, length) = *u.choose(&packets)?;
            let count = match u.ratio(1, 20)? {
                true => u.int_in_range(1..=40)?,
                false => length.dwords,
            };
            let field = match length.field {
                Some(_) => u32::from(count.saturating_sub(2)),
                None => 0,
            };
            let flags = match u.ratio(1, 4)? {
                true => u32::from(u.arbitrary::<u8>()?) << 8,
                false => 0,
            };
            dwords.push(header | field | flags);
            let mut left = count.saturating_sub(1);
            while left > 0 {
                let base = if u.ratio(1, 4)? { BATCH } else { DATA };
                let address = base.get() + u.int_in_range(0..=SIZE + 0x1000)?;
                match u.int_in_range(0..=3)? {
                    0 if left >= 2 => {
                        dwords.extend([address as u32 & !7, (address >> 32) as u32]);
                        left -= 1;
                    }
                    1 => dwords.push(u.arbitrary()?),
                    _ => dwords.push(u.int_in_range(0..=15)?),
                }
                left -= 1;
            }
        }
        Ok(Self { on, dwords })
    }
}

/// Executes the batch: it ends, or its queue is lost with a reason, and the next one runs.
///
/// # Panics
/// If the product does, or if the device does not work afterwards.
pub fn submit(packets: &Packets) {
    const END: u32 = 0x0500_0000;
    Submitter::with(packets.on, |submitter| {
        let mut dwords = packets.dwords.clone();
        dwords.extend([END, 0]);
        match submitter.run(&dwords) {
            Ok(()) => {}
            Err(KmdError::QueueLost { .. }) => {
                let after = submitter.run(&[END, 0]);
                assert!(after.is_ok(), "after a lost queue: {after:?}");
            }
            Err(other) => panic!("{other}, not within {:?}", soft::DEADLINE),
        }
    });
}
