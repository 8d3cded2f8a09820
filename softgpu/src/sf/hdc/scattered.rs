//! Gather and scatter messages: an address for each channel.

use std::borrow::Cow;

use isa_encoder::message::{Direction, HdcAddress};

use super::{Context, header};
use crate::Fault;
use crate::sf::payload::{Lanes, Response, channels, lane, lane32, lane64};
use crate::sf::place::Place;

/// The addresses of a message, and where its data begins.
pub(super) struct Addresses<'a> {
    bytes: Cow<'a, [u8]>,
    wide: bool,
    /// The byte of the payload at which data begins.
    pub data_at: usize,
}

impl<'a> Addresses<'a> {
    pub(super) fn of(context: &Context<'a>, address: HdcAddress, simd: u8) -> Result<Self, Fault> {
        let wide = matches!(address, HdcAddress::A64 { .. });
        let at = context.addresses_at();
        let len = usize::from(simd) * if wide { 8 } else { 4 };
        Ok(Self {
            bytes: context.payload.bytes(at, len)?,
            wide,
            data_at: at + len,
        })
    }

    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> u64 {
        if self.wide {
            lane64(&self.bytes, lane)
        } else {
            lane32(&self.bytes, lane).into()
        }
    }

    /// The first address when the addresses of all `lanes` lanes are consecutive elements of
    /// `width` bytes.
    #[inline]
    fn consecutive(&self, lanes: usize, width: u64) -> Option<u64> {
        let first = self.get(0);
        let last = first.checked_add(width * (lanes as u64 - 1))?;
        if self.get(lanes - 1) != last || (!self.wide && last > u64::from(u32::MAX)) {
            return None;
        }
        (1..lanes)
            .all(|lane| self.get(lane) == first + width * lane as u64)
            .then_some(first)
    }
}

/// The channels that an untyped message serves: the header can take some away.
pub(super) fn served(context: &Context<'_>, simd: u8) -> Result<u32, Fault> {
    let live = channels(context.mask, simd);
    if !context.header {
        return Ok(live);
    }
    Ok(live & (context.header_dword(header::CHANNEL_MASK)? | !0xffff))
}

const fn all(simd: u8) -> u32 {
    channels(u32::MAX, simd)
}

/// Bytes, words or dwords, each in a dword of the register.
pub(super) fn byte(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    address: HdcAddress,
    bytes: u8,
    simd: u8,
) -> Result<(), Fault> {
    let place = context.place(address)?;
    let addresses = Addresses::of(context, address, simd)?;
    let width = usize::from(bytes);
    let live = channels(context.mask, simd);
    match direction {
        Direction::Read => {
            let mut response = Response::new(dst, usize::from(simd) * 4)?;
            for lane in Lanes(live) {
                let value = place.load(addresses.get(lane), width)?;
                response.put32(0, lane, value as u32);
            }
        }
        Direction::Write => {
            let data = context
                .payload
                .bytes(addresses.data_at, usize::from(simd) * 4)?;
            for lane in Lanes(live) {
                place.store(addresses.get(lane), width, lane32(&data, lane).into())?;
            }
        }
    }
    Ok(())
}

/// `size` is the element's bytes and the number of consecutive elements of each channel;
/// element e of all channels is together.
pub(super) fn elements(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    address: HdcAddress,
    size: (u8, u8),
    simd: u8,
) -> Result<(), Fault> {
    let (width, elements) = (usize::from(size.0), usize::from(size.1));
    let components = (0..elements).map(|element| (element, element as u64 * width as u64));
    planar(
        context,
        dst,
        direction,
        address,
        width,
        components,
        simd,
        channels(context.mask, simd),
    )
}

/// Up to four dwords for each channel; only enabled components are in registers.
pub(super) fn untyped(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    address: HdcAddress,
    components: u8,
    simd: u8,
) -> Result<(), Fault> {
    let live = served(context, simd)?;
    if components == 1 && live == all(simd) {
        return one_dword(context, dst, direction, address, simd);
    }
    let components = Lanes(components.into())
        .enumerate()
        .map(|(plane, component)| (plane, 4 * component as u64));
    planar(context, dst, direction, address, 4, components, simd, live)
}

/// The commonest message: one dword for each of all channels.
fn one_dword(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    address: HdcAddress,
    simd: u8,
) -> Result<(), Fault> {
    let place = context.place(address)?;
    let addresses = Addresses::of(context, address, simd)?;
    let lanes = usize::from(simd);
    let consecutive = addresses.consecutive(lanes, 4);
    match direction {
        Direction::Read => {
            let mut response = Response::new(dst, lanes * 4)?;
            if let (Some(first), Some(out)) = (consecutive, response.span(0, lanes * 4)) {
                return place.read(first, out);
            }
            for lane in 0..lanes {
                response.put32(0, lane, place.load32(addresses.get(lane))?);
            }
        }
        Direction::Write => {
            let data = context.payload.bytes(addresses.data_at, lanes * 4)?;
            if let Some(first) = consecutive {
                return place.write(first, &data);
            }
            for lane in 0..lanes {
                place.store32(addresses.get(lane), lane32(&data, lane))?;
            }
        }
    }
    Ok(())
}

/// Elements of `width` bytes; `components` gives each register plane and its byte offset.
#[expect(clippy::too_many_arguments, reason = "the parts of one message")]
fn planar(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    address: HdcAddress,
    width: usize,
    components: impl Iterator<Item = (usize, u64)> + Clone,
    simd: u8,
    live: u32,
) -> Result<(), Fault> {
    let place = context.place(address)?;
    let addresses = Addresses::of(context, address, simd)?;
    let plane_bytes = usize::from(simd) * width;
    let bytes = components.clone().count() * plane_bytes;
    let offset =
        |lane: usize, component: u64| element(&place, addresses.get(lane), component, address);
    match direction {
        Direction::Read => {
            let mut response = Response::new(dst, bytes)?;
            for (plane, component) in components {
                for lane in Lanes(live) {
                    let value = place.load(offset(lane, component), width)?;
                    response.put(plane * plane_bytes + lane * width, width, value);
                }
            }
        }
        Direction::Write => {
            let data = context.payload.bytes(addresses.data_at, bytes)?;
            for (plane, component) in components {
                for channel in Lanes(live) {
                    let value = lane(&data, plane * plane_bytes + channel * width, width);
                    place.store(offset(channel, component), width, value)?;
                }
            }
        }
    }
    Ok(())
}

/// A component's address. 32-bit offsets into a surface do not wrap around into its beginning;
/// stateless ones wrap at 4 GiB.
fn element(place: &Place<'_>, address: u64, component: u64, model: HdcAddress) -> u64 {
    let sum = address.wrapping_add(component);
    match (model, place) {
        (HdcAddress::A64 { .. }, _) => sum,
        (_, Place::Memory { bytes, .. }) if *bytes == crate::sf::place::UNBOUNDED => {
            sum & u64::from(u32::MAX)
        }
        _ => sum,
    }
}
