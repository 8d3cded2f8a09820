//! Properties that hold for every layout, family and value, checked on random
//! ones. A failure prints the seed that repeats it.

#![cfg(test)]

use arbitrary::{Result, Unstructured};
use batchbuffer::packets::mi_math;
use batchbuffer::print::{Fields, fields};
use batchbuffer::{
    Batch, Builder, EncodeError, Engine, Field, Kind, Layout, PacketId, Row, View, decode, states,
};
use devinfo::{Family, GpuAddress};
use oracles::Random;

/// Fixed, so that every run sees the same cases.
const SEED: u64 = 0x5eed_0001;

/// Runs `property` on `cases` random inputs and says which one failed.
fn check(cases: u64, property: impl Fn(&mut Unstructured<'_>) -> Result<()>) {
    let mut complete = 0;
    for case in 0..cases {
        let bytes = Random::new(SEED.wrapping_add(case << 20)).bytes(512);
        let run = || property(&mut Unstructured::new(&bytes));
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
            Ok(Ok(())) => complete += 1,
            Ok(Err(_)) => {}
            Err(panic) => {
                eprintln!("seed {SEED:#x}, case {case}");
                std::panic::resume_unwind(panic);
            }
        }
    }
    // A generator that ran out of bytes proves nothing.
    assert!(complete * 10 > cases * 9, "{complete} of {cases} complete");
}

fn layouts() -> Vec<&'static Layout> {
    let packets = PacketId::ALL.iter().map(|id| id.layout());
    packets.chain(states::ALL.iter().copied()).collect()
}

/// Every layout on every family that has it.
fn pairs() -> Vec<(&'static Layout, Family)> {
    layouts()
        .into_iter()
        .flat_map(|layout| Family::ALL.map(|family| (layout, family)))
        .filter(|(layout, family)| layout.length(*family).is_some())
        .collect()
}

fn engine(layout: &Layout) -> Engine {
    use batchbuffer::Engines;
    [
        (Engines::RENDER, Engine::Render),
        (Engines::BLITTER, Engine::Blitter),
        (Engines::VIDEO, Engine::Video),
    ]
    .into_iter()
    .find(|(bit, _)| layout.engines.contains(*bit))
    .map(|(_, engine)| engine)
    .expect("a packet has an engine")
}

/// A raw value that fits, biased to the edges.
fn raw(u: &mut Unstructured<'_>, row: &Row) -> Result<u64> {
    let mask = row.mask();
    Ok(match u.int_in_range(0..=3)? {
        0 => 0,
        1 => mask,
        2 => 1 << u.int_in_range(0..=row.bits().min(64) - 1)?,
        _ => u.arbitrary::<u64>()? & mask,
    })
}

/// Sets a field to raw bits in the form in which callers give them.
fn set(builder: Builder, field: &'static Field, row: &Row, raw: u64) -> Builder {
    match row.kind {
        Kind::Int => {
            let unused = 64 - row.bits();
            builder.set(field, (raw << unused) as i64 >> unused)
        }
        Kind::Address if row.hi >= 63 => builder.set(field, GpuAddress::new(raw << row.lo)),
        Kind::Address | Kind::Offset | Kind::Register => builder.set(field, raw << row.lo),
        _ => builder.set(field, raw),
    }
}

#[test]
fn what_is_set_is_read() {
    let pairs = pairs();
    check(20_000, |u| {
        let &(layout, family) = u.choose(&pairs)?;
        let candidates: Vec<&'static Field> = layout
            .fields
            .iter()
            .copied()
            .filter(|f| {
                f.row(family)
                    .is_some_and(|r| !matches!(r.kind, Kind::State(_) | Kind::One))
            })
            .collect();
        if candidates.is_empty() {
            return Ok(());
        }
        let field = *u.choose(&candidates)?;
        let row = field.row(family).expect("it was filtered");
        let value = raw(u, row)?;
        let dwords = set(Builder::new(family, layout), field, row, value)
            .finish()
            .unwrap_or_else(|error| panic!("{error}"));
        let view = View::new(family, layout, &dwords);
        let expected = match row.kind {
            Kind::Address if row.hi >= 63 => GpuAddress::new(value << row.lo).canonical(),
            Kind::Address | Kind::Offset | Kind::Register => value << row.lo,
            _ => value,
        };
        // A packet of open length may end within its last field.
        assert_eq!(
            view.get(field),
            expected,
            "{} {family} {}",
            layout.name,
            field.name
        );
        // Nothing but the field, the header and the bits that must be one.
        let empty = Builder::new(family, layout).finish().expect("it exists");
        let mut rest = dwords.clone();
        let zero = set(
            Builder::new(family, layout).at_least(dwords.len()),
            field,
            row,
            0,
        )
        .finish()
        .expect("zero fits");
        assert_eq!(&zero[1..empty.len()], &empty[1..]);
        for (i, dword) in rest.iter_mut().enumerate() {
            let from = (row.start()).max(i * 32);
            let to = (row.start() + row.bits() as usize).min(i * 32 + 32);
            for bit in from..to {
                *dword &= !(1 << (bit % 32));
            }
        }
        assert_eq!(rest, zero, "{} {family} {}", layout.name, field.name);
        Ok(())
    });
}

