//! Texels of images, the short way.
//!
//! Kernels mostly load texels of two-dimensional images by their coordinates, or store whole ones, and
//! the channels of a message mostly have neighbours in a row. What can be known of such a message is
//! prepared when its instruction is lowered, and what of its surface when a walker first uses that.
//! Anything unusual, faults included, is left to the general path (`sampler`, `typed`), with which this
//! one agrees.

use core::ops::Range;

use batchbuffer::tiling::Arrangement;
use devinfo::{Family, GpuAddress};
use isa_encoder::message::{
    Direction, Hdc, HdcSurface, Lengths, Lsc, LscAddress, LscPort, Message as Meaning, Parameter,
    SamplerOp, SlotGroup,
};

use super::payload::{Lanes, channels};
use super::plain::Registers;
use super::sampler::BINDLESS;
use super::state_cache::TABLE_ENTRIES;
use super::surface::{LANES, Packing, Surface, SurfaceKind};
use crate::GroupEnv;

/// Which surface a message names.
#[derive(Clone, Copy, Debug)]
pub(super) enum Named {
    /// A binding table entry.
    Table(u8),
    /// The state at this offset of the bindless heap.
    Bindless(u32),
    /// The same; the extended descriptor, which is in a register, has the offset.
    Register,
}

/// How a message samples at coordinates that are floats.
#[derive(Clone, Copy, Debug)]
struct Filter {
    /// The sampler's index.
    sampler: u8,
    /// Where the plane of levels of detail is.
    level: Option<u32>,
}

/// A prepared message.
#[derive(Clone, Copy, Debug)]
pub struct Texels {
    stores: bool,
    /// By the sampler, which selects channels.
    sampled: bool,
    /// It filters, too.
    filter: Option<Filter>,
    surface: Named,
    lanes: u8,
    /// Where the planes of x and y are.
    coordinates: [u32; 2],
    /// Where planes of data are, how many there are, and the component of each.
    data: u32,
    planes: u8,
    components: [u8; 4],
    plane_bytes: u32,
}

/// The bits of the extended descriptor that are a bindless surface's offset.
pub(super) const STATE_OFFSET: u32 = !0x3f;
/// Channels that are looked at together.
const CHUNK: usize = 8;

