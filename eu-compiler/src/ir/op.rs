//! The operations.

use super::ids::Block;
use super::types::Type;

/// Declares enums of operations with their printed names.
macro_rules! names {
    ($($(#[$about:meta])* $enum:ident { $($(#[$doc:meta])* $name:ident $text:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $enum { $($(#[$doc])* $name,)* }

        impl core::fmt::Display for $enum {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(match self { $(Self::$name => $text,)* })
            }
        }
    )*};
}

names! {
    /// Operations with two operands and a result of one type. The distance of a shift is below the
    /// number of bits; once the pass for shifts has run, its low five bits count for dwords.
    Bin {
        /// Sum, modulo the type.
        Add "add",
        /// Difference.
        Sub "sub",
        /// Low half of the product.
        Mul "mul",
        /// High half of the product of unsigned integers.
        UMulHigh "umulh",
        /// High half of the product of signed integers.
        SMulHigh "smulh",
        /// Quotient of unsigned integers.
        UDiv "udiv",
        /// Quotient of signed integers, towards zero.
        SDiv "sdiv",
        /// Remainder of unsigned integers.
        URem "urem",
        /// Remainder of signed integers, with the sign of the first.
        SRem "srem",
        /// Bitwise and.
        And "and",
        /// Bitwise or.
        Or "or",
        /// Bitwise exclusive or.
        Xor "xor",
        /// Shift left.
        Shl "shl",
        /// Shift right with zeroes.
        LShr "lshr",
        /// Shift right with the sign.
        AShr "ashr",
        /// Rotation of a dword to the left, by the low five bits of the distance.
        Rol "rol",
        /// Minimum of unsigned integers.
        UMin "umin",
        /// Maximum of unsigned integers.
        UMax "umax",
        /// Minimum of signed integers.
        SMin "smin",
        /// Maximum of signed integers.
        SMax "smax",
        /// Sum of floats.
        FAdd "fadd",
        /// Difference of floats.
        FSub "fsub",
        /// Product of floats.
        FMul "fmul",
        /// Minimum; a NaN loses.
        FMin "fmin",
        /// Maximum; a NaN loses.
        FMax "fmax",
    }

    /// Operations with one operand and a result of its type.
    Un {
        /// Changes the sign of a float.
        FNeg "fneg",
        /// Clears the sign of a float.
        FAbs "fabs",
        /// Rounds to an integer, down.
        Floor "floor",
        /// Rounds to an integer, up.
        Ceil "ceil",
        /// Rounds to an integer, towards zero.
        Truncate "truncf",
        /// Rounds to an integer, to the nearest, ties to even.
        RoundEven "rint",
        /// The hardware's reciprocal.
        Rcp "rcp",
        /// The hardware's square root.
        Sqrt "sqrt",
        /// The hardware's reciprocal square root.
        Rsqrt "rsqrt",
        /// The hardware's power of 2.
        Exp2 "exp2",
        /// The hardware's logarithm of base 2.
        Log2 "log2",
        /// The hardware's sine.
        Sin "sin",
        /// The hardware's cosine.
        Cos "cos",
        /// The number of ones.
        CountOnes "ctpop",
        /// The number of leading zeroes, of 32 bits.
        LeadingZeros "clz",
        /// The position of the lowest one, of 32 bits; all ones for zero.
        LowestBit "fbl",
        /// The bits in reverse order, of 32 bits.
        Reverse "bitrev",
    }

    /// How integers compare, and with them floats: ordered, so that a NaN compares false, except
    /// [`Cond::Une`].
    Cond {
        /// Equal.
        Eq "eq",
        /// Not equal.
        Ne "ne",
        /// Unsigned less.
        Ult "ult",
        /// Unsigned less or equal.
        Ule "ule",
        /// Signed less; less of floats.
        Slt "slt",
        /// Signed less or equal; less or equal of floats.
        Sle "sle",
        /// Not equal, or unordered; floats only.
        Une "une",
    }

    /// Changes of type.
    Convert {
        /// The low bits.
        Trunc "trunc",
        /// Zeroes above.
        ZExt "zext",
        /// The sign above.
        SExt "sext",
        /// The same bits, another type of the same size.
        Bitcast "bitcast",
        /// A float as signed integer, towards zero, saturated at 32 and 64 bits.
        FToS "ftos",
        /// A float as unsigned integer, towards zero, saturated at 32 and 64 bits.
        FToU "ftou",
        /// A signed integer as float, to nearest even.
        SToF "stof",
        /// An unsigned integer as float, to nearest even.
        UToF "utof",
        /// A float of another size, to nearest even.
        FToF "ftof",
    }

    /// Memories.
    Space {
        /// Global memory, and constants: addresses of 64 bits.
        Global "global",
        /// The work-group's: offsets of 32 bits.
        Local "local",
        /// The work-item's: offsets of 32 bits into its memory.
        Private "private",
        /// Any of these: addresses of 64 bits, whose highest three say which.
        Generic "generic",
    }

    /// What an atomic operation does.
    Atomic {
        /// Reads.
        Load "load",
        /// Writes; gives nothing.
        Store "store",
        /// Writes, gives the old value.
        Exchange "xchg",
        /// Compare and exchange: the second operand is the comparand, the third the new value.
        CompareExchange "cmpxchg",
        /// Adds.
        Add "add",
        /// Subtracts.
        Sub "sub",
        /// Signed minimum.
        SMin "smin",
        /// Signed maximum.
        SMax "smax",
        /// Unsigned minimum.
        UMin "umin",
        /// Unsigned maximum.
        UMax "umax",
        /// Bitwise and.
        And "and",
        /// Bitwise or.
        Or "or",
        /// Bitwise exclusive or.
        Xor "xor",
        /// Adds floats.
        FAdd "fadd",
        /// Minimum of floats.
        FMin "fmin",
        /// Maximum of floats.
        FMax "fmax",
    }
}

