//! Places the variables of the program.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use spirv::{Op as Spv, StorageClass};

use super::super::opcode::PRINTF;
use super::super::reader::Instruction;
use super::super::types::{Part, Shape};
use super::data::{Data, Placed, Section};
use super::{Address, Constant, Contents, Module};
use crate::error::Error;
use crate::ir::Type;

/// The most bytes of each section.
const MAX_BYTES: u32 = 16 << 20;

impl Data {
    /// Places the variables of a module.
    ///
    /// # Errors
    /// What SPIR-V forbids; variables that are too large.
    pub(super) fn of(module: &Module<'_>) -> Result<Data, Error> {
        let mut data = Data::default();
        let texts = texts(module);
        let mut placed = Vec::new();
        for i in &module.instructions {
            let (Spv::Variable, Ok(id)) = (i.op, i.word(1)) else {
                continue;
            };
            let section = match StorageClass::from_u32(i.word(2)?) {
                Some(StorageClass::UniformConstant) if texts.contains(&id) => Section::Strings,
                Some(StorageClass::UniformConstant) => Section::Constants,
                Some(StorageClass::CrossWorkgroup) => Section::Globals,
                _ => continue,
            };
            let Shape::Pointer(_, pointee) = *module.types.shape(i.word(0)?, i)? else {
                return Err(i.invalid("its type is no pointer"));
            };
            // Samplers have no memory, built-in variables are none, and others may be of a module that is not here.
            if matches!(
                module.types.shape(pointee, i)?,
                Shape::Opaque(_) | Shape::Image(_)
            ) || module.builtin(id).is_some()
                || module.undefined(id).is_some()
            {
                continue;
            }
            let (size, align) = module.types.size(pointee, i)?;
            let align = module.alignment(id, align, i)?;
            let bytes = data.bytes(section);
            let offset = bytes.len().next_multiple_of(align.max(4) as usize);
            let end = offset as u64 + u64::from(size);
            if end > MAX_BYTES.into() {
                let what = format!("{end} bytes of variables, the limit is {MAX_BYTES}");
                return Err(i.unsupported(what));
            }
            bytes.resize(end as usize, 0);
            let place = Placed {
                section,
                offset: offset as u32,
            };
            data.places.insert(id, place);
            placed.push((i, pointee, place));
        }
        for (i, pointee, place) in placed {
            if let Ok(initializer) = i.word(3) {
                data.fill(module, i, pointee, place, initializer)?;
            }
        }
        Ok(data)
    }

    fn bytes(&mut self, section: Section) -> &mut Vec<u8> {
        match section {
            Section::Constants => &mut Arc::make_mut(&mut self.constants).bytes,
            Section::Globals => &mut self.globals,
            Section::Strings => &mut self.strings,
        }
    }

