//! Sends: finds the payload, and hands it to the shared function.

use isa_encoder::message::Message as Meaning;

use super::convergence::{self, Flow};
use super::family::Rules;
use super::op::{Immediate, Op, SendOp, SendRegisters, Span, Spans};
use super::regs::GRF_BASE;
use super::state::State;
use crate::sf::{self, Effect, Message};
use crate::{Checks, Fault, GroupEnv};

/// The most registers of one payload or response: the fields have 5 bits.
const MAX_REGISTERS: usize = 32;

/// Executes a send.
///
/// # Errors
/// The faults of the shared function, and [`Fault::IllegalInstruction`] for registers that do not
/// exist.
pub(super) fn execute(
    state: &mut State,
    op: &Op,
    send: &SendOp,
    env: &GroupEnv<'_>,
) -> Result<Effect, Fault> {
    let mask = state.write_mask(op);
    // A message without channels does nothing, except that the last one still ends the thread.
    if mask == 0 && !send.eot {
        return Ok(Effect::None);
    }
    if let Some(plain) = &send.plain
        && env.checks.is_none()
        && plain.run(state.regs.bytes_mut(), mask, env)
    {
        return Ok(Effect::None);
    }
    if let Some(texels) = &send.texels
        && env.checks.is_none()
    {
        let extended = match send.extended {
            Immediate::Value(_) => 0,
            register @ Immediate::Register(_) => register.read(state),
        };
        if texels.run(state.regs.bytes_mut(), mask, extended, env) {
            return Ok(Effect::None);
        }
    }
    if let (Some(Meaning::Gateway(gateway)), Some(spans), false, None) =
        (&send.meaning, &send.spans, send.eot, env.checks)
    {
        let payload = state.regs.bytes().get(spans.src0.range());
        return sf::gateway(*gateway, payload.unwrap_or_default(), env);
    }
    let descriptor = send.descriptor.read(state);
    let extended_descriptor = send.extended.read(state);
    let spans = match send.spans {
        Some(spans) => spans,
        None => spans_now(state, op, send, descriptor, extended_descriptor)?,
    };
    if let Some(checks) = env.checks {
        checks.set_ip(op.ip.into());
        let flow = Flow::of(state);
        checks.set_here(flow.here());
        if let Some(meaning) = &send.meaning {
            convergence::check(checks, &flow, op, meaning);
        }
    }
    let thread_slot = state.thread_slot;
    let Spans { src0, src1, dst } = spans;
    if let Some(checks) = env.checks {
        begin_check(state, (op, send), &spans, descriptor, checks);
    }
    let end = state.regs.grf_end();
    let bytes = state.regs.bytes_mut();
    // A payload that the response overwrites is read completely before that.
    let mut copies = [Vec::new(), Vec::new()];
    if dst.overlaps(src0) || dst.overlaps(src1) {
        copies = [src0, src1].map(|span| copy(bytes, span));
    }
    let gathered = send
        .registers
        .gathered
        .map(|names| gather(bytes, names, descriptor, state.rules.grf_bytes, end))
        .transpose()
        .map_err(|why| illegal(op, &why))?;
    let (head, rest) = bytes.split_at_mut(dst.start as usize);
    let (response, tail) = rest.split_at_mut((dst.end - dst.start) as usize);
    let payload = |span: Span, copy| -> &[u8] {
        let part = if span.end <= dst.start {
            head.get(span.range())
        } else if span.start >= dst.end {
            let behind = dst.end as usize;
            tail.get(span.start as usize - behind..span.end as usize - behind)
        } else {
            None
        };
        part.unwrap_or(copy)
    };
    let message = Message {
        sfid: send.sfid.unwrap_or(extended_descriptor as u8 & 0xf),
        descriptor,
        extended_descriptor,
        extended_bindless_offset: send.ex_bso,
        extended_offset: send.extended_offset,
        exec_size: op.exec_size,
        mask,
        thread_slot,
        src0: match &gathered {
            Some(gathered) => gathered,
            None => payload(src0, &copies[0]),
        },
        src1: payload(src1, &copies[1]),
        dst: response,
    };
    let effect = match send.meaning {
        Some(meaning) => sf::perform(meaning, message, env),
        None => sf::execute(message, env),
    }?;
    if let Some(checks) = env.checks
        && let Some(mut shadow) = state.shadow.take()
    {
        let response = state.regs.bytes().get(dst.range()).unwrap_or_default();
        checks.end_message(response, |states, slot| {
            shadow.set_span(dst, states);
            shadow.respond(state, op, dst, slot);
        });
        if let Some(meaning) = &send.meaning {
            shadow.blocks.respond(checks, state, op, meaning, dst);
        }
        if op.tokens.takes != 0 {
            shadow.hazards.sent(state, op, &spans);
        }
        state.shadow = Some(shadow);
    }
    if send.eot {
        return Ok(Effect::EndOfThread);
    }
    Ok(effect)
}

