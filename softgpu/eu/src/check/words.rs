//! Who accesses the words of programs' memory, and what nothing orders.

use super::access::{Access, What, Where};
use super::cell::{Conflict, Touch, graver};
use super::checks::Checks;
use super::doubts::Clash;
use super::findings::Purpose;
use super::group::Group;
use super::line::LINE;
use super::mark::{ALL, By, Mark};
use super::now::Now;
use super::order::{Doing, Side};

/// The most bytes of a number that all channels read as one, where the source is not known.
const SHARED: u64 = 8;

impl Checks {
    /// Records who accesses what programs' objects have, and reports what nothing orders.
    pub(super) fn order_programs(
        &self,
        (place, purpose): (Where, Option<Purpose>),
        address: u64,
        width: u64,
        access: &Access<'_>,
    ) {
        // What is not a program's is a thread's own, and that of the next in its slot.
        let programs = matches!(purpose, Some(Purpose::Buffer | Purpose::Image));
        if place == Where::Local || programs || !self.extents.knows_objects() {
            let by_slot = place != Where::Local && !programs;
            self.order_words(place, address, width, access, by_slot);
        }
    }
    /// Records who accesses the words, and reports what nothing orders.
    fn order_words(
        &self,
        place: Where,
        address: u64,
        width: u64,
        access: &Access<'_>,
        by_slot: bool,
    ) {
        let mut group = self.group.borrow_mut();
        let index = self.thread.get() as usize;
        let (Some(order), Some(&slot)) = (group.threads.get(index), group.slots.get(index)) else {
            return;
        };
        let side = if place == Where::Local {
            Side::Local
        } else {
            Side::Global
        };
        let emulates = order.doing == Doing::Atomic && side == Side::Local;
        let touch = match &access.what {
            What::Read { .. } if emulates => Touch::AtomicRead,
            What::Write { .. } if emulates => Touch::Atomic,
            What::Read { .. } if self.sampled.get() => Touch::Sample,
            What::Read { .. } => Touch::Read,
            What::Write { .. } => Touch::Write,
            // That it writes nothing is known only where code tells it.
            What::Atomic { .. } if order.apart && side == Side::Global && order.sync.loads => {
                Touch::AtomicRead
            }
            What::Atomic { .. } => Touch::Atomic,
        };
        let is_atomic = matches!(touch, Touch::Atomic | Touch::AtomicRead);
        let own = group.first + index as u32;
        // A message of the whole thread is that of the one channel that is there. Compilers make one atomic
        // operation of those of all that are, and one read of what is the same for all. (Without source, what has
        // more bytes may be a block, of which each channel reads a part.)
        let active = self.here.get().active;
        let is_block = match order.apart {
            true => order.doing == Doing::LocalBlock,
            false => width > SHARED,
        };
        let shared = touch == Touch::Read && side == Side::Local && !is_block;
        let whose = match (self.whole.get(), active.count_ones()) {
            (true, 1) => Some(active.trailing_zeros() as u8),
            (true, 2..) if is_atomic || shared => Some(ALL),
            _ => None,
        };
        let mut mark = Mark {
            thread: own,
            clock: order.clock,
            ip: self.ip() as u32,
            message: self.messages.get(),
            value: 0,
            slot,
            lanes: [0; 4],
            bytes: 0,
            own: 0,
            by: match order.doing {
                _ if is_atomic => By::Atomic {
                    narrow: order.sync.narrow,
                },
                // What a thread keeps for itself is no part of a copy.
                Doing::Copy(event) if !by_slot => By::Copy(event),
                _ => By::Plain,
            },
            row: false,
            apart: order.apart && (whose.is_some() || access.lane.is_some() && !self.whole.get()),
        };
        if is_atomic {
            let (count, step) = match access.row {
                true => (width / 4, 4),
                false => (1, 0),
            };
            for element in 0..count {
                let lane = whose.or(access.lane_of((element * step) as usize));
                let lanes = lane.filter(|lane| *lane != ALL);
                let lanes = lanes.map_or(active, |lane| 1 << (lane % 32));
                // Of texels it is not known whether the result is wanted.
                let learns = place == Where::Image
                    || matches!(
                        access.what,
                        What::Atomic {
                            result: Some(_),
                            ..
                        }
                    );
                let fails = match access.what {
                    What::Atomic { fails, .. } => fails >> element & 1 != 0,
                    What::Read { .. } | What::Write { .. } => false,
                };
                let at = address + element * step;
                self.tell(&mut group, (side, at), index, (lanes, learns, fails));
            }
        }
        let unread = |from: u64| self.is_unread(&access.what, from - address);
        let gaps = !self.message.borrow().unread.is_empty();
        let mut memory = self.memory();
        let blind = memory.overflow;
        let end = address.saturating_add(width);
        let mut at = address & !3;
        let mut worst: Option<(u64, Conflict)> = None;
        while at < end {
            let whole = (access.row || access.lane.is_none())
                && !is_atomic
                && !gaps
                && at.is_multiple_of(4 * LINE as u64)
                && end - at >= 4 * LINE as u64;
            let from = at.max(address);
            let until = match whole {
                true => at + 4 * LINE as u64,
                false => end.min(at + 4),
            };
            if gaps && unread(from) {
                at = until.next_multiple_of(4);
                continue;
            }
            let lane = access.lane_of((from - address) as usize);
            mark.lanes = [whose.or(lane).unwrap_or(0); 4];
            let data = match &access.what {
                What::Write { data, .. } => {
                    let range = (from - address) as usize..(until - address) as usize;
                    data.get(range).unwrap_or_default()
                }
                What::Read { .. } | What::Atomic { .. } => &[],
            };
            let Group {
                threads,
                lines,
                first,
                doubts,
                ..
            } = &mut *group;
            let Some(order) = threads.get(index) else {
                return;
            };
            let now = Now {
                place,
                touch,
                order,
                threads,
                first: *first,
                own,
                slot: by_slot.then_some(slot),
                launch: self.first,
                blind,
                local_in_order: self.local_in_order,
                // Atomic operations, and loads past the cache, see what others have written.
                cached: self.caches && touch == Touch::Read && !self.uncached.get(),
            };
            let relation =
                |earlier: &Mark, mark: &Mark, writes| now.relation(earlier, mark, writes);
            let line = match side {
                Side::Local => lines.get_mut(at as usize / (4 * LINE)),
                Side::Global | Side::Sampler | Side::Texels => Some(memory.line(at)),
            };
            let found = match line {
                None => None,
                Some(line) if whole => {
                    (mark.bytes, mark.own) = (0xf, 0xf);
                    mark.row = access.row && whose.is_none();
                    let mut values = [0; LINE];
                    for (value, bytes) in values.iter_mut().zip(data.as_chunks().0) {
                        *value = u32::from_le_bytes(*bytes);
                    }
                    line.touch(touch, mark, &values, relation)
                }
                Some(line) => {
                    let ones = 0xf >> (4 - (until - from));
                    mark.bytes = ones << (from - at);
                    (mark.own, mark.row) = (mark.bytes, false);
                    let mut word = [0; 4];
                    for (to, byte) in word.iter_mut().skip((from - at) as usize).zip(data) {
                        *to = *byte;
                    }
                    mark.value = u32::from_le_bytes(word);
                    let cell = line.cell((at / 4) as usize);
                    if place == Where::Local && touch == Touch::Atomic {
                        doubts.settle((own, mark.channel()), at, cell.peeked(&mark));
                    }
                    cell.touch(touch, mark, relation).map(|found| (0, found))
                }
            };
            let found = found.map(|(word, conflict)| (from + 4 * word as u64, conflict));
            worst = graver(worst, found);
            at = until.next_multiple_of(4);
        }
        drop(memory);
        let Some((at, conflict)) = worst else {
            return;
        };
        let clash = Clash {
            place,
            address: at,
            touch,
            ip: self.ip(),
            thread: own,
            apart: mark.apart,
            lane: whose.or_else(|| access.lane_of(at.saturating_sub(address) as usize)),
            conflict,
        };
        match (conflict.doubtful, place) {
            (true, Where::Local) => group.doubts.add(clash),
            // Programs poll words of buffers that others change.
            (true, _) => {}
            (false, _) => {
                drop(group);
                self.report_conflict(&clash);
            }
        }
    }

