//! The software scoreboard: what an instruction waits for (Gen12LP on).

/// An in-order pipe that a distance counts in.
///
/// Source: TGL PRM, volume 3a, "Software Scoreboard"; IGA `api/iga_types_swsb.hpp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pipe {
    /// The one pipe of Gen12LP, or the pipe of this instruction's types (`@d`).
    Default,
    /// All in-order pipes (`A@d`, XeHPG on).
    All,
    /// Floating point (`F@d`).
    Float,
    /// Integer (`I@d`).
    Int,
    /// 64-bit (`L@d`).
    Long,
    /// Math (`M@d`, XeHPC on).
    Math,
    /// Immediates to the scalar register (`S@d`).
    Scalar,
}

impl Pipe {
    /// The largest distance that an instruction has bits for.
    pub(crate) const FARTHEST: u8 = 7;

    /// Every pipe, in the order of their numbers.
    pub(crate) const EACH: [Pipe; 7] = [
        Pipe::Default,
        Pipe::All,
        Pipe::Float,
        Pipe::Int,
        Pipe::Long,
        Pipe::Math,
        Pipe::Scalar,
    ];
}

/// How a scoreboard token is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenMode {
    /// This out-of-order instruction takes the token (`$n`).
    Set,
    /// Waits until the token's owner has read its sources (`$n.src`).
    Src,
    /// Waits until the token's owner has written its destination (`$n.dst`).
    Dst,
}

/// A scoreboard token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// The number: below 16, below 32 from XeHPC on.
    pub id: u8,
    /// The use.
    pub mode: TokenMode,
}

/// The software scoreboard annotation of an instruction.
///
/// Not all pairs of distance and token have an encoding: that depends on the family and on whether
/// the instruction is in order. [`swsb`](crate::swsb) computes what to wait for.
///
/// Source: TGL PRM, volume 3a, "Software Scoreboard"; IGA `api/iga_types_swsb.hpp`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Swsb {
    /// Waits for the instruction 1 to 7 places back in a pipe.
    pub distance: Option<(Pipe, u8)>,
    /// Sets or waits for a token.
    pub token: Option<Token>,
    /// XeHPC on: the accumulator is not scoreboarded (`NoAccSBSet`).
    pub no_acc_set: bool,
}

impl Swsb {
    /// No annotation.
    pub const NONE: Swsb = Swsb {
        distance: None,
        token: None,
        no_acc_set: false,
    };
}
