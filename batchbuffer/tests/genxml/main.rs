//! Checks every declared layout against genxml, field by field.
//!
//! genxml is Mesa's machine-readable form of the manuals' packet layouts. With
//! `GENXML_DIR` naming the folder of its XML files (either generation of their
//! format), the facts about the packets that we declare are derived from it and
//! must equal the committed table `facts.txt`; `BLESS=1` rewrites the
//! table. Without it, the table alone is used: everything but the derivation is
//! checked still, so that is no failure even with `ORACLES=required`, which is
//! about what can be installed.

#![cfg(test)]

mod changes;
mod declared;
mod exceptions;
mod facts;
mod xml;

use std::path::{Path, PathBuf};

use batchbuffer::{Engine, decode, registers};
use facts::{Facts, normal};

fn table_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/genxml/facts.txt")
}

fn table() -> Facts {
    let text = std::fs::read_to_string(table_path()).expect("facts.txt is committed");
    Facts::parse(&text)
}

#[test]
fn the_table_is_what_genxml_says() {
    // The committed table is checked all the same.
    let Some(folder) = oracles::variable("GENXML_DIR", "folder with Mesa's packet descriptions")
    else {
        return;
    };
    let derived = xml::derive(
        Path::new(&folder),
        &declared::names(),
        &declared::header_only(),
    );
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(table_path(), derived.to_text()).expect("facts.txt can be written");
    }
    let committed = table();
    let mut differences = Vec::new();
    for (layout, family, fact) in derived.iter() {
        if !committed.has(layout, family, fact) {
            differences.push(format!("not in facts.txt: {layout} {family}: {fact}"));
        }
    }
    for (layout, family, fact) in committed.iter() {
        if !derived.has(layout, family, fact) {
            differences.push(format!("not in genxml: {layout} {family}: {fact}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn every_fact_of_genxml_is_declared() {
    let table = table();
    let declared = declared::facts(facts::FAMILIES);
    let mut missing = Vec::new();
    let mut used = vec![false; exceptions::NOT_DECLARED.len()];
    for (layout, family, fact) in table.iter() {
        if declared.has(layout, family, fact) {
            continue;
        }
        match exceptions::NOT_DECLARED
            .iter()
            .position(|e| e.covers(layout, family, fact))
        {
            Some(at) => used[at] = true,
            None => missing.push(format!("{layout} {family}: {fact}")),
        }
    }
    for (exception, used) in exceptions::NOT_DECLARED.iter().zip(used) {
        if !used {
            missing.push(format!("needless exception: {exception:?}"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_declared_fact_is_in_genxml() {
    let table = table();
    let declared = declared::facts(facts::FAMILIES);
    let mut unknown = Vec::new();
    let mut used = vec![false; exceptions::NOT_IN_GENXML.len()];
    for (layout, family, fact) in declared.iter() {
        // Value sets are shared by families, so a set may name values that one
        // of them lacks; the other direction is checked above.
        if fact.starts_with("value ") || table.has(layout, family, fact) {
            continue;
        }
        match exceptions::NOT_IN_GENXML
            .iter()
            .position(|e| e.covers(layout, family, fact))
        {
            Some(at) => used[at] = true,
            None => unknown.push(format!("{layout} {family}: {fact}")),
        }
    }
    for (exception, used) in exceptions::NOT_IN_GENXML.iter().zip(used) {
        if !used {
            unknown.push(format!("needless exception: {exception:?}"));
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

#[test]
fn the_table_covers_all_families() {
    let table = table();
    for family in facts::FAMILIES.families() {
        let count = table.iter().filter(|(_, f, _)| *f == family).count();
        assert!(count > 500, "{family}: only {count} facts");
    }
    assert_eq!(
        normal("field 4:31:30 uint SIMD Size"),
        normal("field 4:31:30 uint SIMDsize")
    );
    assert_ne!(normal("field 4:3:0 uint A"), normal("field 4:30:0 uint A"));
}

/// Instructions of genxml that the driver does not declare, and the software GPU refuses: they start
/// threads, or draw.
const REFUSED: [&str; 5] = [
    "3DPRIMITIVE_EXTENDED",
    "MEDIA_OBJECT",
    "MEDIA_OBJECT_GRPID",
    "MEDIA_OBJECT_PRT",
    "MEDIA_OBJECT_WALKER",
];

/// What a driver may put into a batch is found again: nothing behind it is taken for a command.
#[test]
fn every_instruction_of_genxml_has_a_length() {
    let Some(folder) = oracles::variable("GENXML_DIR", "folder with Mesa's packet descriptions")
    else {
        return;
    };
    let engines = [("render", Engine::Render), ("blitter", Engine::Blitter)];
    let names = engines.map(|(name, _)| name);
    let mut seen = 0;
    let mut differences = Vec::new();
    for family in devinfo::Family::ALL {
        for (name, engine, header, length) in xml::instructions(Path::new(&folder), family, &names)
        {
            if REFUSED.contains(&name.as_str()) {
                continue;
            }
            seen += 1;
            let engine = engines.iter().find(|(name, _)| *name == engine).unwrap().1;
            let mut dwords = vec![0; 0x1000];
            dwords[0] = header;
            match decode(family, engine, &dwords) {
                Ok(packet) if packet.id.layout().name != name => {
                    let other = packet.id.layout().name;
                    differences.push(format!("{family}: {name} ({header:#010x}) is {other}"));
                }
                Ok(packet) => {
                    let found = length.is_some_and(|length| length as usize != packet.len());
                    if found && packet.issue.is_some() {
                        differences.push(format!("{family}: {name} has {length:?} dwords"));
                    }
                }
                Err(error) => differences.push(format!("{family}: {name}: {error}")),
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(seen > 700, "{seen}");
}

/// Registers that genxml calls otherwise than the table.
const OTHER_NAMES: [(&str, &str); 2] = [
    ("INSTDONE_1", "RCS_INSTDONE"),
    ("CS_INVOCATION_COUNT", "RCS_GPGPU_THREADS_DISPATCHED"),
];

#[test]
fn registers_have_the_names_that_genxml_gives_them() {
    let Some(folder) = oracles::variable("GENXML_DIR", "folder with Mesa's packet descriptions")
    else {
        return;
    };
    let mut seen = 0;
    let mut differences = Vec::new();
    // XeHPC's file is another family's.
    let families = devinfo::Family::ALL.into_iter();
    for family in families.filter(|family| *family != devinfo::Family::XeHpc) {
        for (name, offset) in xml::registers(Path::new(&folder), family) {
            // Video's engines are not ours, and CCS_INSTDONE is where no compute engine is.
            if ["VCS", "VECS", "CCS"]
                .iter()
                .any(|engine| name.starts_with(engine))
            {
                continue;
            }
            let other = OTHER_NAMES.iter().find(|(theirs, _)| *theirs == name);
            let wanted = other.map_or(name.as_str(), |(_, ours)| *ours);
            match registers::name(family, offset).map(|name| name.to_string()) {
                Some(ours)
                    if ours.trim_start_matches("RCS_") == wanted.trim_start_matches("RCS_") =>
                {
                    seen += 1;
                }
                ours => {
                    differences.push(format!("{family}: {offset:#x} is {wanted}, not {ours:?}"))
                }
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(seen > 300, "{seen}");
}
