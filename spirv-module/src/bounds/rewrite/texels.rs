//! Texels that are read are compared with the size of their image, where OpenCL C leaves those outside open:
//! without a sampler, and with one that names no address mode, also where a function gets it. A message of the sampler
//! does not show which of them compilers mean.

use std::collections::HashMap;

use devinfo::report;
use spirv::{Dim, Op, SamplerAddressingMode};

use super::{Doubt, Fault, Rewriter};
use crate::bounds::build::push;
use crate::bounds::flow::Flow;
use crate::bounds::layout::Kind;
use crate::bounds::reach::compare;
use crate::module::{Instruction, Module};

/// A type of images.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// The directions, and whether there are layers besides.
    directions: u32,
    layers: bool,
    /// It is made of a buffer: it has no levels.
    is_buffer: bool,
}

impl Shape {
    /// That of a type's operands; `None` if OpenCL has no such images.
    fn of(one: &Instruction<'_>) -> Option<Self> {
        let is = |dim: Dim| one.word(2) == dim as u32;
        let directions = match () {
            () if is(Dim::Dim1D) || is(Dim::DimBuffer) => 1,
            () if is(Dim::Dim2D) => 2,
            () if is(Dim::Dim3D) => 3,
            () => return None,
        };
        Some(Self {
            directions,
            layers: one.word(4) != 0,
            is_buffer: is(Dim::DimBuffer),
        })
    }
}

/// The images of a module, and the samplers that it has itself.
#[derive(Debug, Default)]
pub(super) struct Images {
    /// By value.
    shapes: HashMap<u32, Shape>,
    /// By what is sampled: its image, where nothing says what lies outside, and whether its coordinates are
    /// normalized.
    open: HashMap<u32, (u32, bool)>,
}

/// Parameters whose arguments are samplers of these become samplers themselves, if all callers are known.
fn pass(samplers: &mut HashMap<u32, bool>, module: &Module, flow: &Flow) {
    let mut passed: HashMap<u32, Vec<u32>> = HashMap::new();
    let calls = module
        .instructions()
        .filter(|one| one.op() == Some(Op::FunctionCall));
    for call in calls {
        let parameters = flow.all_parameters.get(&call.word(2));
        let arguments = call.operands.get(3..).unwrap_or_default();
        for (parameter, argument) in parameters.into_iter().flatten().zip(arguments) {
            passed.entry(*parameter).or_default().push(*argument);
        }
    }
    loop {
        let known = samplers.len();
        for (parameter, arguments) in &passed {
            let mut of = arguments
                .iter()
                .map(|argument| samplers.get(argument).copied());
            let Some(Some(first)) = of.next() else {
                continue;
            };
            if of.all(|one| one == Some(first)) {
                samplers.insert(*parameter, first);
            }
        }
        if samplers.len() == known {
            return;
        }
    }
}

impl Images {
    pub fn of(module: &Module, flow: &Flow) -> Self {
        let mut all = Self::default();
        let mut types = HashMap::new();
        // By sampler, whether its coordinates are normalized.
        let mut samplers = HashMap::new();
        let mut sampled = Vec::new();
        for one in module.instructions() {
            let id = one.word(1);
            match one.op() {
                Some(Op::TypeImage) => {
                    types.extend(Shape::of(&one).map(|shape| (one.word(0), shape)));
                }
                Some(Op::ConstantSampler) if one.word(2) == SamplerAddressingMode::None as u32 => {
                    samplers.insert(id, one.word(3) != 0);
                }
                Some(Op::SampledImage) => sampled.push([id, one.word(2), one.word(3)]),
                _ => {
                    if let Some(shape) = types.get(&one.word(0)) {
                        all.shapes.insert(id, *shape);
                    }
                }
            }
        }
        if !samplers.is_empty() {
            pass(&mut samplers, module, flow);
        }
        for [id, image, sampler] in sampled {
            let normalized = samplers.get(&sampler);
            all.open
                .extend(normalized.map(|normalized| (id, (image, *normalized))));
        }
        all
    }
}