/// What is known of the registers of a message.
#[cold]
fn begin_check(
    state: &State,
    (op, send): (&Op, &SendOp),
    spans: &Spans,
    descriptor: u32,
    checks: &Checks,
) {
    let Some(shadow) = &state.shadow else {
        return;
    };
    let grf = state.rules.grf_bytes;
    let names = match send.registers.gathered {
        Some(names) => state.regs.bytes().get(names as usize..),
        None => None,
    };
    let names = names
        .unwrap_or_default()
        .iter()
        .take(src0_length(descriptor));
    let gathered = names.map(|number| shadow.register(GRF_BASE + usize::from(*number) * grf, grf));
    let payload = std::iter::once(shadow.span(spans.src0))
        .chain(gathered)
        .chain([shadow.span(spans.src1)]);
    let response = shadow.span(spans.dst);
    let unread = shadow.unread.get(&op.ip).map_or(&[][..], |known| known);
    checks.begin_message(payload, response, unread);
    checks.set_channels(op.no_mask, op.channel_offset);
}

/// The registers of a message that its text does not say: its descriptors or their names are in
/// registers.
pub(super) fn unnamed(state: &State, send: &SendOp) -> impl Iterator<Item = (Span, bool)> {
    let (descriptor, extended) = (send.descriptor.read(state), send.extended.read(state));
    let (rules, end) = (state.rules, state.regs.grf_end());
    let spans = match send.spans {
        Some(_) => None,
        None => send.registers.spans(rules, end, descriptor, extended).ok(),
    };
    let names = send
        .registers
        .gathered
        .map(|at| state.regs.bytes().get(at as usize..));
    let names = names.flatten().unwrap_or_default().iter();
    let gathered = names.take(src0_length(descriptor)).map(move |number| {
        let start = (GRF_BASE + usize::from(*number) * rules.grf_bytes) as u32;
        let end = start + rules.grf_bytes as u32;
        (Span { start, end }, false)
    });
    let spans = spans.map(|spans| [(spans.src0, false), (spans.src1, false), (spans.dst, true)]);
    spans.into_iter().flatten().chain(gathered)
}

#[cold]
fn copy(bytes: &[u8], span: Span) -> Vec<u8> {
    bytes.get(span.range()).unwrap_or_default().to_vec()
}

/// The registers of a send whose descriptors are in registers, or that it does not have.
#[inline(never)]
fn spans_now(
    state: &State,
    op: &Op,
    send: &SendOp,
    descriptor: u32,
    extended: u32,
) -> Result<Spans, Fault> {
    send.registers
        .spans(state.rules, state.regs.grf_end(), descriptor, extended)
        .map_err(|why| illegal(op, &why))
}

fn illegal(op: &Op, why: &str) -> Fault {
    Fault::IllegalInstruction {
        why: format!("{} at {:#x}: {why}", op.opcode.mnemonic(), op.ip),
    }
}

/// The payload of a gathering send: the bytes at register file offset `names` name its registers,
/// and the descriptor gives their number. General registers end at `end`.
///
/// # Errors
/// Registers that do not exist.
fn gather(
    bytes: &[u8],
    names: u32,
    descriptor: u32,
    grf: usize,
    end: usize,
) -> Result<Vec<u8>, String> {
    let length = src0_length(descriptor);
    let names = bytes.get(names as usize..).unwrap_or_default();
    let mut payload = Vec::with_capacity(length * grf);
    for &number in names.iter().take(length) {
        let start = GRF_BASE + usize::from(number) * grf;
        let register = bytes.get(start..start + grf).filter(|_| start + grf <= end);
        payload.extend(
            register.ok_or_else(|| format!("s0 names r{number}, beyond the last register"))?,
        );
    }
    Ok(payload)
}

/// Registers of source 0.
const fn src0_length(descriptor: u32) -> usize {
    (descriptor >> 25 & 0xf) as usize
}

impl Immediate {
    fn read(self, state: &State) -> u32 {
        match self {
            Self::Value(value) => value,
            Self::Register(offset) => state.regs.dword(offset as usize),
        }
    }
}

impl SendRegisters {
    /// The registers that the descriptors ask for; general registers end at `end`.
    ///
    /// # Errors
    /// Registers that do not exist.
    pub fn spans(
        &self,
        rules: Rules,
        end: usize,
        descriptor: u32,
        extended: u32,
    ) -> Result<Spans, String> {
        let grf = rules.grf_bytes;
        let src0_len = src0_length(descriptor);
        let mut dst_len = (descriptor >> 20 & 0x1f) as usize;
        // The field cannot hold 32; a two-dimensional block load that long has 31, and its function
        // computes the length itself.
        if dst_len == 31 {
            let left = self
                .dst
                .map_or(0, |at| end.saturating_sub(at as usize) / grf);
            dst_len = dst_len.max(left.min(MAX_REGISTERS));
        }
        let src1_len = match self.src1_len {
            Some(length) => usize::from(length).min(MAX_REGISTERS),
            None => (extended >> 6 & 0x1f) as usize,
        };
        Ok(Spans {
            src0: span(end, "source 0", self.src0, src0_len * grf)?,
            src1: span(end, "source 1", self.src1, src1_len * grf)?,
            dst: span(end, "the response", self.dst, dst_len * grf)?,
        })
    }
}

/// The range of `bytes` of general registers from register file offset `at` on; empty for null.
fn span(end: usize, what: &str, at: Option<u32>, bytes: usize) -> Result<Span, String> {
    let Some(start) = at else {
        return Ok(Span::default());
    };
    let at = start as usize;
    if at < GRF_BASE || at + bytes > end {
        return Err(format!(
            "{what} takes {bytes} bytes from register byte {} on, beyond the last register",
            at.saturating_sub(GRF_BASE)
        ));
    }
    Ok(Span {
        start,
        end: start + bytes as u32,
    })
}
