//! Where the bytes of a tiled surface lie.

use devinfo::Family;

use super::kind::Tiling;
use crate::family::traits;

/// An axis of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    X,
    Y,
    Z,
}

const MAX_RUNS: usize = 14;

/// Runs of offset bits, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    runs: [(Axis, u8); MAX_RUNS],
    count: u8,
    /// Bits of x, y and z in a tile.
    bits: [u8; 3],
}

impl Pattern {
    /// The pattern that the manuals write as `text`: the axis of each offset bit, highest first.
    const fn new(text: &str) -> Self {
        let text = text.as_bytes();
        let mut pattern = Self {
            runs: [(Axis::X, 0); MAX_RUNS],
            count: 0,
            bits: [0; 3],
        };
        let mut index = text.len();
        let mut previous = 0;
        let mut run = 0;
        while index > 0 {
            index -= 1;
            let letter = text[index];
            let axis = match letter {
                b'X' => Axis::X,
                b'Y' => Axis::Y,
                _ => Axis::Z,
            };
            pattern.bits[axis as usize] += 1;
            if letter == previous {
                pattern.runs[run - 1].1 += 1;
            } else {
                pattern.runs[run] = (axis, 1);
                run += 1;
            }
            previous = letter;
        }
        pattern.count = run as u8;
        pattern
    }

    /// What a coordinate along one axis contributes to the offset inside a tile.
    #[inline]
    fn part(&self, axis: Axis, mut coordinate: u32) -> u32 {
        let (mut offset, mut position) = (0, 0);
        for (run, bits) in self.runs.iter().take(usize::from(self.count)) {
            if *run == axis {
                offset |= (coordinate & ((1 << bits) - 1)) << position;
                coordinate >>= bits;
            }
            position += bits;
        }
        offset
    }
}

static TILE_X: Pattern = Pattern::new("YYYXXXXXXXXX");
static TILE_Y: Pattern = Pattern::new("XXXYYYYYXXXX");
static TILE_W: Pattern = Pattern::new("XXXYYYYXYXYX");
static TILE_4: Pattern = Pattern::new("YYXYXXYYXXXX");
/// Tile64 by log2 of the element's bytes.
static TILE_64: [Pattern; 5] = [
    Pattern::new("YYYXYYXYXXYYXXXX"),
    Pattern::new("YYXXYYXYXXYYXXXX"),
    Pattern::new("YYXXYYXYXXYYXXXX"),
    Pattern::new("YXXXYYXYXXYYXXXX"),
    Pattern::new("YXXXYYXYXXYYXXXX"),
];
static TILE_64_3D: [Pattern; 5] = [
    Pattern::new("ZZZXYYZYZXYYXXXX"),
    Pattern::new("ZZZYYXZYZXYYXXXX"),
    Pattern::new("ZZYXYXZYZXYYXXXX"),
    Pattern::new("ZZYXXXZYZXYYXXXX"),
    Pattern::new("ZZYXXXZYZXYYXXXX"),
];
/// The arrangement of three-dimensional tiles introduced with Xe2.
static TILE_64_3D_REGULAR: [Pattern; 5] = [
    Pattern::new("ZZZYYYZZXXYYXXXX"),
    Pattern::new("ZZZYYYZZXXYYXXXX"),
    Pattern::new("ZZYXYYZZXXYYXXXX"),
    Pattern::new("ZZYXXYZZXXYYXXXX"),
    Pattern::new("ZZYXXYZZXXYYXXXX"),
];

/// Where the bytes of a surface lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// Row after row.
    Linear,
    /// Tiles of one pattern.
    Tiled(&'static Pattern),
}

impl Arrangement {
    /// The arrangement of a tiling, for elements of this many bytes, in two dimensions or in three
    /// (`volume`).
    pub fn of(family: Family, tiling: Tiling, element_bytes: u32, volume: bool) -> Self {
        let size = element_bytes.next_power_of_two().trailing_zeros().min(4) as usize;
        Self::Tiled(match tiling {
            Tiling::Linear => return Self::Linear,
            Tiling::X => &TILE_X,
            Tiling::Y => &TILE_Y,
            Tiling::W => &TILE_W,
            Tiling::Tile4 => &TILE_4,
            Tiling::Tile64 if !volume => &TILE_64[size],
            Tiling::Tile64 if traits(family).regular_tile64_3d => &TILE_64_3D_REGULAR[size],
            Tiling::Tile64 => &TILE_64_3D[size],
        })
    }

    /// The bytes of a row of a tile, and of a tile; `None` if there are none.
    pub fn tile(self) -> Option<(u32, u32)> {
        match self {
            Self::Linear => None,
            Self::Tiled(pattern) => {
                let [width, height, depth] = pattern.bits;
                Some((1 << width, 1 << (width + height + depth)))
            }
        }
    }

    /// How many bytes of a row are contiguous in memory, in runs aligned to that number; `None` if
    /// the whole row is.
    pub fn span(self) -> Option<u32> {
        match self {
            Self::Linear => None,
            Self::Tiled(pattern) => Some(match pattern.runs.first() {
                Some((Axis::X, bits)) => 1 << bits,
                _ => 1,
            }),
        }
    }

