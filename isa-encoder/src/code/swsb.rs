//! Software scoreboard encodings.
//!
//! Source: TGL PRM vol 2a, "Software Scoreboard"; IGA's `iga_types_swsb`.

use crate::{Format, Instruction, Opcode, Pipe, Src, Swsb, Token, TokenMode, Type};

/// How a family encodes the software scoreboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwsbEncoding {
    /// There is none (to Gen11).
    None,
    /// One in-order pipe (Gen12LP).
    SingleDist,
    /// Float, integer and long pipes (XeHPG).
    ThreeDist,
    /// The same and math; 32 tokens (XeHPC, Xe2).
    FourDist,
    /// The same and that of the scalar register.
    FiveDist,
}

impl SwsbEncoding {
    /// Whether a send must have a token (IGA `SWSB::verify`).
    pub const fn send_sets_token(self) -> bool {
        self.is_wide()
    }

    /// Whether the field has ten bits.
    const fn is_wide(self) -> bool {
        matches!(self, SwsbEncoding::FourDist | SwsbEncoding::FiveDist)
    }

    /// The pipes by the bits above the distance.
    const fn pipes(self) -> &'static [(u32, Pipe)] {
        match self {
            SwsbEncoding::None => &[],
            SwsbEncoding::SingleDist => &[(0x00, Pipe::Default)],
            SwsbEncoding::ThreeDist => &[
                (0x00, Pipe::Default),
                (0x08, Pipe::All),
                (0x10, Pipe::Float),
                (0x18, Pipe::Int),
                (0x50, Pipe::Long),
            ],
            SwsbEncoding::FourDist => &FOUR_PIPES,
            SwsbEncoding::FiveDist => &FIVE_PIPES,
        }
    }
}

/// What a distance and a token in one field mean for an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwsbClass {
    /// Sends, which set the token.
    Send,
    /// `math`: out of order to XeHPG, where it sets the token; in order later, where it waits.
    Math,
    /// `dpas`, which sets it.
    Dpas,
    /// In-order instructions, which wait for it.
    Other,
}

impl SwsbClass {
    /// The class of an opcode.
    #[inline(always)]
    pub const fn of(opcode: Opcode) -> SwsbClass {
        match opcode.format() {
            Format::Send => SwsbClass::Send,
            Format::Math => SwsbClass::Math,
            Format::Dpas => SwsbClass::Dpas,
            _ => SwsbClass::Other,
        }
    }

    /// What a token beside a distance does, to XeHPG.
    const fn beside_distance(self) -> TokenMode {
        match self {
            SwsbClass::Other => TokenMode::Dst,
            SwsbClass::Send | SwsbClass::Math | SwsbClass::Dpas => TokenMode::Set,
        }
    }
}

/// Whether the math unit executes an in-order instruction: those of XeHPG with `:df`.
///
/// Source: IGA `RegDeps.cpp`, `ThreeDistPipeDPMath`.
pub fn is_double_math(encoding: SwsbEncoding, instruction: &Instruction) -> bool {
    let is_df = |ty| ty == Some(Type::Df);
    encoding == SwsbEncoding::ThreeDist
        && (is_df(instruction.dst.ty()) || instruction.src.iter().map(Src::ty).any(is_df))
}

/// What the token of an annotation does.
///
/// Bits and text depend on the opcode alone: an instruction that [`is_double_math`] reads as one
/// that waits for a token beside a distance, though it sets the token as `math` does.
pub fn effect(encoding: SwsbEncoding, instruction: &Instruction) -> Option<Token> {
    let swsb = instruction.swsb;
    swsb.token.map(|token| match swsb.distance {
        Some(_) if is_double_math(encoding, instruction) => Token {
            mode: SwsbClass::Math.beside_distance(),
            ..token
        },
        _ => token,
    })
}

const fn token(id: u32, mode: TokenMode) -> Option<Token> {
    Some(Token { id: id as u8, mode })
}

/// Pipes by the bits above the distance, FourDist.
const FOUR_PIPES: [(u32, Pipe); 6] = [
    (0x00, Pipe::Default),
    (0x08, Pipe::All),
    (0x10, Pipe::Float),
    (0x18, Pipe::Int),
    (0x20, Pipe::Long),
    (0x28, Pipe::Math),
];

/// Pipes by the bits above the distance, FiveDist.
const FIVE_PIPES: [(u32, Pipe); 7] = {
    let [a, b, c, d, e, f] = FOUR_PIPES;
    [a, b, c, d, e, f, (0x30, Pipe::Scalar)]
};

/// The pipe of a distance beside a token, to XeHPG.
const fn both_pipe(encoding: SwsbEncoding, class: SwsbClass) -> Pipe {
    match (encoding, class) {
        (SwsbEncoding::ThreeDist, SwsbClass::Send) => Pipe::All,
        _ => Pipe::Default,
    }
}

