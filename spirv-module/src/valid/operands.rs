//! Operands have the types that their instruction works on.

use spirv::Op;

use super::Check;
use super::rules::{self, Kind, Takes};
use crate::module::Instruction;
use crate::types::Type;

impl Check {
    pub(super) fn operands(&mut self, one: &Instruction<'_>) {
        let Some(op) = one.op() else { return };
        if let Some(rule) = rules::rule(op) {
            self.result(one, rule.result);
            let mut each = None;
            for (index, takes) in (rule.first..).zip(rule.operands) {
                self.operand(one, index, *takes, &mut each);
            }
        }
        if let Some(index) = rules::pointer(op) {
            self.points_to(one, one.word(index), one.word(0));
        }
        match op {
            Op::Store => self.stored(one, one.word(1)),
            Op::AtomicStore => self.stored(one, one.word(3)),
            Op::CopyObject => self.of_result(one, one.word(2)),
            Op::Select => self.select(one),
            Op::Bitcast => self.bitcast(one),
            Op::ExtInst => self.extended(one),
            Op::CompositeExtract => {
                let indexes = one.operands.get(3..).unwrap_or_default();
                self.part(one, one.word(2), indexes, one.word(0));
            }
            Op::CompositeInsert => {
                self.of_result(one, one.word(3));
                let indexes = one.operands.get(4..).unwrap_or_default();
                match self.types.type_of(one.word(2)) {
                    Some(part) => self.part(one, one.word(3), indexes, part),
                    None => self.no_value(one, one.word(2)),
                }
            }
            Op::CompositeConstruct | Op::ConstantComposite | Op::SpecConstantComposite => {
                self.composite(op, one);
            }
            Op::VectorShuffle => self.shuffle(one),
            _ => {}
        }
    }

    fn no_value(&mut self, one: &Instruction<'_>, id: u32) {
        self.wrong(one, format!("%{id} is no value"));
    }

    /// The type of an operand, which has to be a value.
    fn value(&mut self, one: &Instruction<'_>, id: u32) -> Option<(u32, Type)> {
        let ty = self.types.type_of(id);
        let found = ty.and_then(|ty| Some((ty, self.types.get(ty)?)));
        if found.is_none() {
            self.no_value(one, id);
        }
        found
    }

    /// The operand has the result's type.
    pub(super) fn of_result(&mut self, one: &Instruction<'_>, id: u32) {
        let Some((ty, _)) = self.value(one, id) else {
            return;
        };
        if !self.types.are_alike(ty, one.word(0)) {
            let (is, result) = (self.describe(ty), self.describe(one.word(0)));
            self.wrong(one, format!("%{id} is {is}, the result {result}"));
        }
    }

    fn is(&self, ty: Type, kind: Kind) -> bool {
        let (component, _) = self.types.components(ty);
        match kind {
            Kind::Bool => component == Type::Bool,
            Kind::Int => matches!(component, Type::Int { .. }),
            Kind::Float => matches!(component, Type::Float { .. }),
            Kind::Number => matches!(component, Type::Int { .. } | Type::Float { .. }),
            Kind::Plain => matches!(
                component,
                Type::Bool | Type::Int { .. } | Type::Float { .. }
            ),
        }
    }

    fn result(&mut self, one: &Instruction<'_>, kind: Kind) {
        let result = self.types.get(one.word(0));
        if !result.is_some_and(|result| self.is(result, kind)) {
            let (is, wanted) = (self.describe(one.word(0)), name(kind));
            self.wrong(one, format!("its result is {is}; it gives {wanted}"));
        }
    }

    fn operand(
        &mut self,
        one: &Instruction<'_>,
        index: usize,
        takes: Takes,
        each: &mut Option<u32>,
    ) {
        let id = one.word(index);
        let Some((ty, shape)) = self.value(one, id) else {
            return;
        };
        let result = self.types.get(one.word(0)).unwrap_or(Type::Other);
        let (component, count) = self.types.components(result);
        let (own, own_count) = self.types.components(shape);
        let (kind, right) = match takes {
            Takes::Result => return self.of_result(one, id),
            Takes::Component => (Kind::Number, (own, own_count) == (component, 1)),
            Takes::Each(kind) | Takes::Any(kind) => (kind, own_count == count),
            Takes::Resized(kind) => (kind, own_count == count && width(own) != width(component)),
            Takes::Scalar(kind) => (kind, own_count == 1),
            Takes::Of(kind) => (kind, true),
        };
        if !right || !self.is(shape, kind) {
            let (is, wanted) = (self.describe(ty), name(kind));
            let of = match takes {
                Takes::Component => " like the components of the result",
                Takes::Each(_) | Takes::Any(_) | Takes::Resized(_) if own_count != count => {
                    ", as many as the result has"
                }
                Takes::Resized(_) => " of another width than the result's",
                Takes::Scalar(_) => ", one",
                _ => "",
            };
            self.wrong(one, format!("%{id} is {is}; it takes {wanted}{of}"));
        }
        if let Takes::Each(_) = takes
            && !self.types.are_alike(*each.get_or_insert(ty), ty)
        {
            self.wrong(one, "its operands are of two types");
        }
    }

