//! The types and constants of a module, as far as rules speak of them.

use std::collections::HashMap;

use spirv::Op;

use crate::module::Module;

/// How deep types are compared: pointers may lead to themselves.
const MAX_DEPTH: u32 = 16;

/// How many pairs of types are compared for one: structures may have many pointers to themselves.
const MAX_PAIRS: u32 = 4096;

/// Whether an instruction declares a type, whose id comes first.
pub(crate) fn is_type(op: Op) -> bool {
    matches!(
        op,
        Op::TypeVoid
            | Op::TypeBool
            | Op::TypeInt
            | Op::TypeFloat
            | Op::TypeVector
            | Op::TypeMatrix
            | Op::TypeImage
            | Op::TypeSampler
            | Op::TypeSampledImage
            | Op::TypeArray
            | Op::TypeRuntimeArray
            | Op::TypeStruct
            | Op::TypeOpaque
            | Op::TypePointer
            | Op::TypeFunction
            | Op::TypeEvent
            | Op::TypeDeviceEvent
            | Op::TypeReserveId
            | Op::TypeQueue
            | Op::TypePipe
            | Op::TypePipeStorage
            | Op::TypeNamedBarrier
            | Op::TypeBufferSurfaceINTEL
    )
}

/// Whether an instruction only says something of its first operand.
pub(crate) fn speaks_of(op: Op) -> bool {
    matches!(
        op,
        Op::Name
            | Op::MemberName
            | Op::Decorate
            | Op::DecorateId
            | Op::DecorateString
            | Op::MemberDecorate
            | Op::MemberDecorateString
            | Op::GroupDecorate
            | Op::GroupMemberDecorate
            | Op::TypeForwardPointer
    )
}

/// Whether all work-items of the scope must reach an instruction of theirs: those that came with
/// sub-groups, and not the later ones, which are of the channels that are there.
pub(crate) fn needs_all(op: Op) -> bool {
    matches!(
        op,
        Op::GroupAll
            | Op::GroupAny
            | Op::GroupBroadcast
            | Op::GroupIAdd
            | Op::GroupFAdd
            | Op::GroupFMin
            | Op::GroupUMin
            | Op::GroupSMin
            | Op::GroupFMax
            | Op::GroupUMax
            | Op::GroupSMax
    )
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Void,
    Bool,
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
    Array {
        element: u32,
        /// The constant that is its length.
        length: u32,
    },
    /// Its members are the type's [parts](Types::parts).
    Struct,
    Pointer {
        storage: u32,
        pointee: u32,
    },
    /// What it gives and takes are the type's [parts](Types::parts).
    Function,
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
    /// The members of structures, and what functions give and take.
    parts: HashMap<u32, Vec<u32>>,
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
                Op::TypeVoid => Type::Void,
                Op::TypeBool => Type::Bool,
                Op::TypeArray => Type::Array {
                    element: word(1),
                    length: word(2),
                },
                Op::TypeStruct | Op::TypeFunction => {
                    let parts = one.operands.get(1..).unwrap_or_default();
                    all.parts.entry(word(0)).or_insert_with(|| parts.to_vec());
                    match op {
                        Op::TypeStruct => Type::Struct,
                        _ => Type::Function,
                    }
                }
                _ if is_type(op) => Type::Other,
                // A target is no result, and may be a type.
                _ if speaks_of(op) => continue,
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
        self.type_of(id).and_then(|id| self.get(id))
    }

    /// The type of a value, by its id.
    pub(crate) fn type_of(&self, value: u32) -> Option<u32> {
        self.of_values.get(&value).copied()
    }

    /// The members of a structure; what a function gives, and then what it takes.
    pub(crate) fn parts(&self, id: u32) -> &[u32] {
        self.parts.get(&id).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether two types have the same values: they are one, or are declared alike.
    pub(crate) fn are_alike(&self, one: u32, other: u32) -> bool {
        self.alike((one, other), 0, &mut { MAX_PAIRS })
    }

    fn alike(&self, (one, other): (u32, u32), depth: u32, left: &mut u32) -> bool {
        if one == other || depth > MAX_DEPTH || *left == 0 {
            return true;
        }
        *left -= 1;
        let mut deeper = |one, other| self.alike((one, other), depth + 1, left);
        match (self.get(one), self.get(other)) {
            (Some(Type::Int { width: a, .. }), Some(Type::Int { width: b, .. })) => a == b,
            (
                Some(Type::Vector {
                    component: a,
                    count: m,
                }),
                Some(Type::Vector {
                    component: b,
                    count: n,
                }),
            ) => m == n && deeper(a, b),
            (
                Some(Type::Pointer {
                    storage: s,
                    pointee: a,
                }),
                Some(Type::Pointer {
                    storage: t,
                    pointee: b,
                }),
            ) => s == t && deeper(a, b),
            (
                Some(Type::Array {
                    element: a,
                    length: m,
                }),
                Some(Type::Array {
                    element: b,
                    length: n,
                }),
            ) => (m == n || self.constant(m) == self.constant(n)) && deeper(a, b),
            (Some(Type::Struct), Some(Type::Struct))
            | (Some(Type::Function), Some(Type::Function)) => {
                let (a, b) = (self.parts(one), self.parts(other));
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| deeper(*a, *b))
            }
            // Of the others, what makes them one is not told apart.
            (Some(a), Some(b)) => a == b,
            _ => false,
        }
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
            Some(Type::Void) => "void".to_owned(),
            Some(Type::Bool) => "a boolean".to_owned(),
            Some(Type::Array { .. }) => "an array".to_owned(),
            Some(Type::Struct) => "a structure".to_owned(),
            Some(Type::Function) => "a function".to_owned(),
            Some(Type::Pointer { .. }) => "a pointer".to_owned(),
            Some(Type::Image { .. }) => "an image".to_owned(),
            Some(Type::Other) => "of another type".to_owned(),
        }
    }
}
