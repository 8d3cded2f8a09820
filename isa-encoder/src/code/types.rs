//! Type encodings.

use crate::Type;

/// The type encodings of a family; the index is the field's value.
#[derive(Clone, Copy, Debug)]
pub struct TypeTable {
    /// Registers.
    pub register: Types,
    /// Immediates.
    pub immediate: Types,
    /// Three-source operands; integer types first, then (index 8 on) float types.
    pub ternary: Types,
    /// Align16 three-source operands.
    pub align16: Types,
}

/// The type of each value of a field, and the reverse.
#[derive(Clone, Copy, Debug)]
pub struct Types {
    types: [Option<Type>; 16],
    codes: [Option<u8>; Type::ALL.len()],
}

impl Types {
    const fn of(types: [Option<Type>; 16]) -> Self {
        let mut codes = [None; Type::ALL.len()];
        let mut code = types.len();
        while code > 0 {
            code -= 1;
            if let Some(ty) = types[code] {
                codes[ty as usize] = Some(code as u8);
            }
        }
        Self { types, codes }
    }

    /// The types by the field's values.
    pub const fn all(&self) -> &[Option<Type>] {
        &self.types
    }

    /// The type of a field's value; bits above the field are ignored.
    #[inline(always)]
    pub fn get(&self, code: u64) -> Option<Type> {
        self.types[(code & 15) as usize]
    }

    /// The field's value.
    #[inline(always)]
    pub fn code(&self, ty: Type) -> Option<u64> {
        self.codes
            .get(ty as usize)
            .copied()
            .flatten()
            .map(u64::from)
    }
}

const NONE: Option<Type> = None;

macro_rules! t {
    ($($name:ident)*) => { Types::of([$(t!(@ $name)),*]) };
    (@ __) => { NONE };
    (@ $name:ident) => { Some(Type::$name) };
}

/// Gen8 and Gen9. Source: SKL PRM vol 2a, "SrcType".
pub const GEN8: TypeTable = TypeTable {
    register: t![Ud D Uw W Ub B Df F Uq Q Hf __ __ __ __ __],
    immediate: t![Ud D Uw W Uv Vf V F Uq Q Df Hf __ __ __ __],
    ternary: t![__ __ __ __ __ __ __ __ __ __ __ __ __ __ __ __],
    align16: t![F D Ud Df Hf __ __ __ __ __ __ __ __ __ __ __],
};

/// Gen11. Source: ICL PRM vol 2a, "SrcType".
pub const GEN11: TypeTable = TypeTable {
    register: t![Ud D Uw W Ub B Uq Q Hf F Df Nf __ __ __ __],
    immediate: t![Ud D Uw W Uv V Uq Q Hf F Df Vf __ __ __ __],
    ternary: t![Ud D Uw W Ub B __ __ Hf F Df Nf __ __ __ __],
    align16: t![__ __ __ __ __ __ __ __ __ __ __ __ __ __ __ __],
};

/// Gen12LP: bits 1:0 are the size, bits 3:2 unsigned, signed or float.
pub const GEN12: TypeTable = TypeTable {
    register: t![Ub Uw Ud Uq B W D Q __ Hf F Df __ __ __ __],
    immediate: t![Uv Uw Ud Uq V W D Q Vf Hf F Df __ __ __ __],
    ternary: t![Ub Uw Ud Uq B W D Q __ Hf F Df __ __ __ Nf],
    align16: t![__ __ __ __ __ __ __ __ __ __ __ __ __ __ __ __],
};

/// XeHPG adds bfloat16.
pub const XEHPG: TypeTable = TypeTable {
    register: t![Ub Uw Ud Uq B W D Q __ Hf F Df __ Bf __ __],
    immediate: t![Uv Uw Ud Uq V W D Q Vf Hf F Df __ Bf __ __],
    ternary: t![Ub Uw Ud Uq B W D Q __ Hf F Df __ Bf __ __],
    align16: t![__ __ __ __ __ __ __ __ __ __ __ __ __ __ __ __],
};

/// XeHPC and Xe2 add 8-bit and tensor floats.
pub const XEHPC: TypeTable = TypeTable {
    register: t![Ub Uw Ud Uq B W D Q Bf8 Hf F Df __ Bf Tf32 __],
    immediate: t![Uv Uw Ud Uq V W D Q Vf Hf F Df __ Bf __ __],
    ternary: t![Ub Uw Ud Uq B W D Q Bf8 Hf F Df __ Bf Tf32 __],
    align16: t![__ __ __ __ __ __ __ __ __ __ __ __ __ __ __ __],
};

/// Xe3 adds the other 8-bit float.
pub const XE3: TypeTable = TypeTable {
    register: t![Ub Uw Ud Uq B W D Q Bf8 Hf F Df Hf8 Bf Tf32 __],
    ternary: t![Ub Uw Ud Uq B W D Q Bf8 Hf F Df Hf8 Bf Tf32 __],
    ..XEHPC
};
