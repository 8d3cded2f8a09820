//! Code that is rarely executed, behind all blocks, so that what is executed lies close together: where host code leaves
//! at the begin of a block, lets the caller execute a branch, or wakes channels that wait at a place.

use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};

use crate::branch::Place;
use crate::model::Rounding;
use crate::translate::{ACTIVE, AT, BRANCH, ENTRIES, LEFT, NEXT_WAKE, PARKED, Translator};

/// A piece of it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Aside {
    /// Before a block that begins at a place, with this op: channels wake there. If some wait inside of it, it leaves.
    Begin(Place, u32),
    /// Leaves where fewer ops may be executed than were counted; this op is next.
    End(u32, i32),
    /// Lets the caller execute this branch, and goes on where that says.
    Ask(u32, Rounding),
    /// Channels wake at a place, where the thread goes on.
    Wake(Place),
    /// No channel executes: the thread goes on with the first place if some wait there, and else with the second.
    Nobody([Place; 2]),
}

impl Translator {
    /// The label of a piece that is translated at the end.
    pub(crate) fn aside(&mut self, aside: Aside) -> DynamicLabel {
        if let Aside::Wake(place) = aside {
            let ops = &mut self.ops;
            return *(self.wakes)
                .entry(place)
                .or_insert_with(|| ops.new_dynamic_label());
        }
        let label = self.ops.new_dynamic_label();
        self.asides.push((label, aside));
        label
    }

    /// Translates all pieces.
    pub(crate) fn translate_asides(&mut self) {
        let wakes = core::mem::take(&mut self.wakes);
        let wakes = wakes
            .into_iter()
            .map(|(to, label)| (label, Aside::Wake(to)));
        let mut asides = core::mem::take(&mut self.asides);
        asides.extend(wakes);
        for (label, aside) in asides {
            dynasm!(self.ops ; =>label);
            match aside {
                Aside::Begin(to, first) => {
                    let inside = self.ops.new_dynamic_label();
                    let at = to.ip as i32;
                    dynasm!(self.ops ; cmp DWORD [BYTE rbx + NEXT_WAKE], at ; ja =>inside);
                    self.wake_at(to);
                    dynasm!(self.ops ; =>inside);
                    self.leave_at(first);
                }
                Aside::End(at, counted) => {
                    dynasm!(self.ops ; add QWORD [BYTE rbx + LEFT], counted);
                    self.leave_at(at);
                }
                Aside::Ask(op, rounding) => {
                    self.rounding = rounding;
                    self.ask(op);
                }
                Aside::Wake(to) => self.wake_at(to),
                Aside::Nobody([next, other]) => {
                    let [here, there] =
                        [next, other].map(|to| self.label(to.any.unwrap_or(to.own)));
                    let at = next.ip as i32;
                    dynasm!(self.ops ; cmp DWORD [BYTE rbx + NEXT_WAKE], at ; je =>here);
                    if other.ip >= next.ip {
                        dynasm!(self.ops ; jmp =>there);
                    } else {
                        self.wake_at(other);
                    }
                }
            }
        }
    }

    fn ask(&mut self, op: u32) {
        let leave = self.leave;
        let went = self.ops.new_dynamic_label();
        self.round_for_call();
        dynasm!(self.ops
            ; vzeroupper
            ; mov rdi, rbx
            ; mov esi, op as i32
            ; call QWORD [rbx + BRANCH]
            ; cmp eax, -1
            ; jne =>went
            ; mov DWORD [rbx + AT], eax
            ; jmp =>leave
            ; =>went
        );
        // A branch does not change the modes.
        self.round_after_call();
        dynasm!(self.ops
            ; mov r13d, [BYTE rbx + ACTIVE]
            ; mov rcx, [rbx + ENTRIES]
            // The upper half of a returned dword is anything.
            ; mov eax, eax
            ; jmp QWORD [rcx + rax * 8]
        );
    }

    /// Channels wake, and the thread goes on in the code for any of them; if all execute then, in that for all.
    fn wake_at(&mut self, to: Place) {
        let any = self.label(to.any.unwrap_or(to.own));
        let wake = self.wake;
        dynasm!(self.ops ; mov edx, to.ip as i32 ; call =>wake);
        if let Some((all, mask)) = to.all {
            let all = self.label(all);
            dynasm!(self.ops
                ; cmp DWORD [BYTE rbx + PARKED], 0
                ; jne =>any
                ; cmp r13d, mask as i32
                ; je =>all
            );
        }
        dynasm!(self.ops ; jmp =>any);
    }
}
