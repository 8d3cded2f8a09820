//! Typed accesses: texels of images, converted by the surface's format.

use std::borrow::Cow;

use isa_encoder::message::{AtomicOp, Direction};

use super::atomic::apply;
use super::execute::not_modelled;
use super::payload::{Lanes, Payload, Response, lane, lane32};
use super::place::{Place, UNBOUNDED};
use super::surface::{Surface, SurfaceKind};
use crate::Fault;
use softgpu_memory::View;

/// Texel coordinates from the parameters that a payload has: x, y and slice or array element.
pub(super) fn coordinates(surface: &Surface, parameters: [u32; 4]) -> [u32; 3] {
    let [u, v, r, _] = parameters;
    match surface.kind {
        SurfaceKind::Image1d if surface.array => [u, 0, v],
        SurfaceKind::Image2d if surface.array => [u, v, r],
        SurfaceKind::Image2d => [u, v, 0],
        SurfaceKind::Image3d | SurfaceKind::Cube => [u, v, r],
        _ => [u, 0, 0],
    }
}

/// A typed message: a plane of each coordinate, then planes of data.
pub(super) struct Texels<'a> {
    pub view: &'a View<'a>,
    pub surface: Surface,
    pub payload: Payload<'a>,
    /// Where coordinates begin.
    pub at: usize,
    /// Dwords of a plane.
    pub lanes: usize,
    /// Live channels, below `lanes`.
    pub live: u32,
}

/// The coordinates of a message's channels.
struct Parameters<'a> {
    bytes: Cow<'a, [u8]>,
    lanes: usize,
    count: usize,
}

impl Parameters<'_> {
    fn get(&self, lane: usize) -> [u32; 4] {
        std::array::from_fn(|index| {
            if index < self.count {
                lane32(&self.bytes, index * self.lanes + lane)
            } else {
                0
            }
        })
    }
}

impl<'a> Texels<'a> {
    fn plane(&self) -> usize {
        self.lanes * 4
    }

    /// The coordinates, which are the payload without its `data` bytes, and the data.
    fn parts(&self, data: usize) -> Result<(Parameters<'a>, Cow<'a, [u8]>), Fault> {
        let plane = self.plane();
        let count = self.payload.len().saturating_sub(self.at + data) / plane;
        if count == 0 || count > 4 {
            return Err(Fault::Invalid {
                why: format!("a typed message with {count} coordinates"),
            });
        }
        let parameters = Parameters {
            bytes: self.payload.bytes(self.at, count * plane)?,
            lanes: self.lanes,
            count,
        };
        let data = self.payload.bytes(self.at + count * plane, data)?;
        Ok((parameters, data))
    }

    /// Reads or writes the enabled `components` (bit 0 is red).
    pub(super) fn access(
        &self,
        dst: &mut [u8],
        direction: Direction,
        components: u8,
    ) -> Result<(), Fault> {
        let enabled = || Lanes(components.into()).enumerate();
        let plane = self.plane();
        let bytes = enabled().count() * plane;
        let surface = &self.surface;
        match direction {
            Direction::Read => {
                let (parameters, _) = self.parts(0)?;
                let mut response = Response::new(dst, bytes)?;
                for lane in Lanes(self.live) {
                    let texel = if surface.kind == SurfaceKind::Null {
                        [0; 4]
                    } else {
                        let [x, y, z] = coordinates(surface, parameters.get(lane));
                        surface
                            .fetch(self.view, surface.texels()?, x, y, z)?
                            .unwrap_or([0; 4])
                    };
                    for (index, component) in enabled() {
                        response.put32(index * plane, lane, texel[component & 3]);
                    }
                }
            }
            Direction::Write => {
                let (parameters, data) = self.parts(bytes)?;
                if surface.kind == SurfaceKind::Null {
                    return Ok(());
                }
                let format = surface.texels()?;
                for lane in Lanes(self.live) {
                    let mut texel = [0; 4];
                    for (index, component) in enabled() {
                        texel[component & 3] = lane32(&data, index * self.lanes + lane);
                    }
                    let at = coordinates(surface, parameters.get(lane));
                    surface.put(self.view, format, at, texel, components)?;
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
        let (parameters, data) = self.parts(op.operands() * plane)?;
        let mut response = Response::new(dst, if returns { plane } else { 0 })?;
        let place = Place::Memory {
            view: self.view,
            base: surface.base,
            bytes: UNBOUNDED,
        };
        for channel in Lanes(self.live) {
            let a = lane(&data, channel * 4, width);
            let b = lane(&data, plane + channel * 4, width);
            let at = coordinates(surface, parameters.get(channel));
            let mut result = 0;
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
