//! Typed accesses: texels of images, converted by the surface's format.

use std::iter;
use std::ops::Range;

use isa_encoder::message::{AtomicOp, Direction};

use super::atomic::apply;
use super::execute::not_modelled;
use super::payload::{Lanes, Payload, Response, lane, lane32};
use super::place::{Place, UNBOUNDED};
use super::surface::{Cursor, LANES, Surface, SurfaceKind};
use crate::check::{Access, Beside, What};
use crate::{Checks, Fault};
use softgpu_memory::View;

/// Texel coordinates from the parameters u, v and r of a payload: x, y and slice or array element. What
/// a surface does not have is `zero`.
#[inline(always)]
pub(super) fn coordinates<T>(surface: &Surface, parameters: [T; 3], zero: [T; 2]) -> [T; 3] {
    let [u, v, r] = parameters;
    let [y, z] = zero;
    match surface.kind {
        SurfaceKind::Image1d if surface.array => [u, y, v],
        SurfaceKind::Image2d if surface.array => [u, v, r],
        SurfaceKind::Image2d => [u, v, z],
        SurfaceKind::Image3d | SurfaceKind::Cube => [u, v, r],
        _ => [u, y, z],
    }
}

/// The same of all channels.
#[inline(always)]
pub(super) fn all_coordinates(
    surface: &Surface,
    parameters: [[u32; LANES]; 3],
) -> [[u32; LANES]; 3] {
    coordinates(surface, parameters, [[0; LANES]; 2])
}

/// A typed message: a plane of each coordinate, then planes of data.
pub(super) struct Texels<'a> {
    pub view: &'a View<'a>,
    pub checks: Option<&'a Checks>,
    pub surface: Surface,
    pub payload: Payload<'a>,
    /// Where coordinates begin.
    pub at: usize,
    /// Dwords of a plane.
    pub lanes: usize,
    /// Live channels, below `lanes`.
    pub live: u32,
}

/// Planes of dwords.
struct Planes<'a> {
    planes: [&'a [u8]; 4],
    /// Where they begin in the payload.
    at: usize,
    /// Bytes of one.
    bytes: usize,
}

impl Planes<'_> {
    /// A channel's dwords: 0 where there is no plane.
    #[inline]
    fn get(&self, lane: usize) -> [u32; 4] {
        self.planes.map(|plane| lane32(plane, lane))
    }

    /// The texel coordinates of a channel.
    #[inline]
    fn coordinates(&self, surface: &Surface, lane: usize) -> [u32; 3] {
        let [u, v, r, _] = self.get(lane);
        coordinates(surface, [u, v, r], [0; 2])
    }

    /// Those of all channels.
    #[inline(always)]
    fn all_coordinates(&self, surface: &Surface) -> [[u32; LANES]; 3] {
        let [u, v, r, _] = self.planes.map(dwords);
        all_coordinates(surface, [u, v, r])
    }

    /// The bytes of the payload that have a channel's dword of a plane.
    fn range(&self, plane: usize, lane: usize) -> Range<usize> {
        let at = self.at + plane * self.bytes + lane * 4;
        at..at + 4
    }
}

/// The dwords of a plane: 0 where it has none.
#[inline(always)]
pub(super) fn dwords(plane: &[u8]) -> [u32; LANES] {
    let mut dwords = [0; LANES];
    for (dword, bytes) in dwords.iter_mut().zip(plane.as_chunks().0) {
        *dword = u32::from_le_bytes(*bytes);
    }
    dwords
}

impl<'a> Texels<'a> {
    fn plane(&self) -> usize {
        self.lanes * 4
    }