    /// The byte offset of byte `x` in row `y` of slice `z`, with `pitch` bytes from row to row
    /// and `slice_rows` rows from slice to slice (with three-dimensional tiles: from one layer of
    /// tiles to the next).
    #[inline]
    pub fn offset(self, pitch: u32, slice_rows: u32, x: u32, y: u32, z: u32) -> u64 {
        self.row(pitch, slice_rows, y, z) + self.column(x)
    }

    /// The byte offset of row `y` of slice `z`; see [`offset`](Self::offset).
    #[inline]
    pub fn row(self, pitch: u32, slice_rows: u32, y: u32, z: u32) -> u64 {
        match self {
            Self::Linear => {
                let row = u64::from(y) + u64::from(z) * u64::from(slice_rows);
                row * u64::from(pitch)
            }
            Self::Tiled(pattern) => {
                let [width, height, depth] = pattern.bits;
                let row = u64::from(y) + u64::from(z >> depth) * u64::from(slice_rows);
                let tile = (row >> height) * u64::from(pitch >> width);
                let inside = pattern.part(Axis::Y, row as u32) | pattern.part(Axis::Z, z);
                (tile << (width + height + depth)) + u64::from(inside)
            }
        }
    }

    /// The byte offset of byte `x` of a row from the row's own.
    #[inline]
    pub fn column(self, x: u32) -> u64 {
        match self {
            Self::Linear => x.into(),
            Self::Tiled(pattern) => {
                let [width, height, depth] = pattern.bits;
                let tile = u64::from(x >> width) << (width + height + depth);
                tile + u64::from(pattern.part(Axis::X, x))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Arrangement, Axis, Tiling};
    use super::{Pattern, TILE_4, TILE_64, TILE_64_3D, TILE_64_3D_REGULAR, TILE_W, TILE_X, TILE_Y};
    use devinfo::Family;

    #[test]
    fn patterns_are_bijections_of_a_tile() {
        let all = [&TILE_X, &TILE_Y, &TILE_W, &TILE_4]
            .into_iter()
            .chain(&TILE_64)
            .chain(&TILE_64_3D)
            .chain(&TILE_64_3D_REGULAR);
        for pattern in all {
            let [x, y, z] = pattern.bits.map(u32::from);
            let size = 1usize << (x + y + z);
            assert!(size == 4096 || size == 65536);
            let mut seen = vec![false; size];
            for z in 0..1 << z {
                for y in 0..1 << y {
                    for x in 0..1 << x {
                        let parts = [(Axis::X, x), (Axis::Y, y), (Axis::Z, z)];
                        let parts = parts.map(|(axis, at)| pattern.part(axis, at) as usize);
                        let offset: usize = parts.iter().sum();
                        assert!(!std::mem::replace(&mut seen[offset], true));
                    }
                }
            }
        }
    }

    /// Tile shapes from the PRM: X is 512 bytes by 8 rows, Y and Tile4 128 by 32.
    #[test]
    fn shapes() {
        let shape = |pattern: &Pattern| pattern.bits.map(|bits| 1u32 << bits);
        assert_eq!(shape(&TILE_X), [512, 8, 1]);
        assert_eq!(shape(&TILE_Y), [128, 32, 1]);
        assert_eq!(shape(&TILE_4), [128, 32, 1]);
        assert_eq!(shape(&TILE_W), [64, 64, 1]);
        // Tile64 of one-byte elements is square; of 16-byte ones 64 by 64 elements.
        assert_eq!(shape(&TILE_64[0]), [256, 256, 1]);
        assert_eq!(shape(&TILE_64[4]), [1024, 64, 1]);
        assert_eq!(shape(&TILE_64_3D[0]), [64, 32, 32]);
        assert_eq!(shape(&TILE_64_3D[4]), [256, 16, 16]);
    }

    /// Y tiles: columns of 16 bytes, 32 rows each. X tiles: rows. Tile4: blocks of 16 bytes by four
    /// rows; four side by side fill 256 bytes, a second row of four the next 256.
    #[test]
    fn known_offsets() {
        let y = Arrangement::of(Family::Gen12Lp, Tiling::Y, 4, false);
        assert_eq!(y.offset(256, 32, 0, 1, 0), 16);
        assert_eq!(y.offset(256, 32, 16, 0, 0), 512);
        assert_eq!(y.offset(256, 32, 128, 0, 0), 4096);
        assert_eq!(y.offset(256, 32, 0, 32, 0), 8192);
        assert_eq!(y.offset(256, 32, 0, 0, 1), 8192);
        let x = Arrangement::of(Family::Gen12Lp, Tiling::X, 4, false);
        assert_eq!(x.offset(1024, 8, 511, 0, 0), 511);
        assert_eq!(x.offset(1024, 8, 0, 1, 0), 512);
        assert_eq!(x.offset(1024, 8, 512, 0, 0), 4096);
        let four = Arrangement::of(Family::XeHpg, Tiling::Tile4, 4, false);
        assert_eq!(four.offset(128, 32, 0, 1, 0), 16);
        assert_eq!(four.offset(128, 32, 16, 0, 0), 64);
        assert_eq!(four.offset(128, 32, 0, 4, 0), 256);
        assert_eq!(four.offset(128, 32, 64, 0, 0), 512);
        assert_eq!(four.offset(128, 32, 0, 8, 0), 1024);
    }
}
