//! Which operations are translated, and as what.
//!
//! The conditions are those of the routines of `eu_lanes`: what is computed in 32-bit lanes there is
//! computed in 32-bit lanes here. Flags of narrower results have host code only.

use eu_lanes::{Element, Input, Operation, Place, Request};

use crate::bits::Bits;

/// How sources are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As integers, extended by their type.
    Integer,
    /// As bits, where `-` is a complement.
    Bits,
    /// As floats.
    Float,
}

/// How lanes compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Signed,
    Unsigned,
    Float,
}

/// What is computed from lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Move,
    Not,
    And,
    Or,
    Xor,
    Bfn(u8),
    Add,
    Add3,
    Multiply,
    MultiplyAdd,
    /// Of halves as singles.
    MultiplyAddHalves,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    RotateLeft,
    RotateRight,
    Min(Order),
    Max(Order),
    /// By the predicate.
    Select,
    Compare(Order),
    SelectCompare(Order),
    Bits(Bits),
    /// `roundps` with this mode.
    Round(u8),
    /// What is left of a single without its floor.
    Fraction,
    Inverse,
    Divide,
    SquareRoot,
    Convert(Conversion),
    /// The sum of the accumulator and a product; the result is its high half, or its low half.
    MultiplyHigh,
    MultiplyLow,
    /// The high half of a product of dwords, which may be signed.
    ProductHigh(bool),
    /// Of dwords as qwords: the low half is the result, and the accumulator takes the carry or the
    /// borrow.
    AddCarry,
    SubtractBorrow,
    /// Of dwords, which may be signed: see `eu_lanes::bits::divide_signed`.
    Quotient(bool),
    Remainder(bool),
    /// The sum of source 0 and the products of the bytes of sources 1 and 2, which may be signed.
    DotBytes(bool, bool),
}

/// What numbers become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
    SignedToFloat,
    UnsignedToFloat,
    FloatToSigned,
    FloatToUnsigned,
    /// In lanes of doubles: a single is in the low half, an integer has at most 32 bits.
    SingleToDouble,
    IntegerToDouble,
    DoubleToSingle,
    /// What the limits allow.
    DoubleToInteger(Limits),
}

impl Kind {
    /// By how many bits a result is shifted right to be what the accumulator takes; `None` if that is the result.
    pub const fn kept(self) -> Option<u8> {
        match self {
            Self::AddCarry => Some(32),
            Self::SubtractBorrow => Some(63),
            _ => None,
        }
    }

    /// Whether a result besides the accumulator's is the high half; `None` if the accumulator is the destination.
    pub const fn is_high(self) -> Option<bool> {
        match self {
            Self::MultiplyHigh => Some(true),
            Self::MultiplyLow | Self::AddCarry | Self::SubtractBorrow => Some(false),
            _ => None,
        }
    }
}

/// What is known of two factors, as qwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Factors {
    /// Both are dwords without sign.
    Unsigned,
    /// Both are dwords with sign.
    Signed,
    /// They may be anything.
    Qwords,
}

impl Factors {
    pub fn of<'a>(sources: impl Iterator<Item = &'a Input> + Clone) -> Self {
        let mut sources = sources.take(2);
        let unsigned = |source: &Input| match source.value() {
            Some(value) => (0..1 << 32).contains(&value),
            None => source.element.bytes() <= 4 && source.fits_unsigned(),
        };
        let signed = |source: &Input| match source.value() {
            Some(value) => i32::try_from(value).is_ok(),
            None => source.fits_signed(32),
        };
        if sources.clone().all(unsigned) {
            Self::Unsigned
        } else if sources.all(signed) {
            Self::Signed
        } else {
            Self::Qwords
        }
    }
}

/// What results are limited to before they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Whether lanes have signs.
    pub order: Order,
    pub low: i64,
    pub high: i64,
}

impl Limits {
    /// What an integer of this type can be and lanes of so many bytes, whose numbers have signs, can hold.
    fn of(to: Element, lane: usize) -> Self {
        let bits = 8 * to.bytes();
        let (low, high) = match to.is_signed() {
            true => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
            false => (0, (1 << bits) - 1),
        };
        let most = i64::MAX >> (64 - 8 * lane);
        Self {
            order: Order::Signed,
            low,
            high: most.min(high),
        }
    }

