//! The instructions: one row per opcode.

use super::attributes::Attributes;
use super::declare::{Row, opcodes};
use super::format::Format;
use super::names::Names;
use super::semantics::{Float, Flow, Integer, Number, Semantics};
use super::signature::Signature;

opcodes! {
    /// Addition: `dst = src0 + src1`. Integers, half, single and double precision; from XeHPG on
    /// bfloat together with single precision. A negated source subtracts.
    Add "add" Binary, Number(Add), ANY, [0x40 (..)], [USUAL, BFLOATS (XeHpg..)];
    /// Addition of three: `dst = src0 + src1 + src2`, of words and dwords. Immediates are words.
    Add3 "add3" Ternary, Integer(Add3), WORDS_AND_DWORDS, [0x52 (XeHpg..)], [USUAL];
    /// Addition of unsigned dwords: `dst = src0 + src1`, and `acc0` gets the carry, 0 or 1.
    Addc "addc" Binary, Integer(AddCarry), DWORDS_OF_SHORT,
        [0x4e (..)], [PREDICATE, CONDITION, WRITES_ACC];
    /// Bitwise and: `dst = src0 & src1`. A source modifier `~` (in the bits of negation) inverts.
    And "and" Binary, Integer(And), INTEGERS,
        [0x05 (..=Gen11), 0x65 (Gen12Lp..)], [PREDICATE, CONDITION, MODIFIERS, BITWISE, QWORDS];
    /// Arithmetic shift right: `dst = src0 >> src1`, with the sign; the distance is taken modulo
    /// the bits of the operation.
    Asr "asr" Binary, Integer(ShiftRightSigned), INTEGERS,
        [0x0c (..=Gen11), 0x6c (Gen12Lp..)], [USUAL, QWORDS];
    /// Average, rounded up: `dst = (src0 + src1 + 1) >> 1`, without overflow; integers of at most
    /// 32 bits.
    Avg "avg" Binary, Integer(Average), SHORT_INTEGERS, [0x42 (..)], [USUAL];
    /// Bit-field extract of dwords: `src0` bits of `src2` from bit `src1` on, with the sign for
    /// `:d`.
    Bfe "bfe" Ternary, Integer(ExtractBits), DWORDS,
        [0x18 (..=Gen11), 0x78 (Gen12Lp..)], [PREDICATE];
    /// Bit-field insert, first half: a mask of `src0` ones from bit `src1` on.
    Bfi1 "bfi1" Binary, Integer(BitMask), DWORDS, [0x19 (..=Gen11), 0x79 (Gen12Lp..)], [PREDICATE];
    /// Bit-field insert, second half: `dst = src1 & src0 | src2 & ~src0`, with the mask of
    /// [`Opcode::Bfi1`] in `src0`.
    Bfi2 "bfi2" Ternary, Integer(InsertBits), DWORDS,
        [0x1a (..=Gen11), 0x7a (Gen12Lp..)], [PREDICATE];
    /// Boolean function of three unsigned words or dwords: each bit is that of the 8-bit table
    /// [`Specific::Bfn`](super::Specific::Bfn) at `src0 + 2 * src1 + 4 * src2`.
    Bfn "bfn" Ternary, Integer(TruthTable), WORDS_AND_DWORDS,
        [0x6b (XeHpg..)], [PREDICATE, CONDITION];
    /// Reverses the 32 bits of a dword.
    Bfrev "bfrev" Unary, Integer(ReverseBits), DWORDS,
        [0x17 (..=Gen11), 0x77 (Gen12Lp..)], [PREDICATE];
    /// Converging branch: the channels that the predicate selects wait for UIP; if none is left,
    /// execution goes to JIP. A register holds both.
    Brc "brc" JumpBrc, Flow(Brc), ANY, [0x23 (..=Xe2)], [PREDICATE];
    /// Diverging branch: the channels that the predicate selects wait for JIP; if none is left,
    /// execution goes there.
    Brd "brd" JumpUnary, Flow(Brd), ANY, [0x21 (..=Xe2)], [PREDICATE];
    /// Leaves a loop: channels wait for UIP, the loop's end; JIP is the end of the innermost block.
    Break "break" JumpJipUip, Flow(Break), ANY, [0x28 (..)], [PREDICATE];
    /// Relative call: the destination gets the return address and the channel mask.
    Call "call" Call, Flow(Call { absolute: false }), ANY, [0x2c (..)], [PREDICATE];
    /// Absolute call: like [`Opcode::Call`], with the target counted from the instruction base.
    Calla "calla" Call, Flow(Call { absolute: true }), ANY, [0x2b (..)], [PREDICATE];
    /// Counts the ones of an unsigned integer.
    Cbit "cbit" Unary, Integer(CountOnes), COUNTS, [0x4d (..)], [PREDICATE];
    /// Compares `src0` with `src1` by the condition modifier. The result goes into the flag and, as
    /// all ones or zeroes, into the destination if that is not null.
    Cmp "cmp" Binary, Number(Compare), ANY,
        [0x10 (..=Gen11), 0x70 (Gen12Lp..)], [PREDICATE, CONDITION, MODIFIERS, BFLOATS (XeHpg..)];
    /// Like [`Opcode::Cmp`], but a NaN in source 1 compares true: for a minimum or maximum that
    /// drops NaNs.
    Cmpn "cmpn" Binary, Number(CompareOrNan), ANY,
        [0x11 (..=Gen11), 0x71 (Gen12Lp..)], [PREDICATE, CONDITION, MODIFIERS];
    /// Continues a loop: channels wait for UIP, its [`Opcode::While`]; JIP is the end of the
    /// innermost block.
    Cont "cont" JumpJipUip, Flow(Cont), ANY, [0x29 (..)], [PREDICATE];
    /// Select by comparison: `dst = src2 COND 0 ? src0 : src1`. Single precision; from Gen11 on
    /// also half precision, words and dwords. Writes no flag.
    Csel "csel" Ternary, Number(SelectByComparison), ANY,
        [0x12 (..=Gen11), 0x72 (Gen12Lp..)], [CONDITION, SATURATION, MODIFIERS, KEEPS_FLAG];
    /// Dot product of the first two of every four elements, written to all four; single precision.
    Dp2 "dp2" Binary, Float(Dot { terms: 2, homogeneous: false }), SINGLES,
        [0x57 (..=Gen9)], [USUAL];
    /// Dot product of the first three of every four elements, written to all four; single
    /// precision.
    Dp3 "dp3" Binary, Float(Dot { terms: 3, homogeneous: false }), SINGLES,
        [0x56 (..=Gen9)], [USUAL];
    /// Dot product of every four elements, written to all four; single precision.
    Dp4 "dp4" Binary, Float(Dot { terms: 4, homogeneous: false }), SINGLES,
        [0x54 (..=Gen9)], [USUAL];
    /// Dot product of four bytes, accumulated:
    /// `dst = src0 + src1.b0 * src2.b0 + … + src1.b3 * src2.b3`. Operands are dwords; their types
    /// say whose bytes have a sign.
    Dp4a "dp4a" Ternary, Integer(DotBytes), ANY,
        [0x58 (Gen12Lp..)], [PREDICATE, CONDITION, SATURATION];
    /// Dot product accumulate systolic: the matrix product `dst = src0 + src1 * src2` over
    /// [`Dpas`](super::Dpas)'s depth and repeat count. Sources 1 and 2 are integers of 2 to 8 bits,
    /// half, bfloat or, from XeHPC on, tf32.
    Dpas "dpas" Dpas, Systolic { paired: false }, ANY, [0x59 (XeHpg..)], [];
    /// [`Opcode::Dpas`] over a pair of EUs, each of which holds half of source 2.
    Dpasw "dpasw" Dpas, Systolic { paired: true }, ANY, [0x5a (XeHpg)], [];
    /// Homogeneous dot product of every four elements, with `src0`'s last taken as 1; single
    /// precision.
    Dph "dph" Binary, Float(Dot { terms: 3, homogeneous: true }), SINGLES,
        [0x55 (..=Gen9)], [USUAL];
    /// Switches to the channels that [`Opcode::If`] left out; if there are none, goes to JIP. UIP
    /// is the [`Opcode::Endif`].
    Else "else" JumpJipUip, Flow(Else), ANY, [0x24 (..)], [BRANCH_CONTROL];
    /// Joins the channels of an [`Opcode::If`]; if there are none, goes to JIP, the end of the
    /// enclosing block.
    Endif "endif" JumpJip, Flow(Endif), ANY, [0x25 (..)], [];
    /// First bit from the most significant side that differs from the sign (`:d`) or is 1 (`:ud`);
    /// all ones if there is none.
    Fbh "fbh" Unary, Integer(HighestBit), DWORDS_OF_SHORT, [0x4b (..)], [PREDICATE];
    /// The lowest 1 of an unsigned dword; all ones if there is none.
    Fbl "fbl" Unary, Integer(LowestBit), DWORDS_OF_SHORT, [0x4c (..)], [PREDICATE];
    /// Fraction: `dst = src0 - floor(src0)`.
    Frc "frc" Unary, Float(Fraction), FLOATS, [0x43 (..)], [PREDICATE, CONDITION, MODIFIERS];
    /// Branch of unstructured flow: the channels that the predicate selects (on Gen8 to Gen11,
    /// those that it does not select) wait for UIP, a [`Opcode::Join`]; if none is left, execution
    /// goes to JIP. With branch control (`.b`) the channels that jump go first.
    Goto "goto" JumpJipUip, Flow(Goto), ANY, [0x2e (..)], [PREDICATE, BRANCH_CONTROL];
    /// Switches channels off until UIP; if none is left, goes to JIP.
    Halt "halt" JumpJipUip, Flow(Halt), ANY, [0x2a (..)], [PREDICATE, UNCOUNTED];
    /// Continues with the channels that the predicate selects; if there are none, goes to JIP. UIP
    /// is the [`Opcode::Endif`].
    If "if" JumpJipUip, Flow(If), ANY, [0x22 (..)], [PREDICATE, BRANCH_CONTROL];
    /// Raises an illegal-opcode exception. Zeros after the end of a kernel decode as this.
    Illegal "illegal" Nullary, Illegal, ANY, [0x00 (..)], [UNCOUNTED];
    /// Jump of the whole thread, by one channel regardless of the mask.
    Jmpi "jmpi" JumpUnary, Flow(Jump), ANY, [0x20 (..)], [PREDICATE];
    /// Joins the channels that wait here ([`Opcode::Goto`]); if there are none, goes to JIP.
    Join "join" JumpJip, Flow(Join), ANY, [0x2f (..)], [PREDICATE];
    /// Line equation: `dst = src0.0 * src1 + src0.3`, single precision.
    Line "line" Binary, Float(Line), SINGLES, [0x59 (..=Gen9)], [USUAL, PLANE];
    /// Linear interpolation: `dst = src1 * src0 + src2 * (1 - src0)`, single precision.
    Lrp "lrp" Ternary, Float(Interpolate), SINGLES, [0x5c (..=Gen9)], [USUAL];
    /// Counts leading zeroes of a dword; 32 for zero.
    Lzd "lzd" Unary, Integer(LeadingZeros), DWORDS_OF_SHORT,
        [0x4a (..)], [PREDICATE, CONDITION, SATURATION, MODIFIERS (..=XeHpc)];
    /// Multiply-accumulate: `dst = src0 * src1 + acc0`.
    Mac "mac" Binary, Number(Accumulate), ANY, [0x48 (..)], [USUAL, BFLOATS (XeHpg..), READS_ACC];
    /// High dword of a product of dwords: `dst = (src0 * src1.high << 16) + acc0 >> 32`, after a
    /// [`Opcode::Mul`] of `src0` with `src1`'s low word into `acc0`.
    Mach "mach" Binary, Integer(ProductHigh), DWORDS_OF_SHORT,
        [0x49 (..)], [PREDICATE, SATURATION (..=Gen11), MODIFIERS, READS_ACC, WRITES_ACC];
    /// Low dword of a product of dwords, after the same [`Opcode::Mul`] as [`Opcode::Mach`].
    Macl "macl" Binary, Integer(ProductLow), DWORDS_OF_SHORT,
        [0x53 (XeHpc..)], [PREDICATE, MODIFIERS, READS_ACC, WRITES_ACC];
    /// Multiply-add: `dst = src0 + src1 * src2`, floats with one rounding. Integers from Gen11 on,
    /// with a word in source 2.
    Mad "mad" Ternary, Number(MultiplyAdd), ANY,
        [0x5b (..)], [USUAL, BFLOATS (XeHpg..), QWORDS (Xe3..)];
    /// [`Opcode::Mad`] with the exponents of math macro registers (`mme`): the steps of IEEE
    /// division and square root. `:f` and `:df`.
    Madm "madm" Ternary, Float(MultiplyAdd), ANY,
        [0x5d (..=Gen11), 0x5d (XeHpg..)], [PREDICATE, SATURATION (..=Gen11), MODIFIERS, MACRO];
    /// Extended math: one of [`MathFunction`](super::MathFunction).
    Math "math" Math, Math, ANY, [0x38 (..)], [PREDICATE, SATURATION, MODIFIERS];
    /// Moves, and converts if the types differ; floats become integers towards zero, with
    /// saturation on request.
    Mov "mov" Unary, Number(Move), ANY,
        [0x01 (..=Gen11), 0x61 (Gen12Lp..)], [USUAL, BFLOATS (XeHpg..), QWORDS];
    /// Moves from registers that consecutive addresses in a0 name, the whole group from one
    /// address; source 1, if there is one, is an immediate of indices.
    Movi "movi" Binary, Number(Move), ANY,
        [0x03 (..=Gen11), 0x63 (Gen12Lp..)], [PREDICATE, SATURATION, MODIFIERS];
    /// Multiplication: `dst = src0 * src1`. For integers the low half; only some families give the
    /// whole product of two dwords.
    Mul "mul" Binary, Number(Multiply), ANY, [0x41 (..)], [USUAL, BFLOATS (XeHpg..)];
    /// Nothing.
    Nop "nop" Nullary, Nop, ANY, [0x60 (Gen12Lp..), 0x7e (..=Gen11)], [UNCOUNTED];
    /// Bitwise not.
    Not "not" Unary, Integer(Not), INTEGERS,
        [0x04 (..=Gen11), 0x64 (Gen12Lp..)], [PREDICATE, CONDITION, MODIFIERS, BITWISE, QWORDS];
    /// Bitwise or; modifiers as for [`Opcode::And`].
    Or "or" Binary, Integer(Or), INTEGERS,
        [0x06 (..=Gen11), 0x66 (Gen12Lp..)], [PREDICATE, CONDITION, MODIFIERS, BITWISE, QWORDS];
    /// Plane equation: `dst = src0.0 * u + src0.1 * v + src0.3`, with `u` in source 1 and `v` in
    /// the next register (for 16 channels: the next two).
    Pln "pln" Binary, Float(Plane), SINGLES,
        [0x5a (..=Gen9)], [PREDICATE, CONDITION, SATURATION, PLANE];
    /// Returns to the address in source 0; the channel mask follows the address.
    Ret "ret" Ret, Flow(Ret), ANY, [0x2d (..)], [PREDICATE];
    /// Rounds a float down to an integer.
    Rndd "rndd" Unary, Float(RoundDown), FLOATS, [0x45 (..)], [USUAL];
    /// Rounds a float to the nearest integer, ties to even.
    Rnde "rnde" Unary, Float(RoundEven), FLOATS, [0x46 (..)], [USUAL];
    /// Rounds a float up to an integer.
    Rndu "rndu" Unary, Float(RoundUp), FLOATS, [0x44 (..)], [USUAL];
    /// Rounds a float towards zero to an integer.
    Rndz "rndz" Unary, Float(RoundToZero), FLOATS, [0x47 (..)], [USUAL];
    /// Rotates left. Unsigned words and dwords, quadwords from XeHPC on.
    Rol "rol" Binary, Integer(RotateLeft), ROTATED,
        [0x0f (Gen11), 0x6f (Gen12Lp..)], [PREDICATE, CONDITION];
    /// Rotates right; types as for [`Opcode::Rol`].
    Ror "ror" Binary, Integer(RotateRight), ROTATED,
        [0x0e (Gen11), 0x6e (Gen12Lp..)], [PREDICATE, CONDITION];
    /// Sum of absolute differences of every two bytes: `|a0 - b0| + |a1 - b1|`, into a word.
    Sad2 "sad2" Binary, Integer(AbsoluteDifferences { accumulate: false }), SUMS_OF_BYTES,
        [0x50 (..=Gen9)], [USUAL];
    /// [`Opcode::Sad2`], added to `acc0`.
    Sada2 "sada2" Binary, Integer(AbsoluteDifferences { accumulate: true }), SUMS_OF_BYTES,
        [0x51 (..=Gen9)], [USUAL, READS_ACC];
    /// Select: with a predicate `dst = flag ? src0 : src1`; with a condition modifier the minimum
    /// (`lt`) or maximum (`ge`), where a NaN loses.
    Sel "sel" Binary, Number(Select), ANY,
        [0x02 (..=Gen11), 0x62 (Gen12Lp..)], [USUAL, KEEPS_FLAG, BFLOATS (XeHpg..)];
    /// Sends a message to a shared function ([`Send`](super::Send)): source 0 and, from Gen12LP on,
    /// source 1 hold the payload, the destination takes the response.
    Send "send" Send, Send, ANY, [0x31 (..)], [PREDICATE, TWO_PAYLOADS (Gen12Lp..)];
    /// Like [`Opcode::Send`], but waits for older threads whose pixels this one overlaps.
    Sendc "sendc" Send, Send, ANY, [0x32 (..)], [PREDICATE, TWO_PAYLOADS (Gen12Lp..)];
    /// Like [`Opcode::Send`], with a second payload in source 1.
    Sends "sends" Send, Send, ANY, [0x33 (Gen9..=Gen11)], [PREDICATE, TWO_PAYLOADS];
    /// Like [`Opcode::Sendc`], with a second payload in source 1.
    Sendsc "sendsc" Send, Send, ANY, [0x34 (Gen9..=Gen11)], [PREDICATE, TWO_PAYLOADS];
    /// Shift left: `dst = src0 << src1`; the distance is taken as for [`Opcode::Asr`].
    Shl "shl" Binary, Integer(ShiftLeft), INTEGERS, [0x09 (..=Gen11), 0x69 (Gen12Lp..)], [USUAL, QWORDS];
    /// Logical shift right: `dst = src0 >> src1`, with zeroes; the distance is taken as for
    /// [`Opcode::Asr`].
    Shr "shr" Binary, Integer(ShiftRight), INTEGERS, [0x08 (..=Gen11), 0x68 (Gen12Lp..)], [USUAL, QWORDS];
    /// Scattered move: moves the channels whose bits in source 1 are set.
    Smov "smov" Binary, Number(ScatteredMove), ANY, [0x0a (..=Gen11)], [PREDICATE];
    /// Stochastic rounding of `src0` by the random bits in `src1`: single to half precision, half
    /// precision to bf8.
    Srnd "srnd" Binary, Float(RoundStochastic), STOCHASTIC,
        [0x54 (XeHpc..)], [SATURATION (XeHpc), SATURATION (Xe3..)];
    /// Subtraction of unsigned dwords: `dst = src0 - src1`, and `acc0` gets the borrow, 0 or 1.
    Subb "subb" Binary, Integer(SubtractBorrow), DWORDS_OF_SHORT,
        [0x4f (..)], [PREDICATE, CONDITION, SATURATION, WRITES_ACC];
    /// Waits for scoreboard entries, a barrier or a fence: one of
    /// [`SyncFunction`](super::SyncFunction).
    Sync "sync" Sync, Sync, ANY, [0x01 (Gen12Lp..)], [];
    /// Waits until a notification register is not 0, then decrements it.
    Wait "wait" Wait, Wait, ANY, [0x30 (..=Gen11)], [];
    /// End of a loop: goes back to JIP with the channels that the predicate selects, and continues
    /// when none is left.
    While "while" JumpJip, Flow(While), ANY, [0x27 (..)], [PREDICATE];
    /// Bitwise exclusive or; modifiers as for [`Opcode::And`].
    Xor "xor" Binary, Integer(Xor), INTEGERS,
        [0x07 (..=Gen11), 0x67 (Gen12Lp..)], [PREDICATE, CONDITION, MODIFIERS, BITWISE, QWORDS];
}
