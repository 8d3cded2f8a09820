//! Cells: a function with a type. Their kernels, their data and what they give.

use std::fmt;

use spirv::{AccessQualifier, BuiltIn, Op, StorageClass};

use super::assembler::{Assembler, Id};
use super::element::{Combine, Element};
use super::function::{Function, Inputs, Over, Set};
use super::reference::{Item, Place, results};

/// A function with a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    pub function: Function,
    pub of: Element,
    /// Components of the vector.
    pub count: u32,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.function.name(), self.of.name())?;
        match self.count {
            1 => Ok(()),
            count => write!(f, "{count}"),
        }
    }
}

/// The whole allowed set.
pub fn all() -> Vec<Cell> {
    let mut all = Vec::new();
    for function in Function::all() {
        for of in function.elements() {
            for &count in function.counts(of) {
                all.push(Cell {
                    function,
                    of,
                    count,
                });
            }
        }
    }
    all
}

/// What a launch covers.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub simd: usize,
    pub local: usize,
    pub global: usize,
}

/// The row of an image where its blocks begin.
const FIRST_ROW: usize = 1;

/// The bit of a work-item's word that says whether it calls the function in divergent flow.
const CALLS: u32 = 8;

impl Cell {
    /// A number that is the same in every run: FNV-1a of the name.
    pub fn hash(&self) -> u32 {
        let name = self.kernel_name(false);
        name.bytes().fold(0x811c_9dc5, |hash, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        })
    }

    pub fn kernel_name(&self, diverges: bool) -> String {
        let name = self.function.name();
        let letters = name
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || *c == '_');
        let letters: String = letters.collect();
        let flow = if diverges { "_some" } else { "" };
        format!("{letters}_{}{}{flow}", self.of.name(), self.count)
    }

    /// The launch: whole sub-groups and others, and a work-group of another size; whole ones only for
    /// blocks.
    pub fn shape(&self, simd: usize) -> Shape {
        let (local, global) = match self.function.may_be_partial() {
            true => {
                let local = simd + simd / 2 + 1;
                (local, 2 * local + 12)
            }
            false => (simd, 3 * simd),
        };
        Shape {
            simd,
            local,
            global,
        }
    }

    /// Bytes of a vector in memory: three components take the space of four.
    pub fn stride(of: Element, count: u32) -> usize {
        of.bytes() * (count as usize).next_power_of_two()
    }

    /// The kernel `(global R *out, global T *x, global T *y, global uint *lanes)`.
    pub fn build(&self, a: &mut Assembler, simd: u32, diverges: bool) {
        let Cell {
            function,
            of,
            count,
        } = *self;
        let (result_of, result_count) = function.result(of, count);
        let result = a.vector(result_of, result_count);
        let ty = a.vector(of, count);
        let (scalar, uint, truth) = (a.scalar(of), a.uint(), a.bool());
        let long = a.scalar(Element::U64);
        // Blocks are of scalars in memory.
        let (from, to) = match function {
            Function::BlockRead => (scalar, result),
            Function::BlockWrite => (ty, scalar),
            _ => (ty, result),
        };
        let name = self.kernel_name(diverges);
        let pointees = [to, from, ty, uint];
        let class = StorageClass::CrossWorkgroup;
        let mut types = pointees.map(|to| a.pointer(class, to));
        match function {
            Function::ImageRead => types[1] = a.image(AccessQualifier::ReadOnly),
            Function::ImageWrite => types[0] = a.image(AccessQualifier::WriteOnly),
            _ => {}
        }
        let params = a.kernel(&name, simd, &types);
        let three = a.vector(Element::U64, 3);
        let id = |a: &mut Assembler, which: BuiltIn| {
            let variable = a.built_in(which, three);
            let all = a.load(three, variable, 32);
            a.value(Op::CompositeExtract, long, &[all, 0])
        };
        let item = id(a, BuiltIn::GlobalInvocationId);
        let element = |a: &mut Assembler, which: usize, item: Id| {
            let pointer = a.pointer(class, pointees[which]);
            a.value(Op::InBoundsPtrAccessChain, pointer, &[params[which], item])
        };
        let align = |of: Element, count: u32| Self::stride(of, count) as u32;
        let mut inputs = Inputs {
            x: 0,
            y: 0,
            lane: 0,
            block: params[1],
            out: params[0],
            place: 0,
        };
        if function.has_image() {
            let group = id(a, BuiltIn::WorkgroupId);
            let bytes = a.long(simd * of.bytes() as u32);
            let first = a.value(Op::IMul, long, &[group, bytes]);
            let first = a.value(Op::UConvert, uint, &[first]);
            let (two, row) = (a.vector(Element::U32, 2), a.number(FIRST_ROW as u32));
            inputs.place = a.value(Op::CompositeConstruct, two, &[first, row]);
        } else if function.is_block() {
            let group = id(a, BuiltIn::WorkgroupId);
            let size = a.long(simd * count);
            let first = a.value(Op::IMul, long, &[group, size]);
            match function {
                Function::BlockRead => inputs.block = element(a, 1, first),
                _ => inputs.out = element(a, 0, first),
            }
        }
        if function.takes_value() {
            let pointer = element(a, 1, item);
            inputs.x = a.load(ty, pointer, align(of, count));
        }
        if function.takes_two() {
            let pointer = element(a, 2, item);
            inputs.y = a.load(ty, pointer, align(of, count));
        }
        let word = (diverges || function.takes_lane()).then(|| {
            let pointer = element(a, 3, item);
            a.load(uint, pointer, 4)
        });
        if let Some(word) = word.filter(|_| function.takes_lane()) {
            let low = a.number(0xff);
            inputs.lane = a.value(Op::BitwiseAnd, uint, &[word, low]);
        }
        let value = match word.filter(|_| diverges) {
            Some(word) => {
                let bit = a.number(1 << CALLS);
                let bit = a.value(Op::BitwiseAnd, uint, &[word, bit]);
                let zero = a.number(0);
                let calls = a.value(Op::INotEqual, truth, &[bit, zero]);
                let (before, then, after) = (a.id(), a.id(), a.id());
                a.op(Op::Branch, &[before]);
                a.label(before);
                a.only_if(calls, then, after);
                let value = function.call(a, of, count, &inputs);
                a.op(Op::Branch, &[after]);
                a.label(after);
                let none = a.null(result);
                a.value(Op::Phi, result, &[none, before, value, then])
            }
            None => function.call(a, of, count, &inputs),
        };
        if !matches!(function, Function::BlockWrite | Function::ImageWrite) {
            let pointer = element(a, 0, item);
            a.store(pointer, value, align(result_of, result_count));
        }
        a.end();
    }

    /// The work-items of a launch.
    pub fn items(&self, shape: Shape, diverges: bool) -> Vec<Item> {
        let mut random = Random::new(self, shape.simd, diverges);
        let simd = shape.simd;
        let mut items: Vec<Item> = (0..shape.global)
            .map(|index| {
                let group = index / shape.local;
                let mut element = || self.data(&mut random, group);
                let count = self.count as usize;
                Item {
                    x: (0..count).map(|_| element()).collect(),
                    y: (0..count).map(|_| element()).collect(),
                    lane: (random.next() % simd as u64) as u32,
                    calls: !diverges || !random.next().is_multiple_of(3),
                }
            })
            .collect();
        // What a lane has that is not there or does not call is not defined: lanes ask themselves.
        for group in items.chunks_mut(shape.local) {
            for lanes in group.chunks_mut(simd) {
                for own in 0..lanes.len() {
                    let asks = |by: usize| self.function.asked(own, simd, by);
                    let Some(asked) = asks(lanes[own].lane as usize) else {
                        continue;
                    };
                    if lanes.get(asked).is_none_or(|item| !item.calls) {
                        lanes[own].lane = if asks(0) == Some(own) { 0 } else { own as u32 };
                    }
                }
            }
        }
        items
    }

    /// A random element of the kind that the function can be judged by.
    fn data(&self, random: &mut Random, group: usize) -> u64 {
        let of = self.of;
        let bits = random.next();
        let edge = random.next().is_multiple_of(4);
        let combine = match self.function {
            Function::Group(_, _, how) | Function::NonUniform(_, how) => Some(how),
            _ => None,
        };
        match (self.function, combine) {
            // Sums and products that any order of the operands has exactly.
            (_, Some(Combine::Add)) if of.is_float() => {
                of.of_float((bits % 65) as f64 * 0.5 - 16.0)
            }
            (_, Some(Combine::Mul)) if of.is_float() => {
                // Of a work-group's many, few change the exponent.
                let few = matches!(self.function, Function::Group(Set::WorkGroup, ..));
                let place = if few { bits % 32 } else { bits % 8 };
                let power = [1.0, 1.0, 2.0, 0.5].get(place as usize).unwrap_or(&1.0);
                of.of_float(if bits & 256 == 0 { *power } else { -power })
            }
            (_, Some(Combine::Min | Combine::Max)) if of.is_float() => {
                let value = bits & of.mask();
                let edges = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 1.0, -1.5];
                match edge || of.float(value).is_nan() {
                    true => of.of_float(edges[(bits >> 32) as usize % edges.len()]),
                    false => value,
                }
            }
            // All are the same in the first group.
            (Function::AllEqual, _) => {
                let value = if group == 0 { 3 } else { 3 + bits % 2 };
                if of.is_float() {
                    of.of_float(value as f64)
                } else {
                    value
                }
            }
            // All are true in the first group, none in the last.
            (
                Function::All(_)
                | Function::Any(_)
                | Function::NonUniformAll
                | Function::NonUniformAny,
                _,
            ) => match group {
                0 => 1,
                1 => bits & 0xffff_ffff,
                _ => 2,
            },
            _ if edge => {
                let edges = [0, 1, of.mask(), of.mask() >> 1, (of.mask() >> 1) + 1];
                edges[(bits >> 32) as usize % edges.len()]
            }
            _ => bits & of.mask(),
        }
    }

    /// The buffers `x`, `y` and `lanes` of a launch.
    pub fn buffers(&self, items: &[Item]) -> [Vec<u8>; 3] {
        let elements = |value: fn(&Item) -> &Vec<u64>| -> Vec<u8> {
            let mut bytes = Vec::new();
            for item in items {
                for element in value(item) {
                    bytes.extend(&element.to_le_bytes()[..self.of.bytes()]);
                }
                if self.count == 3 {
                    bytes.resize(bytes.len() + self.of.bytes(), 0);
                }
            }
            bytes
        };
        let words = items.iter().flat_map(|item| {
            let word = item.lane | u32::from(item.calls) << CALLS;
            word.to_le_bytes()
        });
        [
            elements(|item| &item.x),
            elements(|item| &item.y),
            words.collect(),
        ]
    }

    /// The image whose columns are the work-items and whose rows from the second on their
    /// components: its bytes in a row, its rows, and the bytes.
    pub fn image(&self, items: &[Item]) -> (usize, usize, Vec<u8>) {
        let size = self.of.bytes();
        let (pitch, rows) = (items.len() * size, self.count as usize + 2 * FIRST_ROW);
        let mut bytes = vec![0x5a; pitch * rows];
        for (column, item) in items.iter().enumerate() {
            for (row, element) in item.x.iter().enumerate() {
                let at = (row + FIRST_ROW) * pitch + column * size;
                bytes[at..at + size].copy_from_slice(&element.to_le_bytes()[..size]);
            }
        }
        (pitch, rows, bytes)
    }

    /// Bytes of a work-item's result.
    pub fn result_bytes(&self) -> usize {
        let (of, count) = self.function.result(self.of, self.count);
        Self::stride(of, count)
    }

    /// What is wrong with the results of a launch.
    pub fn check(&self, shape: Shape, items: &[Item], out: &[u8]) -> Result<(), String> {
        let (of, _) = self.function.result(self.of, self.count);
        let size = self.result_bytes();
        let mut index = 0;
        for group in items.chunks(shape.local) {
            for number in 0..group.len().div_ceil(shape.simd) {
                let place = Place {
                    simd: shape.simd,
                    group,
                    number,
                    enqueued: shape.local,
                };
                for want in results(self.function, self.of, place) {
                    let have = &out[index * size..][..size];
                    let have = have.chunks_exact(of.bytes()).map(|bytes| {
                        let mut all = [0; 8];
                        all[..bytes.len()].copy_from_slice(bytes);
                        u64::from_le_bytes(all)
                    });
                    let have: Vec<u64> = have.collect();
                    if !items[index].calls && have.iter().any(|x| *x != 0) {
                        return Err(format!("item {index} did not call it and has {have:x?}"));
                    }
                    if let Some(want) = want {
                        let same = want.iter().zip(&have).all(|(a, b)| of.same(*a, *b));
                        if !same {
                            return Err(format!("item {index}: {have:x?}, not {want:x?}"));
                        }
                    }
                    index += 1;
                }
            }
        }
        Ok(())
    }
}

