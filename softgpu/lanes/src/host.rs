//! What the host's processor has.

use core::fmt;
use core::str::FromStr;

/// A set of instructions that translations and routines use beyond what every x86-64 has. Each includes those
/// before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HostIsa {
    /// AVX2, FMA, F16C and BMI1.
    Avx2,
    /// The same with AVX-512F, BW, DQ and VL.
    Avx512,
}

impl HostIsa {
    /// All sets, the smallest first.
    pub const ALL: [Self; 2] = [Self::Avx2, Self::Avx512];

    /// Whether this machine has them.
    pub fn is_here(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return match self {
            Self::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("f16c")
                    && is_x86_feature_detected!("bmi1")
            }
            Self::Avx512 => {
                Self::Avx2.is_here()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
        };
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// The largest set that this machine has, if it has any.
    pub fn of_host() -> Option<Self> {
        Self::ALL.into_iter().rev().find(|isa| isa.is_here())
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

impl fmt::Display for HostIsa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for HostIsa {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|isa| isa.name() == text);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("{text:?} is no set of host instructions: {names}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_include_those_before_them_and_have_names() {
        for pair in HostIsa::ALL.windows(2) {
            assert!(pair[0] < pair[1]);
            assert!(!pair[1].is_here() || pair[0].is_here());
        }
        for isa in HostIsa::ALL {
            assert_eq!(isa.name().parse(), Ok(isa));
        }
        assert!("sse".parse::<HostIsa>().is_err());
    }
}
