//! Typed messages.

use isa_encoder::message::{HdcSurface, SlotGroup};

use super::Context;
use super::scattered::served;
use crate::Fault;
use crate::sf::execute::not_modelled;
use crate::sf::typed::Texels;

/// A typed message serves as many channels as a register has dwords: the low or the high half of
/// the thread's. A message that is no wider than that has only its own channels.
pub(super) fn texels<'a>(
    context: &Context<'a>,
    surface: HdcSurface,
    slots: SlotGroup,
) -> Result<Texels<'a>, Fault> {
    let lanes = context.grf / 4;
    let live = served(context, 32)?;
    let live = match slots {
        SlotGroup::FourByTwo => return Err(not_modelled("typed message of two groups of four")),
        SlotGroup::High if usize::from(context.exec_size) > lanes => live >> lanes,
        SlotGroup::Low | SlotGroup::High => live,
    };
    Ok(Texels {
        checks: context.env.checks,
        view: context.env.memory,
        surface: context.surface(surface)?,
        payload: context.payload,
        at: context.addresses_at(),
        lanes,
        live: live & ((1 << lanes) - 1),
    })
}