/// FourDist: (bits 9:8, pipe, use of the token) of a distance and a token together.
const fn four_both(class: SwsbClass) -> &'static [(u32, Pipe, TokenMode)] {
    match class {
        SwsbClass::Send => &[
            (1, Pipe::All, TokenMode::Set),
            (2, Pipe::Float, TokenMode::Set),
            (3, Pipe::Int, TokenMode::Set),
        ],
        SwsbClass::Dpas => &[
            (1, Pipe::Default, TokenMode::Set),
            (2, Pipe::Default, TokenMode::Src),
            (3, Pipe::Default, TokenMode::Dst),
        ],
        SwsbClass::Math | SwsbClass::Other => &[
            (1, Pipe::Default, TokenMode::Dst),
            (2, Pipe::Default, TokenMode::Src),
            (3, Pipe::All, TokenMode::Dst),
        ],
    }
}

/// The annotation that `bits` mean, or `None` if they are reserved.
#[inline(always)]
pub fn decode(encoding: SwsbEncoding, class: SwsbClass, bits: u32) -> Option<Swsb> {
    if bits == 0 {
        return Some(Swsb::NONE);
    }
    match encoding {
        SwsbEncoding::None => None,
        SwsbEncoding::SingleDist | SwsbEncoding::ThreeDist => decode8(encoding, class, bits),
        SwsbEncoding::FourDist | SwsbEncoding::FiveDist => decode10(encoding, class, bits),
    }
}

fn decode8(encoding: SwsbEncoding, class: SwsbClass, bits: u32) -> Option<Swsb> {
    let mut swsb = Swsb::NONE;
    if bits & 0x80 != 0 {
        swsb.distance = Some((both_pipe(encoding, class), (bits >> 4 & 7) as u8));
        swsb.token = token(bits & 15, class.beside_distance());
        return if bits & 0x70 == 0 { None } else { Some(swsb) };
    }
    match bits >> 4 {
        2 => swsb.token = token(bits & 15, TokenMode::Dst),
        3 => swsb.token = token(bits & 15, TokenMode::Src),
        4 => swsb.token = token(bits & 15, TokenMode::Set),
        _ => {
            let pipes = encoding.pipes();
            let (_, pipe) = pipes.iter().find(|(code, _)| *code == bits & !7)?;
            if bits & 7 == 0 {
                return None;
            }
            swsb.distance = Some((*pipe, (bits & 7) as u8));
        }
    }
    Some(swsb)
}

fn decode10(encoding: SwsbEncoding, class: SwsbClass, bits: u32) -> Option<Swsb> {
    let mut swsb = Swsb::NONE;
    if bits & 0x300 != 0 {
        let (_, pipe, mode) = four_both(class)
            .iter()
            .find(|(code, ..)| *code == bits >> 8)?;
        let distance = bits >> 5 & 7;
        swsb.distance = Some((*pipe, distance as u8));
        swsb.token = token(bits & 31, *mode);
        return if distance == 0 { None } else { Some(swsb) };
    }
    match bits >> 5 {
        4 => swsb.token = token(bits & 31, TokenMode::Dst),
        5 => swsb.token = token(bits & 31, TokenMode::Src),
        6 => swsb.token = token(bits & 31, TokenMode::Set),
        7 if bits == 0xf0 => swsb.no_acc_set = true,
        _ => {
            let pipes = encoding.pipes();
            let (_, pipe) = pipes.iter().find(|(code, _)| *code == bits & !7)?;
            if bits & 7 == 0 {
                return None;
            }
            swsb.distance = Some((*pipe, (bits & 7) as u8));
        }
    }
    Some(swsb)
}

/// The bits of an annotation, or `None` if the family cannot express it.
pub fn encode(encoding: SwsbEncoding, class: SwsbClass, swsb: Swsb) -> Option<u64> {
    if swsb == Swsb::NONE {
        return Some(0);
    }
    if encoding == SwsbEncoding::None {
        return None;
    }
    let wide = encoding.is_wide();
    if let Some((_, distance)) = swsb.distance
        && !(1..=7).contains(&distance)
    {
        return None;
    }
    if let Some(token) = swsb.token
        && token.id >= if wide { 32 } else { 16 }
    {
        return None;
    }
    if swsb.no_acc_set {
        return (wide && swsb.distance.is_none() && swsb.token.is_none()).then_some(0xf0);
    }
    let bits = match (swsb.distance, swsb.token) {
        (None, None) => 0,
        (Some((pipe, distance)), None) => {
            encoding.pipes().iter().find(|(_, p)| *p == pipe)?.0 + u32::from(distance)
        }
        (None, Some(Token { id, mode })) => {
            let shift = if wide { 5 } else { 4 };
            let first = if wide { 4 } else { 2 };
            let code = first
                + match mode {
                    TokenMode::Dst => 0,
                    TokenMode::Src => 1,
                    TokenMode::Set => 2,
                };
            code << shift | u32::from(id)
        }
        (Some((pipe, distance)), Some(Token { id, mode })) if wide => {
            let (code, ..) = four_both(class)
                .iter()
                .find(|(_, p, m)| *p == pipe && *m == mode)?;
            code << 8 | u32::from(distance) << 5 | u32::from(id)
        }
        (Some((pipe, distance)), Some(Token { id, mode })) => {
            if mode != class.beside_distance() || pipe != both_pipe(encoding, class) {
                return None;
            }
            0x80 | u32::from(distance) << 4 | u32::from(id)
        }
    };
    Some(u64::from(bits))
}
