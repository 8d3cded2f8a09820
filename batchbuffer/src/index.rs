//! Finds the packet of a header.

use std::sync::OnceLock;

use devinfo::Family;

use crate::layout::{Engine, Engines, header_mask};
use crate::packets::PacketId;

/// The packets of one family and engine: identifying header bits, sorted.
type Table = Vec<(u32, PacketId)>;

const ENGINES: [Engine; 5] = [
    Engine::Render,
    Engine::Compute,
    Engine::Blitter,
    Engine::Video,
    Engine::VideoEnhance,
];

/// The packet that `header` begins on that engine.
pub(crate) fn lookup(family: Family, engine: Engine, header: u32) -> Option<PacketId> {
    static TABLES: OnceLock<Vec<Table>> = OnceLock::new();
    let tables = TABLES.get_or_init(|| {
        Family::ALL
            .iter()
            .flat_map(|&family| ENGINES.iter().map(move |&engine| table(family, engine)))
            .collect()
    });
    let table = tables.get(family.index() * ENGINES.len() + engine as usize)?;
    let key = header & header_mask(header);
    let at = table.binary_search_by_key(&key, |entry| entry.0).ok()?;
    table.get(at).map(|entry| entry.1)
}

fn table(family: Family, engine: Engine) -> Table {
    let mut table: Table = PacketId::ALL
        .iter()
        .filter(|id| id.layout().engines.contains(Engines::from(engine)))
        .filter(|id| id.layout().length(family).is_some())
        .filter_map(|&id| id.layout().header.map(|header| (header, id)))
        .collect();
    table.sort_by_key(|entry| entry.0);
    table
}

/// The length that the command streamer's general rule gives to a header: one dword for MI opcodes
/// below 10h, otherwise bits 7:0 plus two (TGL PRM vol 2a, "Memory Interface Command Map" and
/// "Command Header Format").
pub(crate) fn general_length(header: u32) -> usize {
    match header >> 29 {
        0 if (header >> 23) & 0x3f < 0x10 => 1,
        _ => (header & 0xff) as usize + 2,
    }
}
