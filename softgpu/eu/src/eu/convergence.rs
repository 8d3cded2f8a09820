//! A check that all channels of a sub-group reach what it does together.

use isa_encoder::message::{BlockPort, Gateway, Hdc, HdcAddress, HdcSurface, Message};

use super::op::{Op, Pred};
use super::state::State;
use crate::{Checks, Rule};

/// Which channels a thread has, and which execute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    active: u32,
    dispatched: u32,
    simd: u8,
}

impl Flow {
    pub(super) fn of(state: &State) -> Self {
        Self {
            active: state.active,
            dispatched: state.dispatched,
            simd: state.simd,
        }
    }
}

/// Records a message of the whole sub-group that only part of it sends.
pub(super) fn check(checks: &Checks, flow: &Flow, op: &Op, meaning: &Message) {
    let block = is_sub_group_block(op, meaning);
    let barrier = matches!(meaning, Message::Gateway(Gateway::Barrier));
    let all = u32::MAX >> (32 - u32::from(flow.simd.clamp(1, 32)));
    if block && flow.dispatched & all != all {
        checks.report(Rule::PartialSubGroup, || {
            format!(
                "the sub-group has {} of {} work-items",
                (flow.dispatched & all).count_ones(),
                flow.simd
            )
        });
    }
    if (block || barrier) && flow.active != flow.dispatched {
        report(checks, flow);
    }
}

/// Records that only part of a sub-group is here.
pub(super) fn report(checks: &Checks, flow: &Flow) {
    checks.report(Rule::DivergentFlow, || {
        format!(
            "{} of the sub-group's {} work-items are here",
            flow.active.count_ones(),
            flow.dispatched.count_ones()
        )
    });
}

/// Whether a message is a sub-group's block access, and not one that compilers make for uniform
/// values (predicated, or of the constant cache), spills or the stack (stateless).
fn is_sub_group_block(op: &Op, meaning: &Message) -> bool {
    let surface =
        |surface: &HdcSurface| matches!(surface, HdcSurface::Bti(_) | HdcSurface::Bindless(_));
    if op.pred != Pred::Always {
        return false;
    }
    match meaning {
        Message::Hdc(Hdc::OwordBlock {
            address: HdcAddress::A32(place),
            port: BlockPort::Data,
            ..
        }) => surface(place),
        Message::Hdc(Hdc::MediaBlock { surface: place, .. }) => surface(place),
        _ => false,
    }
}
