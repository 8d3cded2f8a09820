//! What code tells that was added to a kernel before it was compiled: of accesses that leave their array or
//! are not aligned to their type, and that its channels are in order by barriers alone.

use devinfo::report::{self, Report};

use super::Checks;
use super::access::{Access, What};
use super::rule::Rule;

/// Bytes of a report, and of a name.
const PART: usize = 16;
/// Channels.
const CHANNELS: usize = 32;

/// What channels have stored last of one of the two parts.
#[derive(Debug, Default)]
struct Part {
    channels: [[u8; PART]; CHANNELS],
    /// The messages in which each stored its first byte.
    begun: [u32; CHANNELS],
    /// What any has stored: of what is the same for all, each channel may store some bytes.
    together: [u8; PART],
    /// The last message that stored something.
    message: u32,
}

impl Part {
    fn store(&mut self, channel: usize, at: usize, data: &[u8], message: u32) {
        self.message = message;
        if at == 0 {
            self.begun[channel] = message;
        }
        for bytes in [&mut self.channels[channel], &mut self.together] {
            let part = bytes.iter_mut().skip(at).zip(data);
            part.for_each(|(to, from)| *to = *from);
        }
    }

    /// What a channel has, and whether it is its own.
    fn of(&self, channel: usize) -> ([u8; PART], bool) {
        match self.begun[channel] == self.message {
            true => (self.channels[channel], true),
            false => (self.together, false),
        }
    }
}

/// What channels have stored of their next report.
#[derive(Debug, Default)]
pub(super) struct Reports {
    report: Part,
    name: Part,
}

/// Whether reports go to an address, and not to memory.
pub(crate) fn is_report(address: u64) -> bool {
    address.wrapping_sub(report::ADDRESS) < report::SLOTS * report::SLOT
}

/// The direction that a report is of.
fn direction(told: Report) -> char {
    let directions = ['x', 'y', 'z'];
    let known = directions.get((told.what & report::BYTES) as usize);
    known.copied().unwrap_or('?')
}

/// What an access does.
fn verb(told: Report) -> &'static str {
    match told.what & report::WRITES {
        0 => "reads",
        _ => "writes",
    }
}

impl Checks {
    /// Whether the launch's kernel comes from a language without lockstep. Code that was added tells what its
    /// channels do together.
    pub(crate) fn is_apart(&self) -> bool {
        self.apart.get()
    }

    /// An access of an address where reports go.
    pub(super) fn hears(&self, address: u64, access: &Access<'_>) {
        let What::Write { data, .. } = &access.what else {
            return;
        };
        let at = (address % report::SLOT) as usize;
        let channel = usize::from(access.lane.unwrap_or(0)) % CHANNELS;
        let message = self.messages.get();
        let mut reports = self.reports.borrow_mut();
        if at >= PART {
            return reports.name.store(channel, at - PART, data, message);
        }
        reports.report.store(channel, at, data, message);
        if at + data.len() < PART {
            return;
        }
        let (bytes, own) = reports.report.of(channel);
        let (name, _) = reports.name.of(channel);
        drop(reports);
        let words = bytes.as_chunks::<4>().0;
        let told = Report::of(std::array::from_fn(|word| u32::from_le_bytes(words[word])));
        if told.what & report::APART != 0 {
            // Compilers move what a thread does first before it, so others are told of, too.
            self.apart.set(true);
            self.no_threes.set(told.what & report::THREES == 0);
            let mut group = self.group.borrow_mut();
            group
                .threads
                .iter_mut()
                .for_each(|order| order.apart = true);
        }
        if told.what & report::GAPS != 0 {
            return self
                .gaps
                .borrow_mut()
                .add(told.offset.cast_unsigned(), told.size);
        }
        if told.what & report::ORDERS != 0 {
            return self.hears_of_order(told);
        }
        let lane = access.lane.filter(|_| own && !self.whole.get());
        if told.what & (report::SHUFFLES | report::TOGETHER) != 0 {
            return self.hears_of_sub_group(lane, told);
        }
        if told.what & report::ALIKE != 0 {
            return self.compares(lane, told);
        }
        if told.what & report::BROKEN != 0 && told.what & report::MISALIGNED != 0 {
            let rule = match told.what & report::BLOCK {
                0 => Rule::ElementAlignment,
                _ => Rule::BlockWriteAlignment,
            };
            return self.report(rule, || self.misaligned(lane, told));
        }
        if told.what & report::BROKEN != 0 && told.what & report::TEXEL != 0 {
            return self.report(Rule::SurfaceBounds, || {
                format!(
                    "{}: it reads a texel whose {} is {}, of an image that has {} there",
                    self.who(lane),
                    direction(told),
                    told.offset,
                    told.size
                )
            });
        }
        if told.what & report::BROKEN != 0 && told.what & report::ITEM != 0 {
            return self.report(Rule::InactiveChannel, || {
                let who = self.who(lane);
                format!(
                    "{who}: it reads the value of the work-item whose {} is {}, and the group has {} there",
                    direction(told),
                    told.offset,
                    told.size
                )
            });
        }
        if told.what & report::BROKEN != 0 && told.what & report::PACKET != 0 {
            return self.report(Rule::ArrayBounds, || {
                let (who, verb) = (self.who(lane), verb(told));
                let (index, count) = (told.offset, told.size);
                format!("{who}: it {verb} packet {index} of a reservation that has {count}")
            });
        }
        if told.what & report::BROKEN != 0 {
            self.report(Rule::ArrayBounds, || self.array(lane, &name, told));
        }
    }

    /// A report of a misaligned access in words.
    fn misaligned(&self, lane: Option<u8>, told: Report) -> String {
        let verb = verb(told);
        let address = told.offset.cast_unsigned();
        let (who, aligned) = (self.who(lane), told.size);
        if told.what & report::BLOCK != 0 {
            return format!(
                "{who}: it {verb} a block at {address:#x}, which is no multiple of {aligned}"
            );
        }
        let bytes = told.what & report::BYTES;
        format!(
            "{who}: it {verb} {bytes} bytes at {address:#x}, and their type is aligned to {aligned}"
        )
    }

    /// A report of an array in words.
    fn array(&self, lane: Option<u8>, name: &[u8], told: Report) -> String {
        let end = name.iter().position(|byte| *byte == 0);
        let name = String::from_utf8_lossy(name.get(..end.unwrap_or(name.len())).unwrap_or(name));
        let has = |bit: u32| told.what & bit != 0;
        let verb = verb(told);
        let kinds = [
            (report::LOCAL, "shared local "),
            (report::PRIVATE, "private "),
            (report::GLOBAL, "global or constant "),
        ];
        let kind = kinds.into_iter().find(|(bit, _)| has(*bit));
        let kind = kind.map_or("", |(_, kind)| kind);
        let (at, before) = match told.offset {
            at @ 0.. => (at.unsigned_abs(), "at byte"),
            at => (at.unsigned_abs(), "at byte -"),
        };
        let gap = if told.offset < 0 { "" } else { " " };
        format!(
            "{}: it {verb} {} bytes {before}{gap}{at:#x} of the {kind}variable {name}, which has {:#x}",
            self.who(lane),
            told.what & report::BYTES,
            told.size,
        )
    }
}
