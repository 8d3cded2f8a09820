//! The syntax tree of a kernel. It is printed as OpenCL C and interpreted; neither depends on the
//! other's result.

use super::types::{Scalar, Type};

/// Work-items of a work-group. All kernels run with one dimension.
pub const LOCAL_SIZE: usize = 64;

/// Work-items of a launch.
pub const GLOBAL_SIZE: usize = 2 * LOCAL_SIZE;

/// Cells of local and of global memory that atomics work on.
pub const CELLS: usize = 8;

/// Elements of a private array.
pub const ELEMENTS: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerOp {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Not,
    /// Of the operand with its lowest bit set. Compilers turn a negation into a modifier of the
    /// operand that reads it, which does not wrap for the lowest number.
    Neg,
    /// The amount counts modulo the width (OpenCL C 2.0, section 6.3.j).
    Shl,
    Shr,
    /// By a divisor made from the second operand that is neither 0 nor -1.
    Div,
    Rem,
    AddSat,
    SubSat,
    MadSat,
    MulHi,
    MadHi,
    Hadd,
    Rhadd,
    Rotate,
    Min,
    Max,
    /// Between the smaller and the larger of two.
    Clamp,
    Abs,
    AbsDiff,
    Clz,
    Popcount,
    Bitselect,
    /// Of the low 24 bits of 32-bit operands.
    Mul24,
    Mad24,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Fma,
    Min,
    Max,
    Abs,
    Neg,
    Trunc,
    Floor,
    Ceil,
    Rint,
    Round,
    Copysign,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Ge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    NearestEven,
    Zero,
    Up,
    Down,
}

/// What a work-item knows about itself: a uint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    GlobalId,
    LocalId,
    GroupId,
    SubGroupId,
    /// `get_sub_group_local_id`.
    Lane,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    Reduce,
    InclusiveScan,
    ExclusiveScan,
}

/// All of them.
pub const COLLECTIVES: [Collective; 3] = [
    Collective::Reduce,
    Collective::InclusiveScan,
    Collective::ExclusiveScan,
];

/// Functions that all work-items of a sub-group call together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubGroupOp {
    /// By a lane that the second operand names, modulo the sub-group's size.
    Shuffle,
    ShuffleXor(u32),
    /// The first operand is from the sub-group before.
    ShuffleUp(u32),
    ShuffleDown(u32),
    Broadcast(u32),
    Collective(Collective, IntegerOp),
    Any,
    All,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub ty: Type,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    /// The bits of each component.
    Constant(Vec<u64>),
    Variable(usize),
    Item(Item),
    /// The counter of a loop around it: a uint.
    Counter(usize),
    /// An element of a private array; the index counts modulo [`ELEMENTS`].
    Element(usize, Box<Expr>),
    Integer(IntegerOp, Vec<Expr>),
    Float(FloatOp, Vec<Expr>),
    /// 1 or 0 for scalars, -1 or 0 for vectors.
    Compare(Comparison, Box<[Expr; 2]>),
    /// `a ? b : c`; for vectors by the top bit of each component.
    Choose(Box<[Expr; 3]>),
    /// Saturated, if the result is an integer; always if it comes from a float.
    Convert(Box<Expr>, bool, Rounding),
    /// An integer of the same size, of the other sign or of a float.
    Bits(Box<Expr>),
    Swizzle(Box<Expr>, Vec<usize>),
    /// A vector of scalars.
    Gather(Vec<Expr>),
    SubGroup(SubGroupOp, Vec<Expr>),
    /// Adjacent elements of the input, one per work-item and component: from this byte of the input
    /// for the first sub-group of the launch.
    BlockRead(usize),
}

/// Operations on the work-item's own cell: what they return is also known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnAtomic {
    Exchange,
    CompareExchange,
    Op(IntegerOp),
}

#[derive(Clone, Debug)]
pub struct Case {
    pub label: u64,
    pub body: Vec<Stmt>,
    /// Without a `break` at its end.
    pub falls_through: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopStyle {
    For,
    While,
    /// Runs at least once.
    DoWhile,
}

#[derive(Clone, Debug)]
pub enum Stmt {
    /// The whole variable or these components.
    Assign(usize, Option<Vec<usize>>, Expr),
    Store {
        array: usize,
        index: Expr,
        value: Expr,
    },
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Up to seven times: the count is taken modulo eight.
    Loop {
        counter: usize,
        count: Expr,
        style: LoopStyle,
        body: Vec<Stmt>,
    },
    /// Out of the innermost loop, if the condition holds.
    Break(Expr),
    Continue(Expr),
    /// By the low three bits of a scalar.
    Switch {
        value: Expr,
        cases: Vec<Case>,
        default: Vec<Stmt>,
    },
    /// Puts a value into local memory and reads another work-item's: `slot` is the exclusive or
    /// between a work-item and its place.
    Share {
        array: usize,
        variable: usize,
        slot: usize,
        value: Expr,
        index: Expr,
    },
    /// Selected work-items change a cell of local memory; then each reads one.
    LocalAtomic {
        op: IntegerOp,
        ty: Scalar,
        variable: usize,
        active: Expr,
        cell: Expr,
        operand: Expr,
    },
    /// On a cell of global memory that only this statement changes.
    GlobalAtomic {
        op: IntegerOp,
        ty: Scalar,
        row: usize,
        cell: Expr,
        operand: Expr,
    },
    /// On the work-item's own cell of global memory; the variable gets the old value.
    OwnAtomic {
        op: OwnAtomic,
        variable: usize,
        row: usize,
        operands: Vec<Expr>,
    },
    /// Adjacent elements, one per work-item and component, to its own part of memory.
    BlockWrite {
        row: usize,
        value: Expr,
    },
    /// A row of the output.
    Out(usize, Expr),
}

/// A variable of the kernel, loaded from the input before the first statement.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    pub ty: Type,
    /// Where its values begin in the input, in bytes: one per work-item.
    pub at: usize,
}

#[derive(Clone, Debug)]
pub struct Kernel {
    pub seed: u64,
    /// The size of every sub-group.
    pub sub_group: usize,
    pub variables: Vec<Variable>,
    /// Private arrays, initially zero.
    pub arrays: Vec<Type>,
    /// Arrays in local memory, one element per work-item.
    pub shared: Vec<Type>,
    pub body: Vec<Stmt>,
    /// Rows of the output, of atomics and of block writes.
    pub rows: usize,
    pub input: Vec<u8>,
    /// Whether the size of a work-group is an attribute of the kernel.
    pub fixed_size: bool,
    /// Whether it rotates, or broadcasts one lane's value to a sub-group: release 22.43 of the
    /// compiler gets these wrong for some platforms.
    pub rotates: bool,
    pub broadcasts: bool,
}

impl Kernel {
    /// Bytes from the block that a sub-group writes to the next one's: they begin at multiples of 16
    /// (`cl_intel_subgroups`).
    pub fn written_block(&self, ty: Type) -> usize {
        (self.sub_group * ty.components * ty.scalar.bytes()).max(16)
    }

    /// Whether it writes blocks of 8 bytes.
    pub fn writes_narrow_blocks(&self) -> bool {
        self.body.iter().any(|stmt| match stmt {
            Stmt::BlockWrite { value, .. } => {
                self.sub_group * value.ty.components * value.ty.scalar.bytes() < 16
            }
            _ => false,
        })
    }
}

/// Bytes of a row of block writes: the most that a launch can write.
pub const BLOCK_ROW: usize = GLOBAL_SIZE * 16 * 8;