    /// Whether nothing reads what the message loads so many bytes behind the access's first.
    fn is_unread(&self, what: &What<'_>, byte: u64) -> bool {
        let What::Read { at, .. } = what else {
            return false;
        };
        let unread = &self.message.borrow().unread;
        unread
            .iter()
            .any(|range| range.contains(&(at + byte as usize)))
    }

    /// An atomic of these channels tells others what its thread knows, and learns what others have told.
    fn tell(
        &self,
        group: &mut Group,
        (side, address): (Side, u64),
        index: usize,
        (lanes, learns, fails): (u32, bool, bool),
    ) {
        let told = match side {
            Side::Local => group.told.get(&address).cloned(),
            Side::Global | Side::Sampler | Side::Texels => self.memory().told(address, group.first),
        };
        let (first, members) = (group.first, group.members());
        let Some(order) = group.threads.get_mut(index) else {
            return;
        };
        order.settle();
        // Compilers move operations on shared local memory past what is told of them.
        let apart = order.apart && side != Side::Local;
        let lanes = if apart { lanes } else { u32::MAX };
        let sync = match fails && apart {
            true => order.sync.otherwise(),
            false => order.sync,
        };
        // Who does not look at what is there learns nothing: a lock that is asked for once, and not until it is free.
        let learns = learns || !order.apart;
        if learns && let Some(told) = &told {
            match apart {
                true => order.heard.hear_by(lanes, told, &sync, &members),
                false => order.heard.hear(told),
            }
        }
        if apart && sync.loads {
            return;
        }
        let in_order = self.local_in_order;
        let own = first + index as u32;
        let Some(order) = group.threads.get(index) else {
            return;
        };
        let asked = apart.then_some(&sync);
        let word = order.release(own, lanes, &group.threads, first, (asked, in_order));
        if let Some(order) = group.threads.get_mut(index) {
            // Of those channels for which this is one operation, the last one acquires what the others release.
            if apart && !lanes.is_power_of_two() {
                order.heard.hear_by(lanes, &word, &sync, &members);
            } else if order.apart && !apart && sync.acquires && sync.releases {
                order.heard.hear(&word);
            }
            if in_order && side == Side::Local {
                order.told();
            }
        }
        match side {
            Side::Local if word.is_empty() => {}
            Side::Local => {
                group.told.insert(address, word);
            }
            Side::Global | Side::Sampler | Side::Texels => {
                let mut memory = self.memory();
                // What comes after a release, in whatever order, goes on telling what that did, but for what
                // another thread stores. Without an order, a thread knows and tells all that was told.
                let renews = match apart {
                    true => sync.stores && memory.is_told_by_another(address, own),
                    false => !word.is_empty(),
                };
                if renews {
                    memory.forget(address);
                }
                memory.tell(address, (own, first), &word);
            }
        }
    }
}