    /// A pointer points to a type.
    fn points_to(&mut self, one: &Instruction<'_>, pointer: u32, ty: u32) {
        match self.value(one, pointer) {
            Some((_, Type::Pointer { pointee, .. })) => {
                if !self.types.are_alike(pointee, ty) {
                    let (to, is) = (self.describe(pointee), self.describe(ty));
                    self.wrong(
                        one,
                        format!("%{pointer} points to {to}, the result is {is}"),
                    );
                }
            }
            // Pointers of other extensions say nothing of what they point to.
            Some((_, Type::Other)) | None => {}
            Some((ty, _)) => {
                let is = self.describe(ty);
                self.wrong(one, format!("%{pointer} is {is}, no pointer"));
            }
        }
    }

    fn stored(&mut self, one: &Instruction<'_>, value: u32) {
        let (pointer, value) = (one.word(0), self.types.type_of(value));
        match (self.types.of_value(pointer), value) {
            (Some(Type::Pointer { pointee, .. }), Some(ty)) => {
                if !self.types.are_alike(pointee, ty) {
                    let (to, is) = (self.describe(pointee), self.describe(ty));
                    self.broken(one, format!("%{pointer} points to {to}, the value is {is}"));
                }
            }
            (Some(Type::Other), Some(_)) => {}
            _ => self.broken(one, "it takes a pointer and a value"),
        }
    }

    fn select(&mut self, one: &Instruction<'_>) {
        let result = self.types.get(one.word(0)).unwrap_or(Type::Other);
        if let Some((ty, condition)) = self.value(one, one.word(2)) {
            let (kind, count) = self.types.components(condition);
            let (_, wanted) = self.types.components(result);
            if kind != Type::Bool || (count != 1 && count != wanted) {
                let is = self.describe(ty);
                self.wrong(one, format!("its condition is {is}"));
            }
        }
        self.of_result(one, one.word(3));
        self.of_result(one, one.word(4));
    }

    /// Pointers are as large as the addressing model says, which is not looked at.
    fn bitcast(&mut self, one: &Instruction<'_>) {
        let Some((ty, from)) = self.value(one, one.word(2)) else {
            return;
        };
        let bits = |of: Type| {
            let (component, count) = self.types.components(of);
            Some(width(component)? * count)
        };
        let to = self.types.get(one.word(0)).unwrap_or(Type::Other);
        let is_pointer = |of| matches!(of, Type::Pointer { .. } | Type::Other);
        let right = match (bits(from), bits(to)) {
            (Some(from), Some(to)) => from == to,
            (from_bits, to_bits) => {
                (from_bits.is_some() || is_pointer(from)) && (to_bits.is_some() || is_pointer(to))
            }
        };
        if !right {
            let (from, to) = (self.describe(ty), self.describe(one.word(0)));
            self.wrong(one, format!("%{} is {from}, the result {to}", one.word(2)));
        }
    }

    fn extended(&mut self, one: &Instruction<'_>) {
        if self.opencl != Some(one.word(2)) || !rules::is_of_floats(one.word(3)) {
            return;
        }
        self.result(one, Kind::Float);
        for &operand in one.operands.get(4..).unwrap_or_default() {
            self.of_result(one, operand);
        }
    }

