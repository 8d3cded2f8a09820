//! Branches: how channels part, wait and meet.
//!
//! A channel that waits has its address in [`Frame::waiting`]. One that executes has none there, so that an
//! address alone says who wakes. Compare `flow::execute` of the caller.

use core::mem::offset_of;

use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use eu_lanes::HostIsa;

use crate::aside::Aside;
use crate::frame::Frame;
use crate::model::{Block, Branch, Channels, Parting, Stops, Target, Way};
use crate::translate::{ACTIVE, AFTER, Chosen, LOWEST_WAKE, NEXT_WAKE, PARKED, Translator};

const WAITING: i32 = offset_of!(Frame, waiting) as i32;

/// All blocks, and the number of the one that ends here.
type Here<'a> = (&'a [Block], usize);

/// A place to go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub ip: u32,
    /// The block for the channels of the one that ends, and that for any.
    pub own: u32,
    pub any: Option<u32>,
    /// The block for all channels of a mask, from that for any.
    pub all: Option<(u32, u32)>,
}

impl Place {
    pub fn of(blocks: &[Block], to: Target) -> Option<Self> {
        let own = to.block?;
        let block = blocks.get(own as usize)?;
        let twin = block.twin.and_then(|twin| {
            let enabled = blocks.get(twin as usize)?.enabled;
            Some((twin, enabled))
        });
        let (any, all) = match (block.enabled, twin) {
            (Channels::All(mask), Some((twin, Channels::Any))) => (Some(twin), Some((own, mask))),
            (Channels::Any, Some((twin, Channels::All(mask)))) => (Some(own), Some((twin, mask))),
            (Channels::Any, _) => (Some(own), None),
            (Channels::All(_), _) => (None, None),
        };
        Some(Self {
            ip: to.ip,
            own,
            any,
            all,
        })
    }
}

impl Translator {
    /// Goes on with the block that follows the op before `last`.
    pub(crate) fn next(&mut self, next: Option<u32>, last: u32, (blocks, number): Here<'_>) {
        let following = next.and_then(|next| blocks.get(next as usize));
        let target = following.map(|block| Target {
            ip: block.ip,
            block: next,
        });
        let Some(to) = target.and_then(|target| Place::of(blocks, target)) else {
            return self.leave_at(last.wrapping_sub(1) | AFTER);
        };
        self.go(to, (blocks, number), true);
    }

    /// Translates a branch, which is the op of this number.
    pub(crate) fn branch(&mut self, branch: &Branch, op: u32, here: Here<'_>) {
        let ask = self.aside(Aside::Ask(op, self.rounding));
        match &branch.way {
            Way::Asked => dynasm!(self.ops ; jmp =>ask),
            Way::Barrier { next } => match Place::of(here.0, *next) {
                Some(next) => self.pass_barrier(next, (branch.lanes, op), ask),
                None => dynasm!(self.ops ; jmp =>ask),
            },
            Way::Jump { not_taken, taken } => {
                let zero = self.ops.new_dynamic_label();
                if self.mask(&branch.masking, branch.lanes) == Chosen::InEsi {
                    dynasm!(self.ops ; test esi, esi ; jz =>zero);
                }
                for (label, target) in [(None, taken), (Some(zero), not_taken)] {
                    if let Some(label) = label {
                        dynasm!(self.ops ; =>label);
                    }
                    match Place::of(here.0, *target) {
                        Some(to) => self.go(to, here, label.is_some()),
                        None => dynasm!(self.ops ; jmp =>ask),
                    }
                }
            }
            Way::Channels(parting) => {
                let [next, other] =
                    [parting.next, parting.other].map(|target| Place::of(here.0, target));
                match (next, other) {
                    (Some(next), Some(other)) => {
                        self.part(branch, parting, [next, other], ask, here);
                    }
                    _ => dynasm!(self.ops ; jmp =>ask),
                }
            }
        }
    }

    /// Goes on behind a barrier with channels of which none waits.
    pub(crate) fn go_together(&mut self, to: Place) {
        if self.channels == Channels::Any
            && let Some((all, mask)) = to.all
        {
            let all = self.label(all);
            dynasm!(self.ops ; cmp r13d, mask as i32 ; je =>all);
        }
        let own = self.label(to.own);
        dynasm!(self.ops ; jmp =>own);
    }

    pub(crate) fn label(&self, block: u32) -> DynamicLabel {
        self.labels
            .get(block as usize)
            .copied()
            .unwrap_or(self.leave)
    }

