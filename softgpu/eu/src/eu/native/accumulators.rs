//! What accumulators have beside their registers: the whole of integers of which these show the low part. Compilers also
//! use them as registers; then the whole is not kept.

use core::ops::Range;

use eu_native::Step;
use isa_encoder::Attributes;
use isa_encoder::semantics::{Flow, Semantics};

use super::graph::Part;
use crate::eu::op::Op;

/// Steps whose destination is an accumulator write its registers alone, unless an op that may follow reads the whole.
/// The ops of each part are those of a range; `has` says whether a part begins at an address.
pub(super) fn forget_unread(
    parts: &mut [Part],
    ranges: &[Range<usize>],
    ops: &[Op],
    has: &dyn Fn(u32) -> bool,
) {
    let reads = |op: &Op| op.opcode.has(Attributes::READS_ACC);
    let of = |range: &Range<usize>| ops.get(range.clone()).unwrap_or_default();
    let within: Vec<bool> = ranges
        .iter()
        .map(|range| of(range).iter().any(reads))
        .collect();
    // Whether some that may follow a part reads it, or it is not known what follows.
    let unknown = |range| of(range).last().is_none_or(|op| leads_elsewhere(op, has));
    let mut after: Vec<bool> = ranges.iter().map(unknown).collect();
    let mut changes = true;
    while changes {
        changes = false;
        for (number, part) in parts.iter().enumerate().rev() {
            let is = |all: &[bool], next: u32| all.get(next as usize) != Some(&false);
            let mut next = part.next.iter();
            if !after[number] && next.any(|&next| is(&within, next) || is(&after, next)) {
                after[number] = true;
                changes = true;
            }
        }
    }
    for ((part, range), mut read) in parts.iter_mut().zip(ranges).zip(after) {
        for (step, op) in part.block.steps.iter_mut().zip(of(range)).rev() {
            if let Step::Vector(step) = step {
                let request = &mut step.request;
                let low = request.accumulator.map(|own| own.low);
                let explicit = low.is_some() && request.output.at == low;
                if explicit && !read && !reads(op) {
                    request.accumulator = None;
                }
            }
            read |= reads(op);
        }
    }
}

/// Whether an op leads to code that the routine does not have.
fn leads_elsewhere(op: &Op, has: &dyn Fn(u32) -> bool) -> bool {
    let asks = match op.does {
        Semantics::Flow(Flow::Call { .. } | Flow::Ret) => true,
        Semantics::Flow(_) => op.targets.jip.is_none(),
        _ => false,
    };
    asks || !op.successors().all(has)
}

#[cfg(test)]
mod tests {
    use devinfo::{Family, GpuAddress};
    use softgpu_memory::AddressSpace;

    use super::super::graph::Graph;
    use super::*;
    use crate::eu::family::Rules;
    use crate::eu::program_tests::code;
    use crate::eu::routine::{Routine, Source};

    /// How many steps of a program keep a whole.
    fn keeping(body: &str) -> usize {
        const CODE: GpuAddress = GpuAddress::new(0x10000);
        let rules = Rules::of(Family::Gen12Lp);
        let space = AddressSpace::with_anonymous(&[(CODE, 0x2000)]).expect("memory");
        let view = space.view();
        view.write(CODE, &code(Family::Gen12Lp, body))
            .expect("bound");
        let source = Source {
            memory: &view,
            base: CODE,
            rules,
            grf_count: 128,
        };
        let routine = Routine::decode(&source, 0, 1000, |_| false).expect("it decodes");
        let graph = Graph::of(&routine, rules);
        let steps = graph.blocks.iter().flat_map(|part| &part.block.steps);
        let keeps = |step: &&Step| matches!(step, Step::Vector(step) if step.request.accumulator.is_some_and(|own| own.writes));
        steps.filter(keeps).count()
    }

    #[test]
    fn a_whole_is_kept_where_something_may_read_it() {
        let writes = "mul (16|M0) acc0.0<1>:uw r4.0<16;16,1>:uw 3:uw\n\
                      add (16|M0) r5.0<1>:uw acc0.0<16;16,1>:uw r4.0<16;16,1>:uw\n";
        let reads = "mach (8|M0) r26.0<1>:d r20.0<8;8,1>:d r20.0<8;8,1>:d\n";
        assert_eq!(keeping(writes), 0);
        assert_eq!(keeping(&format!("{reads}{writes}")), 0);
        assert_eq!(keeping(&format!("{writes}{reads}")), 1);
        // Round a loop, and behind a branch.
        let looped = format!("L:\n{reads}{writes}(f0.0) while (16|M0) L\n");
        assert_eq!(keeping(&looped), 1);
        let apart = format!("{writes}(f0.0) if (16|M0) X X\n{reads}X:\nendif (16|M0) Y\nY:\n");
        assert_eq!(keeping(&apart), 1);
        assert_eq!(keeping(&format!("{apart}{writes}")), 1);
    }
}
