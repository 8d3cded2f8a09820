//! How text is assembled.

use devinfo::{Family, Platform};

/// What [`assemble`](super::assemble) needs to know besides the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AsmOptions {
    /// The family; if `None`, `//.platform` must give it.
    pub family: Option<Family>,
    /// The platform that the instructions are checked for, unless `//.platform` names one of its
    /// family. If `None`, they are checked for the family: what any of its platforms has is legal.
    pub platform: Option<&'static Platform>,
    /// Compacts instructions without `{NoCompact}`.
    pub auto_compact: bool,
    /// What happens to instructions that hardware forbids.
    pub validation: Validation,
}

impl AsmOptions {
    /// Text for a family.
    pub fn for_family(family: Family) -> Self {
        Self {
            family: Some(family),
            ..Self::default()
        }
    }

    /// Text for a platform.
    pub fn for_platform(platform: &'static Platform) -> Self {
        Self {
            platform: Some(platform),
            ..Self::for_family(platform.family)
        }
    }

    /// With another validation.
    pub fn validated(self, validation: Validation) -> Self {
        Self { validation, ..self }
    }
}

/// What the assembler does about violations of the rules of [`crate::validate`].
///
/// Violations have an encoding, and other assemblers accept them: by default they are warnings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// They are warnings.
    #[default]
    Warn,
    /// They are errors.
    Deny,
    /// Nothing is checked.
    Off,
}
