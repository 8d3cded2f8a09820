//! Opcodes of all families, with the shape of their operands.

use core::fmt;

use super::names::Names;

/// The operand shape of an opcode, the same in every family that has it: the class of an
/// instruction.
///
/// | Class | Opcodes | Destination | Sources | Beside them |
/// |---|---|---|---|---|
/// | [`Nullary`](Format::Nullary) | `illegal`, `nop` | none | none | |
/// | [`Unary`](Format::Unary) | `mov`, `not`, `frc`, `rndd`, `rnde`, `rndu`, `rndz`, `bfrev`, `cbit`, `fbh`, `fbl`, `lzd` | register | region or immediate of up to 64 bits | |
/// | [`Binary`](Format::Binary) | `add`, `mul`, `cmp`, `sel`, shifts, bitwise operations… | register | region; region or immediate of up to 32 bits | |
/// | [`Ternary`](Format::Ternary) | `mad`, `madm`, `lrp`, `csel`, `add3`, `bfn`, `dp4a`, `bfe`, `bfi2` | general register, accumulator from Gen11 on | regions `<V;H>`, `<V;H>`, `<H>`; immediates of 16 bits in 0 or 2 from Gen11 on | [`Specific::Bfn`](super::Specific::Bfn) |
/// | [`Math`](Format::Math) | `math` | register | one or two regions | [`Specific::Math`](super::Specific::Math) |
/// | [`Sync`](Format::Sync) | `sync` | none | null, flag or immediate mask | [`Specific::Sync`](super::Specific::Sync) |
/// | [`Wait`](Format::Wait) | `wait` | the source | notification register | |
/// | [`JumpUnary`](Format::JumpUnary) | `jmpi`, `brd` | none | register, or none | [`Specific::Branch`](super::Specific::Branch), JIP |
/// | [`JumpJip`](Format::JumpJip) | `endif`, `while`, `join` | none | none | JIP |
/// | [`JumpJipUip`](Format::JumpJipUip) | `if`, `else`, `break`, `cont`, `goto`, `halt` | none | none | JIP and UIP |
/// | [`JumpBrc`](Format::JumpBrc) | `brc` | none | register, or none | JIP and UIP |
/// | [`Call`](Format::Call) | `call`, `calla` | return address | register, or none | JIP |
/// | [`Ret`](Format::Ret) | `ret` | none | return address | |
/// | [`Send`](Format::Send) | `send`, `sendc`, `sends`, `sendsc` | response | payload; second payload | [`Specific::Send`](super::Specific::Send) |
/// | [`Dpas`](Format::Dpas) | `dpas`, `dpasw` | registers | accumulator, weights, activations | [`Specific::Dpas`](super::Specific::Dpas) |
///
/// Predicate, condition modifier and saturation: [`Opcode::has_predicate`],
/// [`Opcode::has_condition`], [`Opcode::has_saturation`].
///
/// Source: BDW to TGL PRM, volume 7 ("Instruction Formats"), volume 2a; IGA `OpSpec::Format`.
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

/// Where the instruction pages of a span of families are, with what follows the name.
macro_rules! pages {
    (Gen8 Gen9 $name:literal) => {
        concat!("BDW and SKL PRM, volume 2a, EU ISA, “", $name, "”; ")
    };
    (Gen8 Gen11 $name:literal) => {
        concat!("BDW to ICL PRM, volume 2a, EU ISA, “", $name, "”; ")
    };
    (Gen9 Gen11 $name:literal) => {
        concat!("SKL and ICL PRM, volume 2a, EU ISA, “", $name, "”; ")
    };
    (Gen8 Xe2 $name:literal) => {
        concat!("BDW to TGL PRM, volume 2a, EU ISA, “", $name, "”; ")
    };
    (Gen11 Xe2 $name:literal) => {
        concat!("ICL and TGL PRM, volume 2a, EU ISA, “", $name, "”; ")
    };
    (Gen12Lp Xe2 $name:literal) => {
        concat!("TGL PRM, volume 2a, EU ISA, “", $name, "”; ")
    };
    // Intel published none.
    ($first:ident $last:ident $name:literal) => {
        ""
    };
}

