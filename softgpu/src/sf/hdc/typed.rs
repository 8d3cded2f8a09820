//! Typed messages: texels of images, converted by the surface's format.

use isa_encoder::message::{AtomicOp, Direction, HdcSurface, SlotGroup};

use super::Context;
use super::scattered::served;
use crate::Fault;
use crate::sf::atomic::apply;
use crate::sf::execute::not_modelled;
use crate::sf::payload::{Lanes, Response, lane, lane32};
use crate::sf::place::Place;
use crate::sf::surface::{Surface, SurfaceKind};

/// The channels of a typed message: as many as a register has dwords, from the low or the high
/// half of the thread's. A message that is itself no wider than that has its own channels only.
fn typed_channels(context: &Context<'_>, slots: SlotGroup) -> Result<(usize, u32), Fault> {
    let lanes = context.grf / 4;
    let live = served(context, 32)?;
    let live = match slots {
        SlotGroup::FourByTwo => return Err(not_modelled("typed message of two groups of four")),
        SlotGroup::High if usize::from(context.exec_size) > lanes => live >> lanes,
        SlotGroup::Low | SlotGroup::High => live,
    };
    Ok((lanes, live & ((1 << lanes) - 1)))
}

/// Texel coordinates from the parameters that a payload has: x, y and slice or array element.
pub(in crate::sf) fn coordinates(surface: &Surface, parameters: [u32; 4]) -> [u32; 3] {
    let [u, v, r, _] = parameters;
    match surface.kind {
        SurfaceKind::Image1d if surface.array => [u, 0, v],
        SurfaceKind::Image2d if surface.array => [u, v, r],
        SurfaceKind::Image2d => [u, v, 0],
        SurfaceKind::Image3d | SurfaceKind::Cube => [u, v, r],
        _ => [u, 0, 0],
    }
}

/// The parameters of a typed message's channels.
struct Parameters<'a> {
    bytes: std::borrow::Cow<'a, [u8]>,
    lanes: usize,
    count: usize,
}

impl<'a> Parameters<'a> {
    /// The payload has one register of each parameter, then `data` bytes.
    fn of(context: &Context<'a>, lanes: usize, data: usize) -> Result<Self, Fault> {
        let at = context.addresses_at();
        let plane = lanes * 4;
        let count = context.payload.len().saturating_sub(at + data) / plane;
        if count == 0 || count > 4 {
            return Err(Fault::Invalid {
                why: format!("a typed message with {count} coordinates"),
            });
        }
        Ok(Self {
            bytes: context.payload.bytes(at, count * plane)?,
            lanes,
            count,
        })
    }

    fn end(&self, context: &Context<'_>) -> usize {
        context.addresses_at() + self.count * self.lanes * 4
    }

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

pub(super) fn access(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    surface: HdcSurface,
    components: u8,
    slots: SlotGroup,
) -> Result<(), Fault> {
    let surface = context.surface(surface)?;
    let (lanes, live) = typed_channels(context, slots)?;
    let plane = lanes * 4;
    let enabled: Vec<usize> = Lanes(components.into()).collect();
    let view = context.env.memory;
    match direction {
        Direction::Read => {
            let parameters = Parameters::of(context, lanes, 0)?;
            let mut response = Response::new(dst, enabled.len() * plane)?;
            if surface.kind == SurfaceKind::Null {
                for lane in Lanes(live) {
                    for plane_index in 0..enabled.len() {
                        response.put32(plane_index * plane, lane, 0);
                    }
                }
                return Ok(());
            }
            let format = surface.texels()?;
            for lane in Lanes(live) {
                let [x, y, z] = coordinates(&surface, parameters.get(lane));
                let texel = surface.fetch(view, format, x, y, z)?.unwrap_or([0; 4]);
                for (index, component) in enabled.iter().enumerate() {
                    response.put32(index * plane, lane, texel[component & 3]);
                }
            }
        }
        Direction::Write => {
            let parameters = Parameters::of(context, lanes, enabled.len() * plane)?;
            if surface.kind == SurfaceKind::Null {
                return Ok(());
            }
            let data = context
                .payload
                .bytes(parameters.end(context), enabled.len() * plane)?;
            let format = surface.texels()?;
            for lane in Lanes(live) {
                let mut texel = [0; 4];
                for (index, component) in enabled.iter().enumerate() {
                    texel[component & 3] = lane32(&data, index * lanes + lane);
                }
                let at = coordinates(&surface, parameters.get(lane));
                surface.put(view, format, at, texel, components)?;
            }
        }
    }
    Ok(())
}

pub(super) fn atomic(
    context: &Context<'_>,
    dst: &mut [u8],
    surface: HdcSurface,
    operation: (AtomicOp, u8),
    returns: bool,
    slots: SlotGroup,
) -> Result<(), Fault> {
    let (op, bytes) = operation;
    let width = usize::from(bytes);
    if width > 4 {
        return Err(not_modelled("64-bit typed atomic"));
    }
    let surface = context.surface(surface)?;
    let (lanes, live) = typed_channels(context, slots)?;
    let plane = lanes * 4;
    let parameters = Parameters::of(context, lanes, op.operands() * plane)?;
    let data = context
        .payload
        .bytes(parameters.end(context), op.operands() * plane)?;
    let mut response = Response::new(dst, if returns { plane } else { 0 })?;
    if surface.kind != SurfaceKind::Null && surface.texels()?.bytes != bytes {
        return Err(Fault::Invalid {
            why: format!(
                "typed atomic of {bytes} bytes on a surface of format {:#x}",
                surface.code
            ),
        });
    }
    let place = Place::Memory {
        view: context.env.memory,
        base: surface.base,
        bytes: crate::sf::place::UNBOUNDED,
    };
    for channel in Lanes(live) {
        let a = lane(&data, channel * 4, width);
        let b = lane(&data, plane + channel * 4, width);
        let at = coordinates(&surface, parameters.get(channel));
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
