//! Sampler messages: parameters in, texels out.

use std::borrow::Cow;

use half::f16;
use isa_encoder::message::{Lengths, Parameter, Sampler as Meaning, SamplerOp};

use super::filter::Image;
use super::state::{self, Sampler};
use crate::check::{Reach, Side};
use crate::sf::Message;
use crate::sf::execute::not_modelled;
use crate::sf::payload::{Lanes, Payload, channels, lane, lane32};
use crate::sf::surface::{Cursor, LANES, Surface, SurfaceKind, Texel};
use crate::sf::typed::{all_coordinates, coordinates, dwords};
use crate::{Checks, Fault, GroupEnv};

/// Header dword 2: texel offsets in bits 11:0, channels that are not returned in bits 15:12.
const CONTROL: usize = 2;
/// Header dword 3: sampler state pointer; bit 0 marks it as bindless.
const SAMPLER_POINTER: usize = 3;
/// Binding table index of a bindless surface.
pub(in crate::sf) const BINDLESS: u8 = 0xfc;
/// The array index in [`Parameter::LodArray`].
const ARRAY_INDEX: u32 = 0x1ff;

/// Where a message's parameters are in its payload.
struct Layout<'a> {
    payload: Payload<'a>,
    /// The first parameter's byte.
    at: usize,
    /// Bytes from one parameter to the next.
    plane: usize,
    /// Parameters present.
    count: usize,
    /// Bytes of a parameter.
    width: usize,
    parameters: &'static [Parameter],
}

impl<'a> Layout<'a> {
    /// The number of a parameter's plane, if the payload has it.
    fn place(&self, parameter: Parameter) -> Option<usize> {
        let place = self.parameters.iter().position(|row| *row == parameter);
        place.filter(|place| *place < self.count)
    }

    /// The channels of a parameter; empty if the payload lacks it.
    fn values(&self, parameter: Parameter) -> Result<Cow<'a, [u8]>, Fault> {
        match self.place(parameter) {
            Some(place) => self.payload.bytes(self.at + place * self.plane, self.plane),
            None => Ok(Cow::Borrowed(&[])),
        }
    }
}

/// The parameters of one message.
struct Inputs<'a> {
    /// U, v and r.
    coordinates: [Cow<'a, [u8]>; 3],
    lod: Cow<'a, [u8]>,
    /// The level of detail with the array index in its low bits.
    packed: Cow<'a, [u8]>,
    /// Bytes of a parameter.
    width: usize,
}

impl<'a> Inputs<'a> {
    fn of(layout: &Layout<'a>) -> Result<Self, Fault> {
        Ok(Self {
            coordinates: [
                layout.values(Parameter::U)?,
                layout.values(Parameter::V)?,
                layout.values(Parameter::R)?,
            ],
            lod: layout.values(Parameter::Lod)?,
            packed: layout.values(Parameter::LodArray)?,
            width: layout.width,
        })
    }

    #[inline(always)]
    fn bits(&self, values: &[u8], channel: usize) -> u32 {
        match self.width {
            4 => lane32(values, channel),
            width => lane(values, channel * width, width) as u32,
        }
    }

    fn as_float(&self, values: &[u8], channel: usize) -> f32 {
        let bits = self.bits(values, channel);
        match self.width {
            2 => f16::from_bits(bits as u16).to_f32(),
            _ => f32::from_bits(bits),
        }
    }

    #[inline(always)]
    fn as_integer(&self, values: &[u8], channel: usize) -> i32 {
        let bits = self.bits(values, channel);
        match self.width {
            2 => (bits as i16).into(),
            _ => bits as i32,
        }
    }

    /// The level of detail as a float.
    fn lod(&self, channel: usize) -> f32 {
        if self.packed.is_empty() {
            return self.as_float(&self.lod, channel);
        }
        f32::from_bits(self.bits(&self.packed, channel) & !ARRAY_INDEX)
    }

    /// Coordinates as floats.
    fn floats(&self, channel: usize) -> [f32; 4] {
        let [u, v, r] = self.coordinates.each_ref();
        let float = |values| self.as_float(values, channel);
        let r = if r.is_empty() && !self.packed.is_empty() {
            // The array index is no coordinate of its own.
            (self.bits(&self.packed, channel) & ARRAY_INDEX) as f32
        } else {
            float(r)
        };
        [float(u), float(v), r, 0.0]
    }

    /// Coordinates as integers.
    #[inline]
    fn integers(&self, channel: usize) -> [i32; 3] {
        let [u, v, r] = self.coordinates.each_ref();
        [u, v, r].map(|values| self.as_integer(values, channel))
    }

