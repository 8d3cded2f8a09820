//! Loading and storing lanes.

use crate::convert;
use crate::level::Level;
use crate::operand::{Destination, Element, Form, Reading, Source};
use crate::vector::Modes;
use crate::word::Word;

/// The lanes of a source, modifiers applied, denormal floats flushed if the mode says so.
#[inline(always)]
pub(crate) fn load<L: Level, W: Word, const N: usize>(
    bytes: &[u8],
    source: &Source,
    reading: Reading,
    modes: Modes,
) -> [W; N] {
    #[inline(never)]
    fn shared<W: Word, const N: usize>(
        bytes: &[u8],
        source: &Source,
        reading: Reading,
        modes: Modes,
    ) -> [W; N] {
        own(bytes, source, reading, modes)
    }
    match L::SHARES {
        true => shared(bytes, source, reading, modes),
        false => own(bytes, source, reading, modes),
    }
}

#[inline(always)]
fn own<W: Word, const N: usize>(
    bytes: &[u8],
    source: &Source,
    reading: Reading,
    modes: Modes,
) -> [W; N] {
    let at = source.region.at as usize;
    let mut lanes: [W; N] = match source.form {
        Form::Packed => match W::load(bytes, at) {
            Some(lanes) => lanes,
            None => region(bytes, source, reading, modes),
        },
        Form::Constant => [W::of(source.constant); N],
        Form::Broadcast => match W::load::<1>(bytes, at) {
            Some([lane]) => [lane; N],
            None => [W::ZERO; N],
        },
        Form::Scalar => [W::of(scalar(bytes, at, source.element)); N],
        Form::Narrow | Form::Region => region(bytes, source, reading, modes),
    };
    let (keep, flip) = (W::of(source.keep), W::of(source.flip));
    match reading {
        Reading::Float => {
            for lane in &mut lanes {
                *lane = (*lane & keep) ^ flip;
            }
            if modes.flushes_words(W::BYTES) {
                for lane in &mut lanes {
                    *lane = lane.flushed();
                }
            }
        }
        Reading::Bits => {
            for lane in &mut lanes {
                *lane = *lane ^ flip;
            }
        }
        Reading::Integer => {
            if source.absolute {
                for lane in &mut lanes {
                    *lane = lane.magnitude();
                }
            }
            for lane in &mut lanes {
                *lane = (*lane ^ flip).wrapping_sub(flip);
            }
        }
    }
    lanes
}

/// One integer element.
#[inline(never)]
fn scalar(bytes: &[u8], at: usize, element: Element) -> u64 {
    let tail = bytes.get(at..).unwrap_or_default();
    let raw = match element.bytes() {
        1 => tail
            .first_chunk()
            .copied()
            .map_or(0, |[byte]: [u8; 1]| byte.into()),
        2 => tail
            .first_chunk()
            .copied()
            .map_or(0, |word| u16::from_le_bytes(word).into()),
        4 => tail
            .first_chunk()
            .copied()
            .map_or(0, |word| u32::from_le_bytes(word).into()),
        _ => tail.first_chunk().copied().map_or(0, u64::from_le_bytes),
    };
    element.extend(raw)
}

/// Any region and element type.
#[inline(never)]
fn region<W: Word, const N: usize>(
    bytes: &[u8],
    source: &Source,
    reading: Reading,
    modes: Modes,
) -> [W; N] {
    match source.element {
        Element::Ub => each(bytes, source, |[a]: [u8; 1]| W::of(a.into())),
        Element::B => each(bytes, source, |[a]: [u8; 1]| W::of(a as i8 as u64)),
        Element::Uw => each(bytes, source, |a| W::of(u16::from_le_bytes(a).into())),
        Element::W => each(bytes, source, |a| W::of(i16::from_le_bytes(a) as u64)),
        Element::Ud | Element::F => each(bytes, source, |a| W::of(u32::from_le_bytes(a).into())),
        Element::D => each(bytes, source, |a| W::of(i32::from_le_bytes(a) as u64)),
        Element::Uq | Element::Q | Element::Df => {
            each(bytes, source, |a| W::of(u64::from_le_bytes(a)))
        }
        Element::Hf if reading != Reading::Float => {
            each(bytes, source, |a| W::of(u16::from_le_bytes(a).into()))
        }
        Element::Hf => {
            let halves = each(bytes, source, |a| u32::from(u16::from_le_bytes(a)));
            halves_to_lanes(&halves, modes)
        }
    }
}

#[inline(always)]
fn halves_to_lanes<W: Word, const N: usize>(halves: &[u32; N], modes: Modes) -> [W; N] {
    core::array::from_fn(|i| {
        let half = if modes.contains(Modes::FLUSH_HALF) {
            flushed_half(halves[i])
        } else {
            halves[i]
        };
        W::of(convert::half_to_single(half).into())
    })
}

