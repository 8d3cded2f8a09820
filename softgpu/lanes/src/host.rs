//! What the host's processor has, and the modes in which it computes floats.

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

/// Floats to the nearest, denormals kept, no traps: what a process begins with.
#[cfg(target_arch = "x86_64")]
const MXCSR: u32 = 0x1f80;

/// Gives the calling thread the modes of floats that routines and translations are made for. A thread begins
/// with those of the thread that starts it, and these are the program's: with `-ffast-math` gcc links code that
/// makes denormals zero, and `fesetround` and `feenableexcept` change rounding and traps. Threads that compute
/// what a device does call this first.
pub fn default_modes() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction reads the constant alone. These modes are those that Rust's code is compiled for.
    unsafe {
        core::arch::asm!("ldmxcsr [{}]", in(reg) &MXCSR, options(nostack, readonly, preserves_flags));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the register has modes of floats alone. These are those that Rust's code is compiled for.
    unsafe {
        core::arch::asm!("msr fpcr, xzr", options(nostack, nomem, preserves_flags));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_thread_gets_modes_of_its_own() {
        let modes = || {
            let mut now = 0u32;
            // SAFETY: the instruction writes the variable alone.
            unsafe {
                core::arch::asm!("stmxcsr [{}]", in(reg) &raw mut now, options(nostack));
            }
            // Without the flags of what has happened.
            now & !0x3f
        };
        // In a thread of its own: flushed denormals, rounding to zero.
        let thread = std::thread::spawn(move || {
            let others = 0xff80u32;
            // SAFETY: the instruction reads the variable alone; the modes are put back before anything is
            // computed.
            unsafe {
                core::arch::asm!("ldmxcsr [{}]", in(reg) &raw const others, options(nostack));
            }
            let before = modes();
            default_modes();
            (before, modes())
        });
        assert_eq!(thread.join().expect("no panic"), (0xff80, MXCSR));
    }

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