impl Texels {
    /// Prepares the message of an instruction of `exec_size` channels, if it is one. With an extended
    /// descriptor in a register, `meaning` is that of 0.
    pub fn of(
        family: Family,
        meaning: &Meaning,
        (descriptor, in_register): (u32, bool),
        registers: &Registers,
        exec_size: u8,
    ) -> Option<Self> {
        if Lengths::decode(descriptor).header {
            return None;
        }
        let grf = family.grf_bytes() as u32;
        let Registers { src0, src1, dst } = *registers;
        let sampled = matches!(meaning, Meaning::Sampler(_));
        // The planes of x and y, and what there is of a filter.
        let (mut places, mut filter) = ([0, 1], None);
        let (direction, surface, lanes, enabled) = match *meaning {
            Meaning::Sampler(sampler) => {
                let whole = !sampler.half_parameters && !sampler.half_results;
                if !whole || sampler.integer_results {
                    return None;
                }
                let parameters = sampler.op.parameters(family, false);
                let place = |of| parameters.iter().position(|row| *row == of);
                places = [place(Parameter::U)? as u32, place(Parameter::V)? as u32];
                filter = match sampler.op {
                    SamplerOp::LoadLevelZero => None,
                    SamplerOp::SampleLevelZero => Some((sampler.sampler, None)),
                    SamplerOp::SampleLod => {
                        let level = place(Parameter::Lod)? as u32;
                        Some((sampler.sampler, Some(level)))
                    }
                    _ => return None,
                };
                let surface = match sampler.surface {
                    BINDLESS if in_register => Named::Register,
                    // The offset is not in the instruction's meaning.
                    BINDLESS => return None,
                    index => Named::Table(index),
                };
                (Direction::Read, surface, u32::from(sampler.simd), 0xf)
            }
            Meaning::Hdc(Hdc::Typed {
                direction,
                surface,
                components,
                slots: SlotGroup::Low | SlotGroup::High,
            }) => {
                let surface = match surface {
                    HdcSurface::Bti(index) => Named::Table(index),
                    HdcSurface::Bindless(offset) => Named::Bindless(offset),
                    HdcSurface::Slm | HdcSurface::Stateless { .. } => return None,
                };
                // Of a wider instruction, a message serves one half.
                let lanes = grf / 4;
                (u32::from(exec_size) <= lanes).then_some(())?;
                (direction, surface, lanes, components)
            }
            Meaning::Lsc(Lsc::Quad {
                port: LscPort::Tgm,
                direction,
                address,
                components,
                ..
            }) => {
                let surface = match address {
                    LscAddress::Bss { .. } if in_register => Named::Register,
                    LscAddress::Bss { state, .. } => Named::Bindless(state),
                    LscAddress::Bti { index, .. } => Named::Table(index),
                    LscAddress::Ss { .. } | LscAddress::Flat { .. } => return None,
                };
                let lanes = u32::from(exec_size).max(grf / 4);
                (direction, surface, lanes, components)
            }
            _ => return None,
        };
        let in_table = match surface {
            Named::Table(index) => usize::from(index) < TABLE_ENTRIES,
            Named::Bindless(_) => true,
            Named::Register => true,
        };
        let stores = direction == Direction::Write;
        let plane_bytes = (lanes * 4).next_multiple_of(grf);
        if !in_table || in_register != matches!(surface, Named::Register) {
            return None;
        }
        if !matches!(lanes, 8 | 16 | 32) || plane_bytes != lanes * 4 {
            return None;
        }
        let mut components = [0; 4];
        let mut planes = 0;
        for component in (0..4).filter(|component| enabled >> component & 1 != 0) {
            components[usize::from(planes)] = component;
            planes += 1;
        }
        let all = (src0.1 + src1.1) / plane_bytes;
        let parameters = if stores {
            all.checked_sub(planes.into())?
        } else {
            all
        };
        // Source 1 follows source 0.
        let plane = |index: u32| {
            let at = index * plane_bytes;
            match at.checked_sub(src0.1) {
                Some(at) => (at + plane_bytes <= src1.1).then_some(src1.0 + at),
                None => (at + plane_bytes <= src0.1).then_some(src0.0 + at),
            }
        };
        let whole = (src0.1 + src1.1).is_multiple_of(plane_bytes);
        if planes == 0 || !(2..=4).contains(&parameters) || !whole {
            return None;
        }
        let data = if stores {
            let first = plane(parameters)?;
            let last = u32::from(planes) - 1;
            (plane(parameters + last)? == first + last * plane_bytes).then_some(first)?
        } else {
            let there = dst.1 / plane_bytes;
            if sampled {
                planes = planes.min(there as u8);
            } else if u32::from(planes) > there {
                return None;
            }
            dst.0
        };
        let filter = match filter {
            None => None,
            Some((sampler, None)) => Some(Filter {
                sampler,
                level: None,
            }),
            Some((sampler, Some(level))) => Some(Filter {
                sampler,
                level: Some(plane(level)?),
            }),
        };
        Some(Self {
            stores,
            sampled,
            filter,
            surface,
            lanes: lanes as u8,
            coordinates: [plane(places[0])?, plane(places[1])?],
            data,
            planes,
            components,
            plane_bytes,
        })
    }

    /// Performs the message on the register bytes; `mask` has its live channels, and `extended` is the
    /// extended descriptor if that is in a register. False if it does not, and the general path must.
    #[inline]
    pub fn run(&self, regs: &mut [u8], mask: u32, extended: u32, env: &GroupEnv<'_>) -> bool {
        let named = match self.surface {
            Named::Register => Named::Bindless(extended & STATE_OFFSET),
            named => named,
        };
        let Some(grid) = env.state.grid(env, named) else {
            return false;
        };
        match self.lanes {
            8 => self.sized::<8>(regs, mask, &grid, env),
            16 => self.sized::<16>(regs, mask, &grid, env),
            _ => self.sized::<32>(regs, mask, &grid, env),
        }
        .is_some()
    }