    /// The lowest and the highest number, as doubles.
    pub fn doubles(&self) -> [u64; 2] {
        [self.low, self.high].map(|limit| (limit as f64).to_bits())
    }

    /// The same, as constants of lanes of so many bytes.
    pub fn constants(&self, lane: usize) -> [u64; 2] {
        [self.low, self.high].map(|limit| limit as u64 & u64::MAX >> (64 - 8 * lane))
    }
}

/// A translation of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub kind: Kind,
    pub reading: Reading,
    /// Bytes of a lane: 4 or 8.
    pub lane: usize,
    /// The result is a float.
    pub float: bool,
    /// Of integers.
    pub limits: Option<Limits>,
}

impl Plan {
    const fn new(kind: Kind, reading: Reading, lane: usize, float: bool) -> Option<Self> {
        Some(Self {
            kind,
            reading,
            lane,
            float,
            limits: None,
        })
    }

    const fn limited(self, limits: Limits) -> Self {
        Self {
            limits: Some(limits),
            ..self
        }
    }

    /// The translation of `request`, if there is one.
    pub fn of(request: &Request) -> Option<Self> {
        let plan = match Self::raw(request) {
            _ if request.accumulator.is_some() => Self::accumulating(request)?,
            Some(plan) => plan,
            None => Self::computed(request)?,
        };
        // Results of all channels stay in registers until they are stored.
        (usize::from(request.lanes) * plan.lane <= 128).then_some(plan)
    }

    fn raw(r: &Request) -> Option<Self> {
        if r.saturate || r.condition.is_some() {
            return None;
        }
        let to = r.output.element;
        let same = |source: &Input| {
            let integers = !source.element.is_float() && !to.is_float();
            source.modifiers.is_empty()
                && (source.element == to || integers && source.element.bytes() == to.bytes())
        };
        if !r.sources.iter().flatten().all(same) {
            return None;
        }
        let lane = if to.bytes() == 8 { 8 } else { 4 };
        match r.operation {
            Operation::Mov => Self::new(Kind::Move, Reading::Bits, lane, false),
            Operation::Select => Self::new(Kind::Select, Reading::Bits, lane, false),
            _ => None,
        }
    }

    fn computed(r: &Request) -> Option<Self> {
        let sources = || r.sources.iter().flatten();
        let to = r.output.element;
        if sources().any(|source| source.element == Element::Df) || to == Element::Df {
            return Self::double(r);
        }
        if sources().any(|source| source.element.is_float()) {
            let all = sources().all(|source| source.element.is_float());
            all.then(|| Self::single(r))?
        } else if to.is_float() && r.operation == Operation::Mov {
            let source = r.sources[0].as_ref()?;
            let halves = to == Element::Hf && r.condition.is_none();
            if !(to == Element::F || halves) || source.element.bytes() == 8 {
                None
            } else if source.fits_signed(32) {
                Self::new(
                    Kind::Convert(Conversion::SignedToFloat),
                    Reading::Integer,
                    4,
                    true,
                )
            } else if source.fits_unsigned() {
                Self::new(
                    Kind::Convert(Conversion::UnsignedToFloat),
                    Reading::Integer,
                    4,
                    true,
                )
            } else {
                None
            }
        } else if to.is_float() && r.operation != Operation::Compare {
            None
        } else if r.saturate {
            Self::saturating(r)
        } else if to.bytes() == 8 || sources().any(|source| source.element.bytes() == 8) {
            Self::wide(r)
        } else {
            Self::narrow(r)
        }
    }