    /// U and v of all channels, if they are singles, and the level of detail is not given.
    fn all_floats(&self) -> Option<[[f32; LANES]; 2]> {
        let [u, v, _] = &self.coordinates;
        let plain = self.width == 4 && self.lod.is_empty() && self.packed.is_empty();
        plain.then(|| [u, v].map(|values| dwords(values).map(f32::from_bits)))
    }

    /// Those of all channels, with these added.
    #[inline(always)]
    fn all_integers(&self, offsets: [i32; 3]) -> [[u32; LANES]; 3] {
        let mut all = [[0; LANES]; 3];
        for ((integers, values), offset) in all.iter_mut().zip(&self.coordinates).zip(offsets) {
            if self.width == 4 {
                *integers = dwords(values);
            } else {
                for (channel, integer) in integers.iter_mut().enumerate() {
                    *integer = self.as_integer(values, channel) as u32;
                }
            }
            for integer in integers {
                *integer = integer.wrapping_add_signed(offset);
            }
        }
        all
    }
}

pub(in crate::sf) fn execute(
    meaning: Meaning,
    message: Message<'_>,
    env: &GroupEnv<'_>,
) -> Result<(), Fault> {
    if matches!(meaning.op, SamplerOp::BlockFlush | SamplerOp::CacheFlush) {
        if let Some(checks) = env.checks {
            checks.fence(Side::Sampler, Reach::Group);
        }
        // There is no cache, and what the response holds means nothing.
        return Ok(());
    }
    if meaning.integer_results || meaning.op.is_block() {
        return Err(not_modelled(&meaning.to_string()));
    }
    let grf = env.family.grf_bytes();
    let payload = Payload {
        src0: message.src0,
        src1: message.src1,
    };
    let header = Lengths::decode(message.descriptor).header;
    let at = if header { grf } else { 0 };
    let width = if meaning.half_parameters { 2 } else { 4 };
    let simd = usize::from(meaning.simd);
    let plane = (simd * width).next_multiple_of(grf);
    let layout = Layout {
        payload,
        at,
        plane,
        count: payload.len().saturating_sub(at) / plane,
        width,
        parameters: meaning.op.parameters(env.family, meaning.half_parameters),
    };
    let inputs = Inputs::of(&layout)?;
    let control = if header {
        payload.dword(4 * CONTROL)?
    } else {
        0
    };
    let surface = if meaning.surface == BINDLESS {
        let offset = message.extended_descriptor;
        let offset = if message.extended_bindless_offset {
            offset & !0x3f
        } else {
            offset >> 12 << 6
        };
        let address = env.bases.bindless_surface.offset(offset.into());
        env.state.at(env, address)?
    } else {
        env.state.bti(env, meaning.surface)?
    };
    let sampler = if uses_sampler(meaning.op) {
        Some(sampler_state(&meaning, header, &payload, env)?)
    } else {
        None
    };
    let mut output = Output {
        bytes: message.dst,
        width: if meaning.half_results { 2 } else { 4 },
        plane: 0,
        masked: control >> 12 & 0xf,
    };
    output.plane = (simd * output.width).next_multiple_of(grf);
    let offsets = [
        signed_nibble(control >> 8),
        signed_nibble(control >> 4),
        signed_nibble(control),
    ];
    let live = channels(message.mask, meaning.simd);
    if live == 0 {
        return Ok(());
    }
    if meaning.op == SamplerOp::ResourceInfo || surface.kind == SurfaceKind::Null {
        let integer = meaning.op == SamplerOp::ResourceInfo
            || surface.texels().is_ok_and(|format| format.is_integer());
        for channel in Lanes(live) {
            let texel = match meaning.op {
                SamplerOp::ResourceInfo => {
                    let lod = inputs.as_integer(&inputs.lod, channel);
                    resource_info(&surface, lod as u32)
                }
                _ => [0; 4],
            };
            output.put(channel, texel, integer);
        }
        return Ok(());
    }
    if let Some(checks) = env.checks {
        checks.set_sampled();
        judge_coordinates(&layout, &surface, live, checks);
    }
    let mut image = Image(Cursor::new(&surface, env.memory)?.checked(env.checks));
    let (integer, one) = (image.0.format.is_integer(), image.0.format.one());
    if loads_level_zero(meaning.op, &inputs, live) && output.width == 4 && image.0.has_dwords() {
        level_zero(&surface, 0.0)?;
        let at = all_coordinates(&surface, inputs.all_integers(offsets));
        let mut texels = [0; LANES];
        image.0.fetch_dwords(live, &at, &mut texels)?;
        let channels = image.0.format.load_dwords(&texels, simd);
        output.put_selected(live, surface.select, one, &channels);
        return Ok(());
    }
    if let (SamplerOp::SampleLevelZero, Some(sampler), [0, 0, 0]) = (meaning.op, &sampler, offsets)
        && let Some(coordinates) = inputs.all_floats()
        && output.width == 4
    {
        level_zero(&surface, 0.0)?;
        if let Some(channels) = image.sample_all(sampler, (live, simd), coordinates) {
            output.put_selected(live, surface.select, one, &channels);
            return Ok(());
        }
    }
    for channel in Lanes(live) {
        image.0.lane = channel;
        let texel = texel(
            &meaning,
            &mut image,
            sampler.as_ref(),
            &inputs,
            channel,
            offsets,
        )?;
        output.put(
            channel,
            texel.map_or([0; 4], |texel| select(&surface, one, texel)),
            integer,
        );
    }
    Ok(())
}