impl Space {
    /// The lowest bit of a generic address that says which memory it is in.
    pub const TAG: u32 = 61;
    /// What stands for no memory where addresses have 32 bits.
    pub const NULL: u32 = u32::MAX;

    /// What these bits are; of global memory they are all the same (IGC `ADDRESS_SPACE_TAG`).
    pub const fn tag(self) -> u64 {
        match self {
            Space::Private => 1,
            Space::Local => 2,
            Space::Global | Space::Generic => 0,
        }
    }
}

/// Who sees accesses in the order of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// The lanes of the thread: their accesses to local and global memory are in order without a
    /// message.
    SubGroup,
    /// The work-group, which runs on one subslice.
    WorkGroup,
    /// Everybody else.
    Device,
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Which memory.
    pub space: Space,
    /// The alignment of the address, in bytes.
    pub align: u32,
    /// It stays as it is: neither joined with another nor left out.
    pub volatile: bool,
}

impl Access {
    /// An access to memory that changes only as the program says.
    pub const fn new(space: Space, align: u32) -> Self {
        Self {
            space,
            align,
            volatile: false,
        }
    }
}

/// A copy of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Copy {
    /// How many bytes.
    pub size: u32,
    /// The alignment of both ends.
    pub align: u32,
    /// The memory of the target.
    pub to: Space,
    /// That of the source.
    pub from: Space,
}

/// What a thread is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// Bytes of the cross-thread payload at this offset.
    Payload(u32),
    /// The work-group's number in a dimension.
    GroupId(u8),
    /// The work-item's number in its group, in a dimension.
    LocalId(u8),
    /// The lane's number.
    Lane,
    /// The lanes that the thread was started with, as a mask.
    DispatchMask,
    /// Half of an address that is known when the program is loaded.
    Address {
        /// Of what.
        of: Symbol,
        /// The upper half.
        high: bool,
    },
    /// The thread's slot on the device, which no other thread has at the same time.
    Slot,
}

/// What has an address when the program is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symbol {
    /// The text at this place among the texts.
    Text(u32),
    /// The variables that are only read.
    Constants,
    /// The variables that are written.
    Globals,
}

