//! What a module declares outside of functions.
//!
//! [`declare`] reads it, with operations on [`constant`]s and on the [`address`]es of variables in
//! them; [`scalars`] are what constants consist of; [`described`] has the names of types in the source; [`data`] the variables of the program,
//! which [`place`] lays out.

mod address;
mod constant;
mod data;
mod declare;
mod described;
mod place;
mod scalars;

use hashbrown::{HashMap, HashSet};
use spirv::{BuiltIn, Decoration, FunctionParameterAttribute, LinkageType, Op, StorageClass};

use self::described::Descriptions;
use super::lines::Lines;
use super::reader::Instruction;
use super::types::{Shape, Types};
use crate::error::{Error, Place};
use crate::ir::{Type, VerifyError};

pub use self::data::{Data, Placed, Section};
pub use self::declare::read;
pub use self::scalars::{Constant, Contents, Scalar, Scalars};

/// The address of a variable or of something in it, as part of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// Which of the constant's scalars it is.
    pub scalar: usize,
    /// The variable.
    pub variable: u32,
    /// Bytes from its begin.
    pub offset: i64,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub struct Definition {
    /// Parameters: types and ids.
    pub params: Vec<(u32, u32)>,
    /// Instructions of the body, as a range of the module's; empty for an import.
    pub body: std::ops::Range<usize>,
}

/// A variable outside of functions.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its pointer type.
    pub ty: u32,
    /// Where it is.
    pub class: StorageClass,
}

/// An entry point.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// The function.
    pub function: u32,
    /// The name.
    pub name: String,
    /// `reqd_work_group_size`.
    pub local_size: Option<[u32; 3]>,
    /// `work_group_size_hint`.
    pub local_size_hint: Option<[u32; 3]>,
    /// `intel_reqd_sub_group_size`.
    pub sub_group_size: Option<u32>,
    /// `vec_type_hint` as SPIR-V has it.
    pub vector_hint: Option<u32>,
    /// Types of floats whose denormal numbers are zeroes.
    pub flushed: Vec<Type>,
}

/// A module's declarations.
#[derive(Debug, Default)]
pub struct Module<'a> {
    /// All instructions.
    pub instructions: Vec<Instruction<'a>>,
    /// Types.
    pub types: Types,
    /// Constants.
    pub constants: HashMap<u32, Constant<'a>>,
    /// What operations on constants give.
    pub folded: spirv_module::Constants,
    /// Constants that code computes, as addresses are: instructions without their own place.
    pub computed: HashMap<u32, (Op, Vec<u32>)>,
    /// Decorations of ids: which, and its operands.
    pub decorations: HashMap<u32, Vec<(Decoration, Vec<u32>)>>,
    /// Names.
    pub names: HashMap<u32, String>,
    /// Functions.
    pub functions: HashMap<u32, Definition>,
    /// Addresses of variables in constants.
    pub addresses: HashMap<u32, Vec<Address>>,
    /// Variables in memory.
    pub data: Data,
    /// Variables, in order.
    pub variables: Vec<(u32, Variable)>,
    /// Kernels.
    pub entries: Vec<Entry>,
    /// The imported set of extended instructions.
    pub opencl: Option<u32>,
    /// Imported sets that mean nothing for code.
    pub comments: Vec<u32>,
    /// Samplers that the source describes.
    pub samplers: HashMap<u32, Instruction<'a>>,
    /// What texts say of the arguments of kernels.
    pub descriptions: Descriptions,
    /// Source lines.
    pub lines: Lines,
    /// Texts.
    strings: HashMap<u32, String>,
    /// The weight of all constants.
    weight: usize,
}

/// Why there are no pointers to functions.
pub const CALLS: &str = "every call must name its function, whose code takes the call's place";

/// The largest alignment of a variable: memory of the program begins at pages.
const MAX_ALIGNMENT: u32 = 4096;