    /// Writes an initializer to a variable's place.
    fn fill(
        &mut self,
        module: &Module<'_>,
        i: &Instruction<'_>,
        pointee: u32,
        place: Placed,
        initializer: u32,
    ) -> Result<(), Error> {
        if module.types.size(pointee, i)?.0 == 0 {
            return Ok(());
        }
        let parts = match module.constants.get(&initializer) {
            // Memory is zero, and so is every null in it.
            Some(Constant {
                contents: Contents::Null(_) | Contents::Undefined(_),
                ..
            }) => return Ok(()),
            Some(Constant {
                contents: Contents::Parts(parts),
                ..
            }) => *parts,
            _ => &[initializer],
        };
        let begins = |at: u32| Placed {
            offset: place.offset + at,
            ..place
        };
        match module.types.shape(pointee, i)? {
            Shape::Array(element, count) if parts.len() == *count as usize => {
                let (size, _) = module.types.size(*element, i)?;
                for (part, at) in parts.iter().zip((0..).step_by(size.max(1) as usize)) {
                    self.fill(module, i, *element, begins(at), *part)?;
                }
            }
            Shape::Struct(members) if parts.len() == members.len() => {
                for (index, part) in parts.iter().enumerate() {
                    let (at, member) = module.types.member(pointee, index, i)?;
                    self.fill(module, i, member, begins(at), *part)?;
                }
            }
            _ => {
                let flat = module.types.flatten(pointee, i)?;
                let mut flat = flat.into_iter();
                for &part in parts {
                    let unknown = || match module.function_in(part) {
                        Some(function) => module.address_of_function(function, i),
                        None => i.unsupported("an initializer that is no constant"),
                    };
                    let (_, addresses) = module.initializer(part).ok_or_else(unknown)?;
                    let scalars = match module.constants.contains_key(&part) {
                        true => module.scalars(part).ok_or_else(unknown)?,
                        false => [(Type::I64, Some(0))][..].into(),
                    };
                    for (index, (_, bits)) in scalars.iter().enumerate() {
                        let Some(to) = flat.next() else {
                            return Ok(());
                        };
                        // They are in the order of the scalars.
                        let address = addresses.binary_search_by_key(&index, |a| a.scalar);
                        let address = address.ok().map(|found| addresses[found]);
                        self.put(module, i, begins(to.at), to, *bits, address)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes a scalar, which may be an address, to its place.
    fn put(
        &mut self,
        module: &Module<'_>,
        i: &Instruction<'_>,
        at: Placed,
        part: Part,
        bits: Option<u64>,
        address: Option<Address>,
    ) -> Result<(), Error> {
        let mut bits = bits.unwrap_or(part.null());
        if part.into.is_some() {
            if bits != part.null() {
                return Err(i.unsupported("an address in local or private memory"));
            }
            bits = 0;
        }
        if let Some(address) = address {
            let Some(to) = self.places.get(&address.variable).copied() else {
                return Err(match module.undefined(address.variable) {
                    Some(name) => i.not_defined(&name),
                    None => i.unsupported("the address of a variable without memory"),
                });
            };
            if part.ty != Type::I64 {
                return Err(i.unsupported("an address as another type"));
            }
            // The section's address is added to what is there.
            bits = address.offset.wrapping_add(to.offset.into()) as u64;
            self.addresses.push((at, to.section));
            if at.section == Section::Constants {
                let constants = Arc::make_mut(&mut self.constants);
                constants.addresses.insert(at.offset.into());
            }
        }
        let from = at.offset as usize;
        let count = part.stored().bytes() as usize;
        if let Some(to) = self.bytes(at.section).get_mut(from..from + count) {
            to.copy_from_slice(&bits.to_le_bytes()[..count]);
        }
        Ok(())
    }
}

/// The variables that are arrays of bytes and that only `printf` takes.
fn texts(module: &Module<'_>) -> HashSet<u32> {
    let bytes = |ty: u32| match module.types.get(ty) {
        Some(Shape::Pointer(StorageClass::UniformConstant, pointee)) => {
            match module.types.get(*pointee) {
                Some(Shape::Array(element, _)) => {
                    module.types.get(*element) == Some(&Shape::Scalar(Type::I8))
                }
                _ => false,
            }
        }
        _ => false,
    };
    let variables = module.variables.iter();
    let variables =
        variables.filter(|(_, v)| v.class == StorageClass::UniformConstant && bytes(v.ty));
    let ids: Vec<u32> = variables.map(|(id, _)| *id).collect();
    if ids.is_empty() {
        return HashSet::new();
    }
    // Ids that may point into the same texts are together.
    let mut classes = Classes::default();
    for i in &module.instructions {
        for from in passes_on(i) {
            if let Ok(result) = i.word(1) {
                classes.join(result, from);
            }
        }
    }
    let texts: HashSet<u32> = ids.iter().map(|id| classes.of(*id)).collect();
    let (mut printed, mut other) = (HashSet::new(), HashSet::new());
    for i in &module.instructions {
        let skips = match i.op {
            Spv::Name | Spv::Decorate | Spv::EntryPoint | Spv::Variable => continue,
            _ => passes_on(i),
        };
        let prints =
            i.op == Spv::ExtInst && i.word(2).ok() == module.opencl && i.word(3) == Ok(PRINTF);
        let result = i.word(1).ok().filter(|_| !skips.is_empty());
        for operand in i.words {
            let class = classes.of(*operand);
            if !texts.contains(&class) || skips.contains(operand) || result == Some(*operand) {
                continue;
            }
            match prints {
                true => printed.insert(class),
                false => other.insert(class),
            };
        }
    }
    let only = |class: &u32| printed.contains(class) && !other.contains(class);
    ids.into_iter()
        .filter(|id| only(&classes.of(*id)))
        .collect()
}

/// The pointers that the result of an instruction may be, or point into the same variable as.
fn passes_on(i: &Instruction<'_>) -> Vec<u32> {
    let select = Spv::Select as u32;
    let places: &[usize] = match i.op {
        Spv::AccessChain
        | Spv::InBoundsAccessChain
        | Spv::PtrAccessChain
        | Spv::InBoundsPtrAccessChain
        | Spv::Bitcast
        | Spv::CopyObject => &[2],
        Spv::Select => &[3, 4],
        Spv::SpecConstantOp if i.word(2) == Ok(select) => &[4, 5],
        Spv::SpecConstantOp => &[3],
        Spv::Phi => return i.rest(2).iter().copied().step_by(2).collect(),
        _ => &[],
    };
    places.iter().flat_map(|place| i.word(*place)).collect()
}

/// Ids in classes, each named by one of them.
#[derive(Default)]
struct Classes(HashMap<u32, u32>);

impl Classes {
    fn of(&mut self, id: u32) -> u32 {
        let mut root = id;
        while let Some(next) = self.0.get(&root) {
            root = *next;
        }
        let mut at = id;
        while at != root {
            at = self.0.insert(at, root).unwrap_or(root);
        }
        root
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        if a != b {
            self.0.insert(a, b);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::front::{file, module};

    const TABLES: &[u8] = include_bytes!("../../../tests/kernels/tables.spv");

    #[test]
    fn large_variables_have_what_they_are_given() {
        let file = file(TABLES).unwrap();
        let data = module(&file).unwrap().data;
        assert_eq!(data.globals, vec![0; 1 << 16]);
        let mut large = vec![0; 1 << 20];
        for row in [0u32, 7, 255, 1023] {
            let begin = 1024 * row as usize;
            large[begin + 1] = (3 * row) as u8;
            large[begin + 1023] = row as u8;
        }
        assert!(data.constants.bytes == large);
    }
}
