//! Media block messages.

use isa_encoder::message::{Direction, HdcSurface};

use super::Context;
use crate::sf::execute::not_modelled;
use crate::sf::rectangle::Rectangle;
use crate::{Fault, Rule};

/// Header dword 0: x in bytes, signed.
const X: usize = 0;
/// Header dword 1: y in rows, signed.
const Y: usize = 1;
/// Header dword 2: width - 1 in bits 5:0, height - 1 in bits 21:16.
const SIZE: usize = 2;

/// A rectangle of bytes of a surface, whose width counts dwords in any format.
pub(super) fn access(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    surface: HdcSurface,
    line_stride: u8,
) -> Result<(), Fault> {
    context.require_header()?;
    if line_stride & 0b100 != 0 {
        return Err(not_modelled("media block with line stride override"));
    }
    let surface = context.surface(surface)?;
    let size = context.header_dword(SIZE)?;
    let rectangle = Rectangle {
        view: context.env.memory,
        checks: context.env.checks,
        row_bytes: surface.width.saturating_mul(4),
        surface,
        x: context.header_dword(X)? as i32,
        y: context.header_dword(Y)? as i32,
        width: (size & 0x3f) as usize + 1,
        height: (size >> 16 & 0x3f) as usize + 1,
    };
    if let Some(checks) = context.env.checks
        && direction == Direction::Write
        && rectangle.x % 4 != 0
    {
        checks.report(Rule::ImageBlockWriteX, || {
            format!("x is {} bytes, no multiple of 4", rectangle.x)
        });
    }
    rectangle.transfer(direction, dst, &context.payload, context.grf)
}
