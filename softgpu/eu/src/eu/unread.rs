//! What a message loads and nothing reads. Compilers load two elements that a program reads by one message, with
//! those that lie between.

use std::collections::HashMap;
use std::ops::Range;

use isa_encoder::message::{Direction, Lsc, Message};
use isa_encoder::semantics::{Flow, Number, Semantics};

use super::op::{Action, Op, Pred, SendOp, Span};
use super::operand::{Kind, Target};
use super::routine::Routine;

/// The most ops that are looked at behind a message. If more would be, its elements count as read.
const MOST: usize = 4096;

/// By instruction, the bytes of its response with elements that nothing reads.
pub(super) type Unread = HashMap<u32, Box<[Range<usize>]>>;

/// What an op does with the bytes of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Touch {
    /// It may read some.
    Reads,
    /// It writes these, one bit each.
    Writes(u64),
}

/// Those of a routine's messages: elements between others that are read.
pub(super) fn of(routine: &Routine, grf_bytes: usize) -> Unread {
    let mut all = Unread::new();
    for (index, op) in routine.ops().iter().enumerate() {
        let Some((dst, elements)) = elements(op) else {
            continue;
        };
        let bytes = (dst.end - dst.start) as usize / elements;
        let element = |number: usize| number * bytes..(number + 1) * bytes;
        let is_read = |number: usize| {
            let (start, end) = (element(number).start, element(number).end);
            // What is in these registers later may be written in parts.
            let mut parts = (start..end).step_by(grf_bytes.max(1));
            parts.any(|part| {
                let end = dst.start + end.min(part + grf_bytes) as u32;
                let start = dst.start + part as u32;
                is_read(routine, index, Span { start, end })
            })
        };
        let read: Vec<bool> = (0..elements).map(is_read).collect();
        let (first, last) = (
            read.iter().position(|read| *read),
            read.iter().rposition(|read| *read),
        );
        let (Some(first), Some(last)) = (first, last) else {
            continue;
        };
        let between = (first..last).filter(|number| !read[*number]);
        let between: Box<[_]> = between.map(element).collect();
        if !between.is_empty() {
            all.insert(op.ip, between);
        }
    }
    all
}

/// The response of a message that loads several elements for each address, and how many.
fn elements(op: &Op) -> Option<(Span, usize)> {
    let Action::Send(send) = &op.action else {
        return None;
    };
    let Some(Message::Lsc(Lsc::Vector {
        direction: Direction::Read,
        elements: count @ 3..,
        transpose,
        ..
    })) = send.known_meaning()
    else {
        return None;
    };
    match transpose {
        true => block_response(send),
        false => Some((send.known_spans()?.dst, usize::from(*count))),
    }
}

/// The response of a message that loads elements which follow each other from one address on, and how many.
pub(super) fn block_response(send: &SendOp) -> Option<(Span, usize)> {
    let Some(Message::Lsc(Lsc::Vector {
        direction: Direction::Read,
        transpose: true,
        elements,
        data,
        ..
    })) = send.known_meaning()
    else {
        return None;
    };
    let (mut response, count) = (send.known_spans()?.dst, usize::from(*elements));
    // The last register may have more.
    let bytes = (count * data.register_bytes()) as u32;
    response.end = response.end.min(response.start + bytes);
    Some((response, count))
}

/// Whether something may read a register after an op of a routine, before it is overwritten.
fn is_read(routine: &Routine, after: usize, register: Span) -> bool {
    let ops = routine.ops();
    let all = u64::MAX >> (64 - (register.end - register.start).clamp(1, 64));
    // By op, the bytes that still were the message's there.
    let mut seen: HashMap<usize, u64> = HashMap::new();
    let mut open = vec![(ops.get(after).map(|op| op.next_ip), all)];
    let mut looked_at = 0;
    while let Some((next, mut bytes)) = open.pop() {
        let mut next = next;
        while bytes != 0 {
            let Some((at, _)) = next.and_then(|ip| routine.find(ip)) else {
                // It is not known what comes next.
                return true;
            };
            let known = seen.entry(at).or_insert(0);
            if bytes & !*known == 0 {
                break;
            }
            *known |= bytes;
            looked_at += 1;
            let Some(op) = ops.get(at).filter(|_| looked_at <= MOST) else {
                return true;
            };
            match touches(op, register, bytes) {
                Touch::Reads => return true,
                Touch::Writes(written) => bytes &= !written,
            }
            if op.ends_block() {
                match known_successors(op) {
                    None => return true,
                    Some(all) => open.extend(all.map(|ip| (Some(ip), bytes))),
                }
                break;
            }
            next = Some(op.next_ip);
        }
    }
    false
}