    fn double(r: &Request) -> Option<Self> {
        let mut elements = r.sources.iter().flatten().map(|source| source.element);
        let all = elements.all(|element| element == Element::Df);
        if all && r.operation == Operation::Compare {
            return Self::new(Kind::Compare(Order::Float), Reading::Float, 8, false);
        }
        if r.operation == Operation::Mov && !(all && r.output.element == Element::Df) {
            return Self::from_or_to_double(r);
        }
        if !all || r.output.element != Element::Df || r.saturate || r.condition.is_some() {
            return None;
        }
        let kind = match r.operation {
            Operation::Mov => Kind::Move,
            Operation::Add => Kind::Add,
            Operation::Mul => Kind::Multiply,
            Operation::Mad => Kind::MultiplyAdd,
            Operation::Inv => Kind::Inverse,
            Operation::Divide => Kind::Divide,
            Operation::Sqrt => Kind::SquareRoot,
            Operation::Even => Kind::Round(8),
            Operation::Floor => Kind::Round(9),
            Operation::Ceil => Kind::Round(10),
            Operation::Trunc => Kind::Round(11),
            Operation::Min => Kind::Min(Order::Float),
            Operation::Max => Kind::Max(Order::Float),
            Operation::Select => return Self::new(Kind::Select, Reading::Float, 8, false),
            _ => return None,
        };
        Self::new(kind, Reading::Float, 8, true)
    }

    /// A conversion of which one type is that of doubles.
    fn from_or_to_double(r: &Request) -> Option<Self> {
        let source = r.sources[0].as_ref()?;
        let (from, to) = (source.element, r.output.element);
        let number = |element: Element| !element.is_float() && element.bytes() <= 4;
        let (conversion, reading) = match (from, to) {
            (Element::Df, _) if number(to) => (
                Conversion::DoubleToInteger(Limits::of(to, 8)),
                Reading::Float,
            ),
            _ if r.saturate => return None,
            (Element::Df, Element::F) => (Conversion::DoubleToSingle, Reading::Float),
            (Element::F, Element::Df) if source.modifiers.is_empty() => {
                (Conversion::SingleToDouble, Reading::Bits)
            }
            (_, Element::Df) if number(from) => (Conversion::IntegerToDouble, Reading::Integer),
            _ => return None,
        };
        let plain = r.condition.is_none();
        plain.then(|| Self::new(Kind::Convert(conversion), reading, 8, false))?
    }

    fn single(r: &Request) -> Option<Self> {
        let to = r.output.element;
        let sources = || r.sources.iter().flatten();
        // A lane has no denormal half that a mode flushes.
        let denormal = |source: &Input| match source.place {
            Place::Constant(raw) => raw & 0x7c00 == 0 && raw & 0x3ff != 0,
            Place::Each(_) => true,
            Place::Registers(_) => false,
        };
        if sources().any(|source| source.element == Element::Hf && denormal(source)) {
            return None;
        }
        let float = |kind| Self::new(kind, Reading::Float, 4, true);
        let integer = |kind| Self::new(kind, Reading::Float, 4, false);
        match r.operation {
            Operation::Compare if r.output.at.is_none() || to.bytes() <= 4 => {
                return integer(Kind::Compare(Order::Float));
            }
            // What does not fit becomes the nearest that does, saturated or not.
            Operation::Mov if r.condition.is_none() && !to.is_float() => match to {
                Element::D => return integer(Kind::Convert(Conversion::FloatToSigned)),
                Element::Ud => return integer(Kind::Convert(Conversion::FloatToUnsigned)),
                _ if to.bytes() < 4 => {
                    let whole = integer(Kind::Convert(Conversion::FloatToSigned))?;
                    return Some(whole.limited(Limits::of(to, 4)));
                }
                _ => {}
            },
            _ => {}
        }
        let halves = sources().all(|source| source.element == Element::Hf);
        let singles = to == Element::F && sources().all(|source| source.element == Element::F);
        let selects = matches!(r.operation, Operation::Select | Operation::SelectCompare);
        match to {
            Element::F => {}
            // The flags of a half are those of the rounded one.
            Element::Hf if r.condition.is_none() && !selects => {}
            _ => return None,
        }
        float(match r.operation {
            Operation::Mov => Kind::Move,
            Operation::Add => Kind::Add,
            Operation::Mul => Kind::Multiply,
            Operation::Mad if halves && to == Element::Hf => Kind::MultiplyAddHalves,
            Operation::Mad => Kind::MultiplyAdd,
            Operation::Even => Kind::Round(8),
            Operation::Floor => Kind::Round(9),
            Operation::Ceil => Kind::Round(10),
            Operation::Trunc => Kind::Round(11),
            Operation::Fraction if singles => Kind::Fraction,
            Operation::Inv => Kind::Inverse,
            Operation::Divide => Kind::Divide,
            Operation::Sqrt => Kind::SquareRoot,
            Operation::Min => Kind::Min(Order::Float),
            Operation::Max => Kind::Max(Order::Float),
            Operation::Select if !r.saturate => return integer(Kind::Select),
            Operation::SelectCompare if !r.saturate => {
                return integer(Kind::SelectCompare(Order::Float));
            }
            _ => return None,
        })
    }