    #[inline(always)]
    fn sized<const N: usize>(
        &self,
        regs: &mut [u8],
        mask: u32,
        grid: &Grid,
        env: &GroupEnv<'_>,
    ) -> Option<()> {
        let live = channels(mask, N as u8);
        let [x, y] = self.coordinates.map(|at| read_plane::<N>(regs, at));
        let (x, y) = (x?, y?);
        if let Some(filter) = &self.filter {
            let texels = filter.sample(regs, live, [x, y], (grid, env))?;
            return self.respond(regs, live, live, grid, &texels);
        }
        if !self.stores {
            let (there, texels) = grid.fetch(live, &x, &y, env)?;
            return self.respond(regs, live, there, grid, &texels);
        }
        let mut texels = [[0; N]; 4];
        let mut enabled = 0;
        for (plane, &component) in (0..u32::from(self.planes)).zip(&self.components) {
            let at = self.data + plane * self.plane_bytes;
            texels[usize::from(component)] = read_plane(regs, at)?;
            enabled |= 1 << component;
        }
        if !grid.packing.is_whole(enabled) {
            return None;
        }
        let mut bytes = [0; 16 * LANES];
        grid.packing.pack(&texels, &mut bytes);
        grid.each(live, &x, &y, |address, place| {
            env.memory.write(address, bytes.get(place)?).ok()
        })
        .map(|_| ())
    }

    /// Puts what live channels get into the registers. Where no texel is there, those that read typed get zeroes,
    /// and the sampler gives a texel of zeroes.
    #[inline(always)]
    fn respond<const N: usize>(
        &self,
        regs: &mut [u8],
        live: u32,
        there: u32,
        grid: &Grid,
        texels: &[[u32; N]; 4],
    ) -> Option<()> {
        let all = u32::MAX >> (32 - N);
        let there = if self.sampled { live } else { there };
        for (plane, &component) in (0..u32::from(self.planes)).zip(&self.components) {
            let code = grid.select[usize::from(component) % 4];
            let values = match code {
                _ if !self.sampled => texels[usize::from(component) % 4],
                1 => [grid.packing.one; N],
                4..=7 => texels[usize::from(code - 4)],
                _ => [0; N],
            };
            let at = (self.data + plane * self.plane_bytes) as usize;
            let registers = regs.get_mut(at..)?.as_chunks_mut::<4>().0;
            let registers = registers.first_chunk_mut::<N>()?;
            if live & there == all {
                for (register, value) in registers.iter_mut().zip(values) {
                    *register = value.to_le_bytes();
                }
                continue;
            }
            for lane in Lanes(live) {
                let value = if there >> lane & 1 != 0 {
                    values[lane % N]
                } else {
                    0
                };
                registers[lane % N] = value.to_le_bytes();
            }
        }
        Some(())
    }
}

impl Filter {
    /// The samples of live channels, if they are of the first level and within the image.
    #[inline(always)]
    fn sample<const N: usize>(
        &self,
        regs: &[u8],
        live: u32,
        coordinates: [[u32; N]; 2],
        (grid, env): (&Grid, &GroupEnv<'_>),
    ) -> Option<[[u32; N]; 4]> {
        if let Some(at) = self.level {
            let levels = read_plane::<N>(regs, at)?;
            let first = |lane: usize| f32::from_bits(levels[lane % N]) == 0.0;
            Lanes(live).all(first).then_some(())?;
        }
        let sampler = env.state.sampler(env, self.sampler)?;
        if sampler.mag_linear && grid.packing.is_integer() {
            return None;
        }
        let coordinates = coordinates.map(|axis| axis.map(f32::from_bits));
        sampler.sample_all(live, &coordinates, grid.size, |live, x, y| {
            let (there, texels) = grid.fetch(live, x, y, env)?;
            (there == live).then_some(texels)
        })
    }
}

/// The dwords of a plane.
#[inline(always)]
fn read_plane<const N: usize>(regs: &[u8], at: u32) -> Option<[u32; N]> {
    let bytes = regs.get(at as usize..)?.as_chunks::<4>().0;
    Some(bytes.first_chunk::<N>()?.map(u32::from_le_bytes))
}

/// A two-dimensional surface whose texels are easily found and converted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    base: GpuAddress,
    /// Texels.
    size: [u32; 2],
    /// Texels and rows before the first.
    before: [u32; 2],
    pitch: u32,
    slice_rows: u32,
    element: u32,
    tiling: Arrangement,
    /// The least power of two of bytes that are consecutive in memory.
    span: u32,
    packing: Packing,
    select: [u8; 4],
}