    /// Goes to a place with the channels that execute. Nothing of the block follows if it `ends` so.
    fn go(&mut self, to: Place, here: Here<'_>, ends: bool) {
        match self.channels {
            Channels::All(_) if ends && to.own as usize == here.1 + 1 => {
                self.carries.follow(to.own);
            }
            Channels::All(_) => self.jump(to.own),
            Channels::Any => self.go_apart(to, here, ends),
        }
    }

    /// Goes to a place, where channels may wake, in the code for any of them. Nothing of the block follows if it `ends`
    /// so.
    fn go_apart(&mut self, to: Place, (blocks, number): Here<'_>, ends: bool) {
        let any = self.label(to.any.unwrap_or(to.own));
        if to.ip < end(blocks, number) {
            // Those that wait further on do so wherever the thread goes back to; if others wait, who is next changes.
            let wakes = self.aside(Aside::Wake(to));
            let beyond = end(blocks, number) as i32;
            dynasm!(self.ops ; cmp DWORD [BYTE rbx + LOWEST_WAKE], beyond ; jb =>wakes);
        }
        if to.any != Some(number as u32 + 1) || !ends {
            dynasm!(self.ops ; jmp =>any);
        }
    }

    /// A structured branch; at `ask`, where nothing has changed yet, what is left to the caller.
    fn part(
        &mut self,
        branch: &Branch,
        parting: &Parting,
        [next, other]: [Place; 2],
        ask: DynamicLabel,
        here: Here<'_>,
    ) {
        // Without code for any channels, the caller parts them.
        let parts = next.any.is_some() && other.any.is_some();
        let any = self.channels == Channels::Any;
        let [stay, park] = [(); 2].map(|()| self.ops.new_dynamic_label());
        let wait = match parting.stops {
            Stops::Nobody => None,
            Stops::Taken(ip) => {
                self.taken_to_esi(branch);
                Some(ip)
            }
            Stops::Rest(ip) => {
                self.taken_to_esi(branch);
                self.rest_to_esi(branch);
                Some(ip)
            }
            Stops::Loop => {
                self.taken_to_esi(branch);
                dynasm!(self.ops ; test esi, esi ; jz =>stay);
                self.rest_to_esi(branch);
                dynasm!(self.ops ; test esi, esi ; jnz =>park);
                self.go(other, here, false);
                dynasm!(self.ops ; =>park);
                if parts {
                    self.park(next.ip, here);
                    self.go_apart(other, here, false);
                } else {
                    dynasm!(self.ops ; jmp =>ask);
                }
                dynasm!(self.ops ; =>stay);
                return self.go(next, here, true);
            }
        };
        if let Some(ip) = wait {
            dynasm!(self.ops ; test esi, esi ; jz =>stay);
            if ip == other.ip {
                // All of them: they need not wait where they are at once.
                dynasm!(self.ops ; cmp esi, r13d ; jne =>park);
                if any {
                    dynasm!(self.ops ; cmp DWORD [BYTE rbx + NEXT_WAKE], next.ip as i32 ; je =>park);
                }
                self.go(other, here, false);
            }
            dynasm!(self.ops ; =>park);
            if !parts {
                dynasm!(self.ops ; jmp =>ask ; =>stay);
                return self.go(next, here, true);
            }
            self.park(ip, here);
        }
        if any || wait.is_some() {
            let nobody = self.aside(Aside::Nobody([next, other]));
            if any {
                dynasm!(self.ops ; =>stay);
            }
            dynasm!(self.ops ; test r13d, r13d ; jz =>nobody);
            self.go_apart(next, here, any);
        }
        if !any {
            dynasm!(self.ops ; =>stay);
            self.go(next, here, true);
        }
    }

    /// esi = the channels of the thread that take a branch.
    fn taken_to_esi(&mut self, branch: &Branch) {
        let chosen = self.mask(&branch.masking, branch.lanes);
        if chosen == Chosen::All {
            dynasm!(self.ops ; mov esi, size(branch) as i32);
        }
        let offset = branch.masking.channel_offset;
        if offset != 0 {
            dynasm!(self.ops ; shl esi, offset as i8);
        }
        // Unless they are known, the mask is of those that execute.
        if self.channels != Channels::Any || branch.masking.no_mask {
            dynasm!(self.ops ; and esi, r13d);
        }
    }