/// An operation; operands and results are beside it.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// The value that comes from the block of the same position as the operand.
    Phi(Vec<Block>),
    /// Something that the thread is given.
    Input(Input),
    /// Two operands.
    Bin(Bin),
    /// One operand.
    Un(Un),
    /// The sum or difference of unsigned or signed integers, kept in their range.
    Saturated {
        /// Adds, otherwise subtracts.
        add: bool,
        /// Of signed integers.
        signed: bool,
    },
    /// `a * b + c`, rounded once.
    Fma,
    /// The first operand and the products of the bytes of the others, all dwords.
    DotBytes {
        /// The bytes of the second operand have a sign.
        first: bool,
        /// Those of the third have one.
        second: bool,
    },
    /// Compares integers.
    Icmp(Cond),
    /// Compares floats.
    Fcmp(Cond),
    /// The second operand where the first is true, otherwise the third.
    Select,
    /// Changes the type.
    Convert(Convert),
    /// 64 bits of two times 32, the low ones first.
    Pair,
    /// The high 32 bits of 64.
    High,
    /// Integers of 8 or 16 bits behind each other in one, the lowest first.
    Pack,
    /// A pointer as a number, which has 64 bits: what is computed with it may lead into any memory.
    Number,
    /// Reads consecutive elements at an address.
    Load(Access),
    /// Writes consecutive elements: operands are the address and the values.
    Store(Access),
    /// Reads and writes as one: operands are the address and the values.
    Atomic(Space, Atomic),
    /// The same, of one lane for all: operands and result are the same in all of them.
    AtomicOnce(Space, Atomic),
    /// Private memory: size and alignment; its offset is the result.
    Alloca {
        /// Bytes.
        size: u32,
        /// Their alignment.
        align: u32,
    },
    /// What private memory has had has no meaning from here on: operand is its offset. Where it begins,
    /// all of it is to be written first; where it ends, nothing of it is accessed.
    Lifetime {
        /// It begins, otherwise it ends.
        begins: bool,
    },
    /// Copies bytes: operands are the addresses of the target and of the source.
    Copy(Copy),
    /// An array in registers begins, with no values: so many cells, each a dword of a lane. The result
    /// stands for it.
    Array {
        /// Cells.
        cells: u32,
    },
    /// What a cell of the array has.
    Element {
        /// Which.
        cell: u32,
    },
    /// What a cell has: the second operand is the distance in bytes from the first lane of this cell
    /// to the lane in the cell that is meant.
    ElementAt {
        /// The first that it may be.
        cell: u32,
    },
    /// Gives a cell of the array a value.
    SetElement {
        /// Which.
        cell: u32,
    },
    /// Gives a cell a value: the operands are the array, an index and the value. An index that is not
    /// below the number of cells changes nothing.
    SetElementAt {
        /// The first that it may be.
        cell: u32,
        /// The distance between those that it may be.
        step: u32,
        /// How many it may be.
        count: u32,
    },
    /// The generic address of an offset into this memory; zero for [`Space::NULL`]. Of an address of global
    /// memory, the same.
    ToGeneric(Space),
    /// The offset into this memory of a generic address; [`Space::NULL`] for zero.
    FromGeneric(Space),
    /// Whether a generic address is one of local or of private memory. Of zero, either.
    PointsInto(Space),
    /// Waits for the work-group.
    Barrier,
    /// Orders accesses: of local, global memory, images.
    Fence {
        /// For whom.
        scope: Scope,
        /// Local memory.
        local: bool,
        /// Global memory.
        global: bool,
        /// Images.
        image: bool,
    },
    /// A mask of the active lanes for which the operand is true: 32 bits.
    Ballot,
    /// The first operand of the lane that the second names.
    Shuffle,
    /// The first operand of the lane that the third names, or the second of the lane behind the
    /// last one of the first.
    ShuffleTwo,
    /// The first operand of the lane that the second, the same in all lanes, names.
    Broadcast,
    /// Combines the operand over the active lanes. As the next two it takes the halves of 64 bits.
    Reduce(Bin),
    /// Combines the operand over the active lanes of a cluster: so many neighbours.
    Cluster(Bin, u32),
    /// Combines the operand over the active lanes up to this one, itself included or not. A second
    /// result, if there, is of all active lanes.
    Scan {
        /// How.
        op: Bin,
        /// With the lane's own.
        inclusive: bool,
    },
    /// Reads a block: of each element as many as there are lanes, the lanes' next to each other.
    BlockLoad(Space),
    /// Writes a block: the address and the values.
    BlockStore(Space),
    /// Reads a block of an image: operands are x in bytes and y; each result is one row.
    ImageBlockLoad(Surface),
    /// Writes a block of an image: x in bytes, y and the rows.
    ImageBlockStore(Surface),
    /// Reads a texel's four channels at integer coordinates.
    ImageLoad {
        /// The image.
        surface: Surface,
        /// The kernel may write it, too.
        written: bool,
    },
    /// Reads a texel's four channels at coordinates in floats.
    ImageSample {
        /// The image.
        surface: Surface,
        /// The sampler, by its number among the kernel's.
        sampler: u8,
    },
    /// Writes a texel's four channels: integer coordinates and the channels.
    ImageStore(Surface),
    /// The operand, 32 bits, as an address for accesses to global memory: an offset into a buffer's
    /// surface.
    Offset(Surface),
}

