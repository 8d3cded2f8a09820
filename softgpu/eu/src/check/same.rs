//! Reports of one fault: compilers make several instructions of one of the source. A sub-group of 32 has one for each
//! half, and a loop that is unrolled one for each turn.

use super::rule::{Rule, Violation};

/// The most instructions that a report lists besides its own.
const LISTED: usize = 4;

/// A report, and what other instructions have broken the rule in the same way.
#[derive(Debug)]
pub(super) struct Found {
    violation: Violation,
    /// The report without what differs from channel to channel.
    shape: String,
    others: Vec<u64>,
}

/// Characters of the address of an object: all of its digits, as other numbers do not have them.
const ADDRESS: usize = "0x000240000000".len();

/// What a report says, without numbers of work-items, channels, bytes and values. Objects keep their addresses.
pub(super) fn shape(detail: &str) -> String {
    let detail = detail.split(" (perhaps").next().unwrap_or(detail);
    let words = detail.split_whitespace().filter(|word| {
        let number = word.trim_start_matches(['(', '+', '-']);
        let is_number = number.starts_with(|first: char| first.is_ascii_digit());
        let is_place = number.starts_with("0x") && number.len() >= ADDRESS;
        *word != "channel" && (!is_number || is_place)
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Who has broken the rule, in words.
fn who(violation: &Violation) -> &str {
    violation.detail.split(": ").next().unwrap_or_default()
}

impl Found {
    pub fn new(violation: Violation, shape: String) -> Self {
        Self {
            violation,
            shape,
            others: Vec::new(),
        }
    }

    /// Whether it has a report of an instruction.
    pub fn is_of(&self, rule: Rule, ip: u64) -> bool {
        self.violation.rule == rule && (self.violation.ip == ip || self.others.contains(&ip))
    }

    /// Takes another report of the same fault: whether it is one.
    pub fn takes(&mut self, other: &Violation, shape: &str) -> bool {
        let own = &self.violation;
        let same = own.rule == other.rule
            && own.kernel == other.kernel
            && own.source == other.source
            && self.shape == shape;
        if same {
            self.others.push(other.ip);
        }
        same
    }

    /// The report.
    pub fn finish(self) -> Violation {
        let Self {
            mut violation,
            others,
            ..
        } = self;
        if !others.is_empty() {
            let listed = others.iter().take(LISTED);
            let listed = listed.map(|ip| format!("+{:#x}", ip.wrapping_sub(violation.kernel)));
            let listed = listed.collect::<Vec<_>>().join(", ");
            let more = match others.len().saturating_sub(LISTED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            violation
                .detail
                .push_str(&format!("; the same at {listed}{more}"));
        }
        violation
    }
}

/// Leaves out accesses beyond shared local memory of channels that code tells of, too: it names the array.
pub(super) fn leave_out_told(new: &mut Vec<Violation>) {
    let told = new.iter().filter(|one| one.rule == Rule::ArrayBounds);
    let told: Vec<String> = told.map(|one| who(one).to_owned()).collect();
    new.retain(|one| one.rule != Rule::LocalBounds || !told.iter().any(|told| told == who(one)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_and_turns_are_one_fault() {
        let text = |channel: u32, at: u32, object: &str| {
            shape(&format!(
                "work-group (0, 0, 0), sub-group 3, channel {channel}: nothing has written the 4 bytes that it stores \
                 to byte {at:#x} of the buffer of 0x400 bytes at {object}"
            ))
        };
        let one = text(0, 0x180, "0x000240000000");
        assert_eq!(one, text(16, 0x1c0, "0x000240000000"));
        assert_ne!(one, text(16, 0x1c0, "0x000280000000"));
        let array = |name: &str| {
            shape(&format!(
                "it reads 4 bytes at byte 0x10 of the variable {name}, which has 0x10"
            ))
        };
        assert_eq!(array("a"), array("a"));
        assert_ne!(array("a"), array("b"));
    }
}