    /// esi = the others of its channels that execute.
    fn rest_to_esi(&mut self, branch: &Branch) {
        let covered = size(branch) << branch.masking.channel_offset;
        dynasm!(self.ops ; not esi ; and esi, r13d);
        match covered {
            u32::MAX => {}
            0xff => dynasm!(self.ops ; movzx esi, sil),
            0xffff => dynasm!(self.ops ; movzx esi, si),
            _ => dynasm!(self.ops ; and esi, covered as i32),
        }
    }

    /// The channels in esi stop, to wait at an address.
    fn park(&mut self, ip: u32, (blocks, number): Here<'_>) {
        let park = if ip >= end(blocks, number) {
            self.park_ahead
        } else {
            self.park
        };
        dynasm!(self.ops ; mov edx, ip as i32 ; call =>park);
    }

    /// What branches call, if some of these blocks is for any channels.
    pub(crate) fn partings(&mut self, blocks: &[Block]) {
        if blocks.iter().any(|block| block.enabled == Channels::Any) {
            self.park_routine();
            self.wake_routine();
        }
    }

    /// The channels in esi, which execute, stop, to wait at edx, which may be ahead.
    fn park_routine(&mut self) {
        let (park, ahead) = (self.park, self.park_ahead);
        dynasm!(self.ops
            ; =>ahead
            ; cmp [BYTE rbx + NEXT_WAKE], edx
            ; jbe =>park
            ; mov [BYTE rbx + NEXT_WAKE], edx
            ; =>park
        );
        if self.isa >= HostIsa::Avx512 {
            self.wide_park();
        } else {
            self.narrow_park();
        }
        dynasm!(self.ops
            ; cmp [BYTE rbx + LOWEST_WAKE], edx
            ; jbe >kept
            ; mov [BYTE rbx + LOWEST_WAKE], edx
            ; kept:
            ; ret
        );
    }

    fn narrow_park(&mut self) {
        dynasm!(self.ops
            ; or [BYTE rbx + PARKED], esi
            ; vmovd xmm0, esi
            ; mov eax, esi
            ; not esi
            ; and r13d, esi
            ; mov [BYTE rbx + ACTIVE], r13d
            ; vmovd xmm1, edx
            ; vpbroadcastd ymm0, xmm0
            ; vpbroadcastd ymm1, xmm1
        );
        let low = self.ops.new_dynamic_label();
        for first in [0, 8, 16, 24] {
            match first {
                8 => dynasm!(self.ops ; test eax, !0xff ; jz =>low),
                16 => dynasm!(self.ops ; shr eax, 16 ; jz =>low),
                _ => {}
            }
            let bits = self.lane_bits(first, 4);
            let at = WAITING + 4 * first as i32;
            dynasm!(self.ops
                ; vmovdqu ymm2, [=>bits]
                ; vpand ymm3, ymm0, ymm2
                ; vpcmpeqd ymm3, ymm3, ymm2
                ; vmovdqu ymm4, [rbx + at]
                ; vblendvps ymm4, ymm4, ymm1, ymm3
                ; vmovdqu [rbx + at], ymm4
            );
        }
        dynasm!(self.ops ; =>low);
    }

    /// The channels that wait at edx execute.
    fn wake_routine(&mut self) {
        let wake = self.wake;
        dynasm!(self.ops ; =>wake);
        if self.isa >= HostIsa::Avx512 {
            return self.wide_wake();
        }
        dynasm!(self.ops
            ; vmovd xmm0, edx
            ; vpbroadcastd ymm0, xmm0
            ; vpcmpeqd ymm5, ymm5, ymm5
            // The lowest address of all, and of those beyond this one.
            ; vmovdqa ymm6, ymm5
            ; vmovdqa ymm7, ymm5
            ; xor eax, eax
        );
        let low = self.ops.new_dynamic_label();
        for first in [0i8, 8, 16, 24] {
            match first {
                8 => dynasm!(self.ops ; test DWORD [BYTE rbx + PARKED], !0xff ; jz =>low),
                16 => dynasm!(self.ops ; test DWORD [BYTE rbx + PARKED], !0xffff ; jz =>low),
                _ => {}
            }
            let at = WAITING + 4 * i32::from(first);
            dynasm!(self.ops
                ; vmovdqu ymm1, [rbx + at]
                ; vpcmpeqd ymm2, ymm1, ymm0
            );
            self.signs_to_ecx(2, false);
            dynasm!(self.ops
                ; shl ecx, first
                ; or eax, ecx
                ; vpor ymm1, ymm1, ymm2
                ; vmovdqu [rbx + at], ymm1
                ; vpminud ymm6, ymm6, ymm1
                ; vpmaxud ymm3, ymm1, ymm0
                ; vpcmpeqd ymm3, ymm3, ymm1
                ; vpandn ymm3, ymm3, ymm5
                ; vpor ymm3, ymm3, ymm1
                ; vpminud ymm7, ymm7, ymm3
            );
        }
        dynasm!(self.ops
            ; =>low
            ; vmovdqa ymm0, ymm6
            ; vmovdqa ymm1, ymm7
        );
        self.woken();
    }