/// Checks that something has written the coordinates.
#[cold]
fn judge_coordinates(layout: &Layout<'_>, surface: &Surface, live: u32, checks: &Checks) {
    let all = [Parameter::U, Parameter::V, Parameter::R];
    let count = match surface.kind {
        SurfaceKind::Image1d | SurfaceKind::Image2d => {
            let dimensions = usize::from(surface.kind == SurfaceKind::Image2d) + 1;
            dimensions + usize::from(surface.array)
        }
        SurfaceKind::Image3d | SurfaceKind::Cube => 3,
        _ => 1,
    };
    let places = all.iter().take(count);
    let places: Vec<usize> = places.filter_map(|one| layout.place(*one)).collect();
    for channel in Lanes(live) {
        let ranges = places.iter().map(|place| {
            let at = layout.at + place * layout.plane + channel * layout.width;
            at..at + layout.width
        });
        checks.judge_coordinates(channel as u8, ranges);
    }
}

const fn signed_nibble(bits: u32) -> i32 {
    ((bits << 28) as i32) >> 28
}

const fn uses_sampler(op: SamplerOp) -> bool {
    !op.integer_parameters() && !matches!(op, SamplerOp::SampleInfo)
}

fn sampler_state(
    meaning: &Meaning,
    header: bool,
    payload: &Payload<'_>,
    env: &GroupEnv<'_>,
) -> Result<Sampler, Fault> {
    if !header {
        return Sampler::of(env, meaning.sampler);
    }
    let dynamic = env.bases.dynamic;
    let pointer = payload.dword(4 * SAMPLER_POINTER)?;
    let base = if pointer & 1 != 0 {
        env.bases.bindless_sampler
    } else {
        dynamic
    };
    let index = u64::from(meaning.sampler) * state::STATE_BYTES;
    state::read(
        env,
        base.offset(u64::from(pointer & !0x1f) + index),
        dynamic,
    )
}

/// Whether a message loads texels of level 0 by their integer coordinates.
fn loads_level_zero(op: SamplerOp, inputs: &Inputs<'_>, live: u32) -> bool {
    match op {
        SamplerOp::LoadLevelZero => true,
        SamplerOp::Load => Lanes(live).all(|channel| inputs.as_integer(&inputs.lod, channel) == 0),
        _ => false,
    }
}

/// The integer coordinates of a channel's texel.
fn texel_at(
    surface: &Surface,
    inputs: &Inputs<'_>,
    channel: usize,
    [du, dv, dr]: [i32; 3],
) -> [u32; 3] {
    let [u, v, r] = inputs.integers(channel);
    let parameters = [u.wrapping_add(du), v.wrapping_add(dv), r.wrapping_add(dr)];
    let parameters = parameters.map(|parameter| parameter as u32);
    coordinates(surface, parameters, [0; 2])
}

/// What a channel gets, before channels are selected. Loads outside the surface get the texel whose bits are 0:
/// "ld returns 0 in all non-missing components of the format [...], and the default for missing components"
/// (Direct3D's ld (sm4)). Intel's compiler reads the border of `CLK_ADDRESS_CLAMP` so, which has alpha 1 where
/// the image has none.
#[inline]
fn texel(
    meaning: &Meaning,
    image: &mut Image<'_>,
    sampler: Option<&Sampler>,
    inputs: &Inputs<'_>,
    channel: usize,
    offsets: [i32; 3],
) -> Result<Option<Texel>, Fault> {
    let surface = image.0.surface;
    match (meaning.op, sampler) {
        (SamplerOp::Load | SamplerOp::LoadLevelZero, _) => {
            let lod = match meaning.op {
                SamplerOp::Load => inputs.as_integer(&inputs.lod, channel),
                _ => 0,
            };
            level_zero(surface, lod as f32)?;
            let texel = match lod {
                0 => image.0.fetch(texel_at(surface, inputs, channel, offsets))?,
                _ => None,
            };
            Ok(Some(texel.unwrap_or_else(|| image.0.format.load(0))))
        }
        (SamplerOp::SampleLevelZero | SamplerOp::SampleLod, Some(sampler)) => {
            let lod = inputs.lod(channel);
            level_zero(surface, lod)?;
            if offsets != [0; 3] {
                return Err(not_modelled("sampling with texel offsets"));
            }
            let coordinates = inputs.floats(channel);
            image.sample(sampler, coordinates, lod > 0.0).map(Some)
        }
        (SamplerOp::LoadMcs, _) => Ok(None),
        _ => Err(not_modelled(&format!("sampler: {meaning}"))),
    }
}

