//! Names of kernel objects. Distinct types, so that two `u32`s cannot be mixed up.

use std::fmt;

macro_rules! ids {
    ($( $(#[$meta:meta])* $name:ident($ty:ty), $what:literal; )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name($ty);

        impl $name {
            /// The name with this number, as the driver client gave it out.
            pub const fn new(raw: $ty) -> Self {
                Self(raw)
            }

            /// The number.
            pub const fn get(self) -> $ty {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($what, " {}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}

ids! {
    /// A buffer of one [`Kmd`](crate::Kmd).
    BufferHandle(u32), "buffer";
    /// An address space of one [`Kmd`](crate::Kmd).
    AddressSpaceId(u32), "address space";
    /// A queue of one [`Kmd`](crate::Kmd).
    QueueId(u32), "queue";
    /// A place in a queue's order of submissions; the first submission is 1.
    Seqno(u64), "submission";
}

/// The completion of one submission. Reached once its queue's seqno is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fence {
    /// The queue it was submitted to.
    pub queue: QueueId,
    /// Its place there.
    pub seqno: Seqno,
}