    /// A part of a composite is of a type.
    fn part(&mut self, one: &Instruction<'_>, composite: u32, indexes: &[u32], wanted: u32) {
        let Some((mut ty, _)) = self.value(one, composite) else {
            return;
        };
        if indexes.is_empty() {
            self.wrong(one, "it has no index");
            return;
        }
        for &index in indexes {
            let part = match self.types.get(ty) {
                // Translators extract component 3 of built-in variables, which have three: it is
                // undefined.
                Some(Type::Vector { component, .. }) => Some(component),
                Some(Type::Array { element, length }) => {
                    let length = self.types.constant(length);
                    length
                        .is_none_or(|length| index < length)
                        .then_some(element)
                }
                Some(Type::Struct) => self.types.parts(ty).get(index as usize).copied(),
                _ => None,
            };
            let Some(part) = part else {
                let is = self.describe(ty);
                self.wrong(one, format!("{is} has no part {index}"));
                return;
            };
            ty = part;
        }
        if !self.types.are_alike(ty, wanted) {
            let (is, wanted) = (self.describe(ty), self.describe(wanted));
            self.wrong(one, format!("the part is {is}, not {wanted}"));
        }
    }

    fn composite(&mut self, op: Op, one: &Instruction<'_>) {
        let given = one.operands.get(2..).unwrap_or_default();
        let ty = one.word(0);
        let wanted: Vec<u32> = match self.types.get(ty) {
            Some(Type::Vector { component, count }) => {
                // Vectors may stand for as many scalars.
                let mut have = 0;
                for &id in given {
                    let own = self.types.of_value(id).unwrap_or(Type::Other);
                    let (own, count) = self.types.components(own);
                    let is_part = Some(own) == self.types.get(component);
                    if !is_part || (count != 1 && op != Op::CompositeConstruct) {
                        let (is, wanted) = (self.describe_value(id), self.describe(component));
                        self.wrong(one, format!("%{id} is {is}; components are {wanted}"));
                        return;
                    }
                    have += count;
                }
                if have != count {
                    self.wrong(one, format!("{have} components for a vector of {count}"));
                }
                return;
            }
            Some(Type::Struct) => self.types.parts(ty).to_vec(),
            Some(Type::Array { element, length }) => match self.types.constant(length) {
                Some(length) if length as usize == given.len() => vec![element; given.len()],
                None => vec![element; given.len()],
                Some(length) => {
                    let have = given.len();
                    self.wrong(one, format!("{have} elements for an array of {length}"));
                    return;
                }
            },
            _ => {
                let is = self.describe(ty);
                self.wrong(one, format!("its result is {is}, which has no parts"));
                return;
            }
        };
        if wanted.len() != given.len() {
            let (have, want) = (given.len(), wanted.len());
            self.wrong(one, format!("{have} members for a structure of {want}"));
            return;
        }
        for (&id, wanted) in given.iter().zip(wanted) {
            let Some((is, _)) = self.value(one, id) else {
                return;
            };
            if !self.types.are_alike(is, wanted) {
                let (is, wanted) = (self.describe(is), self.describe(wanted));
                self.wrong(one, format!("%{id} is {is}; the part is {wanted}"));
            }
        }
    }

    fn shuffle(&mut self, one: &Instruction<'_>) {
        let result = self.types.get(one.word(0)).unwrap_or(Type::Other);
        let (component, count) = self.types.components(result);
        let indexes = one.operands.get(4..).unwrap_or_default();
        if indexes.len() as u64 != u64::from(count) {
            let have = indexes.len();
            self.wrong(one, format!("{have} components for a vector of {count}"));
        }
        let mut have = 0;
        for index in [2, 3] {
            let Some((ty, of)) = self.value(one, one.word(index)) else {
                return;
            };
            let (own, count) = self.types.components(of);
            if own != component || !matches!(of, Type::Vector { .. }) {
                let (is, result) = (self.describe(ty), self.describe(one.word(0)));
                self.wrong(
                    one,
                    format!("%{} is {is}, the result {result}", one.word(index)),
                );
                return;
            }
            have += count;
        }
        let undefined = u32::MAX;
        if let Some(beyond) = indexes
            .iter()
            .find(|index| **index >= have && **index != undefined)
        {
            self.wrong(one, format!("component {beyond} of {have}"));
        }
    }
}

/// A kind in messages.
fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool => "booleans",
        Kind::Int => "integers",
        Kind::Float => "floats",
        Kind::Number => "integers or floats",
        Kind::Plain => "booleans, integers or floats",
    }
}

/// The bits of a number.
fn width(component: Type) -> Option<u32> {
    match component {
        Type::Int { width, .. } | Type::Float { width } => Some(width),
        _ => None,
    }
}