/// Only level 0 of a surface is modelled.
#[inline]
fn level_zero(surface: &Surface, lod: f32) -> Result<(), Fault> {
    if surface.min_lod != 0 || (surface.mip_count != 0 && lod > 0.0) {
        return Err(not_modelled("levels of detail beyond the first"));
    }
    Ok(())
}

/// Applies SHADER_CHANNEL_SELECT to a texel.
#[inline]
fn select(surface: &Surface, one: u32, texel: Texel) -> Texel {
    if surface.select == [4, 5, 6, 7] {
        return texel;
    }
    surface.select.map(|code| match code {
        0 => 0,
        1 => one,
        4..=7 => texel[usize::from(code - 4)],
        // Reserved codes, which hardware leaves undefined; here zero.
        _ => 0,
    })
}

/// Width, height, depth or array size, and levels, of level `lod` (PRM vol 7, "resinfo").
fn resource_info(surface: &Surface, lod: u32) -> Texel {
    let levels = surface.mip_count + 1;
    let level = lod.saturating_add(surface.min_lod);
    if surface.kind == SurfaceKind::Null || lod >= levels {
        return [0; 4];
    }
    let minified = |size: u32| size.checked_shr(level).unwrap_or(0).max(1);
    let elements = if surface.array { surface.depth } else { 0 };
    match surface.kind {
        SurfaceKind::Image1d => [minified(surface.width), elements, 0, levels],
        SurfaceKind::Image2d => [
            minified(surface.width),
            minified(surface.height),
            elements,
            levels,
        ],
        SurfaceKind::Image3d => [
            minified(surface.width),
            minified(surface.height),
            minified(surface.depth),
            levels,
        ],
        SurfaceKind::Cube => [
            minified(surface.width),
            minified(surface.height),
            elements / 6,
            levels,
        ],
        _ => [surface.width, 0, 0, 0],
    }
}

/// The response: a plane for each channel that is not masked.
struct Output<'a> {
    bytes: &'a mut [u8],
    width: usize,
    plane: usize,
    masked: u32,
}

impl Output<'_> {
    /// Puts the channels of texels, selected, for `live` channels.
    fn put_selected(&mut self, live: u32, select: [u8; 4], one: u32, channels: &[[u32; LANES]; 4]) {
        for (index, code) in select.into_iter().enumerate() {
            match code {
                1 => self.put_all(index, live, &[one; LANES]),
                4..=7 => self.put_all(index, live, &channels[usize::from(code - 4)]),
                _ => self.put_all(index, live, &[0; LANES]),
            }
        }
    }

    /// Puts dwords of `live` channels into the plane of component `index`.
    fn put_all(&mut self, index: usize, live: u32, values: &[u32; LANES]) {
        if self.masked >> index & 1 != 0 {
            return;
        }
        let before = index as u32 - (self.masked & ((1 << index) - 1)).count_ones();
        let at = before as usize * self.plane;
        let lanes = self
            .bytes
            .get_mut(at..)
            .unwrap_or_default()
            .as_chunks_mut()
            .0;
        let lanes = lanes.iter_mut().zip(values);
        if live == u32::MAX >> live.leading_zeros() {
            let count = (u32::BITS - live.leading_zeros()) as usize;
            lanes
                .take(count)
                .for_each(|(place, value)| *place = value.to_le_bytes());
            return;
        }
        for (lane, (place, value)) in lanes.enumerate() {
            if live >> lane & 1 != 0 {
                *place = value.to_le_bytes();
            }
        }
    }

    /// Planes beyond the response length are not returned.
    #[inline]
    fn put(&mut self, channel: usize, texel: Texel, integer: bool) {
        let mut at = channel * self.width;
        for (index, value) in texel.into_iter().enumerate() {
            if self.masked >> index & 1 != 0 {
                continue;
            }
            let to = self.bytes.get_mut(at..).unwrap_or_default();
            at += self.plane;
            if self.width == 4 {
                if let Some(to) = to.first_chunk_mut() {
                    *to = value.to_le_bytes();
                }
            } else if let Some(to) = to.first_chunk_mut() {
                let half = if integer {
                    value as u16
                } else {
                    f16::from_f32(f32::from_bits(value)).to_bits()
                };
                *to = half.to_le_bytes();
            }
        }
    }
}
