//! Reads genxml.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use devinfo::Family;

use crate::facts::{Facts, shifted};

/// The file of a family in either naming; XeHPC has none of its own, its
/// layouts are those of the 12.5 generation but for listed exceptions.
fn files(family: Family) -> [&'static str; 2] {
    match family {
        Family::Gen8 => ["gen8.xml", "gen80.xml"],
        Family::Gen9 => ["gen9.xml", "gen90.xml"],
        Family::Gen11 => ["gen11.xml", "gen110.xml"],
        Family::Gen12Lp => ["gen12.xml", "gen120.xml"],
        Family::XeHpg | Family::XeHpc => ["gen125.xml", "gen125.xml"],
        Family::Xe2 => ["gen20.xml", "xe2.xml"],
        Family::Xe3 => ["gen30.xml", "xe3.xml"],
    }
}

#[derive(Clone, Debug)]
struct Field {
    name: String,
    start: u32,
    end: u32,
    kind: String,
    default: Option<u64>,
    values: Vec<(u64, String)>,
    /// Stride in bits and count.
    repeat: Option<(u32, u32)>,
}

#[derive(Clone, Debug)]
struct Element {
    instruction: bool,
    /// The engines whose command streamers know it.
    engines: Vec<String>,
    length: Option<u32>,
    bias: Option<u32>,
    fields: Vec<Field>,
}

#[derive(Clone, Debug, Default)]
struct Document {
    /// Instructions and structs by tag and name.
    elements: BTreeMap<(String, String), Element>,
    enums: BTreeMap<String, Vec<(u64, String)>>,
    registers: BTreeMap<String, u32>,
}

fn number(text: &str) -> u64 {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).expect("a hexadecimal number"),
        None => text.parse().expect("a number"),
    }
}

fn values(node: roxmltree::Node<'_, '_>) -> Vec<(u64, String)> {
    node.children()
        .filter(|n| n.has_tag_name("value"))
        .map(|n| {
            let value = number(n.attribute("value").expect("a value has a value"));
            (value, n.attribute("name").expect("and a name").to_owned())
        })
        .collect()
}

/// Both forms: start and end bit, or dword and bits.
fn position(node: roxmltree::Node<'_, '_>) -> (u32, u32) {
    if let Some(dword) = node.attribute("dword") {
        let base = number(dword) as u32 * 32;
        let bits = node.attribute("bits").expect("dword comes with bits");
        let (hi, lo) = bits.split_once(':').unwrap_or((bits, bits));
        (base + number(lo) as u32, base + number(hi) as u32)
    } else {
        let at = |name| number(node.attribute(name).expect("start and end")) as u32;
        (at("start"), at("end"))
    }
}

fn field(node: roxmltree::Node<'_, '_>, base: u32, repeat: Option<(u32, u32)>) -> Field {
    let (start, end) = position(node);
    Field {
        name: node.attribute("name").unwrap_or_default().to_owned(),
        start: base + start,
        end: base + end,
        kind: node
            .attribute("type")
            .expect("a field has a type")
            .to_owned(),
        default: node.attribute("default").map(number),
        values: values(node),
        repeat,
    }
}

fn load(folder: &Path, name: &str) -> Document {
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let xml = roxmltree::Document::parse(&text).expect("genxml is XML");
    let mut document = Document::default();
    for import in xml
        .root_element()
        .children()
        .filter(|n| n.has_tag_name("import"))
    {
        let excluded: BTreeSet<&str> = import
            .children()
            .filter(|n| n.has_tag_name("exclude"))
            .filter_map(|n| n.attribute("name"))
            .collect();
        let base = load(
            folder,
            import.attribute("name").expect("an import has a name"),
        );
        for (key, element) in base.elements {
            if !excluded.contains(key.1.as_str()) {
                document.elements.insert(key, element);
            }
        }
        for (name, values) in base.enums {
            if !excluded.contains(name.as_str()) {
                document.enums.insert(name, values);
            }
        }
        for (name, offset) in base.registers {
            if !excluded.contains(name.as_str()) {
                document.registers.insert(name, offset);
            }
        }
    }
    for node in xml
        .root_element()
        .children()
        .filter(roxmltree::Node::is_element)
    {
        let tag = node.tag_name().name();
        let Some(name) = node.attribute("name") else {
            continue;
        };
        match tag {
            "enum" => {
                document.enums.insert(name.to_owned(), values(node));
            }
            "register" => {
                let offset = node.attribute("num").expect("a register has a number");
                document
                    .registers
                    .insert(name.to_owned(), number(offset) as u32);
            }
            "instruction" | "struct" => {
                let mut fields = Vec::new();
                for child in node.children().filter(roxmltree::Node::is_element) {
                    match child.tag_name().name() {
                        "field" => fields.push(field(child, 0, None)),
                        "group" => group(child, &mut fields),
                        _ => {}
                    }
                }
                let element = Element {
                    instruction: tag == "instruction",
                    engines: engines(node),
                    length: node.attribute("length").map(|l| number(l) as u32),
                    bias: node.attribute("bias").map(|b| number(b) as u32),
                    fields,
                };
                document
                    .elements
                    .insert((tag.to_owned(), name.to_owned()), element);
            }
            _ => {}
        }
    }
    document
}

/// An instruction's engines.
fn engines(node: roxmltree::Node<'_, '_>) -> Vec<String> {
    let engines = node.attribute("engine").unwrap_or_default();
    engines.split('|').map(str::to_owned).collect()
}