    /// Integers that lanes hold before the destination limits them.
    fn saturating(r: &Request) -> Option<Self> {
        let to = r.output.element;
        let all = |fits: &dyn Fn(&Input) -> bool| r.sources.iter().flatten().all(fits);
        if to.bytes() > 4 || r.condition.is_some() || !all(&|source| source.element.bytes() <= 4) {
            return None;
        }
        let integer = |kind, lane| Self::new(kind, Reading::Integer, lane, false);
        match r.operation {
            Operation::Mov if all(&|source| source.fits_signed(32)) => {
                Some(integer(Kind::Move, 4)?.limited(Limits::of(to, 4)))
            }
            Operation::Mov if all(&Input::fits_unsigned) => {
                let limits = Limits {
                    order: Order::Unsigned,
                    ..Limits::of(to, 8)
                };
                Some(integer(Kind::Move, 4)?.limited(limits))
            }
            Operation::Add => {
                let lane = if all(&|source| source.element.bytes() <= 2) {
                    4
                } else {
                    8
                };
                Some(integer(Kind::Add, lane)?.limited(Limits::of(to, lane)))
            }
            _ => None,
        }
    }

    fn narrow(r: &Request) -> Option<Self> {
        let to = r.output.element;
        let all = |fits: &dyn Fn(&Input) -> bool| r.sources.iter().flatten().all(fits);
        let signed = all(&|source| source.fits_signed(32));
        let unsigned = all(&Input::fits_unsigned);
        let order = if signed {
            Some(Order::Signed)
        } else {
            unsigned.then_some(Order::Unsigned)
        };
        let dword = |source: &Option<Input>| source.is_some_and(|s| s.element.bytes() == 4);
        let first = r.sources[0].as_ref()?;
        let kind = match r.operation {
            Operation::Mov => Kind::Move,
            Operation::Not => Kind::Not,
            Operation::And => Kind::And,
            Operation::Or => Kind::Or,
            Operation::Xor => Kind::Xor,
            Operation::Bfn(table) => Kind::Bfn(table),
            Operation::Add => Kind::Add,
            Operation::Add3 => Kind::Add3,
            Operation::Mul => Kind::Multiply,
            Operation::Mad => Kind::MultiplyAdd,
            Operation::Shl => Kind::ShiftLeft,
            Operation::Shr => Kind::ShiftRight,
            Operation::Asr if first.fits_signed(32) => Kind::ShiftRightSigned,
            Operation::Asr if first.fits_unsigned() => Kind::ShiftRight,
            Operation::Rol if to.bytes() == 4 && dword(&r.sources[0]) => Kind::RotateLeft,
            Operation::Ror if to.bytes() == 4 && dword(&r.sources[0]) => Kind::RotateRight,
            Operation::Min => Kind::Min(order?),
            Operation::Max => Kind::Max(order?),
            Operation::Select => Kind::Select,
            Operation::Compare => Kind::Compare(order?),
            Operation::SelectCompare => Kind::SelectCompare(order?),
            Operation::Quotient if to.bytes() == 4 => Kind::Quotient(to.is_signed()),
            Operation::Remainder if to.bytes() == 4 => Kind::Remainder(to.is_signed()),
            Operation::Cbit => Kind::Bits(Bits::Ones),
            Operation::Lzd => Kind::Bits(Bits::LeadingZeros),
            Operation::Fbl => Kind::Bits(Bits::Lowest),
            Operation::Fbh => Kind::Bits(Bits::Highest {
                signed: first.element.is_signed(),
            }),
            Operation::Bfrev => Kind::Bits(Bits::Reverse),
            Operation::DotBytes => {
                let signed = |source: &Option<Input>| Some(source.as_ref()?.element.is_signed());
                Kind::DotBytes(signed(&r.sources[1])?, signed(&r.sources[2])?)
            }
            _ => return None,
        };
        let reading = match kind {
            Kind::Not | Kind::And | Kind::Or | Kind::Xor => Reading::Bits,
            _ => Reading::Integer,
        };
        Self::new(kind, reading, 4, false)
    }

