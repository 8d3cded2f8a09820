//! A check that all channels of a sub-group reach what it does together.

use isa_encoder::message::{
    BlockPort, Direction, Gateway, Hdc, HdcAddress, HdcSurface, Lsc, Message,
};

use super::op::{Action, Op, Pred, Span};
use super::operand::{Kind, Shape, Source};
use super::state::State;
use crate::check::Here;
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

    /// The same without the channels that an op's predicate leaves out.
    fn at(state: &State, op: &Op) -> Self {
        let mut flow = Self::of(state);
        if !op.no_mask {
            let channels = op.size_mask() << op.channel_offset;
            flow.active &= state.write_mask(op) << op.channel_offset | !channels;
        }
        flow
    }

    pub(super) fn here(&self) -> Here {
        Here {
            active: self.active,
            dispatched: self.dispatched,
            simd: self.simd,
        }
    }

    /// All channels of a sub-group.
    fn all(&self) -> u32 {
        u32::MAX >> (32 - u32::from(self.simd.clamp(1, 32)))
    }

    /// Whether some channel of a sub-group is not here.
    fn is_part(&self) -> bool {
        self.active & self.all() != self.all()
    }
}

/// Records a message of the whole sub-group, or of its work-group, that only part of the sub-group sends.
pub(super) fn check(checks: &Checks, flow: &Flow, op: &Op, meaning: &Message) {
    if is_sub_group_block(op, meaning) {
        block(checks, flow);
    }
    let barrier = matches!(meaning, Message::Gateway(Gateway::Barrier));
    if barrier && !checks.is_apart() {
        checks.parts(Rule::DivergentBarrier, flow.here());
    }
}

/// Records a block access of part of a sub-group, unless code that was added tells of these.
fn block(checks: &Checks, flow: &Flow) {
    if !checks.is_apart() {
        checks.lacks(flow.here());
        checks.parts(Rule::DivergentFlow, flow.here());
    }
}

fn names_surface(surface: HdcSurface) -> bool {
    matches!(surface, HdcSurface::Bti(_) | HdcSurface::Bindless(_))
}

/// Whether a message is a sub-group's block access, and not one that compilers make for spills or the
/// stack (stateless), or that are predicated: what is the same for all channels is written so. What reads
/// tell is in [`Blocks`].
fn is_sub_group_block(op: &Op, meaning: &Message) -> bool {
    if op.pred != Pred::Always {
        return false;
    }
    match meaning {
        Message::Hdc(Hdc::OwordBlock {
            direction: Direction::Write,
            address: HdcAddress::A32(place),
            port: BlockPort::Data,
            ..
        }) => names_surface(*place),
        Message::Hdc(Hdc::MediaBlock { surface: place, .. }) => names_surface(*place),
        _ => false,
    }
}

/// A block that part of a sub-group has read.
#[derive(Clone, Copy, Debug)]
struct Partial {
    response: Span,
    flow: Flow,
    ip: u32,
}

/// The blocks that parts of a sub-group have read, until something else is in their registers.
///
/// Compilers read what is the same for all channels by the same messages as blocks of a sub-group. Of
/// these each channel takes its own element, which shows what the message was for.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks(Vec<Partial>);

impl Blocks {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// A message has this response.
    pub fn respond(
        &mut self,
        checks: &Checks,
        state: &State,
        op: &Op,
        meaning: &Message,
        response: Span,
    ) {
        let block = match meaning {
            Message::Hdc(Hdc::OwordBlock {
                direction: Direction::Read,
                address: HdcAddress::A32(place),
                port: BlockPort::Data,
                ..
            }) => names_surface(*place),
            // Threads read memory of their own so, too.
            Message::Hdc(Hdc::OwordBlock { .. })
            | Message::Lsc(Lsc::Vector {
                transpose: true, ..
            }) => checks.has_read_buffer(),
            _ => false,
        };
        let flow = Flow::at(state, op);
        if block && flow.is_part() {
            self.0.push(Partial {
                response,
                flow,
                ip: op.ip,
            });
        }
    }

    /// An op with these results is about to be executed: what it makes of blocks.
    pub fn meet(&mut self, checks: &Checks, op: &Op, results: Span) {
        match &op.action {
            Action::Send(send) => {
                let Some(spans) = send.spans else {
                    return;
                };
                if !op.no_mask {
                    self.take(checks, spans.src0);
                    self.take(checks, spans.src1);
                }
                self.overwrite(spans.dst);
            }
            Action::Fast(_) | Action::General | Action::Paired => {
                let own =
                    |source: &&Source| source.kind == Kind::Direct && source.shape != Shape::Scalar;
                for source in op.src.iter().filter(own).filter(|_| !op.no_mask) {
                    let (start, bytes) = (source.base, source.extent(op.lanes()) as u32);
                    let end = start + bytes;
                    self.take(checks, Span { start, end });
                }
                self.overwrite(results);
            }
            Action::Flow | Action::Barrier | Action::Nop => {}
        }
    }

    /// Channels take their own elements of these registers.
    fn take(&mut self, checks: &Checks, elements: Span) {
        self.0.retain(|partial| {
            let taken = partial.response.overlaps(elements);
            if taken {
                checks.set_ip(partial.ip.into());
                block(checks, &partial.flow);
            }
            !taken
        });
    }

    /// Something else is in these registers.
    fn overwrite(&mut self, registers: Span) {
        self.0
            .retain(|partial| !partial.response.overlaps(registers));
    }
}