/// Where a terminator leads, if its text says so.
pub(super) fn known_successors(op: &Op) -> Option<impl Iterator<Item = u32>> {
    let computed = match op.does {
        Semantics::Flow(Flow::Call { .. } | Flow::Ret | Flow::Brd | Flow::Brc) => true,
        Semantics::Flow(Flow::Jump) => op.targets.jip.is_none(),
        _ => false,
    };
    (!computed).then(|| op.successors())
}

/// Whether an op writes for all channels that execute it. A predicate that selects is no mask; beside a condition (a
/// minimum) it is one.
pub(super) fn writes_always(op: &Op) -> bool {
    let selects = op.does == Semantics::Number(Number::Select) && op.cond.is_none();
    op.pred == Pred::Always || selects
}

/// The bytes of a register that a span has, one bit each.
fn bytes_of(span: Span, register: Span) -> u64 {
    let above = |count: u32| u64::MAX.checked_shl(count).unwrap_or(0);
    let from = span.start.saturating_sub(register.start);
    let until = span.end.saturating_sub(register.start);
    above(from) & !above(until)
}

/// What an op does with these `bytes` of a register.
fn touches(op: &Op, register: Span, bytes: u64) -> Touch {
    let has = |span: Span| bytes_of(span, register) & bytes != 0;
    match &op.action {
        Action::Nop | Action::Barrier => Touch::Writes(0),
        Action::Paired => Touch::Reads,
        Action::Send(send) => of_message(op, send, register, has),
        Action::Flow | Action::Fast(_) | Action::General => {
            let reads = matches!(op.does, Semantics::Systolic { .. })
                || op.src.iter().any(|source| match source.kind {
                    Kind::None | Kind::Immediate => false,
                    Kind::Indirect => true,
                    Kind::Direct => {
                        let start = source.base;
                        let end = start + source.extent(op.lanes()) as u32;
                        has(Span { start, end })
                    }
                });
            if reads {
                return Touch::Reads;
            }
            if op.dst.target != Target::Direct || !writes_always(op) {
                return Touch::Writes(0);
            }
            // Compilers write the two halves of addresses in turn.
            let starts = (op.dst.base..).step_by(usize::from(op.dst.stride).max(1));
            let written = starts.take(op.lanes()).fold(0, |written, start| {
                let end = start + op.dst.ty.bytes();
                written | bytes_of(Span { start, end }, register)
            });
            Touch::Writes(written)
        }
    }
}

/// The part of a payload with addresses that has a channel's: messages of few channels have whole registers.
fn addresses(op: &Op, send: &SendOp, payload: Span) -> Span {
    let Some(Message::Lsc(Lsc::Vector {
        address_size,
        strided: false,
        ..
    })) = send.known_meaning()
    else {
        return payload;
    };
    let end = payload.start + (op.lanes() * address_size.bytes()) as u32;
    Span {
        end: end.min(payload.end),
        ..payload
    }
}

/// The parts of a payload with data that have a channel's: as many as there are elements.
fn data(op: &Op, send: &SendOp, payload: Span) -> impl Iterator<Item = Span> {
    let length = payload.end - payload.start;
    let (count, used) = match send.known_meaning() {
        Some(Message::Lsc(Lsc::Vector {
            direction: Direction::Write,
            elements,
            data,
            transpose: false,
            ..
        })) if *elements > 0 && length.is_multiple_of(u32::from(*elements)) => {
            let used = (op.lanes() * data.register_bytes()) as u32;
            (u32::from(*elements), used)
        }
        _ => (1, length),
    };
    let whole = length / count;
    (0..count).map(move |element| {
        let start = payload.start + element * whole;
        Span {
            start,
            end: start + used.min(whole),
        }
    })
}

/// Channels that do not execute what writes have other ways, which are looked at, too.
fn of_message(op: &Op, send: &SendOp, register: Span, has: impl Fn(Span) -> bool + Copy) -> Touch {
    let Some(spans) = send.spans.filter(|_| send.registers.gathered.is_none()) else {
        return Touch::Reads;
    };
    if has(addresses(op, send, spans.src0)) || data(op, send, spans.src1).any(has) {
        return Touch::Reads;
    }
    match op.pred {
        Pred::Always => Touch::Writes(bytes_of(spans.dst, register)),
        _ => Touch::Writes(0),
    }
}

