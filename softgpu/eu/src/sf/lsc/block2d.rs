//! Two-dimensional blocks: of memory that the payload describes, and of images.

use devinfo::GpuAddress;
use isa_encoder::message::{Block2d, Direction, LscAddress};

use super::Context;
use crate::check::{Access, Beside, What, Where};
use crate::sf::payload::{Response, lane};
use crate::sf::rectangle::Rectangle;
use crate::{Checks, Fault, Rule};

/// The surface and block that a payload describes (A2DBLOCK_PAYLOAD).
struct Shape {
    base: u64,
    /// Bytes of a row of the surface, its rows, and bytes from row to row.
    row_bytes: u32,
    rows: u32,
    pitch: u32,
    /// The first column, in elements, and the first row.
    x: i32,
    y: i32,
    /// Columns and rows of a block, and the number of adjacent blocks.
    width: usize,
    height: usize,
    blocks: usize,
}

impl Shape {
    fn of(context: &Context<'_>, offset: [i16; 2]) -> Result<Self, Fault> {
        let dword = |index: usize| context.payload.dword(index * 4);
        let size = dword(7)?;
        Ok(Self {
            base: u64::from(dword(0)?) | u64::from(dword(1)?) << 32,
            row_bytes: dword(2)?.saturating_add(1),
            rows: dword(3)?.saturating_add(1),
            pitch: dword(4)?.saturating_add(1),
            x: (dword(5)? as i32).wrapping_add(offset[0].into()),
            y: (dword(6)? as i32).wrapping_add(offset[1].into()),
            width: (size & 0xff) as usize + 1,
            height: (size >> 8 & 0xff) as usize + 1,
            blocks: (size >> 16 & 0xf) as usize + 1,
        })
    }

    /// Records what hardware does not take: MLIR's XeGPU dialect (`kXe2BlockIORestrictions`) and
    /// `cl_intel_subgroup_2d_block_io` have these limits. `bytes` is an element's.
    fn check(&self, checks: &Checks, direction: Direction, bytes: usize) {
        let (base, width, pitch) = (self.base, self.row_bytes, self.pitch);
        let state = |why: &dyn Fn() -> String| checks.report(Rule::SurfaceState, why);
        if !base.is_multiple_of(64) {
            state(&|| format!("a block's surface begins at {base:#x}, which is no multiple of 64"));
        } else if !width.is_multiple_of(4) {
            state(&|| format!("rows of a block's surface have {width} bytes, no multiple of 4"));
        } else if !pitch.is_multiple_of(16) || pitch < width {
            state(&|| {
                format!(
                    "rows of a block's surface have {width} bytes and begin every {pitch}, \
                     which is no multiple of 16 or less"
                )
            });
        }
        let x = i64::from(self.x) * bytes as i64;
        if x % 4 != 0 {
            let rule = match direction {
                Direction::Read => Rule::BlockReadAlignment,
                Direction::Write => Rule::BlockWriteAlignment,
            };
            checks.report(rule, || {
                format!("a block begins at byte {x} of its rows, which is no multiple of 4")
            });
        }
    }

    /// The address of an element of `bytes` bytes in `column` and `row` of the blocks, if it is
    /// inside the surface.
    fn address(&self, bytes: usize, column: usize, row: usize) -> Option<GpuAddress> {
        let x = (i64::from(self.x) + column as i64) * bytes as i64;
        let y = i64::from(self.y) + row as i64;
        let inside = x >= 0
            && x + bytes as i64 <= i64::from(self.row_bytes)
            && (0..i64::from(self.rows)).contains(&y);
        let offset = (y as u64)
            .wrapping_mul(self.pitch.into())
            .wrapping_add(x as u64);
        inside.then(|| GpuAddress::new(self.base.wrapping_add(offset)))
    }
}

/// The places in registers of a block's elements.
struct Arrangement {
    layout: Block2d,
    /// Elements per dword.
    packed: usize,
    /// Elements of a row in registers, and of a block.
    row: usize,
    block: usize,
}

impl Arrangement {
    fn new(shape: &Shape, bytes: usize, layout: Block2d, grf: usize) -> Self {
        let packed = (4 / bytes).max(1);
        let (long, short) = if layout.transpose {
            (shape.height, shape.width)
        } else {
            (shape.width, shape.height)
        };
        let row = long.next_power_of_two();
        let short = if layout.vnni {
            short.next_multiple_of(packed)
        } else {
            short
        };
        Self {
            layout,
            packed,
            row,
            // Blocks begin at registers.
            block: (row * short).next_multiple_of(grf / bytes),
        }
    }