/// The instructions of a family that some of `engines` know: name, engine, header and length. None if
/// the family has no file.
pub fn instructions(
    folder: &Path,
    family: Family,
    engines: &[&'static str],
) -> Vec<(String, &'static str, u32, Option<u32>)> {
    let mut names = files(family).into_iter();
    let Some(name) = names.find(|name| folder.join(name).is_file()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for ((tag, name), element) in load(folder, name).elements {
        let known = engines
            .iter()
            .find(|known| element.engines.iter().any(|engine| engine == *known));
        if let Some(engine) = known.filter(|_| tag == "instruction") {
            let fixed = element.fields.iter().filter(|field| field.end < 32);
            let header = fixed.filter_map(|field| field.default.map(|value| value << field.start));
            found.push((name, *engine, header.sum::<u64>() as u32, element.length));
        }
    }
    found
}

/// The offsets of a family's registers; empty if it has no file.
pub fn registers(folder: &Path, family: Family) -> BTreeMap<String, u32> {
    let mut names = files(family).into_iter();
    let name = names.find(|name| folder.join(name).is_file());
    name.map_or_else(BTreeMap::new, |name| load(folder, name).registers)
}

/// A group is an array. Where its first element is also written out before it,
/// as MI_LOAD_REGISTER_IMM has it, the array begins there.
fn group(node: roxmltree::Node<'_, '_>, fields: &mut Vec<Field>) {
    let (start, size) = match node.attribute("dword") {
        Some(dword) => (number(dword) as u32 * 32, "size"),
        None => {
            let start = node.attribute("start").expect("a group has a start");
            (number(start) as u32, "size")
        }
    };
    let size = number(node.attribute(size).expect("a group has a size")) as u32;
    let count = number(node.attribute("count").expect("a group has a count")) as u32;
    for child in node.children().filter(|n| n.has_tag_name("field")) {
        let element = field(child, start, Some((size, count)));
        match fields
            .iter_mut()
            .find(|f| f.name == element.name && f.repeat.is_none())
        {
            Some(first) => first.repeat = Some((size, count)),
            None => fields.push(element),
        }
    }
}

/// The bits of dword 0 that identify a packet, by its command type.
fn header_mask(header: u64) -> u64 {
    match header >> 29 {
        0 => 0xff80_0000,
        2 => 0xffc0_0000,
        5 => 0xfc00_0000,
        _ => 0xffff_0000,
    }
}

fn bits(field: &Field) -> u64 {
    if field.end >= 32 {
        return 0;
    }
    ((1u64 << (field.end + 1)) - 1) & !((1u64 << field.start) - 1)
}

fn element_facts(document: &Document, element: &Element) -> Vec<String> {
    let mut facts = Vec::new();
    let is_length = |f: &Field| element.instruction && f.name == "DWord Length";
    let defaults = element
        .fields
        .iter()
        .filter(|f| f.end < 32 && !is_length(f));
    let header: u64 = defaults
        .filter_map(|f| f.default.map(|d| d << f.start))
        .sum();
    let mask = header_mask(header);
    if element.instruction {
        facts.push(format!("header {:08x}", header & mask));
    }
    let length = match element.fields.iter().find(|f| is_length(f)) {
        Some(field) => {
            assert_eq!(
                element.bias,
                Some(2),
                "the length is biased by two everywhere"
            );
            format!(" in {}:{}", field.end, field.start)
        }
        None => String::new(),
    };
    match element.length {
        Some(dwords) => facts.push(format!("length {dwords}{length}")),
        None => facts.push(format!("length ?{length}")),
    }
    for field in &element.fields {
        let fixed = element.instruction && field.default.is_some() && bits(field) != 0;
        if is_length(field) || field.kind == "mbz" || (fixed && bits(field) & mask == bits(field)) {
            continue;
        }
        // A body is part of its packet.
        if let Some(body) = body(document, &field.kind) {
            let at = field.start / 32;
            facts.extend(
                element_facts(document, body)
                    .iter()
                    .filter_map(|f| shifted(f, at)),
            );
            continue;
        }
        let inner = document.enums.get(&field.kind);
        let kind = match field.kind.as_str() {
            _ if inner.is_some() => "uint".to_owned(),
            kind => match kind.split_once('.') {
                Some((whole, fraction)) => format!("{}.{fraction}", &whole[..1]),
                None => kind.to_owned(),
            },
        };
        let dword = field.start / 32;
        let repeat = match field.repeat {
            Some((stride, count)) => format!("[{count}x{stride}]"),
            None => String::new(),
        };
        facts.push(format!(
            "field {dword}:{}:{} {kind}{repeat} {}",
            field.end - dword * 32,
            field.start % 32,
            field.name
        ));
        let mut named = BTreeSet::new();
        for (value, name) in inner.into_iter().flatten().chain(&field.values) {
            // The first name of a value counts.
            if named.insert(*value) {
                facts.push(format!("value {} {value} {name}", field.name));
            }
        }
    }
    facts
}

fn body<'a>(document: &'a Document, kind: &str) -> Option<&'a Element> {
    kind.ends_with("_BODY")
        .then(|| {
            document
                .elements
                .get(&("struct".to_owned(), kind.to_owned()))
        })
        .flatten()
}

/// All facts of the packets and structures called `names`; of `header_only` just header and length.
pub fn derive(folder: &Path, names: &[&str], header_only: &[&str]) -> Facts {
    let mut facts = Facts::default();
    for family in crate::facts::FAMILIES.families() {
        let file = files(family)
            .into_iter()
            .find(|file| folder.join(file).exists())
            .unwrap_or_else(|| panic!("no genxml of {family} in {}", folder.display()));
        let document = load(folder, file);
        for ((_, name), element) in &document.elements {
            if names.contains(&name.as_str()) {
                let all = !header_only.contains(&name.as_str());
                let told =
                    |fact: &String| all || fact.starts_with("header") || fact.starts_with("length");
                for fact in element_facts(&document, element).into_iter().filter(told) {
                    facts.add(name, family, fact);
                }
            }
        }
    }
    facts
}