#[test]
fn packets_decode_to_themselves() {
    let pairs: Vec<_> = pairs()
        .into_iter()
        .filter(|(layout, _)| layout.header.is_some())
        .collect();
    check(20_000, |u| {
        let &(layout, family) = u.choose(&pairs)?;
        let mut builder = Builder::new(family, layout);
        for _ in 0..u.int_in_range(0..=6)? {
            let field = *u.choose(layout.fields).unwrap_or(&mi_math::INSTRUCTION);
            let Some(row) = field.row(family) else {
                continue;
            };
            // Bits of the header are not a packet's to change.
            if matches!(row.kind, Kind::State(_)) || field.layout != layout.name {
                continue;
            }
            let value = raw(u, row)?;
            builder = set(builder, field, row, value);
        }
        let dwords = builder.finish().unwrap_or_else(|error| panic!("{error}"));
        let packet = decode(family, engine(layout), &dwords)
            .unwrap_or_else(|error| panic!("{} {family}: {error}", layout.name));
        assert_eq!(packet.name(), layout.name, "{family}");
        assert_eq!(packet.issue, None, "{} {family}", layout.name);
        assert_eq!(packet.len(), dwords.len());
        Ok(())
    });
}

#[test]
fn what_does_not_fit_is_refused() {
    for (layout, family) in pairs() {
        for &field in layout.fields {
            let Some(row) = field.row(family) else {
                continue;
            };
            if row.bits() >= 48 || matches!(row.kind, Kind::State(_)) {
                continue;
            }
            let builder = Builder::new(family, layout);
            let too_much = row.mask() + 1;
            let result = match row.kind {
                Kind::Int => builder.set(field, too_much as i64),
                Kind::Address | Kind::Offset | Kind::Register => {
                    builder.set(field, too_much << row.lo)
                }
                _ => builder.set(field, too_much),
            };
            assert!(
                matches!(result.finish(), Err(EncodeError::DoesNotFit { .. })),
                "{} {family} {}",
                layout.name,
                field.name
            );
            if matches!(row.kind, Kind::Address | Kind::Offset | Kind::Register) && row.lo > 0 {
                let result = Builder::new(family, layout).set(field, 1u64).finish();
                assert!(matches!(result, Err(EncodeError::Misaligned { .. })));
            }
        }
    }
}

#[test]
fn random_dwords_are_walked_to_their_end() {
    let headers: Vec<u32> = PacketId::ALL
        .iter()
        .filter_map(|id| id.layout().header)
        .collect();
    check(3_000, |u| {
        let family = *u.choose(&Family::ALL)?;
        let engine = *u.choose(&[
            Engine::Render,
            Engine::Compute,
            Engine::Blitter,
            Engine::Video,
            Engine::VideoEnhance,
        ])?;
        let mut dwords = Vec::new();
        for _ in 0..u.int_in_range(0..=64)? {
            dwords.push(match u.int_in_range(0..=2)? {
                0 => *u.choose(&headers)? | u.int_in_range(0..=24)?,
                1 => u.int_in_range(0..=1)?,
                _ => u.arbitrary()?,
            });
        }
        let mut at = 0;
        for step in Batch::new(family, engine, GpuAddress::new(0x1000), &dwords) {
            assert_eq!(step.offset, at, "steps follow each other");
            at += step.dwords.len();
            assert!(at <= dwords.len());
            let text = step.to_string();
            assert!(!text.is_empty());
            if let Ok(packet) = step.packet {
                for value in fields(&packet) {
                    let _ = value.to_string();
                }
                let _ = Fields::new(*packet, 0, true).to_string();
                let other = u.choose(PacketId::ALL)?.layout();
                for &field in packet.layout().fields.iter().chain(other.fields) {
                    let _ = (packet.get(field), packet.count(field), packet.state(field));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn every_packet_is_found_by_its_header() {
    for &id in PacketId::ALL {
        let layout = id.layout();
        let header = layout.header.expect("a packet has a header");
        assert_eq!(header & layout.header_mask(), header, "{}", layout.name);
        for family in Family::ALL {
            if layout.length(family).is_none() {
                assert!(matches!(
                    Builder::new(family, layout).finish(),
                    Err(EncodeError::NoSuchLayout { .. })
                ));
                continue;
            }
            let dwords = Builder::new(family, layout).finish().expect("it exists");
            let packet = decode(family, engine(layout), &dwords).expect("it is known");
            assert_eq!(packet.id, id, "{family}");
        }
    }
}