    /// The channels in eax execute again. The addresses of others, and those of them that are beyond this place, are in
    /// the lanes of ymm0 and ymm1. The routine ends.
    pub(crate) fn woken(&mut self) {
        dynasm!(self.ops
            ; or r13d, eax
            ; mov [BYTE rbx + ACTIVE], r13d
            ; not eax
            ; and [BYTE rbx + PARKED], eax
            ; vextracti128 xmm2, ymm0, 1
            ; vextracti128 xmm3, ymm1, 1
            ; vpminud xmm0, xmm0, xmm2
            ; vpminud xmm1, xmm1, xmm3
            ; vpunpckldq xmm2, xmm0, xmm1
            ; vpunpckhdq xmm3, xmm0, xmm1
            ; vpminud xmm0, xmm2, xmm3
            ; vpshufd xmm1, xmm0, 0x4e
            ; vpminud xmm0, xmm0, xmm1
            ; vmovd [BYTE rbx + LOWEST_WAKE], xmm0
            ; vpextrd [BYTE rbx + NEXT_WAKE], xmm0, 1
            ; ret
        );
    }
}

/// The address behind a block.
fn end(blocks: &[Block], number: usize) -> u32 {
    blocks.get(number).map_or(0, |block| block.end_ip)
}

/// A bit for each channel of a branch.
fn size(branch: &Branch) -> u32 {
    u32::MAX >> (32 - u32::from(branch.lanes.clamp(1, 32)))
}

#[cfg(test)]
mod tests {
    use eu_lanes::{HostIsa, Modes};

    use super::*;
    use crate::model::{End, Grouping, Layout, Masking, Parting, Predicate, Rounding};

    /// Blocks of one branch each, for any channels, of which the last one leaves.
    fn blocks(stops: &[Stops]) -> Vec<Block> {
        let place = |number: usize| Target {
            ip: 16 * number as u32,
            block: Some(number as u32),
        };
        let branch = |(number, &stops): (usize, &Stops)| {
            End::Branch(Branch {
                masking: Masking {
                    predicate: Some(Predicate {
                        flag_bit: 0,
                        inverse: false,
                        grouping: Grouping::Own,
                    }),
                    ..Masking::OF_TESTS
                },
                lanes: 8,
                way: Way::Channels(Parting {
                    stops,
                    next: place(number + 1),
                    other: place(stops_at(stops).unwrap_or(number + 1)),
                }),
            })
        };
        let ends = stops.iter().enumerate().map(branch);
        let block = |(number, end): (usize, End)| Block {
            first: number as u32,
            enabled: Channels::Any,
            twin: None,
            ip: place(number).ip,
            end_ip: place(number + 1).ip,
            modes: Modes::default(),
            rounding: Rounding::Nearest,
            steps: Vec::new(),
            channels: 8,
            end,
        };
        ends.chain([End::Leave]).enumerate().map(block).collect()
    }

    /// The number of the block where channels stop.
    fn stops_at(stops: Stops) -> Option<usize> {
        match stops {
            Stops::Taken(ip) | Stops::Rest(ip) => Some(ip as usize / 16),
            Stops::Nobody | Stops::Loop => None,
        }
    }

    /// Where all channels go on with the next block, that is what little there is between the two.
    #[test]
    fn blocks_that_follow_each_other_lie_close_together() {
        for isa in HostIsa::ALL {
            let blocks = blocks(&[Stops::Rest(32), Stops::Taken(48), Stops::Nobody]);
            let mut translator = Translator::new(Layout::OF_TESTS, &blocks, isa);
            translator.frame();
            translator.partings(&blocks);
            for number in 0..blocks.len() {
                translator.block(&blocks, number);
            }
            let (_, starts) = translator.finish().expect("it assembles");
            let pairs = starts.windows(2);
            let lengths: Vec<usize> = pairs.map(|pair| pair[1].0 - pair[0].0).collect();
            assert!(lengths[0] <= 110, "{lengths:?}");
            assert!(lengths[2] <= 40, "{lengths:?}");
        }
    }
}
