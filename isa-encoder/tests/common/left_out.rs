//! What iga64 accepts but leaves out of the encoding. We refuse or encode it: text should not say
//! what the bytes do not.

use devinfo::Family;
use devinfo::Family::{Gen8, Gen9, Gen12Lp, Xe2, XeHpc, XeHpg};

/// One such form.
pub struct LeftOut {
    /// Where.
    pub families: &'static [Family],
    /// The text without it; `None` if the text does not have it.
    without: fn(&str) -> Option<String>,
    /// Why we do not follow.
    pub why: &'static str,
}

/// All of them. Each is checked: iga64's bytes are those of the text without it.
pub const LEFT_OUT: &[LeftOut] = &[
    LeftOut {
        families: &Family::ALL,
        without: |text| option(text, "Serialize"),
        why: "only sends of Gen12LP on have {Serialize}; elsewhere iga64 drops it",
    },
    LeftOut {
        families: &[Gen12Lp, XeHpg, XeHpc, Xe2],
        without: |text| option(text, "Switch"),
        why: "from Gen12LP on there is no thread switch; iga64 warns and drops it",
    },
    LeftOut {
        families: &[Gen8, Gen9],
        without: one_source_type,
        why: "align16 has one type for all sources, and on Gen9 a bit for half precision in \
              sources 1 and 2; iga64 writes the type of source 0 alone",
    },
    LeftOut {
        families: &[Gen8, Gen9],
        without: unit_stride,
        why: "align16 destinations have no stride; iga64 drops it",
    },
    LeftOut {
        families: &[Gen8, Gen9],
        without: general_source,
        why: "align16 sources are general registers; iga64 drops the file and keeps the number",
    },
    LeftOut {
        families: &[Gen12Lp, XeHpg],
        without: |text| {
            let text = text.strip_prefix("sync.")?;
            let null = text.replacen("r10.0<0;1,0>:ud", "null", 1);
            (null != text).then(|| format!("sync.{null}"))
        },
        why: "`sync` reads no general register; iga64 encodes null",
    },
];

/// In families whose three-source instructions are in align16 mode, there are no others of the
/// kind.
const ALIGN16: [&str; 5] = ["bfe", "bfi2", "csel", "lrp", "mad"];

/// The text without what iga64 leaves out, and the row that says so.
pub fn forms(family: Family, text: &str) -> impl Iterator<Item = (usize, String)> + '_ {
    let rows = LEFT_OUT.iter().enumerate();
    let rows = rows.filter(move |(_, row)| row.families.contains(&family));
    rows.filter_map(move |(index, row)| Some((index, (row.without)(text)?)))
}

fn option(text: &str, name: &str) -> Option<String> {
    let (before, options) = text.split_once('{')?;
    let is_send = before.contains("send");
    (!is_send && options == format!("{name}}}")).then(|| before.trim_end().to_owned())
}

fn is_align16(words: &[&str]) -> bool {
    words.iter().any(|word| ALIGN16.contains(word))
}

/// Sources 1 and 2 with the type of source 0.
fn one_source_type(text: &str) -> Option<String> {
    let mut words: Vec<&str> = text.split(' ').collect();
    if !is_align16(&words) {
        return None;
    }
    let last = words.iter().rposition(|word| word.starts_with('r'))?;
    let (_, ty) = words[last - 2].rsplit_once(':')?;
    let retyped = [last - 1, last].map(|index| {
        let (operand, _) = words[index].rsplit_once(':').unwrap_or((words[index], ""));
        format!("{operand}:{ty}")
    });
    words[last - 1] = &retyped[0];
    words[last] = &retyped[1];
    Some(words.join(" "))
}

fn unit_stride(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let with = text.replacen("r10.0<2>", "r10.0<1>", 1);
    (is_align16(&words) && with != text).then_some(with)
}

/// Architecture registers in sources as the general registers of the same number.
fn general_source(text: &str) -> Option<String> {
    let mut words: Vec<&str> = text.split(' ').collect();
    if !is_align16(&words) {
        return None;
    }
    let last = words.iter().rposition(|word| word.contains('<'))?;
    let numbers = [
        ("null<", "r0.0<"),
        ("a0.0<", "r0.0<"),
        ("acc0.0<", "r0.0<"),
        ("acc1.0<", "r1.0<"),
        ("acc2.0<", "r0.0<"),
        ("f0.0<", "r0.0<"),
    ];
    let general = [last - 2, last - 1, last].map(|index| {
        let word = words[index];
        let named = numbers.iter().find(|(from, _)| word.starts_with(from));
        named.map_or_else(|| word.to_owned(), |(from, to)| word.replacen(from, to, 1))
    });
    if words[last - 2..=last] == general.each_ref().map(String::as_str) {
        return None;
    }
    words.truncate(last - 2);
    Some(format!("{} {}", words.join(" "), general.join(" ")))
}