#[inline(always)]
fn flushed_half(half: u32) -> u32 {
    half & if half & 0x7c00 == 0 { 0x8000 } else { 0xffff }
}

#[inline(always)]
fn each<W: Word, const B: usize, const N: usize>(
    bytes: &[u8],
    source: &Source,
    lane: impl Fn([u8; B]) -> W,
) -> [W; N] {
    let region = &source.region;
    // As with packed lanes, with fewer than `N` lanes the rest do not matter.
    if source.form == Form::Narrow
        && let Some(tail) = bytes.get(region.at as usize..)
        && let Some(elements) = tail.as_chunks::<B>().0.first_chunk::<N>()
    {
        return core::array::from_fn(|i| lane(elements[i]));
    }
    let mut out = [W::ZERO; N];
    let (mut row, mut at, mut column) = (region.at as usize, region.at as usize, 0);
    for out in out.iter_mut().take(source.lanes.into()) {
        if let Some(element) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
            *out = lane(*element);
        }
        column += 1;
        at += usize::from(region.horizontal);
        if column == region.width {
            row += usize::from(region.vertical);
            (at, column) = (row, 0);
        }
    }
    out
}

/// All ones in the lanes whose bit of `mask` is set.
#[inline(always)]
pub(crate) fn spread<W: Word, const N: usize>(mask: u32) -> [W; N] {
    core::array::from_fn(|i| if mask & 1 << i != 0 { W::ONES } else { W::ZERO })
}

/// One bit for each lane that is all ones (lanes are all ones or zero).
#[inline(always)]
pub(crate) fn collect<W: Word, const N: usize>(lanes: &[W; N]) -> u32 {
    let mut bits = 0;
    for (i, lane) in lanes.iter().enumerate() {
        bits |= lane.wide() as u32 & 1 << i;
    }
    bits
}

/// Stores the lanes in `mask`, as the low bits of the destination's elements.
#[inline(always)]
pub(crate) fn store<L: Level, W: Word, const N: usize>(
    bytes: &mut [u8],
    destination: &Destination,
    mask: u32,
    lanes: &[W; N],
) {
    #[inline(never)]
    fn shared<W: Word, const N: usize>(
        bytes: &mut [u8],
        destination: &Destination,
        mask: u32,
        lanes: &[W; N],
    ) {
        put_all(bytes, destination, mask, lanes);
    }
    match L::SHARES {
        true => shared(bytes, destination, mask, lanes),
        false => put_all(bytes, destination, mask, lanes),
    }
}

#[inline(always)]
fn put_all<W: Word, const N: usize>(
    bytes: &mut [u8],
    destination: &Destination,
    mask: u32,
    lanes: &[W; N],
) {
    if !destination.packed {
        return scatter(bytes, destination, mask, lanes);
    }
    let at = destination.at as usize;
    if mask == u32::MAX >> (32 - N) {
        W::store(bytes, at, lanes);
    } else {
        W::blend(bytes, at, lanes, &spread(mask));
    }
}

/// Any destination stride and element size.
#[inline(never)]
fn scatter<W: Word, const N: usize>(
    bytes: &mut [u8],
    destination: &Destination,
    mask: u32,
    lanes: &[W; N],
) {
    if destination.null {
        return;
    }
    match destination.element.bytes() {
        1 => put(bytes, destination, mask, lanes, |lane| [lane.wide() as u8]),
        2 => put(bytes, destination, mask, lanes, |lane| {
            (lane.wide() as u16).to_le_bytes()
        }),
        4 => put(bytes, destination, mask, lanes, |lane| {
            (lane.wide() as u32).to_le_bytes()
        }),
        _ => put(bytes, destination, mask, lanes, |lane| {
            lane.wide().to_le_bytes()
        }),
    }
}

#[inline(always)]
fn put<W: Word, const B: usize, const N: usize>(
    bytes: &mut [u8],
    destination: &Destination,
    mask: u32,
    lanes: &[W; N],
    element: impl Fn(W) -> [u8; B],
) {
    let mut at = destination.at as usize;
    for (i, lane) in lanes.iter().enumerate() {
        if mask >> i & 1 != 0
            && let Some(to) = bytes.get_mut(at..).and_then(<[u8]>::first_chunk_mut)
        {
            *to = element(*lane);
        }
        at += usize::from(destination.stride);
    }
}

/// Singles rounded to halves, denormal halves flushed if the mode says so.
#[inline(always)]
pub(crate) fn to_halves<const N: usize>(lanes: &mut [u32; N], modes: Modes) {
    for lane in lanes.iter_mut() {
        *lane = convert::single_to_half(*lane);
    }
    if modes.contains(Modes::FLUSH_HALF) {
        for lane in lanes {
            *lane = flushed_half(*lane);
        }
    }
}