impl Module<'_> {
    /// A constant's number.
    pub fn number(&self, id: u32) -> Option<u64> {
        if self.constants.get(&id)?.count != 1 {
            return None;
        }
        match *self.scalars(id)? {
            [(_, bits)] => bits,
            _ => None,
        }
    }

    /// The type of a constant or variable.
    pub fn type_of(&self, id: u32) -> Option<u32> {
        let variables = self.variables.iter();
        let constant = self.constants.get(&id).map(|constant| constant.ty);
        let computed = || self.computed.get(&id)?.1.first().copied();
        let variable = || variables.clone().find(|(other, _)| *other == id);
        constant
            .or_else(computed)
            .or_else(|| Some(variable()?.1.ty))
    }

    /// A decoration's operands.
    pub fn decoration(&self, id: u32, which: Decoration) -> Option<&[u32]> {
        let all = self.decorations.get(&id)?;
        let found = all.iter().find(|(decoration, _)| *decoration == which)?;
        Some(&found.1)
    }

    /// The name of what is declared here and defined in no module.
    pub fn undefined(&self, id: u32) -> Option<String> {
        let linkage = self.decoration(id, Decoration::LinkageAttributes)?;
        let is_import = linkage.last() == Some(&(LinkageType::Import as u32));
        is_import.then(|| spirv_module::text(linkage))
    }

    /// The error of a use of a function's address.
    pub fn address_of_function(&self, function: u32, i: &Instruction<'_>) -> Error {
        let name = self.names.get(&function);
        let name = name.map_or_else(|| format!("%{function}"), String::clone);
        i.unsupported(format!("the address of the function {name}; {CALLS}"))
    }

    /// The function whose address is in a constant.
    fn function_in(&self, constant: u32) -> Option<u32> {
        let mut seen = HashSet::new();
        let mut left = vec![constant];
        while let Some(id) = left.pop() {
            match self.computed.get(&id) {
                Some((Op::ConstantFunctionPointerINTEL, words)) => return words.get(2).copied(),
                Some((_, words)) if seen.insert(id) => left.extend(words.get(2..)?),
                _ => {}
            }
        }
        None
    }

    /// Adds the line of the source to an error.
    pub fn with_line(&self, mut error: Error) -> Error {
        if let Error::Invalid { at, .. } | Error::Unsupported { at, .. } = &mut error {
            at.line = self.lines.name(at.word);
        }
        error
    }

    /// What a variable's address is a multiple of, if its type asks for so much.
    ///
    /// # Errors
    /// The variable has an alignment that is none, or is larger than a page.
    pub fn alignment(&self, id: u32, of_type: u32, i: &Instruction<'_>) -> Result<u32, Error> {
        let given = self.decoration(id, Decoration::Alignment);
        match given.and_then(|operands| operands.first().copied()) {
            None => Ok(of_type),
            Some(align) if !align.is_power_of_two() => {
                Err(i.invalid(format!("{align} is no alignment")))
            }
            Some(align) if align > MAX_ALIGNMENT => Err(i.unsupported(format!(
                "a variable aligned to {align} bytes, the limit is {MAX_ALIGNMENT}"
            ))),
            Some(align) => Ok(align.max(of_type)),
        }
    }

    /// Whether a parameter points to a value of the function's own.
    pub fn is_by_value(&self, id: u32) -> bool {
        self.has_attribute(id, FunctionParameterAttribute::ByVal)
    }

    /// Whether a parameter has an attribute.
    pub fn has_attribute(&self, id: u32, attribute: FunctionParameterAttribute) -> bool {
        let all = self.decorations.get(&id);
        let all = all.map(Vec::as_slice).unwrap_or_default();
        let attribute = attribute as u32;
        all.iter()
            .any(|(what, words)| *what == Decoration::FuncParamAttr && words.contains(&attribute))
    }

    /// The built-in that a variable is.
    pub fn builtin(&self, id: u32) -> Option<BuiltIn> {
        BuiltIn::from_u32(*self.decoration(id, Decoration::BuiltIn)?.first()?)
    }

    /// What a rule that a translated kernel breaks is called: the module's fault where it is known to be.
    pub fn broken(&self, kernel: &Entry, error: VerifyError) -> Error {
        let at = error.at.map(|word| self.place(word));
        match (at, error.undominated) {
            (at, true) => Error::Invalid {
                at: at.unwrap_or_default(),
                what: format!(
                    "kernel {}: the definition of an operand does not dominate this use",
                    kernel.name
                ),
            },
            (at, false) => Error::Internal {
                kernel: kernel.name.clone(),
                pass: "front",
                what: at.map_or_else(|| error.to_string(), |at| format!("{error}, at {at}")),
            },
        }
    }

    /// The instruction at a word.
    fn place(&self, word: u32) -> Place {
        let index = self.instructions.binary_search_by_key(&word, |i| i.at);
        let place = index.ok().map(|index| self.instructions[index].place());
        Place {
            word,
            line: self.lines.name(word),
            ..place.unwrap_or_default()
        }
    }

    /// The qualifiers of each parameter of a kernel: what its source has, else what follows from
    /// decorations.
    pub fn qualifiers(&self, kernel: &str, params: &[(u32, u32)]) -> Vec<Vec<&'static str>> {
        let told = self.descriptions.qualifiers(kernel, params.len());
        let of = |(index, &(ty, id)): (usize, &(u32, u32))| {
            let known = ["const", "restrict", "volatile"];
            let has: [bool; 3] = match &told {
                Some(told) => known.map(|name| told[index].split(' ').any(|word| word == name)),
                None => {
                    let shape = self.types.get(ty);
                    let constant = matches!(
                        shape,
                        Some(Shape::Pointer(StorageClass::UniformConstant, _))
                    );
                    let is = |decoration| self.decoration(id, decoration).is_some();
                    [
                        is(Decoration::Constant) || constant,
                        is(Decoration::Restrict)
                            || self.has_attribute(id, FunctionParameterAttribute::NoAlias),
                        is(Decoration::Volatile),
                    ]
                }
            };
            let both = known.into_iter().zip(has);
            both.filter_map(|(name, has)| has.then_some(name)).collect()
        };
        params.iter().enumerate().map(of).collect()
    }
}
