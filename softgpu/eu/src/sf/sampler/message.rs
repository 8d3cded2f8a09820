//! Sampler messages: parameters in, texels out.

use half::f16;
use isa_encoder::message::{Lengths, Parameter, Sampler as Meaning, SamplerOp};

use super::filter::Image;
use super::state::{self, Sampler};
use crate::sf::Message;
use crate::sf::execute::not_modelled;
use crate::sf::payload::{Lanes, Payload, channels, lane};
use crate::sf::surface::{Surface, SurfaceKind, Texel};
use crate::sf::typed::coordinates;
use crate::{Fault, GroupEnv};

/// Header dword 2: texel offsets in bits 11:0, channels that are not returned in bits 15:12.
const CONTROL: usize = 2;
/// Header dword 3: sampler state pointer; bit 0 marks it as bindless.
const SAMPLER_POINTER: usize = 3;
/// Binding table index of a bindless surface.
const BINDLESS: u8 = 0xfc;
/// The array index in [`Parameter::LodArray`].
const ARRAY_INDEX: u32 = 0x1ff;

/// The channels of one message's payload.
struct Inputs<'a> {
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

impl Inputs<'_> {
    /// The number of `parameter`; `None` if the payload lacks it.
    #[inline]
    fn place(&self, parameter: Parameter) -> Option<usize> {
        let place = self.parameters.iter().position(|row| *row == parameter)?;
        (place < self.count).then_some(place)
    }

    /// The raw bits of `parameter` for a channel; `None` if the payload lacks it.
    fn raw(&self, parameter: Parameter, channel: usize) -> Result<Option<u32>, Fault> {
        let Some(index) = self.place(parameter) else {
            return Ok(None);
        };
        let at = self.at + index * self.plane + channel * self.width;
        let bytes = self.payload.bytes(at, self.width)?;
        Ok(Some(match *bytes {
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            _ => lane(&bytes, 0, self.width) as u32,
        }))
    }

    fn float(&self, parameter: Parameter, channel: usize) -> Result<f32, Fault> {
        if let Some(packed) = self.raw(Parameter::LodArray, channel)? {
            // Then the array index is in the low bits of the level of detail, and not a coordinate.
            match parameter {
                Parameter::Lod => return Ok(f32::from_bits(packed & !ARRAY_INDEX)),
                Parameter::R if self.raw(parameter, channel)?.is_none() => {
                    return Ok((packed & ARRAY_INDEX) as f32);
                }
                _ => {}
            }
        }
        let bits = self.raw(parameter, channel)?.unwrap_or(0);
        Ok(if self.width == 2 {
            f16::from_bits(bits as u16).to_f32()
        } else {
            f32::from_bits(bits)
        })
    }

    fn integer(&self, parameter: Parameter, channel: usize) -> Result<i32, Fault> {
        let bits = self.raw(parameter, channel)?.unwrap_or(0);
        Ok(if self.width == 2 {
            (bits as i16).into()
        } else {
            bits as i32
        })
    }
}