macro_rules! opcodes {
    ($($name:ident $mnemonic:literal $format:ident [$($first:ident $last:ident),*] $doc:literal;)*) => {
        /// An EU opcode, over all families.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Opcode {
            $(
                #[doc = $doc]
                ///
                #[doc = concat!("Operands: [`Format::", stringify!($format), "`].")]
                #[doc = concat!(
                    "Families:", $(" ", stringify!($first), " to ", stringify!($last), ".",)*
                    " Source: ", $(pages!($first $last $mnemonic),)* "IGA `Models/bxml`."
                )]
                $name,
            )*
        }

        /// The spans of families that the documentation of each opcode names.
        #[cfg(test)]
        pub(crate) const SPANS: &[(Opcode, &[(devinfo::Family, devinfo::Family)])] = &[
            $((Opcode::$name, &[$((devinfo::Family::$first, devinfo::Family::$last)),*]),)*
        ];

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
    Add "add" Binary [Gen8 Xe2]
        "Addition: `dst = src0 + src1`. Integers, half, single and double precision; from XeHPG \
         on bfloat beside single precision. A negated source subtracts.";
    Add3 "add3" Ternary [XeHpg Xe2]
        "Addition of three: `dst = src0 + src1 + src2`, of words and dwords. Immediates are \
         words.";
    Addc "addc" Binary [Gen8 Xe2]
        "Addition of unsigned dwords: `dst = src0 + src1`, and `acc0` gets the carry, 0 or 1.";
    And "and" Binary [Gen8 Xe2]
        "Bitwise and: `dst = src0 & src1`. A source modifier `~` (in the bits of negation) \
         inverts.";
    Asr "asr" Binary [Gen8 Xe2]
        "Arithmetic shift right: `dst = src0 >> src1`, with the sign; the distance counts modulo \
         the bits of the operation.";
    Avg "avg" Binary [Gen8 Xe2]
        "Average, rounded up: `dst = (src0 + src1 + 1) >> 1`, without overflow; integers of at \
         most 32 bits.";
    Bfe "bfe" Ternary [Gen8 Xe2]
        "Bit-field extract of dwords: `src0` bits of `src2` from bit `src1` on, with the sign for \
         `:d`.";
    Bfi1 "bfi1" Binary [Gen8 Xe2]
        "Bit-field insert, first half: the mask of `src0` ones from bit `src1` on.";
    Bfi2 "bfi2" Ternary [Gen8 Xe2]
        "Bit-field insert, second half: `dst = src1 & src0 | src2 & ~src0`, with the mask of \
         [`Opcode::Bfi1`] in `src0`.";
    Bfn "bfn" Ternary [XeHpg Xe2]
        "Boolean function of three, of unsigned words or dwords: each bit is that of the 8-bit \
         table [`Specific::Bfn`](super::Specific::Bfn) at `src0 + 2 * src1 + 4 * src2`.";
    Bfrev "bfrev" Unary [Gen8 Xe2]
        "Reverses the 32 bits of a dword.";
    Brc "brc" JumpBrc [Gen8 Xe2]
        "Converging branch: the channels that the predicate takes wait for UIP; if none is left, \
         execution goes to JIP. A register holds both.";
    Brd "brd" JumpUnary [Gen8 Xe2]
        "Diverging branch: the channels that the predicate takes wait for JIP; if none is left, \
         execution goes there.";
    Break "break" JumpJipUip [Gen8 Xe2]
        "Leaves a loop: channels wait for UIP, the loop's end; JIP is the end of the innermost \
         block.";
    Call "call" Call [Gen8 Xe2]
        "Call at a distance: the destination gets the return address and the channel mask.";
    Calla "calla" Call [Gen8 Xe2]
        "Call at an address: as [`Opcode::Call`], with the target counted from the instruction \
         base.";
    Cbit "cbit" Unary [Gen8 Xe2]
        "Counts the ones of an unsigned integer.";
    Cmp "cmp" Binary [Gen8 Xe2]
        "Compares `src0` with `src1` by the condition modifier: into the flag, and as all ones or \
         zeroes into the destination, if not null.";
    Cmpn "cmpn" Binary [Gen8 Xe2]
        "As [`Opcode::Cmp`], but that a NaN in source 1 compares true: for a minimum or maximum \
         that drops NaNs.";
    Cont "cont" JumpJipUip [Gen8 Xe2]
        "Continues a loop: channels wait for UIP, its [`Opcode::While`]; JIP is the end of the \
         innermost block.";
    Csel "csel" Ternary [Gen8 Xe2]
        "Select by comparison: `dst = src2 COND 0 ? src0 : src1`. Single precision to Gen9; half \
         precision, words and dwords, too, from Gen11 on. No flag is written.";
    Dp2 "dp2" Binary [Gen8 Gen9]
        "Dot product of the first two of each four elements, to all four; single precision.";
    Dp3 "dp3" Binary [Gen8 Gen9]
        "Dot product of the first three of each four elements, to all four; single precision.";
    Dp4 "dp4" Binary [Gen8 Gen9]
        "Dot product of each four elements, to all four; single precision.";
    Dp4a "dp4a" Ternary [Gen12Lp Xe2]
        "Dot product of four bytes, accumulated: `dst = src0 + src1.b0 * src2.b0 + … + src1.b3 * \
         src2.b3`. Operands are dwords, whose types say which bytes have a sign.";
    Dpas "dpas" Dpas [XeHpg Xe2]
        "Dot product accumulate systolic: the matrix product `dst = src0 + src1 * src2` over \
         [`Dpas`](super::Dpas)'s depth and repeat count. Sources 1 and 2 of 2 to 8-bit integers, \
         half, bfloat, from XeHPC on tf32.";
    Dpasw "dpasw" Dpas [XeHpg XeHpg]
        "[`Opcode::Dpas`] over a pair of EUs, each of which holds half of source 2.";
    Dph "dph" Binary [Gen8 Gen9]
        "Homogeneous dot product of each four elements, `src0`'s last taken as 1; single \
         precision.";
    Else "else" JumpJipUip [Gen8 Xe2]
        "Turns to the channels that [`Opcode::If`] left out; without any, goes to JIP. UIP is the \
         [`Opcode::Endif`].";
    Endif "endif" JumpJip [Gen8 Xe2]
        "Joins the channels of an [`Opcode::If`]; without any, goes to JIP, the end of the block \
         around.";
    Fbh "fbh" Unary [Gen8 Xe2]
        "First bit from the most significant side that differs from the sign (`:d`) or is 1 \
         (`:ud`); all ones if there is none.";
    Fbl "fbl" Unary [Gen8 Xe2]
        "The lowest 1 of an unsigned dword; all ones if there is none.";
    Frc "frc" Unary [Gen8 Xe2]
        "Fraction: `dst = src0 - floor(src0)`.";
    Goto "goto" JumpJipUip [Gen8 Xe2]
        "Branch of unstructured flow: the channels that the predicate takes (on Gen8 to Gen11, \
         those that it does not) wait for UIP, a [`Opcode::Join`]; if none is left, execution \
         goes to JIP. With branch control (`.b`) those that jump go first.";
    Halt "halt" JumpJipUip [Gen8 Xe2]
        "Switches channels off until UIP; without any, goes to JIP.";
    If "if" JumpJipUip [Gen8 Xe2]
        "Goes on with the channels that the predicate takes; without any, goes to JIP. UIP is the \
         [`Opcode::Endif`].";
    Illegal "illegal" Nullary [Gen8 Xe2]
        "Raises an illegal-opcode exception. Zeros behind the end of a kernel decode as this.";
    Jmpi "jmpi" JumpUnary [Gen8 Xe2]
        "Jump of the thread as a whole, of one channel outside the mask.";
    Join "join" JumpJip [Gen8 Xe2]
        "Joins the channels that wait here ([`Opcode::Goto`]); without any, goes to JIP.";
    Line "line" Binary [Gen8 Gen9]
        "Line equation: `dst = src0.0 * src1 + src0.3`, single precision.";
    Lrp "lrp" Ternary [Gen8 Gen9]
        "Linear interpolation: `dst = src1 * src0 + src2 * (1 - src0)`, single precision.";
    Lzd "lzd" Unary [Gen8 Xe2]
        "Counts leading zeroes of a dword; 32 for zero.";
    Mac "mac" Binary [Gen8 Xe2]
        "Multiply-accumulate: `dst = src0 * src1 + acc0`.";
    Mach "mach" Binary [Gen8 Xe2]
        "High dword of a product of dwords: `dst = (src0 * src1.high << 16) + acc0 >> 32`, after \
         a [`Opcode::Mul`] of `src0` with `src1`'s low word into `acc0`.";
    Macl "macl" Binary [XeHpc Xe2]
        "Low dword of a product of dwords, after a [`Opcode::Mul`] as before [`Opcode::Mach`].";
    Mad "mad" Ternary [Gen8 Xe2]
        "Multiply-add: `dst = src0 + src1 * src2`, floats with one rounding. Integers from Gen11 \
         on, with a word in source 2.";
    Madm "madm" Ternary [Gen8 Gen11, XeHpg Xe2]
        "[`Opcode::Mad`] with the exponents of math macro registers (`mme`): the steps of IEEE \
         division and square root. `:f` and `:df`.";
    Math "math" Math [Gen8 Xe2]
        "Extended math: one of [`MathFunction`](super::MathFunction).";
    Mov "mov" Unary [Gen8 Xe2]
        "Moves, and converts where the types differ; floats become integers towards zero, with \
         saturation if asked for.";
    Movi "movi" Binary [Gen8 Xe2]
        "Moves from registers that consecutive addresses in a0 name, the whole group from one \
         address; source 1, where there is one, is an immediate of indices.";
    Mul "mul" Binary [Gen8 Xe2]
        "Multiplication: `dst = src0 * src1`. The low half of integers; of dwords with a dword, \
         only some families have the whole.";
    Nop "nop" Nullary [Gen8 Xe2]
        "Nothing.";
    Not "not" Unary [Gen8 Xe2]
        "Bitwise not.";
    Or "or" Binary [Gen8 Xe2]
        "Bitwise or; modifiers as [`Opcode::And`].";
    Pln "pln" Binary [Gen8 Gen9]
        "Plane equation: `dst = src0.0 * u + src0.1 * v + src0.3`, with `u` in source 1 and `v` \
         in the register behind (for 16 channels: the two behind).";
    Ret "ret" Ret [Gen8 Xe2]
        "Returns to the address in source 0, with the channel mask behind it.";
    Rndd "rndd" Unary [Gen8 Xe2]
        "Rounds a float down to an integer.";
    Rnde "rnde" Unary [Gen8 Xe2]
        "Rounds a float to the nearest integer, ties to even.";
    Rndu "rndu" Unary [Gen8 Xe2]
        "Rounds a float up to an integer.";
    Rndz "rndz" Unary [Gen8 Xe2]
        "Rounds a float towards zero to an integer.";
    Rol "rol" Binary [Gen11 Xe2]
        "Rotates left. Unsigned words and dwords, quadwords from XeHPC on.";
    Ror "ror" Binary [Gen11 Xe2]
        "Rotates right; types as [`Opcode::Rol`].";
    Sad2 "sad2" Binary [Gen8 Gen9]
        "Sum of absolute differences of each two bytes: `|a0 - b0| + |a1 - b1|`, into a word.";
    Sada2 "sada2" Binary [Gen8 Gen9]
        "[`Opcode::Sad2`], added to `acc0`.";
    Sel "sel" Binary [Gen8 Xe2]
        "Select: with a predicate `dst = flag ? src0 : src1`; with a condition modifier the \
         minimum (`lt`) or maximum (`ge`), where a NaN loses.";
    Send "send" Send [Gen8 Xe2]
        "Sends a message to a shared function ([`Send`](super::Send)): source 0 and, from Gen12LP \
         on, source 1 hold the payload, the destination takes the response.";
    Sendc "sendc" Send [Gen8 Xe2]
        "As [`Opcode::Send`], after older threads whose pixels this one overlaps are done.";
    Sends "sends" Send [Gen9 Gen11]
        "As [`Opcode::Send`], with a second payload in source 1.";
    Sendsc "sendsc" Send [Gen9 Gen11]
        "As [`Opcode::Sendc`], with a second payload in source 1.";
    Shl "shl" Binary [Gen8 Xe2]
        "Shift left: `dst = src0 << src1`; the distance counts as with [`Opcode::Asr`].";
    Shr "shr" Binary [Gen8 Xe2]
        "Logical shift right: `dst = src0 >> src1`, with zeroes; the distance counts as with \
         [`Opcode::Asr`].";
    Smov "smov" Binary [Gen8 Gen11]
        "Scattered move: moves the channels whose bits in source 1 are set.";
    Srnd "srnd" Binary [XeHpc Xe2]
        "Stochastic rounding of `src0` by the random bits in `src1`: single to half precision, \
         half precision to bf8.";
    Subb "subb" Binary [Gen8 Xe2]
        "Subtraction of unsigned dwords: `dst = src0 - src1`, and `acc0` gets the borrow, 0 or 1.";
    Sync "sync" Sync [Gen12Lp Xe2]
        "Waits for scoreboard entries, a barrier or a fence: one of \
         [`SyncFunction`](super::SyncFunction).";
    Wait "wait" Wait [Gen8 Gen11]
        "Waits until a notification register is not 0, and counts it down.";
    While "while" JumpJip [Gen8 Xe2]
        "End of a loop: goes back to JIP with the channels that the predicate takes, and on when \
         none is left.";
    Xor "xor" Binary [Gen8 Xe2]
        "Bitwise exclusive or; modifiers as [`Opcode::And`].";
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