impl Grid {
    /// That of a surface, if it is one.
    pub fn of(surface: &Surface) -> Option<Self> {
        let plain = surface.kind == SurfaceKind::Image2d && !surface.array && surface.depth == 1;
        if !plain || surface.min_lod != 0 {
            return None;
        }
        let packing = surface.format.as_ref()?.packing()?;
        let span = surface.tiling.span().unwrap_or(1 << 31);
        let aligned = [surface.base.get(), surface.pitch.into(), span.into()]
            .iter()
            .all(|number| number.is_multiple_of(packing.bytes.into()));
        let fits = |size: u32, before: u32| size.checked_add(before)?.checked_mul(packing.bytes);
        fits(surface.width, surface.x_offset)?;
        fits(surface.height, surface.y_offset)?;
        aligned.then_some(Self {
            base: surface.base,
            size: [surface.width, surface.height],
            before: [surface.x_offset, surface.y_offset],
            pitch: surface.pitch,
            slice_rows: surface.slice_rows,
            element: surface.first_element,
            tiling: surface.tiling,
            span,
            packing,
            select: surface.select,
        })
    }

    /// The texels of `live` channels, and which of these are there.
    #[inline(always)]
    fn fetch<const N: usize>(
        &self,
        live: u32,
        x: &[u32; N],
        y: &[u32; N],
        env: &GroupEnv<'_>,
    ) -> Option<(u32, [[u32; N]; 4])> {
        let mut bytes = [0; 16 * LANES];
        let there = self.each(live, x, y, |address, place| {
            let to = bytes.get_mut(place)?;
            env.memory.read(address, to).ok()
        })?;
        let mut texels = [[0; N]; 4];
        self.packing.unpack(&bytes, &mut texels);
        Some((there, texels))
    }

    /// Calls `body` with the address of each run of texels of `live` channels that are there, and
    /// their place in the bytes of all channels' texels. Returns the channels whose texels are there.
    #[inline(always)]
    fn each<const N: usize>(
        &self,
        live: u32,
        x: &[u32; N],
        y: &[u32; N],
        mut body: impl FnMut(GpuAddress, Range<usize>) -> Option<()>,
    ) -> Option<u32> {
        let [width, height] = self.size;
        let mut row = None;
        let mut there = 0;
        for first in (0..N).step_by(CHUNK) {
            let chunk = live >> first & 0xff;
            let (x0, y0) = (x[first], y[first]);
            let mut other = 0;
            for lane in 0..CHUNK {
                other |= x[first + lane] ^ x0.wrapping_add(lane as u32);
                other |= y[first + lane] ^ y0;
            }
            let inside = y0 < height && width >= CHUNK as u32 && x0 <= width - CHUNK as u32;
            if other == 0 && inside && chunk == 0xff {
                self.run(&mut row, [x0, y0], first..first + CHUNK, &mut body)?;
                there |= 0xff << first;
                continue;
            }
            for lane in Lanes(chunk) {
                let lane = first + lane % CHUNK;
                if x[lane] < width && y[lane] < height {
                    self.run(&mut row, [x[lane], y[lane]], lane..lane + 1, &mut body)?;
                    there |= 1 << lane;
                }
            }
        }
        Some(there)
    }

    /// The texels of these lanes, which are there, from the one at `x` and `y` on.
    #[inline(always)]
    fn run(
        &self,
        row: &mut Option<(u32, u64)>,
        [x, y]: [u32; 2],
        lanes: Range<usize>,
        body: &mut impl FnMut(GpuAddress, Range<usize>) -> Option<()>,
    ) -> Option<()> {
        let start = match *row {
            Some((known, start)) if known == y => start,
            _ => {
                let (pitch, rows) = (self.pitch, self.slice_rows);
                let start = self
                    .tiling
                    .row(pitch, rows, y + self.before[1], self.element);
                *row = Some((y, start));
                start
            }
        };
        let bytes = self.packing.bytes;
        let first = (x + self.before[0]) * bytes;
        let end = first + lanes.len() as u32 * bytes;
        let place = lanes.start * bytes as usize;
        let mut at = first;
        while at < end {
            let next = (at | (self.span - 1)).checked_add(1);
            let next = next.map_or(end, |next| next.min(end));
            let address = self.base.offset(start + self.tiling.column(at));
            let [from, to] = [at, next].map(|at| place + (at - first) as usize);
            body(address, from..to)?;
            at = next;
        }
        Some(())
    }
}