#[cfg(test)]
mod tests {
    use devinfo::{Family, GpuAddress};
    use isa_encoder::{AsmOptions, assemble};
    use softgpu_memory::AddressSpace;

    use super::super::family::Rules;
    use super::super::routine::Source;
    use super::*;

    /// What code reads of three registers r20 to r22, which a message loads: where the bytes that nothing reads begin and
    /// end.
    fn unread(rest: &str) -> Vec<(usize, usize)> {
        const CODE: GpuAddress = GpuAddress::new(0x1_0000);
        let text = format!(
            "//.platform dg2
             send.slm (8|M0) r20 r10 null:0 0x0 0x02382500 {{A@1,$1}}
             {rest}
             (W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {{EOT,A@1}}\n"
        );
        let assembly = assemble(&text, &AsmOptions::default()).expect("it assembles");
        let space = AddressSpace::with_anonymous(&[(CODE, 0x1000)]).expect("memory");
        let memory = &space.view();
        memory.write(CODE, &assembly.code).expect("bound");
        let source = Source {
            memory,
            base: CODE,
            rules: Rules::of(Family::XeHpg),
            grf_count: 128,
        };
        let routine = Routine::decode(&source, 0, 1000, |_| false).expect("it decodes");
        let of = of(&routine, 32);
        let found = of.get(&0).into_iter().flatten();
        found.map(|range| (range.start, range.end)).collect()
    }

    const FIRST: &str = "mov (8|M0) r30.0<1>:ud r20.0<1;1,0>:ud {$1.dst}\n";
    const LAST: &str = "mov (8|M0) r30.0<1>:ud r22.0<1;1,0>:ud\n";

    #[test]
    fn what_lies_between_and_nothing_reads_is_found() {
        let ends = format!("{FIRST}{LAST}");
        assert_eq!(unread(&ends), [(32, 64)]);
        assert_eq!(unread(FIRST), [], "the others come after what is read");
        let reads = "mov (8|M0) r30.0<1>:ud r21.0<1;1,0>:ud\n";
        assert_eq!(unread(&format!("{ends}{reads}")), []);
        let computed = "mov (8|M0) r30.0<1>:ud r[a0.0]<1,0>:ud\n";
        assert_eq!(unread(&format!("{ends}{computed}")), []);
    }

    #[test]
    fn what_is_overwritten_is_not_read() {
        let reads = "mov (8|M0) r30.0<1>:ud r21.0<1;1,0>:ud\n";
        let part = |of: &str| {
            let half = "(W) mov (4|M0) r21.0<1>:ud 0:ud\n";
            unread(&format!("{FIRST}{LAST}{half}{of}{reads}"))
        };
        assert_eq!(part(""), [], "half of it");
        assert_eq!(part("(W) mov (4|M0) r21.4<1>:ud 0:ud\n"), [(32, 64)]);
        assert_eq!(
            part("(f0.0) sel (4|M0) r21.4<1>:ud r1.0<1;1,0>:ud 0:ud\n"),
            [(32, 64)]
        );
        let turns = "(W) mov (4|M0) r21.0<2>:ud 0:ud\n(W) mov (4|M0) r21.1<2>:ud 0:ud\n";
        assert_eq!(part(turns), [(32, 64)]);
        assert_eq!(
            part("(f0.0) mov (4|M0) r21.4<1>:ud 0:ud\n"),
            [],
            "some channels"
        );
    }

    #[test]
    fn a_message_reads_what_its_channels_have() {
        let stores = |channels: u32| {
            let half = "(W) mov (4|M0) r21.0<1>:ud 0:ud\n";
            let send =
                format!("(W) send.ugm ({channels}|M0) null r10 r21:1 0x0 0x02000504 {{$2}}\n");
            unread(&format!("{FIRST}{LAST}{half}{send}"))
        };
        assert_eq!(stores(4), [(32, 64)]);
        assert_eq!(stores(8), []);
    }

    #[test]
    fn each_way_is_looked_at() {
        let over = "(W) mov (8|M0) r21.0<1>:ud 0:ud\n";
        let reads = "mov (8|M0) r30.0<1>:ud r21.0<1;1,0>:ud\n";
        let branch = |one: &str| {
            let text = format!(
                "{FIRST}{LAST}(f0.0) if (8|M0) other other\n{one}other: endif (8|M0) after\nafter: {reads}"
            );
            unread(&text)
        };
        assert_eq!(branch(over), []);
        let text = format!("{FIRST}{LAST}again: {over}{reads}(f0.0) while (8|M0) again\n");
        assert_eq!(unread(&text), [(32, 64)]);
    }
}
