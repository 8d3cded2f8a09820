//! Images and samplers: arguments, queries, reads, writes, blocks.
//!
//! An image is an entry of the kernel's binding table, a sampler one of its sampler states. Both
//! are known where they are used, because every call is inlined.

use spirv::{AccessQualifier, Dim, Op as Spv, SamplerAddressingMode, SamplerFilterMode};

use super::reader::Instruction;
use super::translate::Translator;
use super::types::ImageShape;
use super::value::{Image, Object, Val};
use crate::abi::{Argument, FieldKind, ImageArgument, ImageField, SamplerState, TABLE_ENTRIES};
use crate::error::Error;
use crate::ir::{Cond, Convert, Op, Surface, Type, Value};

/// Sampler states that a message can name.
const MAX_SAMPLERS: usize = 16;
/// The numbers of OpenCL for what SPIR-V counts from 0.
const CHANNEL_ORDER: u64 = 0x10b0;
const CHANNEL_TYPE: u64 = 0x10d0;

impl Translator<'_> {
    /// An image argument.
    pub(super) fn image_argument(
        &mut self,
        shape: ImageShape,
        arg: u32,
        argument: &mut Argument,
        i: &Instruction<'_>,
    ) -> Result<Val, Error> {
        let index = self.abi.images.len();
        if index >= TABLE_ENTRIES {
            return Err(i.unsupported(format!("more than {TABLE_ENTRIES} images")));
        }
        let (kind, name) = shape.names();
        argument.address_space = "__global";
        argument.type_name = name.to_owned();
        let (access, qualifier) = match shape.access {
            AccessQualifier::ReadOnly => ("readonly", "__read_only"),
            AccessQualifier::WriteOnly => ("writeonly", "__write_only"),
            AccessQualifier::ReadWrite => ("readwrite", "__read_write"),
        };
        argument.access = Some(qualifier);
        self.abi.images.push(ImageArgument {
            arg,
            kind,
            access,
            blocks: false,
        });
        let image = Image {
            surface: Surface(index as u8),
            arg,
            shape,
        };
        Ok(Val::object(Object::Image(image)))
    }

    /// A sampler argument.
    pub(super) fn sampler_argument(
        &mut self,
        arg: u32,
        argument: &mut Argument,
        i: &Instruction<'_>,
    ) -> Result<Val, Error> {
        argument.type_name = "sampler_t".to_owned();
        self.sampler_state(SamplerState::Argument(arg), i)
    }

    /// A sampler that the source describes.
    pub(super) fn literal_sampler(&mut self, i: &Instruction<'_>) -> Result<Val, Error> {
        let addressing = SamplerAddressingMode::from_u32(i.word(2)?);
        let addressing = match addressing {
            Some(SamplerAddressingMode::None) => "none",
            Some(SamplerAddressingMode::ClampToEdge) => "clamp_edge",
            Some(SamplerAddressingMode::Clamp) => "clamp_border",
            Some(SamplerAddressingMode::Repeat) => "repeat",
            Some(SamplerAddressingMode::RepeatMirrored) => "mirror",
            None => return Err(i.invalid("its addressing mode is unknown")),
        };
        let linear = SamplerFilterMode::from_u32(i.word(4)?) == Some(SamplerFilterMode::Linear);
        let state = SamplerState::Literal {
            addressing,
            linear,
            normalized: i.word(3)? != 0,
        };
        self.sampler_state(state, i)
    }

    /// The number of a sampler state, which is added if it is new.
    fn sampler_state(&mut self, state: SamplerState, i: &Instruction<'_>) -> Result<Val, Error> {
        let samplers = &mut self.abi.samplers;
        let index = samplers.iter().position(|other| *other == state);
        let index = index.unwrap_or_else(|| {
            samplers.push(state);
            samplers.len() - 1
        });
        match index < MAX_SAMPLERS {
            true => Ok(Val::object(Object::Sampler(index as u8))),
            false => Err(i.unsupported(format!("more than {MAX_SAMPLERS} samplers"))),
        }
    }

    /// Images; `false` if the instruction has none.
    pub(super) fn image(&mut self, i: &Instruction<'_>) -> Result<bool, Error> {
        match i.op {
            Spv::SampledImage => {
                let image = self.image_of(i.word(2)?, i)?;
                let Some(Object::Sampler(sampler)) = self.get(i.word(3)?, i)?.object else {
                    return Err(i.invalid("it takes a sampler"));
                };
                let object = Object::Sampled(image, sampler);
                self.set(i.word(1)?, Val::object(object));
            }
            Spv::Image => {
                let image = self.image_of(i.word(2)?, i)?;
                self.set(i.word(1)?, Val::object(Object::Image(image)));
            }
            Spv::ImageSampleExplicitLod => self.sample(i)?,
            Spv::ImageRead => {
                let image = self.image_of(i.word(2)?, i)?;
                let at = self.coordinates(i.word(3)?, image.shape.coordinates(), i)?;
                let op = Op::ImageLoad {
                    surface: image.surface,
                    written: image.shape.access == AccessQualifier::ReadWrite,
                };
                self.texel(op, &at, i)?;
            }
            Spv::ImageWrite => self.image_write(i)?,
            Spv::ImageQuerySizeLod | Spv::ImageQuerySize => self.image_size(i)?,
            Spv::ImageQueryOrder => self.image_query(ImageField::ChannelOrder, CHANNEL_ORDER, i)?,
            Spv::ImageQueryFormat => self.image_query(ImageField::ChannelType, CHANNEL_TYPE, i)?,
            Spv::SubgroupImageBlockReadINTEL => {
                let types = self.result_types(i)?;
                let (surface, at) = self.block_place(i.word(2)?, i.word(3)?, i)?;
                let op = Op::ImageBlockLoad(surface);
                let inst = self.here().push(op, &at, &types);
                let results = self.function.insts[inst.index()].results.clone();
                self.set(i.word(1)?, Val::many(results));
            }
            Spv::SubgroupImageBlockWriteINTEL => {
                let (surface, mut args) = self.block_place(i.word(0)?, i.word(1)?, i)?;
                args.extend(self.get(i.word(2)?, i)?.scalars);
                self.here().push(Op::ImageBlockStore(surface), &args, &[]);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The image that an id stands for.
    fn image_of(&mut self, id: u32, i: &Instruction<'_>) -> Result<Image, Error> {
        match self.get(id, i)?.object {
            Some(Object::Image(image) | Object::Sampled(image, _)) => Ok(image),
            _ => Err(i.invalid(format!("%{id} is no image"))),
        }
    }

    /// The first coordinates, as they are.
    fn coordinates(
        &mut self,
        id: u32,
        count: usize,
        i: &Instruction<'_>,
    ) -> Result<Vec<Value>, Error> {
        let all = self.get(id, i)?.scalars;
        let values = all.get(..count);
        let values = values.ok_or_else(|| i.invalid(format!("{count} coordinates are needed")))?;
        Ok(values.to_vec())
    }

    /// The surface and the place of a block: x in bytes and y.
    fn block_place(
        &mut self,
        image: u32,
        place: u32,
        i: &Instruction<'_>,
    ) -> Result<(Surface, Vec<Value>), Error> {
        let image = self.image_of(image, i)?;
        if image.shape.dim != Dim::Dim2D || image.shape.array {
            return Err(i.invalid("blocks are of two-dimensional images"));
        }
        if let Some(argument) = self.abi.images.get_mut(usize::from(image.surface.0)) {
            argument.blocks = true;
        }
        Ok((image.surface, self.coordinates(place, 2, i)?))
    }

    /// Reads four channels and gives as many as the result has, in its type.
    fn texel(&mut self, op: Op, at: &[Value], i: &Instruction<'_>) -> Result<(), Error> {
        let types = self.result_types(i)?;
        let Some(&ty) = types.first() else {
            return Err(i.invalid("its result is no texel"));
        };
        let read = match ty {
            Type::F16 | Type::F32 => Type::F32,
            Type::I32 => Type::I32,
            _ => return Err(i.unsupported(format!("texels of {ty}"))),
        };
        let inst = self.here().push(op, at, &[read; 4]);
        let results = self.function.insts[inst.index()].results.clone();
        let mut values = Vec::new();
        for value in results.into_iter().take(types.len()) {
            values.push(self.here().convert(Convert::FToF, value, ty));
        }
        self.set(i.word(1)?, Val::many(values));
        Ok(())
    }

    fn sample(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let Some(Object::Sampled(image, sampler)) = self.get(i.word(2)?, i)?.object else {
            return Err(i.invalid("it takes an image with a sampler"));
        };
        // The level of detail, and how integers are extended.
        if i.word(4)? & !0x3002 != 0 {
            return Err(i.unsupported("gradients and offsets"));
        }
        if let Ok(lod) = i.word(5)
            && self.number(lod, i)? != 0
        {
            return Err(i.unsupported("levels of detail other than the first"));
        }
        let shape = image.shape;
        let mut at = self.coordinates(i.word(3)?, shape.coordinates(), i)?;
        let mut floats = false;
        for value in &mut at {
            let from = self.function.ty(*value);
            floats |= from.is_float();
            let how = match from.is_float() {
                true => Convert::FToF,
                false => Convert::SToF,
            };
            *value = self.here().convert(how, *value, Type::F32);
        }
        if floats {
            self.snap(
                sampler,
                at.get_mut(..shape.dimensions()).unwrap_or_default(),
            );
        }
        let op = Op::ImageSample {
            surface: image.surface,
            sampler,
        };
        self.texel(op, &at, i)
    }

    /// Hardware rounds coordinates a little below zero to the first texel, where a sampler that
    /// clamps to the border and takes the nearest texel must give the border.
    fn snap(&mut self, sampler: u8, at: &mut [Value]) {
        let wanted = match self.abi.samplers.get(usize::from(sampler)) {
            Some(SamplerState::Argument(arg)) => {
                let kind = FieldKind::SnapsCoordinates { arg: *arg };
                let offset = self.abi.field(kind, 4, 4);
                let field = self.payload(offset, Type::I32);
                self.is_set(field)
            }
            Some(SamplerState::Literal {
                addressing: "clamp_border",
                linear: false,
                ..
            }) => self.constant(Type::I1, 1),
            _ => return,
        };
        let zero = self.constant(Type::F32, 0);
        let outside = self.constant(Type::F32, u64::from((-1f32).to_bits()));
        for value in at {
            let below = self.one(Op::Fcmp(Cond::Slt), &[*value, zero], Type::I1);
            let below = self.here().bin(crate::ir::Bin::And, below, wanted);
            *value = self.one(Op::Select, &[below, outside, *value], Type::F32);
        }
    }

    fn image_write(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let image = self.image_of(i.word(0)?, i)?;
        let mut args = self.coordinates(i.word(1)?, image.shape.coordinates(), i)?;
        let channels = self.get(i.word(2)?, i)?.scalars;
        if !matches!(channels.len(), 1..=4) {
            return Err(i.invalid("a texel has one to four channels"));
        }
        let mut all = Vec::new();
        for value in channels {
            all.push(match self.function.ty(value) {
                Type::I32 | Type::F32 => value,
                Type::F16 => self.here().convert(Convert::FToF, value, Type::F32),
                ty => return Err(i.unsupported(format!("texels of {ty}"))),
            });
        }
        all.resize(4, all[0]);
        args.extend(all);
        self.here().push(Op::ImageStore(image.surface), &args, &[]);
        Ok(())
    }

    /// A number that the payload has of an image, without what SPIR-V does not count.
    fn image_query(
        &mut self,
        query: ImageField,
        base: u64,
        i: &Instruction<'_>,
    ) -> Result<(), Error> {
        let arg = self.image_of(i.word(2)?, i)?.arg;
        let value = self.image_field(arg, query);
        let base = self.constant(Type::I32, base);
        let value = self.here().bin(crate::ir::Bin::Sub, value, base);
        let ty = self.component(i.word(0)?, i)?;
        let value = self.resize(value, ty, false);
        self.set(i.word(1)?, Val::one(value));
        Ok(())
    }

    fn image_field(&mut self, arg: u32, query: ImageField) -> Value {
        let offset = self.abi.field(FieldKind::Image { arg, query }, 4, 4);
        self.payload(offset, Type::I32)
    }

    fn image_size(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let image = self.image_of(i.word(2)?, i)?;
        let all = [ImageField::Width, ImageField::Height, ImageField::Depth];
        let sizes = all.iter().take(image.shape.dimensions()).copied();
        let elements = image.shape.array.then_some(ImageField::ArraySize);
        let types = self.result_types(i)?;
        let mut values = Vec::new();
        for (query, ty) in sizes.chain(elements).zip(types) {
            let value = self.image_field(image.arg, query);
            values.push(self.resize(value, ty, false));
        }
        self.set(i.word(1)?, Val::many(values));
        Ok(())
    }
}
