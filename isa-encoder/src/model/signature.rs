//! The types of instructions' sources and destinations.

use super::Type;

/// A set of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypeSet(u32);

impl TypeSet {
    const ALL: TypeSet = TypeSet(u32::MAX);
    const BYTES: TypeSet = TypeSet::of(&[Type::Ub, Type::B]);
    /// Packed vectors are used as words.
    const WORDS: TypeSet = TypeSet::of(&[Type::Uw, Type::W, Type::Uv, Type::V]);
    const DWORDS: TypeSet = TypeSet::of(&[Type::Ud, Type::D]);
    const QWORDS: TypeSet = TypeSet::of(&[Type::Uq, Type::Q]);
    const HALVES: TypeSet = TypeSet::of(&[Type::Hf]);
    const SINGLES: TypeSet = TypeSet::of(&[Type::F, Type::Vf]);
    const DOUBLES: TypeSet = TypeSet::of(&[Type::Df]);
    /// 8-bit floats, which may be typed as bytes.
    const MINIFLOATS: TypeSet = TypeSet::of(&[Type::Bf8, Type::Hf8]).or(TypeSet::BYTES);

    const fn of(types: &[Type]) -> Self {
        let mut set = 0;
        let mut i = 0;
        while i < types.len() {
            set |= 1 << types[i] as u32;
            i += 1;
        }
        TypeSet(set)
    }

    const fn or(self, other: TypeSet) -> Self {
        TypeSet(self.0 | other.0)
    }

    /// Whether `ty` is in the set.
    pub const fn has(self, ty: Type) -> bool {
        self.0 & 1 << ty as u32 != 0
    }
}

/// The types of an instruction's sources and of its destination.
///
/// Source: BDW to TGL PRM, volume 2a, the types on each instruction's page; IGA `Models/bxml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    pub srcs: TypeSet,
    pub dsts: TypeSet,
}

impl Signature {
    const fn new(srcs: TypeSet, dsts: TypeSet) -> Self {
        Self { srcs, dsts }
    }

    const fn of(types: TypeSet) -> Self {
        Self::new(types, types)
    }

    /// Many types: separate rules say which do not go together.
    pub const ANY: Signature = Signature::of(TypeSet::ALL);
    /// Integers.
    pub const INTEGERS: Signature = Signature::of(
        TypeSet::BYTES
            .or(TypeSet::WORDS)
            .or(TypeSet::DWORDS)
            .or(TypeSet::QWORDS),
    );
    /// Integers of at most 32 bits.
    pub const SHORT_INTEGERS: Signature =
        Signature::of(TypeSet::BYTES.or(TypeSet::WORDS).or(TypeSet::DWORDS));
    /// Integers of at least 16 bits.
    pub const ROTATED: Signature =
        Signature::of(TypeSet::WORDS.or(TypeSet::DWORDS).or(TypeSet::QWORDS));
    /// Words and dwords.
    pub const WORDS_AND_DWORDS: Signature = Signature::of(TypeSet::WORDS.or(TypeSet::DWORDS));
    /// Dwords.
    pub const DWORDS: Signature = Signature::of(TypeSet::DWORDS);
    /// Words and dwords to dwords.
    pub const DWORDS_OF_SHORT: Signature =
        Signature::new(TypeSet::WORDS.or(TypeSet::DWORDS), TypeSet::DWORDS);
    /// Integers of at most 32 bits to dwords.
    pub const COUNTS: Signature = Signature::new(Self::SHORT_INTEGERS.srcs, TypeSet::DWORDS);
    /// Bytes to words.
    pub const SUMS_OF_BYTES: Signature = Signature::new(TypeSet::BYTES, TypeSet::WORDS);
    /// Half, single and double precision.
    pub const FLOATS: Signature =
        Signature::of(TypeSet::HALVES.or(TypeSet::SINGLES).or(TypeSet::DOUBLES));
    /// Half and single precision.
    pub const SHORT_FLOATS: Signature = Signature::of(TypeSet::HALVES.or(TypeSet::SINGLES));
    /// Single precision.
    pub const SINGLES: Signature = Signature::of(TypeSet::SINGLES);
    /// Numbers, and random bits as integers, to half precision or 8-bit floats.
    pub const STOCHASTIC: Signature = Signature::new(
        Self::SHORT_FLOATS.srcs.or(Self::WORDS_AND_DWORDS.srcs),
        TypeSet::HALVES.or(TypeSet::MINIFLOATS),
    );
}
