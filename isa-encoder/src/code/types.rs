//! Type encodings.

use crate::Type;

/// The type encodings of a family; the index is the field's value.
#[derive(Debug)]
pub struct TypeTable {
    /// Registers.
    pub register: [Option<Type>; 16],
    /// Immediates.
    pub immediate: [Option<Type>; 16],
    /// Three-source operands; integer types first, then (index 8 on) float types.
    pub ternary: [Option<Type>; 16],
    /// Align16 three-source operands.
    pub align16: [Option<Type>; 8],
}

const NONE: Option<Type> = None;

macro_rules! t {
    ($($name:ident)*) => { [$(t!(@ $name)),*] };
    (@ __) => { NONE };
    (@ $name:ident) => { Some(Type::$name) };
}

/// Gen8 and Gen9. Source: SKL PRM vol 2a, "SrcType".
pub const GEN8: TypeTable = TypeTable {
    register: t![Ud D Uw W Ub B Df F Uq Q Hf __ __ __ __ __],
    immediate: t![Ud D Uw W Uv Vf V F Uq Q Df Hf __ __ __ __],
    ternary: t![__ __ __ __ __ __ __ __ __ __ __ __ __ __ __ __],
    align16: t![F D Ud Df Hf __ __ __],
};

/// Gen11. Source: ICL PRM vol 2a, "SrcType".
pub const GEN11: TypeTable = TypeTable {
    register: t![Ud D Uw W Ub B Uq Q Hf F Df Nf __ __ __ __],
    immediate: t![Ud D Uw W Uv V Uq Q Hf F Df Vf __ __ __ __],
    ternary: t![Ud D Uw W Ub B __ __ Hf F Df Nf __ __ __ __],
    align16: t![__ __ __ __ __ __ __ __],
};

/// Gen12LP: bits 1:0 are the size, bits 3:2 unsigned, signed or float.
pub const GEN12: TypeTable = TypeTable {
    register: t![Ub Uw Ud Uq B W D Q __ Hf F Df __ __ __ __],
    immediate: t![Uv Uw Ud Uq V W D Q Vf Hf F Df __ __ __ __],
    ternary: t![Ub Uw Ud Uq B W D Q __ Hf F Df __ __ __ __],
    align16: t![__ __ __ __ __ __ __ __],
};

/// XeHPG adds bfloat16.
pub const XEHPG: TypeTable = TypeTable {
    register: t![Ub Uw Ud Uq B W D Q __ Hf F Df __ Bf __ __],
    immediate: t![Uv Uw Ud Uq V W D Q Vf Hf F Df __ Bf __ __],
    ternary: t![Ub Uw Ud Uq B W D Q __ Hf F Df __ Bf __ __],
    align16: t![__ __ __ __ __ __ __ __],
};

/// XeHPC and Xe2 add 8-bit and tensor floats.
pub const XEHPC: TypeTable = TypeTable {
    register: t![Ub Uw Ud Uq B W D Q Bf8 Hf F Df __ Bf Tf32 __],
    immediate: t![Uv Uw Ud Uq V W D Q Vf Hf F Df __ Bf __ __],
    ternary: t![Ub Uw Ud Uq B W D Q Bf8 Hf F Df __ Bf Tf32 __],
    align16: t![__ __ __ __ __ __ __ __],
};

/// The encoding of `ty` in a table.
pub fn code(table: &[Option<Type>], ty: Type) -> Option<u64> {
    table
        .iter()
        .position(|&entry| entry == Some(ty))
        .map(|at| at as u64)
}