    /// Operations on dwords that use the accumulator, in its 64 bits, and those on words that write it: what
    /// these are of words is never more than its 33 bits.
    fn accumulating(r: &Request) -> Option<Self> {
        let to = r.output.element;
        let bytes = to.bytes();
        let narrow = |source: &Input| !source.element.is_float() && source.element.bytes() <= bytes;
        let fits = r.sources.iter().flatten().all(narrow) && !to.is_float();
        if !fits || !matches!(bytes, 2 | 4) || r.saturate || r.condition.is_some() {
            return None;
        }
        let mut elements = r.sources.iter().flatten().map(|source| source.element);
        let first = elements.next();
        let alike = elements.all(|element| Some(element) == first);
        let kind = match r.operation {
            Operation::Mov => Kind::Move,
            Operation::Add => Kind::Add,
            Operation::Add3 => Kind::Add3,
            Operation::Mul => Kind::Multiply,
            Operation::Mad => Kind::MultiplyAdd,
            Operation::Not => Kind::Not,
            Operation::And => Kind::And,
            Operation::Or => Kind::Or,
            Operation::Xor => Kind::Xor,
            // What is moved as it is has the sign of source 0.
            Operation::Select if alike => Kind::Select,
            _ if bytes == 2 => return None,
            Operation::Mach => Kind::MultiplyHigh,
            Operation::Macl => Kind::MultiplyLow,
            Operation::Addc => Kind::AddCarry,
            Operation::Subb => Kind::SubtractBorrow,
            _ => return None,
        };
        let reading = match kind {
            Kind::Not | Kind::And | Kind::Or | Kind::Xor => Reading::Bits,
            _ => Reading::Integer,
        };
        Self::new(kind, reading, 8, false)
    }

    fn wide(r: &Request) -> Option<Self> {
        let all = |fits: &dyn Fn(&Input) -> bool| r.sources.iter().flatten().all(fits);
        let first = r.sources[0].as_ref()?;
        if r.operation == Operation::Compare {
            let order = if all(&|source| source.fits_signed(64)) {
                Order::Signed
            } else if all(&Input::fits_unsigned) {
                Order::Unsigned
            } else {
                return None;
            };
            return Self::new(Kind::Compare(order), Reading::Integer, 8, false);
        }
        if r.condition.is_some() && r.output.element.bytes() != 8 {
            return None;
        }
        let long = r.output.element.bytes() == 8 || first.element.bytes() == 8;
        let kind = match r.operation {
            Operation::Mov => Kind::Move,
            Operation::Not => Kind::Not,
            Operation::And => Kind::And,
            Operation::Or => Kind::Or,
            Operation::Xor => Kind::Xor,
            Operation::Add => Kind::Add,
            Operation::Add3 => Kind::Add3,
            Operation::Mul => Kind::Multiply,
            Operation::Mad => Kind::MultiplyAdd,
            Operation::Asr if long && first.fits_signed(64) => Kind::ShiftRightSigned,
            Operation::Shl if long => Kind::ShiftLeft,
            Operation::Shr if long && (first.element.bytes() == 8 || first.fits_unsigned()) => {
                Kind::ShiftRight
            }
            Operation::Select => Kind::Select,
            _ => return None,
        };
        let reading = match kind {
            Kind::Not | Kind::And | Kind::Or | Kind::Xor => Reading::Bits,
            _ => Reading::Integer,
        };
        Self::new(kind, reading, 8, false)
    }
}
