//! Fences and barriers.

use isa_encoder::message::{FenceScope, FlushOp, Gateway, Hdc, Lsc, LscPort, Message};
use isa_encoder::{Opcode, SyncFunction, Type as M};

use super::arith::skip;
use super::{Loc, Selector, at};
use crate::code::{Operand, Place, What};
use crate::ir::Scope;

impl Selector<'_> {
    /// Waits until memory shows earlier accesses to those in the scope. The accesses of one thread to
    /// local and global memory are in order; those to images go by several units.
    pub(super) fn fence(&mut self, scope: Scope, of: [bool; 3]) -> Result<(), String> {
        let [local, global, image] = of;
        let alone = scope == Scope::SubGroup;
        let (local, global) = (local && !alone, global && !alone);
        let grf = self.target.grf();
        let mut messages = Vec::new();
        if self.target.lsc() {
            let fence = |port, scope, flush| {
                Message::Lsc(Lsc::Fence {
                    port,
                    scope,
                    flush,
                    to_lsc: false,
                })
            };
            if local {
                messages.push(fence(LscPort::Slm, FenceScope::Group, FlushOp::None));
            }
            if global {
                // What other sub-slices have written is not in this one's cache.
                let (scope, flush) = match scope {
                    Scope::SubGroup | Scope::WorkGroup => (FenceScope::Group, FlushOp::None),
                    Scope::Device => (FenceScope::Gpu, FlushOp::Invalidate),
                };
                messages.push(fence(LscPort::Ugm, scope, flush));
            }
            if image && self.target.platform.images {
                messages.push(fence(LscPort::Tgm, FenceScope::Gpu, FlushOp::Evict));
            }
        } else {
            if local && self.target.caps.local_fence {
                messages.push(Message::Hdc(Hdc::Fence {
                    slm: true,
                    commit: true,
                    flush: 0,
                }));
            }
            if global || image {
                messages.push(Message::Hdc(Hdc::Fence {
                    slm: false,
                    commit: true,
                    flush: 0,
                }));
            }
        }
        if image {
            messages.extend(self.image_fence());
        }
        for message in messages {
            let header = self.fixed(0, grf);
            let header = (
                Place {
                    var: header,
                    byte: 0,
                },
                1,
            );
            let response = self.code.var(grf, grf);
            self.fence_message(message, header, response);
            // Reading the response waits for it.
            let loc = Loc {
                place: Place {
                    var: response,
                    byte: 0,
                },
                pitch: 0,
            };
            self.one(Opcode::Mov, Operand::Null(M::Ud), &[at(loc, M::Ud)]);
        }
        Ok(())
    }

    /// Waits for the work-group.
    pub(super) fn barrier(&mut self) -> Result<(), String> {
        let grf = self.target.grf();
        let var = self.code.var(grf, grf);
        let loc = |byte| Loc {
            place: Place { var, byte },
            pitch: 0,
        };
        let zero = Operand::Imm(0, M::Uw);
        let whole = Loc {
            place: Place { var, byte: 0 },
            pitch: 4,
        };
        self.some_lanes(
            What::Alu(Opcode::Mov),
            Some(at(whole, M::Ud)),
            &[zero],
            true,
            grf / 4,
            |_| {},
        );
        match devinfo::thread::barrier(self.target.platform.family) {
            Some(name) => {
                let header = self.header(name.dword as u32);
                let mask = Operand::Imm(i64::from(name.mask), M::Ud);
                self.one(Opcode::And, at(loc(8), M::Ud), &[header, mask]);
            }
            None => {
                let threads = devinfo::thread::GROUP_THREADS;
                let header = self.header(threads.dword as u32);
                // How many threads signal, and how many wait: all of the group.
                let count = skip(
                    super::arith::retype(header, M::Ub),
                    threads.mask.trailing_zeros() / 8,
                );
                let both = Loc {
                    place: Place { var, byte: 10 },
                    pitch: 1,
                };
                let mov = What::Alu(Opcode::Mov);
                self.some_lanes(mov, Some(at(both, M::Ub)), &[count], true, 2, |_| {});
            }
        }
        let place = Place { var, byte: 0 };
        self.barrier_message(Message::Gateway(Gateway::Barrier), place);
        let wait = match self.target.software_scoreboard() {
            true => What::Sync(SyncFunction::Bar),
            false => What::Wait,
        };
        self.raw(wait, 1, 0, true, None, &[], |_| {});
        Ok(())
    }
}
