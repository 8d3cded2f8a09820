//! The tilings.

/// How the rows of a surface lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tiling {
    /// One row after the other.
    Linear,
    /// 512 bytes by 8 rows.
    X,
    /// 128 bytes by 32 rows in columns of 16 bytes.
    Y,
    /// 64 bytes by 64 rows, for stencils.
    W,
    /// 128 bytes by 32 rows in blocks of 64 bytes.
    Tile4,
    /// 64 KiB.
    Tile64,
}

impl Tiling {
    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear surfaces",
            Self::X => "X tiling",
            Self::Y => "Y tiling",
            Self::W => "W tiling",
            Self::Tile4 => "Tile4",
            Self::Tile64 => "Tile64",
        }
    }
}