impl Rewriter<'_> {
    /// The coordinates of a texel that is read are compared with its image's size.
    pub(super) fn texel(&mut self, op: Op, one: &Instruction<'_>) -> Option<()> {
        let (image, normalized) = match op {
            Op::ImageRead => (one.word(2), None),
            Op::ImageSampleExplicitLod => {
                let (image, normalized) = *self.images.open.get(&one.word(2))?;
                (image, Some(normalized))
            }
            _ => return None,
        };
        let shape = *self.images.shapes.get(&image)?;
        let place = one.word(3);
        let ty = self.layout.type_of(place)?;
        let (component, given) = match *self.layout.kind(ty)? {
            Kind::Vector { component, count } => (component, u32::try_from(count).ok()?),
            _ => (ty, 1),
        };
        let is_float = match self.layout.kind(component)? {
            Kind::Float { bits: 32 } => true,
            Kind::Integer { bits: 32 } => false,
            _ => return None,
        };
        let count = shape.directions + u32::from(shape.layers);
        // A sampler takes the nearest layer that there is.
        let judged = match normalized {
            Some(_) => shape.directions,
            None => count,
        };
        let size = self.size_of_image(image, shape, count);
        let word = self.builder.types.word;
        for direction in 0..judged.min(given) {
            let size = self.component(word, (size, count), direction);
            let coordinate = self.component(component, (place, given), direction);
            let [coordinate, doubtful] = match is_float {
                true => {
                    let normalized = normalized == Some(true);
                    self.float_outside(component, coordinate, size, normalized)
                }
                false => {
                    let of = [coordinate, size];
                    let words = &mut self.words;
                    let outside = compare(self.builder, words, Op::UGreaterThanEqual, of);
                    [coordinate, outside]
                }
            };
            self.doubts.push(Doubt {
                doubtful,
                fault: Fault::Outside { coordinate, size },
                bytes: 0,
                what: report::TEXEL | direction,
                place: self.place.clone(),
            });
        }
        Some(())
    }

    /// The width of an image, its height, and so on.
    fn size_of_image(&mut self, image: u32, shape: Shape, count: u32) -> u32 {
        let ty = match count {
            1 => self.builder.types.word,
            _ => {
                let word = self.builder.types.word;
                self.builder.vector(word, count, self.layout)
            }
        };
        let size = self.builder.id();
        if shape.is_buffer {
            push(&mut self.words, Op::ImageQuerySize, &[ty, size, image]);
        } else {
            let level = self.builder.word(0);
            let operands = [ty, size, image, level];
            push(&mut self.words, Op::ImageQuerySizeLod, &operands);
        }
        size
    }

    /// A component of a vector, or the one number.
    pub(super) fn component(&mut self, ty: u32, (whole, count): (u32, u32), at: u32) -> u32 {
        if count == 1 {
            return whole;
        }
        let part = self.builder.id();
        let operands = [ty, part, whole, at];
        push(&mut self.words, Op::CompositeExtract, &operands);
        part
    }

    /// The texel that a float coordinate is in, and whether it is outside. Normalized ones end at 1.
    fn float_outside(
        &mut self,
        float: u32,
        coordinate: u32,
        size: u32,
        normalized: bool,
    ) -> [u32; 2] {
        let (word, words) = (self.builder.types.word, &mut self.words);
        let [whole, end, zero, place, texel] = [0; 5].map(|_| self.builder.id());
        let [none, one] = [0, 1].map(|number| self.builder.word(number));
        push(words, Op::ConvertUToF, &[float, whole, size]);
        push(words, Op::ConvertUToF, &[float, zero, none]);
        let (end, place) = if normalized {
            push(words, Op::ConvertUToF, &[float, end, one]);
            push(words, Op::FMul, &[float, place, coordinate, whole]);
            (end, place)
        } else {
            (whole, coordinate)
        };
        let before = [coordinate, zero];
        let before = compare(self.builder, words, Op::FUnordLessThan, before);
        let behind = [coordinate, end];
        let behind = compare(self.builder, words, Op::FUnordGreaterThanEqual, behind);
        let outside = [before, behind];
        let outside = compare(self.builder, words, Op::LogicalOr, outside);
        push(words, Op::ConvertFToS, &[word, texel, place]);
        [texel, outside]
    }
}
