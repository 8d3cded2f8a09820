//! What an instruction accepts, reads and writes besides its operands.

bitflags::bitflags! {
    /// What an instruction accepts, and what it does besides writing its destination.
    ///
    /// Source: BDW to TGL PRM, volume 2a, the attributes on each instruction's page; IGA
    /// `Models/bxml` (`OpSpec::Attr`) for later families.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Attributes: u32 {
        /// It takes a predicate.
        const PREDICATE = 1 << 0;
        /// It takes a condition modifier.
        const CONDITION = 1 << 1;
        /// It can saturate.
        const SATURATION = 1 << 2;
        /// Its sources take modifiers, `-` and `(abs)`.
        const MODIFIERS = 1 << 3;
        /// What most arithmetic takes.
        const USUAL = Self::PREDICATE.bits()
            | Self::CONDITION.bits()
            | Self::SATURATION.bits()
            | Self::MODIFIERS.bits();
        /// Branch control, `.b`.
        const BRANCH_CONTROL = 1 << 4;
        /// The condition modifier selects; the flag keeps its value.
        const KEEPS_FLAG = 1 << 5;
        /// It reads `acc0` without naming it.
        const READS_ACC = 1 << 6;
        /// It writes `acc0` without naming it.
        const WRITES_ACC = 1 << 7;
        /// It works on bits: a negated source is inverted and written `~`.
        const BITWISE = 1 << 8;
        /// It takes 64-bit integers even where arithmetic does not.
        const QWORDS = 1 << 9;
        /// It takes bfloats together with single precision.
        const BFLOATS = 1 << 10;
        /// Its operands have math macro registers.
        const MACRO = 1 << 11;
        /// It reads more than the regions of its sources say.
        const PLANE = 1 << 12;
        /// It sends a second payload, in source 1.
        const TWO_PAYLOADS = 1 << 13;
        /// It is not documented whether scoreboard distances count it: IGA counts it, IGC does not.
        const UNCOUNTED = 1 << 14;
    }
}
