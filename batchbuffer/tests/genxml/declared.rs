//! Our declarations as facts.

use batchbuffer::{Kind, Layout, PacketId, states};
use devinfo::{Family, Span};

use crate::facts::{Facts, shifted};

fn layouts() -> impl Iterator<Item = &'static Layout> {
    let packets = PacketId::ALL.iter().map(|id| id.layout());
    packets.chain(states::ALL.iter().copied())
}

/// The names of everything that is declared.
pub fn names() -> Vec<&'static str> {
    layouts().map(|layout| layout.name).collect()
}

/// The names of the packets of which no field is declared.
pub fn header_only() -> Vec<&'static str> {
    let layouts = layouts().filter(|layout| is_header_only(layout));
    layouts.map(|layout| layout.name).collect()
}

/// Whether only header and length of a packet are declared: the 3D pipeline's.
fn is_header_only(layout: &Layout) -> bool {
    let id = PacketId::ALL
        .iter()
        .find(|id| id.layout().name == layout.name);
    id.is_some_and(|id| id.is_pipeline_state() || id.draws())
}

fn kind(kind: &Kind) -> String {
    match kind {
        Kind::Uint | Kind::Values(_) => "uint".to_owned(),
        Kind::Int => "int".to_owned(),
        Kind::Bool => "bool".to_owned(),
        Kind::Address => "address".to_owned(),
        Kind::Offset | Kind::Register => "offset".to_owned(),
        Kind::Float => "float".to_owned(),
        Kind::One => "mbo".to_owned(),
        Kind::Fixed { fraction, signed } => {
            format!("{}{fraction}", if *signed { "s." } else { "u." })
        }
        Kind::State(inner) => inner.name.to_owned(),
    }
}

fn field_facts(layout: &Layout, family: Family) -> Vec<String> {
    let mut facts = Vec::new();
    for field in layout.fields {
        let Some(row) = field.row(family) else {
            continue;
        };
        if let Kind::State(body) = row.kind
            && body.name.ends_with("_BODY")
        {
            let at = u32::from(row.dword);
            facts.extend(
                field_facts(body, family)
                    .iter()
                    .filter_map(|f| shifted(f, at)),
            );
            continue;
        }
        let repeat = match row.repeat {
            Some(r) => format!("[{}x{}]", r.count, r.stride),
            None => String::new(),
        };
        facts.push(format!(
            "field {}:{}:{} {}{repeat} {}",
            row.dword,
            row.hi,
            row.lo,
            kind(&row.kind),
            field.name
        ));
        if let Kind::Values(values) = row.kind {
            for (name, value) in values {
                facts.push(format!("value {} {value} {name}", field.name));
            }
        }
    }
    facts
}

/// What is declared of `families`.
pub fn facts(families: Span) -> Facts {
    let mut facts = Facts::default();
    for layout in layouts() {
        for family in families.families() {
            let Some(length) = layout.length(family) else {
                continue;
            };
            if let Some(header) = layout.header {
                facts.add(layout.name, family, format!("header {header:08x}"));
            }
            let bits = match length.field {
                Some((hi, lo)) => format!(" in {hi}:{lo}"),
                None => String::new(),
            };
            // genxml gives no length to a packet that has more than one.
            let dwords = match length.open && is_header_only(layout) {
                true => "?".to_owned(),
                false => length.dwords.to_string(),
            };
            facts.add(layout.name, family, format!("length {dwords}{bits}"));
            for fact in field_facts(layout, family) {
                facts.add(layout.name, family, fact);
            }
        }
    }
    facts
}
