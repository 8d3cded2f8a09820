//! Opcodes of all families, with the shape of their operands.

use core::fmt;

use super::names::Names;

/// The operand shape of an opcode, the same in every family that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// No operands (`illegal`, `nop`).
    Nullary,
    /// A destination and one source.
    Unary,
    /// A destination and two sources.
    Binary,
    /// A destination and three sources.
    Ternary,
    /// `math`: one or two sources by its function.
    Math,
    /// `sync`: one source (null or an immediate mask).
    Sync,
    /// `wait`: one notification register, source and destination at once.
    Wait,
    /// A jump with JIP only, an immediate or a register (`jmpi`, `brd`).
    JumpUnary,
    /// A jump with an immediate JIP only (`endif`, `while`, `join`).
    JumpJip,
    /// A jump with JIP and UIP (`if`, `else`, `break`, `cont`, `goto`, `halt`).
    JumpJipUip,
    /// `brc`: JIP and UIP, or one register that holds both.
    JumpBrc,
    /// `call`, `calla`: a destination and a target.
    Call,
    /// `ret`: a source register.
    Ret,
    /// `send`, `sendc`, `sends`, `sendsc`.
    Send,
    /// `dpas`, `dpasw`.
    Dpas,
}

macro_rules! opcodes {
    ($($name:ident $mnemonic:literal $format:ident $doc:literal;)*) => {
        /// An EU opcode, over all families.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Opcode {
            $(#[doc = $doc] $name,)*
        }

        impl Opcode {
            /// Every opcode, in alphabetical order of the mnemonics.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$name,)*];

            /// The mnemonic in IGA syntax.
            #[inline]
            pub const fn mnemonic(self) -> &'static str {
                match self { $(Opcode::$name => $mnemonic,)* }
            }

            /// The shape of the operands.
            #[inline]
            pub const fn format(self) -> Format {
                match self { $(Opcode::$name => Format::$format,)* }
            }

            /// The mnemonics, in the order of [`Opcode::ALL`].
            pub(crate) const NAMES: &'static Names<256> = {
                static NAMES: Names<256> = Names::of(&[$($mnemonic,)*]);
                &NAMES
            };

            /// The opcode of a mnemonic.
            pub fn from_mnemonic(text: &str) -> Option<Opcode> {
                Opcode::ALL.get(Opcode::NAMES.find(text)?).copied()
            }
        }
    };
}

opcodes! {
    Add "add" Binary "Addition.";
    Add3 "add3" Ternary "Addition of three sources (XeHPG on).";
    Addc "addc" Binary "Addition; the carry goes to the accumulator.";
    And "and" Binary "Bitwise and.";
    Asr "asr" Binary "Arithmetic shift right.";
    Avg "avg" Binary "Rounded average.";
    Bfe "bfe" Ternary "Bit-field extract.";
    Bfi1 "bfi1" Binary "Bit-field insert, first half: makes the mask.";
    Bfi2 "bfi2" Ternary "Bit-field insert, second half: merges by the mask.";
    Bfn "bfn" Ternary "Boolean function of three sources (XeHPG on).";
    Bfrev "bfrev" Unary "Bit reversal.";
    Brc "brc" JumpBrc "Converging branch.";
    Brd "brd" JumpUnary "Diverging branch.";
    Break "break" JumpJipUip "Leaves a loop.";
    Call "call" Call "Call, relative.";
    Calla "calla" Call "Call, absolute.";
    Cbit "cbit" Unary "Count of bits set.";
    Cmp "cmp" Binary "Compare.";
    Cmpn "cmpn" Binary "Compare; a NaN in source 1 compares true.";
    Cont "cont" JumpJipUip "Continues a loop.";
    Csel "csel" Ternary "Select by comparing source 2 with zero.";
    Dp2 "dp2" Binary "Dot product of two elements (to Gen9).";
    Dp3 "dp3" Binary "Dot product of three elements (to Gen9).";
    Dp4 "dp4" Binary "Dot product of four elements (to Gen9).";
    Dp4a "dp4a" Ternary "Dot product of four bytes, accumulated (Gen12LP on).";
    Dpas "dpas" Dpas "Dot product accumulate systolic (XeHPG on).";
    Dpasw "dpasw" Dpas "`dpas` over an EU pair (XeHPG).";
    Dph "dph" Binary "Homogeneous dot product (to Gen9).";
    Else "else" JumpJipUip "Else.";
    Endif "endif" JumpJip "End of if.";
    Fbh "fbh" Unary "First bit from the most significant side.";
    Fbl "fbl" Unary "First bit from the least significant side.";
    Frc "frc" Unary "Fraction.";
    Goto "goto" JumpJipUip "Goto of unstructured flow.";
    Halt "halt" JumpJipUip "Halts channels until the join or the end.";
    If "if" JumpJipUip "If.";
    Illegal "illegal" Nullary "Raises an illegal-opcode exception.";
    Jmpi "jmpi" JumpUnary "Scalar jump.";
    Join "join" JumpJip "Join of unstructured flow.";
    Line "line" Binary "Line equation (to Gen9).";
    Lrp "lrp" Ternary "Linear interpolation (to Gen9).";
    Lzd "lzd" Unary "Leading zeroes.";
    Mac "mac" Binary "Multiply; accumulates in the accumulator.";
    Mach "mach" Binary "High half of a multiplication.";
    Macl "macl" Binary "Low half of a multiplication (XeHPC on).";
    Mad "mad" Ternary "Multiply-add.";
    Madm "madm" Ternary "Multiply-add of the IEEE macros.";
    Math "math" Math "Extended math.";
    Mov "mov" Unary "Move and conversion.";
    Movi "movi" Binary "Move from consecutive indirect registers.";
    Mul "mul" Binary "Multiplication.";
    Nop "nop" Nullary "Nothing.";
    Not "not" Unary "Bitwise not.";
    Or "or" Binary "Bitwise or.";
    Pln "pln" Binary "Plane equation (to Gen9).";
    Ret "ret" Ret "Return.";
    Rndd "rndd" Unary "Rounds down.";
    Rnde "rnde" Unary "Rounds to nearest, ties to even.";
    Rndu "rndu" Unary "Rounds up.";
    Rndz "rndz" Unary "Rounds to zero.";
    Rol "rol" Binary "Rotate left (Gen11 on).";
    Ror "ror" Binary "Rotate right (Gen11 on).";
    Sad2 "sad2" Binary "Sum of absolute differences of two bytes (to Gen9).";
    Sada2 "sada2" Binary "`sad2`, accumulated (to Gen9).";
    Sel "sel" Binary "Select by predicate or by comparison.";
    Send "send" Send "Sends a message.";
    Sendc "sendc" Send "`send` after older threads' writes.";
    Sends "sends" Send "`send` with two payloads (Gen9 to Gen11).";
    Sendsc "sendsc" Send "`sends` after older threads' writes (Gen9 to Gen11).";
    Shl "shl" Binary "Shift left.";
    Shr "shr" Binary "Logical shift right.";
    Smov "smov" Binary "Scattered move (to Gen11).";
    Srnd "srnd" Binary "Stochastic rounding (XeHPC on).";
    Subb "subb" Binary "Subtraction; the borrow goes to the accumulator.";
    Sync "sync" Sync "Waits for scoreboard entries or a barrier (Gen12LP on).";
    Wait "wait" Wait "Waits for a notification (to Gen11).";
    While "while" JumpJip "End of a loop.";
    Xor "xor" Binary "Bitwise exclusive or.";
}