/// An image or a buffer, by its entry in the binding table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Surface(pub u8);

impl Op {
    /// Whether it costs no instruction: what it gives is there already.
    pub const fn is_free(&self) -> bool {
        matches!(
            self,
            Self::Phi(_)
                | Self::High
                | Self::Number
                | Self::Pair
                | Self::Convert(Convert::Trunc | Convert::Bitcast)
                | Self::Lifetime { .. }
        )
    }

    /// Whether it changes something beside its results, or must stay where it is.
    pub const fn has_effect(&self) -> bool {
        matches!(
            self,
            Op::Store(_)
                | Op::Copy(_)
                | Op::Atomic(..)
                | Op::AtomicOnce(..)
                | Op::Barrier
                | Op::Fence { .. }
                | Op::BlockStore(_)
                | Op::ImageBlockStore(_)
                | Op::ImageStore(_)
                | Op::SetElement { .. }
                | Op::SetElementAt { .. }
        )
    }

    /// Whether lanes give each other data, or must be together.
    pub const fn crosses_lanes(&self) -> bool {
        matches!(
            self,
            Op::Ballot
                | Op::Shuffle
                | Op::Broadcast
                | Op::Reduce(_)
                | Op::Scan { .. }
                | Op::BlockLoad(_)
                | Op::BlockStore(_)
                | Op::ImageBlockLoad(_)
                | Op::ImageBlockStore(_)
        )
    }

    /// Whether the result depends only on the operands of the lane itself.
    pub const fn is_pure(&self) -> bool {
        matches!(
            self,
            Op::Input(_)
                | Op::Bin(_)
                | Op::Un(_)
                | Op::Saturated { .. }
                | Op::Fma
                | Op::DotBytes { .. }
                | Op::Icmp(_)
                | Op::Fcmp(_)
                | Op::Select
                | Op::Convert(_)
                | Op::Pair
                | Op::High
                | Op::Offset(_)
                | Op::Pack
                | Op::Number
                | Op::PointsInto(_)
        )
    }
}

impl Cond {
    /// What holds for integers where this does not, and whether the operands change places for it.
    pub const fn opposite(self) -> (Cond, bool) {
        match self {
            Cond::Eq => (Cond::Ne, false),
            Cond::Ne | Cond::Une => (Cond::Eq, false),
            Cond::Ult => (Cond::Ule, true),
            Cond::Ule => (Cond::Ult, true),
            Cond::Slt => (Cond::Sle, true),
            Cond::Sle => (Cond::Slt, true),
        }
    }

