//! Facts about layouts, as lines of text.
//!
//! ```text
//! header 71050000
//! length 15 in 7:0
//! field 4:31:30 uint SIMD Size
//! value SIMD Size 1 SIMD16
//! ```

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use devinfo::{Family, Span, span};

/// The families that genxml's files describe. What later ones change is in `changes.rs`.
pub const FAMILIES: Span = span!(..=Xe2);

/// Facts by layout and family.
#[derive(Debug, Default)]
pub struct Facts {
    /// Layout, then normal form, then the fact as written and its families.
    layouts: BTreeMap<String, Vec<(String, String, HashSet<Family>)>>,
}

/// A fact with its name reduced to letters and digits: genxml's spelling of
/// the same name varies between its files.
pub fn normal(fact: &str) -> String {
    let name = if fact.starts_with("field ") { 4 } else { 2 };
    let mut parts: Vec<String> = fact.splitn(name, ' ').map(str::to_owned).collect();
    if let Some(name) = parts.last_mut() {
        name.retain(|c| c.is_ascii_alphanumeric() || c == ':');
    }
    parts.join(" ").to_ascii_lowercase()
}

/// A fact of a body as a fact of the packet that holds it from dword `at` on.
pub fn shifted(fact: &str, at: u32) -> Option<String> {
    if fact.starts_with("value ") {
        return Some(fact.to_owned());
    }
    let (dword, rest) = fact.strip_prefix("field ")?.split_once(':')?;
    let dword: u32 = dword.parse().ok()?;
    Some(format!("field {}:{rest}", dword + at))
}

impl Facts {
    pub fn add(&mut self, layout: &str, family: Family, fact: String) {
        let key = normal(&fact);
        let facts = self.layouts.entry(layout.to_owned()).or_default();
        match facts.iter_mut().find(|(k, _, _)| *k == key) {
            Some((_, _, families)) => {
                families.insert(family);
            }
            None => facts.push((key, fact, HashSet::from([family]))),
        }
    }

    pub fn has(&self, layout: &str, family: Family, fact: &str) -> bool {
        let key = normal(fact);
        self.layouts.get(layout).is_some_and(|facts| {
            facts
                .iter()
                .any(|(k, _, families)| *k == key && families.contains(&family))
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, Family, &str)> {
        self.layouts.iter().flat_map(|(layout, facts)| {
            facts.iter().flat_map(move |(_, fact, families)| {
                families
                    .iter()
                    .map(move |&family| (layout.as_str(), family, fact.as_str()))
            })
        })
    }

    /// The committed form: families as letters, one fact a line.
    pub fn to_text(&self) -> String {
        let mut out = String::from(HEADER);
        for (layout, facts) in &self.layouts {
            let _ = writeln!(out, "\n{layout}");
            for (_, fact, families) in facts {
                let letters: String = FAMILIES
                    .families()
                    .filter(|family| families.contains(family))
                    .map(letter)
                    .collect();
                let _ = writeln!(out, "{letters} {fact}");
            }
        }
        out
    }

    pub fn parse(text: &str) -> Self {
        let mut facts = Facts::default();
        let mut layout = String::new();
        let mut fresh = false;
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            if line.is_empty() {
                fresh = true;
            } else if fresh {
                layout = line.to_owned();
                fresh = false;
            } else {
                let (letters, fact) = line.split_once(' ').expect("families, then the fact");
                for family in FAMILIES.families() {
                    if letters.contains(letter(family)) {
                        facts.add(&layout, family, fact.to_owned());
                    }
                }
            }
        }
        facts
    }
}

const HEADER: &str = "\
# Facts about packets and states, derived from genxml (Mesa, MIT licence).
# Rewritten by: GENXML_DIR=... BLESS=1 cargo test -p batchbuffer --test genxml
# A layout's name after a blank line, then a fact a line:
#   families: 8 Gen8, 9 Gen9, b Gen11, c Gen12LP, g XeHPG, p XeHPC, x Xe2
#   header: the fixed bits of dword 0
#   length: dwords (? when genxml does not say), bits of the length field
#   field: dword:high:low, type, name; [NxS]: array of N (0: to the end), stride S bits
#   value: of that field, number, name
";

fn letter(family: Family) -> char {
    match family {
        Family::Gen8 => '8',
        Family::Gen9 => '9',
        Family::Gen11 => 'b',
        Family::Gen12Lp => 'c',
        Family::XeHpg => 'g',
        Family::XeHpc => 'p',
        Family::Xe2 => 'x',
        Family::Xe3 => 'y',
    }
}