impl Opcode {
    /// Whether this is one of the send instructions.
    #[inline]
    pub const fn is_send(self) -> bool {
        matches!(self.format(), Format::Send)
    }

    /// Whether the opcode takes a condition modifier.
    ///
    /// Source: the instruction attributes of the PRMs, vol 2a, and of IGA's models.
    #[inline]
    pub const fn has_condition(self) -> bool {
        match self.format() {
            Format::Unary => !matches!(
                self,
                Opcode::Bfrev | Opcode::Cbit | Opcode::Fbh | Opcode::Fbl
            ),
            Format::Binary => !matches!(
                self,
                Opcode::Bfi1
                    | Opcode::Mach
                    | Opcode::Macl
                    | Opcode::Movi
                    | Opcode::Smov
                    | Opcode::Srnd
            ),
            Format::Ternary => !matches!(self, Opcode::Bfe | Opcode::Bfi2 | Opcode::Madm),
            _ => false,
        }
    }

    /// Whether the opcode takes a predicate.
    ///
    /// Source: as [`Opcode::has_condition`].
    #[inline]
    pub const fn has_predicate(self) -> bool {
        !matches!(
            self.format(),
            Format::Nullary | Format::Sync | Format::Wait | Format::Dpas
        ) && !matches!(
            self,
            Opcode::Csel | Opcode::Else | Opcode::Endif | Opcode::Srnd
        )
    }

    /// Whether the opcode can saturate in some family.
    ///
    /// Source: as [`Opcode::has_condition`].
    #[inline]
    pub const fn has_saturation(self) -> bool {
        !matches!(
            self,
            Opcode::Addc
                | Opcode::And
                | Opcode::Bfe
                | Opcode::Bfi1
                | Opcode::Bfi2
                | Opcode::Bfn
                | Opcode::Bfrev
                | Opcode::Cbit
                | Opcode::Cmp
                | Opcode::Cmpn
                | Opcode::Fbh
                | Opcode::Fbl
                | Opcode::Frc
                | Opcode::Macl
                | Opcode::Not
                | Opcode::Or
                | Opcode::Rol
                | Opcode::Ror
                | Opcode::Smov
                | Opcode::Xor
        )
    }

    /// Whether the opcode has `.b`, branch control.
    #[inline]
    pub const fn has_branch_control(self) -> bool {
        matches!(self, Opcode::If | Opcode::Else | Opcode::Goto)
    }

    /// Whether this changes the instruction pointer or the channels that run.
    #[inline]
    pub const fn is_branch(self) -> bool {
        matches!(
            self.format(),
            Format::JumpUnary
                | Format::JumpJip
                | Format::JumpJipUip
                | Format::JumpBrc
                | Format::Call
                | Format::Ret
        )
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.mnemonic())
    }
}
