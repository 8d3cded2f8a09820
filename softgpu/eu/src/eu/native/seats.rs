//! The seats of threads that take turns in host code.

use eu_native::{Channels, Left, Seat};

use super::{Key, Translation};
use crate::GroupEnv;
use crate::eu::routine::Routine;
use crate::eu::thread::{Counters, Stop};
use crate::eu::turns::Turns;

/// Prepares the seats for a run of this code by the thread that has the turn. Returns its seat, or null if it is alone.
pub(super) fn take(
    turns: &mut Turns<'_>,
    routine: &Routine,
    translation: &Translation,
    env: &GroupEnv<'_>,
) -> *mut Seat {
    if turns.members.is_empty() {
        return core::ptr::null_mut();
    }
    if turns.code != Some(translation.id) {
        turns.code = Some(translation.id);
        place(turns, routine, translation, env);
    }
    turns.seat()
}

/// Where the threads that have not begun do so, in this code. No other one can go on in it.
#[cold]
fn place(turns: &mut Turns<'_>, routine: &Routine, translation: &Translation, env: &GroupEnv<'_>) {
    // The barrier cannot come to that generation.
    let before = env.barrier.generation().wrapping_sub(1);
    let mut last = None;
    for (seat, member) in turns.seats.iter_mut().zip(&mut turns.members) {
        seat.resume = core::ptr::null();
        let Some(state) = member
            .state
            .as_deref_mut()
            .filter(|_| member.stop.is_none())
        else {
            continue;
        };
        let (Some(key), true) = (Key::of(state), state.barrier.is_none()) else {
            continue;
        };
        let begins = (state.ip, key);
        let at = match last {
            Some((known, at)) if known == begins => at,
            _ => {
                let entry = routine
                    .find(state.ip)
                    .and_then(|(at, _)| translation.entry(at, key.control, key.channels));
                let at = entry.and_then(|number| translation.code.place(number));
                last = Some((begins, at));
                at
            }
        };
        let Some(at) = at.filter(|_| matches!(key.channels, Channels::All(_))) else {
            continue;
        };
        state.dirty.add(routine.written());
        seat.regs = state.regs.bytes_mut().as_mut_ptr();
        seat.resume = at;
        seat.left = member.left as u64;
        seat.active = state.active;
        seat.generation = before;
    }
}

/// Brings the threads that host code has left to where they are.
pub(super) fn leave(turns: &mut Turns<'_>, routine: &Routine) {
    for (seat, member) in turns.seats.iter_mut().zip(&mut turns.members) {
        let was = core::mem::replace(&mut seat.was, Left::Not);
        let Some(state) = member.state.as_deref_mut().filter(|_| was != Left::Not) else {
            continue;
        };
        if let Some(op) = routine.ops().get(seat.op as usize) {
            state.ip = op.ip;
        }
        state.counters += Counters {
            instructions: core::mem::take(&mut seat.instructions),
            channels: core::mem::take(&mut seat.channels),
        };
        (state.active, state.parked, state.next_wake) = (seat.active, 0, u32::MAX);
        state.barrier = None;
        member.left = seat.left as usize;
        member.stop = Some(Stop::EndOfThread);
        if was == Left::Waits {
            state.barrier = Some(seat.generation);
            member.stop = Some(Stop::Barrier(seat.generation));
        }
        state.follow_control();
    }
}
