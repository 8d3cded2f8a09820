//! The types and constants of a module, as far as rules speak of them.

use std::collections::HashMap;

use spirv::Op;

use crate::module::Module;

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Int {
        width: u32,
        signedness: u32,
    },
    Float {
        width: u32,
    },
    Vector {
        component: u32,
        count: u32,
    },
    Pointer {
        storage: u32,
        pointee: u32,
    },
    Image {
        dim: u32,
        depth: u32,
        arrayed: u32,
        multisampled: u32,
    },
    Other,
}

/// The types, the types of values, and the constants of a module, by id.
#[derive(Debug, Default)]
pub(crate) struct Types {
    types: HashMap<u32, Type>,
    /// The type of each result.
    of_values: HashMap<u32, u32>,
    constants: HashMap<u32, u32>,
}

impl Types {
    pub(crate) fn of(module: &Module) -> Self {
        let mut all = Self::default();
        for one in module.instructions() {
            let Some(op) = one.op() else { continue };
            let word = |index| one.word(index);
            let found = match op {
                Op::TypeInt => Type::Int {
                    width: word(1),
                    signedness: word(2),
                },
                Op::TypeFloat => Type::Float { width: word(1) },
                Op::TypeVector => Type::Vector {
                    component: word(1),
                    count: word(2),
                },
                Op::TypePointer => Type::Pointer {
                    storage: word(1),
                    pointee: word(2),
                },
                Op::TypeImage => Type::Image {
                    dim: word(2),
                    depth: word(3),
                    arrayed: word(4),
                    multisampled: word(5),
                },
                Op::TypeVoid
                | Op::TypeBool
                | Op::TypeMatrix
                | Op::TypeSampler
                | Op::TypeSampledImage
                | Op::TypeArray
                | Op::TypeRuntimeArray
                | Op::TypeStruct
                | Op::TypeOpaque
                | Op::TypeFunction
                | Op::TypeEvent
                | Op::TypePipe => Type::Other,
                // Every other instruction that makes something has its type first; an instruction
                // that makes nothing does no harm here, as its first word is no type's id.
                _ => {
                    if all.types.contains_key(&word(0)) {
                        all.of_values.entry(word(1)).or_insert(word(0));
                    }
                    if op == Op::Constant {
                        all.constants.entry(word(1)).or_insert(word(2));
                    }
                    continue;
                }
            };
            all.types.entry(word(0)).or_insert(found);
        }
        all
    }

    /// A type, by its id.
    pub(crate) fn get(&self, id: u32) -> Option<Type> {
        self.types.get(&id).copied()
    }

    /// The type of a value.
    pub(crate) fn of_value(&self, id: u32) -> Option<Type> {
        self.of_values.get(&id).and_then(|&id| self.get(id))
    }

    /// The low word of a constant; `None` if the value is none, or is set later.
    pub(crate) fn constant(&self, id: u32) -> Option<u32> {
        self.constants.get(&id).copied()
    }

    /// The component's type and the count of a vector; a scalar is one.
    pub(crate) fn components(&self, of: Type) -> (Type, u32) {
        match of {
            Type::Vector { component, count } => {
                (self.get(component).unwrap_or(Type::Other), count)
            }
            scalar => (scalar, 1),
        }
    }

    /// A type in the words of messages.
    pub(crate) fn describe(&self, of: Option<Type>) -> String {
        match of {
            None => "no value of a known type".to_owned(),
            Some(Type::Int { width, signedness }) => {
                format!("an integer of {width} bits and signedness {signedness}")
            }
            Some(Type::Float { width }) => format!("a float of {width} bits"),
            Some(Type::Vector { component, count }) => {
                let component = self.get(component).unwrap_or(Type::Other);
                // The component of a vector is no vector in SPIR-V.
                let component = match component {
                    Type::Vector { .. } => "a vector".to_owned(),
                    scalar => self.describe(Some(scalar)),
                };
                format!("a vector of {count}, each {component}")
            }
            Some(Type::Pointer { .. }) => "a pointer".to_owned(),
            Some(Type::Image { .. }) => "an image".to_owned(),
            Some(Type::Other) => "of another type".to_owned(),
        }
    }
}
