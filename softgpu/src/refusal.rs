//! Why an ioctl is refused.
//!
//! A kernel answers with a number. The number alone does not say which field of which structure
//! broke which rule, so the model keeps a sentence with it, for the log.

use nix::errno::Errno;

/// The answer of an ioctl that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What the client sees.
    pub errno: Errno,
    /// Which field, which value, which rule. Empty if the number says it: a wait that timed out, a
    /// pointer that leads nowhere.
    pub why: String,
}

/// What an ioctl's handler returns.
pub type Answer<T = ()> = Result<T, Refusal>;

impl Refusal {
    /// A refusal with its reason.
    pub fn new(errno: Errno, why: impl Into<String>) -> Self {
        let why = why.into();
        Self { errno, why }
    }

    /// Logs that the ioctl `name` is refused. A wait that is not over is no refusal.
    pub fn log(&self, name: &str) {
        let Self { errno, why } = self;
        match (errno, why.as_str()) {
            (Errno::ETIME, _) => {}
            (_, "") => tracing::info!("softgpu: {name}: {errno}"),
            _ => tracing::info!("softgpu: {name}: {errno:?}: {why}"),
        }
    }
}

impl From<Errno> for Refusal {
    fn from(errno: Errno) -> Self {
        Self::new(errno, "")
    }
}

/// Returns a refusal: the error's name, then the reason as for `format!`.
macro_rules! refuse {
    ($errno:ident, $($why:tt)*) => {
        return Err($crate::refusal::Refusal::new(nix::errno::Errno::$errno, format!($($why)*)))
    };
}
pub(crate) use refuse;

/// Returns a refusal unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $errno:ident, $($why:tt)*) => {
        if !$condition {
            $crate::refusal::refuse!($errno, $($why)*)
        }
    };
}
pub(crate) use ensure;

/// What is in an option, or returns a refusal.
macro_rules! demand {
    ($option:expr, $errno:ident, $($why:tt)*) => {
        match $option {
            Some(value) => value,
            None => $crate::refusal::refuse!($errno, $($why)*),
        }
    };
}
pub(crate) use demand;