/// Numbers that look random: splitmix64.
struct Random(u64);

impl Random {
    fn new(cell: &Cell, simd: usize, diverges: bool) -> Self {
        let name = cell.kernel_name(diverges);
        let seed = name.bytes().fold(simd as u64, |seed, byte| {
            seed.wrapping_mul(0x100_0000_01b3) ^ u64::from(byte)
        });
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

impl Function {
    /// Whether it takes the work-item's value.
    fn takes_value(self) -> bool {
        !matches!(
            self,
            Function::Elect
                | Function::InverseBallot
                | Function::LaneMask(_)
                | Function::BlockRead
                | Function::ImageRead
                | Function::Number(_)
        )
    }

    fn takes_two(self) -> bool {
        matches!(self, Function::IntelShuffleUp | Function::IntelShuffleDown)
    }

    fn takes_lane(self) -> bool {
        matches!(
            self,
            Function::BitExtract
                | Function::Shuffle
                | Function::ShuffleXor
                | Function::ShuffleUp
                | Function::ShuffleDown
                | Function::IntelShuffle
                | Function::IntelShuffleXor
                | Function::IntelShuffleUp
                | Function::IntelShuffleDown
        )
    }

    /// Whether a cluster is no larger than the sub-group.
    pub fn fits(self, simd: u32) -> bool {
        match self {
            Function::NonUniform(Over::Cluster(size), _)
            | Function::Logical(Over::Cluster(size), _)
            | Function::ClusteredRotate(size) => size <= simd,
            _ => true,
        }
    }
}