pub(in crate::sf) fn execute(
    meaning: Meaning,
    message: Message<'_>,
    env: &GroupEnv<'_>,
) -> Result<(), Fault> {
    if matches!(meaning.op, SamplerOp::BlockFlush | SamplerOp::CacheFlush) {
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
    let inputs = Inputs {
        payload,
        at,
        plane,
        count: payload.len().saturating_sub(at) / plane,
        width,
        parameters: meaning.op.parameters(env.family, meaning.half_parameters),
    };
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
    for channel in Lanes(channels(message.mask, meaning.simd)) {
        let texel = one(
            &meaning,
            &surface,
            sampler.as_ref(),
            &inputs,
            channel,
            offsets,
            env,
        )?;
        let integer = meaning.op == SamplerOp::ResourceInfo
            || surface.texels().is_ok_and(|format| format.is_integer());
        output.put(channel, texel, integer);
    }
    Ok(())
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
    let index = u64::from(meaning.sampler) * state::STATE_BYTES;
    let dynamic = env.bases.dynamic;
    let address = if header {
        let pointer = payload.dword(4 * SAMPLER_POINTER)?;
        let base = if pointer & 1 != 0 {
            env.bases.bindless_sampler
        } else {
            dynamic
        };
        base.offset(u64::from(pointer & !0x1f) + index)
    } else {
        dynamic.offset(u64::from(env.sampler_state & !0x1f) + index)
    };
    state::read(env.family, env.memory, address, dynamic)
}

/// One channel.
fn one(
    meaning: &Meaning,
    surface: &Surface,
    sampler: Option<&Sampler>,
    inputs: &Inputs<'_>,
    channel: usize,
    offsets: [i32; 3],
    env: &GroupEnv<'_>,
) -> Result<Texel, Fault> {
    if meaning.op == SamplerOp::ResourceInfo {
        let lod = inputs.integer(Parameter::Lod, channel)?;
        return Ok(resource_info(surface, lod as u32));
    }
    if surface.kind == SurfaceKind::Null {
        return Ok([0; 4]);
    }
    let format = surface.texels()?;
    let image = Image {
        surface,
        format,
        view: env.memory,
    };
    let texel = match (meaning.op, sampler) {
        (SamplerOp::Load | SamplerOp::LoadLevelZero, _) => {
            let lod = match meaning.op {
                SamplerOp::Load => inputs.integer(Parameter::Lod, channel)?,
                _ => 0,
            };
            let coordinate = |parameter, offset: i32| {
                inputs
                    .integer(parameter, channel)
                    .map(|value| value.wrapping_add(offset) as u32)
            };
            let parameters = [
                coordinate(Parameter::U, offsets[0])?,
                coordinate(Parameter::V, offsets[1])?,
                coordinate(Parameter::R, offsets[2])?,
                0,
            ];
            level_zero(surface, lod as f32)?;
            let [x, y, z] = coordinates(surface, parameters);
            if lod != 0 {
                None
            } else {
                surface.fetch(env.memory, format, x, y, z)?
            }
        }
        (SamplerOp::SampleLevelZero | SamplerOp::SampleLod, Some(sampler)) => {
            let lod = inputs.float(Parameter::Lod, channel)?;
            level_zero(surface, lod)?;
            let mut coordinates = [0.0; 4];
            for (coordinate, parameter) in
                coordinates
                    .iter_mut()
                    .zip([Parameter::U, Parameter::V, Parameter::R])
            {
                *coordinate = inputs.float(parameter, channel)?;
            }
            if offsets != [0; 3] {
                return Err(not_modelled("sampling with texel offsets"));
            }
            Some(image.sample(sampler, coordinates, lod > 0.0)?)
        }
        (SamplerOp::LoadMcs, _) => return Ok([0; 4]),
        _ => return Err(not_modelled(&format!("sampler: {meaning}"))),
    };
    Ok(texel.map_or([0; 4], |texel| select(surface, format.one(), texel)))
}

/// Only level 0 of a surface is modelled.
fn level_zero(surface: &Surface, lod: f32) -> Result<(), Fault> {
    if surface.min_lod != 0 || (surface.mip_count != 0 && lod > 0.0) {
        return Err(not_modelled("levels of detail beyond the first"));
    }
    Ok(())
}

/// Applies SHADER_CHANNEL_SELECT to a texel.
fn select(surface: &Surface, one: u32, texel: Texel) -> Texel {
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
    /// Planes beyond the response length are not returned.
    fn put(&mut self, channel: usize, texel: Texel, integer: bool) {
        let mut plane = 0;
        for (index, value) in texel.into_iter().enumerate() {
            if self.masked >> index & 1 != 0 {
                continue;
            }
            let at = plane * self.plane + channel * self.width;
            plane += 1;
            let to = self.bytes.get_mut(at..at + self.width);
            match to {
                Some([a, b]) => {
                    let half = if integer {
                        value as u16
                    } else {
                        f16::from_f32(f32::from_bits(value)).to_bits()
                    };
                    [*a, *b] = half.to_le_bytes();
                }
                Some([a, b, c, d]) => [*a, *b, *c, *d] = value.to_le_bytes(),
                _ => {}
            }
        }
    }
}
