//! Sends: payload registers, end of thread, descriptors.

use core::ops::Range;

use devinfo::span;

use super::rule::{On, Rule, Scope, rules};
use super::view::{Operand, Place, Traits, View};
use crate::message::{DescriptorError, Descriptors, Lsc, Message};
use crate::model::{Attributes, RegFile, Send, Sfid};

const SEND: &str = "BDW to TGL PRM vol 2a, send: Restrictions";

/// The rule about payloads beyond a thread's last register.
pub(super) const PAYLOAD_REGISTERS: &str = "payload-end";

rules! {
    "end-registers" (|machine| !machine.has().ends_anywhere) On::Send, []:
        "the payload of an end of thread must lie in the last 16 registers: r112 to r127 of \
         128, r240 to r255 of 256",
        "BDW to TGL PRM vol 2a, send: Restrictions; IGC, which ends in r240 on with 256",
        |view| {
            let send = view.input.send().filter(|send| send.eot)?;
            let outside = |operand: &Operand, length: u32| {
                operand.grf().is_some_and(|reg| {
                    let first = u32::from(reg.number);
                    let end = first + length.max(1);
                    // If the number is unknown, a thread may have any.
                    !view
                        .grf_counts()
                        .any(|count| first + 16 >= count && end <= count)
                })
            };
            payloads(view, send)
                .into_iter()
                .flatten()
                .find(|(operand, length)| outside(operand, length.unwrap_or(1)))
                .map(|(operand, _)| operand.place)
        };
    "end-response" (..) On::Send, []:
        "an end of thread has no response", SEND,
        |view| {
            let send = view.input.send().filter(|send| send.eot)?;
            let writes = view.written().is_some() || send.dst_len().is_some_and(|len| len != 0);
            writes.then_some(Place::Dst)
        };
    "payload-file" (..) On::Send, []:
        "source 0 of a send must be a general register, or name some by s0, source 1 that or \
         null", SEND,
        |view| {
            let send = view.input.send()?;
            payloads(view, send)
                .into_iter()
                .flatten()
                .find(|(operand, _)| {
                    let null_allowed = operand.place == Place::Src(1);
                    let other = operand.grf().is_none() && !view.input.gathers();
                    other && !(null_allowed && operand.is_null())
                })
                .map(|(operand, _)| operand.place)
        };
    "payload-overlap" (..) On::Send, []:
        "the two payloads of a send must not overlap", "SKL to TGL PRM vol 2a, sends: Restrictions",
        |view| {
            let send = view.input.send()?;
            let [a, b] = payloads(view, send);
            let (a, b) = (range(a?)?, range(b?)?);
            (a.start < b.end && b.start < a.end).then_some(Place::Src(1))
        };
    PAYLOAD_REGISTERS (..) On::Send, []:
        "payloads and response must not reach beyond the last register",
        "BDW to TGL PRM vol 7, Register Files: 128 registers a thread; 256 from XeHPG on",
        |view| {
            let send = view.input.send()?;
            let response = view.dst.map(|dst| (dst, send.dst_len().map(u32::from)));
            payloads(view, send)
                .into_iter()
                .chain([response])
                .flatten()
                .find(|payload| range(*payload).is_some_and(|r| r.end > view.grf_count()))
                .map(|(operand, _)| operand.place)
        };
    "payload-length" (..) On::Send, []:
        "a message has at least one register in source 0", SEND,
        |view| {
            let length = view.input.send()?.src0_len()?;
            (length == 0).then_some(Place::Src(0))
        };
    "payload-length-1" (..) On::Send, []:
        "the length of source 1 is 0 exactly if it is null",
        "SKL to TGL PRM vol 2a, sends: Restrictions",
        |view| {
            let send = view.input.send()?;
            let (operand, length) = payloads(view, send)[1]?;
            let length = length?;
            (operand.is_null() != (length == 0)).then_some(Place::Src(1))
        };
    "response-r127" (..=Gen11) On::Send, []:
        "r127 must not be in a response that overlaps with the payload", SEND,
        |view| {
            let send = view.input.send()?;
            let response = range((view.dst?, send.dst_len().map(u32::from)))?;
            let payload = range(payloads(view, send)[0]?)?;
            let overlap = response.start < payload.end && payload.start < response.end;
            (overlap && response.end > 127).then_some(Place::Dst)
        };
    "transposed-one-channel" (..) On::Send, []:
        "a transposed vector has one address: the execution size is 1",
        "Mesa brw_eu_validate.c send_descriptor_restrictions; IGC vISA LSC_UNTYPED",
        |view| {
            let Ok(Message::Lsc(message)) = message(view)? else {
                return None;
            };
            let transposed = matches!(
                message,
                Lsc::Vector {
                    transpose: true,
                    ..
                }
            );
            (transposed && view.exec_size() != 1).then_some(Place::Instruction)
        };
}

/// The rule about descriptors. What is wrong with them is in [`Violation::error`].
pub(super) static MESSAGE: Rule = Rule {
    name: "message",
    text: "the descriptors must be a message of the shared function",
    source: "SKL and TGL PRM vol 2d, Message Descriptors; IGA MessageDecoder",
    scope: Scope::Of(span!(..)),
    on: On::Send,
    needs: Traits::empty(),
    check: |view| message_error(view).map(|_| Place::Instruction),
};

/// What is wrong with the descriptors, if they are in the instruction and for a function whose
/// messages are known.
pub(super) fn message_error(view: &View<'_>) -> Option<DescriptorError> {
    let known = matches!(
        view.input.send()?.sfid?,
        Sfid::DataPort0
            | Sfid::DataPort1
            | Sfid::ConstantCache
            | Sfid::Sampler
            | Sfid::Gateway
            | Sfid::ThreadSpawner
            | Sfid::Ugm
            | Sfid::Ugml
            | Sfid::Tgm
            | Sfid::Slm
    );
    message(view)
        .filter(|_| known)?
        .and_then(|message| message.validate(view.family()))
        .err()
}

/// A payload and its length in registers, if that is known.
type Payload = (Operand, Option<u32>);

/// The payloads; the second is `None` where the form has none.
fn payloads(view: &View<'_>, send: &Send) -> [Option<Payload>; 2] {
    let has_two = view.has().has(view.opcode(), Attributes::TWO_PAYLOADS);
    let first = view.src(0).map(|src| (src, send.src0_len().map(u32::from)));
    let second = view.src(1).map(|src| (src, send.src1_len.map(u32::from)));
    [first, second.filter(|_| has_two)]
}

/// The registers of a payload, if it has any.
fn range((operand, length): Payload) -> Option<Range<u32>> {
    let reg = operand.reg.filter(|reg| reg.file == RegFile::Grf)?;
    let first = u32::from(reg.number);
    let length = length.unwrap_or(1);
    (length != 0).then_some(first..first + length)
}

/// The message, if its descriptors are in the instruction.
fn message(view: &View<'_>) -> Option<Result<Message, DescriptorError>> {
    let send = view.input.send()?;
    let descriptors = Descriptors::of(send)?;
    Some(Message::decode(view.family(), send.sfid?, descriptors))
}