    /// Whether it holds for integers.
    pub fn evaluate(self, a: u64, b: u64, ty: Type) -> bool {
        let (sa, sb) = (ty.signed(a), ty.signed(b));
        match self {
            Cond::Eq => a == b,
            Cond::Ne | Cond::Une => a != b,
            Cond::Ult => a < b,
            Cond::Ule => a <= b,
            Cond::Slt => sa < sb,
            Cond::Sle => sa <= sb,
        }
    }
}

impl Bin {
    /// Whether the operands can change places.
    pub const fn is_commutative(self) -> bool {
        matches!(
            self,
            Bin::Add
                | Bin::Mul
                | Bin::UMulHigh
                | Bin::SMulHigh
                | Bin::And
                | Bin::Or
                | Bin::Xor
                | Bin::UMin
                | Bin::UMax
                | Bin::SMin
                | Bin::SMax
                | Bin::FAdd
                | Bin::FMul
                | Bin::FMin
                | Bin::FMax
        )
    }

    /// The result of an integer operation; none where it is not defined.
    pub fn evaluate(self, a: u64, b: u64, ty: Type) -> Option<u64> {
        let (sa, sb) = (ty.signed(a), ty.signed(b));
        let bits = ty.bits();
        let shift = (b < u64::from(bits)).then_some(b as u32);
        let bits = match self {
            Bin::Add => a.wrapping_add(b),
            Bin::Sub => a.wrapping_sub(b),
            Bin::Mul => a.wrapping_mul(b),
            Bin::UMulHigh => ((u128::from(a) * u128::from(b)) >> bits) as u64,
            Bin::SMulHigh => ((i128::from(sa) * i128::from(sb)) >> bits) as u64,
            Bin::UDiv => a.checked_div(b)?,
            Bin::URem => a.checked_rem(b)?,
            Bin::SDiv if sb != 0 => sa.wrapping_div(sb) as u64,
            Bin::SRem if sb != 0 => sa.wrapping_rem(sb) as u64,
            Bin::And => a & b,
            Bin::Or => a | b,
            Bin::Xor => a ^ b,
            Bin::Shl => a << shift?,
            Bin::LShr => a >> shift?,
            Bin::AShr => (sa >> shift?) as u64,
            Bin::Rol if ty == Type::I32 => (a as u32).rotate_left((b & 31) as u32).into(),
            Bin::UMin => a.min(b),
            Bin::UMax => a.max(b),
            Bin::SMin => sa.min(sb) as u64,
            Bin::SMax => sa.max(sb) as u64,
            _ => return None,
        };
        Some(bits & ty.mask())
    }

    /// The operand that changes nothing, in reductions.
    pub fn identity(self, ty: Type) -> Option<u64> {
        let float = |value: f64| ty.float(value);
        Some(match self {
            Bin::Add | Bin::Or | Bin::Xor | Bin::UMax => 0,
            Bin::Mul => 1,
            Bin::And | Bin::UMin => ty.mask(),
            Bin::SMin => ty.mask() >> 1,
            Bin::SMax => (ty.mask() >> 1) + 1,
            // Negative zero changes no zero's sign.
            Bin::FAdd => float(-0.0),
            Bin::FMul => float(1.0),
            Bin::FMin => float(f64::INFINITY),
            Bin::FMax => float(f64::NEG_INFINITY),
            _ => return None,
        })
    }
}

impl Atomic {
    /// What makes the new value of the old one and the operand; none where that is a rule of its own.
    pub fn bin(self) -> Option<Bin> {
        Some(match self {
            Self::Add => Bin::Add,
            Self::Sub => Bin::Sub,
            Self::SMin => Bin::SMin,
            Self::SMax => Bin::SMax,
            Self::UMin => Bin::UMin,
            Self::UMax => Bin::UMax,
            Self::And => Bin::And,
            Self::Or => Bin::Or,
            Self::Xor => Bin::Xor,
            Self::FAdd => Bin::FAdd,
            Self::FMin => Bin::FMin,
            Self::FMax => Bin::FMax,
            Self::Load | Self::Store | Self::Exchange | Self::CompareExchange => return None,
        })
    }
}