    /// Planes from byte `at` of the payload on.
    #[inline(always)]
    fn planes(&self, at: usize, count: usize) -> Result<Planes<'a>, Fault> {
        let mut planes = [[].as_slice(); 4];
        for (index, plane) in planes.iter_mut().enumerate().take(count) {
            *plane = self
                .payload
                .register(at + index * self.plane(), self.plane())?;
        }
        Ok(Planes {
            planes,
            at,
            bytes: self.plane(),
        })
    }

    /// The coordinates, which are the payload without so many planes of data, and the data.
    #[inline(always)]
    fn parts(&self, data: usize) -> Result<[Planes<'a>; 2], Fault> {
        let plane = self.plane();
        let count = self.payload.len().saturating_sub(self.at) / plane;
        let count = count.saturating_sub(data);
        if count == 0 || count > 4 {
            return Err(Fault::Invalid {
                why: format!("a typed message with {count} coordinates"),
            });
        }
        let data = self.planes(self.at + count * plane, data)?;
        Ok([self.planes(self.at, count)?, data])
    }

    /// Checks an access of a texel by a channel. What it stores, or has for an atomic operation, is in these
    /// bytes of the payload.
    fn check(
        &self,
        lane: usize,
        at: [u32; 3],
        what: What<'_>,
        stores: impl Iterator<Item = Range<usize>>,
    ) {
        let (Some(checks), Some(format)) = (self.checks, &self.surface.format) else {
            return;
        };
        let bytes = u32::from(format.bytes());
        let Some(offset) = self.surface.atomic_offset(bytes, at) else {
            return checks.beyond_image(lane as u8, at, &what);
        };
        let address = self.at + lane * 4;
        let access = Access {
            lane: Some(lane as u8),
            row: false,
            address: address..address + 4,
            what,
        };
        let place = self.surface.base.offset(offset).get();
        checks.judge_texel(place, access.lane, stores);
        checks.texel(place, bytes.into(), &access);
    }

    /// Reads or writes the enabled `components` (bit 0 is red).
    pub(super) fn access(
        &self,
        dst: &mut [u8],
        direction: Direction,
        components: u8,
    ) -> Result<(), Fault> {
        let enabled = || Lanes((components & 0xf).into()).enumerate();
        let plane = self.plane();
        let count = enabled().count();
        let surface = &self.surface;
        match direction {
            Direction::Read => {
                let [parameters, _] = self.parts(0)?;
                if self.checks.is_some() {
                    for lane in Lanes(self.live) {
                        let at = parameters.coordinates(surface, lane);
                        self.check(lane, at, What::Read { at: 0, slot: 0 }, iter::empty());
                    }
                }
                let mut response = Response::new(dst, count * plane)?;
                if surface.kind == SurfaceKind::Null {
                    for lane in Lanes(self.live) {
                        enabled().for_each(|(index, _)| response.put32(index * plane, lane, 0));
                    }
                    return Ok(());
                }
                let mut cursor = Cursor::new(surface, self.view)?;
                if cursor.has_dwords() {
                    let mut texels = [0; LANES];
                    let at = parameters.all_coordinates(surface);
                    let there = cursor.fetch_dwords(self.live, &at, &mut texels)?;
                    let channels = cursor.format.load_dwords(&texels, self.lanes);
                    for (index, component) in enabled() {
                        for lane in Lanes(self.live) {
                            let value = match there >> lane & 1 {
                                0 => 0,
                                _ => channels[component][lane],
                            };
                            response.put32(index * plane, lane, value);
                        }
                    }
                    return Ok(());
                }
                for lane in Lanes(self.live) {
                    let at = parameters.coordinates(surface, lane);
                    let texel = cursor.fetch(at)?.unwrap_or([0; 4]);
                    for (index, component) in enabled() {
                        response.put32(index * plane, lane, texel[component]);
                    }
                }
            }
            Direction::Write => {
                let [parameters, values] = self.parts(count)?;
                if surface.kind == SurfaceKind::Null {
                    return Ok(());
                }
                let mut cursor = Cursor::new(surface, self.view)?;
                if self.checks.is_some() {
                    for lane in Lanes(self.live) {
                        let mut texel = [0; 4];
                        for (index, component) in enabled() {
                            texel[component] = values.get(lane)[index];
                        }
                        let (stored, _) = cursor.format.store(texel, components);
                        let data = &stored.to_le_bytes();
                        let at = parameters.coordinates(surface, lane);
                        let what = What::Write {
                            at: 0,
                            data,
                            beside: Beside::NONE,
                        };
                        let stored = enabled().filter(|(_, at)| cursor.format.has(*at));
                        let from = stored.map(|(index, _)| values.range(index, lane));
                        self.check(lane, at, what, from);
                    }
                }
                if cursor.has_dwords() && cursor.format.is_whole(components) {
                    let mut channels = [[0; LANES]; 4];
                    for (index, component) in enabled() {
                        channels[component] = dwords(values.planes[index]);
                    }
                    let at = parameters.all_coordinates(surface);
                    let texels = cursor.format.store_dwords(&channels, self.lanes);
                    return cursor.put_dwords(self.live, &at, &texels);
                }
                for lane in Lanes(self.live) {
                    let mut texel = [0; 4];
                    let dwords = values.get(lane);
                    for (index, component) in enabled() {
                        texel[component] = dwords[index];
                    }
                    let at = parameters.coordinates(surface, lane);
                    cursor.put(at, texel, components)?;
                }
            }
        }
        Ok(())
    }

    /// An atomic operation on texels of `bytes` bytes.
    pub(super) fn atomic(
        &self,
        dst: &mut [u8],
        op: AtomicOp,
        bytes: u8,
        returns: bool,
    ) -> Result<(), Fault> {
        let width = usize::from(bytes);
        if width > 4 {
            return Err(not_modelled("64-bit typed atomic"));
        }
        let surface = &self.surface;
        if surface.kind != SurfaceKind::Null && surface.texels()?.bytes() != bytes {
            return Err(Fault::Invalid {
                why: format!(
                    "typed atomic of {bytes} bytes on a surface of format {:#x}",
                    surface.code
                ),
            });
        }
        let plane = self.plane();
        let [parameters, data] = self.parts(op.operands())?;
        let mut response = Response::new(dst, if returns { plane } else { 0 })?;
        let place = Place::Memory {
            view: self.view,
            base: surface.base,
            bytes: UNBOUNDED,
        };
        for channel in Lanes(self.live) {
            let [a, b] = [0, 1].map(|index| lane(data.planes[index], channel * 4, width));
            let at = parameters.coordinates(surface, channel);
            let mut result = 0;
            let what = What::Atomic {
                operands: [0..0, 0..0],
                result: None,
                uses: false,
                fails: 0,
            };
            let from = (0..op.operands()).map(|operand| data.range(operand, channel));
            self.check(channel, at, what, from);
            if let Some(offset) = surface.atomic_offset(bytes.into(), at) {
                place.atomic(offset, width, &mut |old| {
                    let update = apply(op, bytes, old, a, b);
                    result = update.returned;
                    update.stored
                })?;
            }
            if returns {
                response.put32(0, channel, result as u32);
            }
        }
        Ok(())
    }
}
