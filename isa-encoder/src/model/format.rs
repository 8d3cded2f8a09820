//! The shapes of operands.

/// The class of an instruction: the operand shape of its opcode, the same in every family that has
/// it.
///
/// | Class | Opcodes | Destination | Sources | Other parts |
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
/// Predicate, condition modifier, saturation and others are [`Attributes`](super::Attributes).
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
    /// `math`: one or two sources, depending on its function.
    Math,
    /// `sync`: one source (null or an immediate mask).
    Sync,
    /// `wait`: one notification register, both source and destination.
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