    /// The element index of `column`, `row` of block `block`.
    fn index(&self, block: usize, column: usize, row: usize) -> usize {
        let (long, short) = if self.layout.transpose {
            (row, column)
        } else {
            (column, row)
        };
        let inside = if self.layout.vnni {
            // Elements of consecutive rows share dwords.
            (short / self.packed * self.packed) * self.row
                + long * self.packed
                + short % self.packed
        } else {
            short * self.row + long
        };
        block * self.block + inside
    }
}

/// A block (or several adjacent ones) of memory. Elements outside the surface read as 0, and so
/// does padding; writes outside are dropped. `element` is its bytes and the arrangement.
pub(super) fn untyped(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    element: (usize, Block2d),
    offset: [i16; 2],
) -> Result<(), Fault> {
    if context.live & 1 == 0 {
        return Ok(());
    }
    let (bytes, layout) = element;
    let shape = Shape::of(context, offset)?;
    if let Some(checks) = context.env.checks {
        shape.check(checks, direction, bytes);
    }
    let arrangement = Arrangement::new(&shape, bytes, layout, context.grf);
    let total = shape.blocks * arrangement.block * bytes;
    let view = context.env.memory;
    let cells = (0..shape.blocks).flat_map(|block| {
        let (width, height) = (shape.width, shape.height);
        (0..height).flat_map(move |row| (0..width).map(move |column| (block, column, row)))
    });
    match direction {
        // A prefetch.
        Direction::Read if dst.is_empty() => {}
        Direction::Read => {
            if let Some(checks) = context.env.checks {
                // What is outside reads as zeros.
                checks.outside(&access(What::Read { at: 0, slot: total }));
            }
            let mut response = Response::new(dst, total)?;
            if let Some(out) = response.span(0, total) {
                out.fill(0);
            }
            for (block, column, row) in cells {
                if let Some(address) = shape.address(bytes, block * shape.width + column, row) {
                    let at = arrangement.index(block, column, row) * bytes;
                    check(context, address, bytes, What::Read { at, slot: bytes });
                    let value = match bytes {
                        1 => view.read_u8(address)?.into(),
                        2 => view.read_u16(address)?.into(),
                        4 => view.read_u32(address)?.into(),
                        _ => view.read_u64(address)?,
                    };
                    response.put(at, bytes, value);
                }
            }
        }
        Direction::Write => {
            let data = context.payload.bytes(context.grf, total)?;
            for (block, column, row) in cells {
                if let Some(address) = shape.address(bytes, block * shape.width + column, row) {
                    let at = arrangement.index(block, column, row) * bytes;
                    let value = lane(&data, at, bytes);
                    let what = What::Write {
                        at: context.grf + at,
                        data: data.get(at..at + bytes).unwrap_or_default(),
                        beside: Beside::NONE,
                    };
                    check(context, address, bytes, what);
                    match bytes {
                        1 => view.write_u8(address, value as u8)?,
                        2 => view.write_u16(address, value as u16)?,
                        4 => view.write_u32(address, value as u32)?,
                        _ => view.write_u64(address, value)?,
                    }
                }
            }
        }
    }
    Ok(())
}

/// Checks the access of an element.
fn check(context: &Context<'_>, address: GpuAddress, bytes: usize, what: What<'_>) {
    if let Some(checks) = context.env.checks {
        checks.stateless(address, bytes as u64);
        checks.access(Where::Stateless, address.get(), bytes as u64, &access(what));
    }
}

/// An access by the payload that describes surface and block.
fn access(what: What<'_>) -> Access<'_> {
    Access {
        lane: None,
        row: false,
        address: 0..32,
        what,
    }
}

/// A rectangle of bytes of an image: x in bytes in dword 5, y in dword 6, width - 1 in bytes and
/// height - 1 in the low bytes of dword 7 (Typed_2DBlock_Payload).
pub(super) fn typed(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    address: LscAddress,
) -> Result<(), Fault> {
    if context.live & 1 == 0 {
        return Ok(());
    }
    let surface = context.surface(address)?.ok_or_else(|| Fault::Invalid {
        why: "a typed block without a surface".into(),
    })?;
    let dword = |index: usize| context.payload.dword(index * 4);
    let size = dword(7)?;
    let texel = surface.format.map_or(1, |format| u32::from(format.bytes()));
    let rectangle = Rectangle {
        view: context.env.memory,
        checks: context.env.checks,
        row_bytes: surface.width.saturating_mul(texel),
        surface,
        x: dword(5)? as i32,
        y: dword(6)? as i32,
        width: (size & 0xff) as usize + 1,
        height: (size >> 8 & 0xff) as usize + 1,
    };
    rectangle.transfer(direction, dst, &context.payload, context.grf)
}
