//! The file's packets.

use std::fmt;
use std::ops::Range;

use batchbuffer::registers;
use devinfo::Family;

/// A packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Packet<'a> {
    /// What wrote the file.
    Version {
        /// The simulator's number of the device.
        device: u32,
        /// The tool's name.
        tool: String,
    },
    /// A remark.
    Comment(String),
    /// A register is written.
    WriteRegister {
        /// Its offset.
        offset: u32,
        /// The bits that are written.
        mask: u32,
        /// What.
        value: u32,
    },
    /// A register is read until its bits in the mask have a value, or until they do not.
    PollRegister {
        /// Its offset.
        offset: u32,
        /// The bits that count.
        mask: u32,
        /// What they are compared with.
        value: u32,
        /// Whether they must differ from it.
        differs: bool,
    },
    /// A register's bits are compared.
    CompareRegister {
        /// Its offset.
        offset: u32,
        /// The bits that count.
        mask: u32,
        /// What they must be.
        value: u32,
    },
    /// Memory is written.
    Write {
        /// In which space the address counts.
        space: Space,
        /// Where.
        address: u64,
        /// What.
        data: &'a [u8],
    },
    /// Memory is compared.
    Compare {
        /// In which space the address counts.
        space: Space,
        /// Where.
        address: u64,
        /// What.
        data: &'a [u8],
        /// Whether it must differ.
        differs: bool,
    },
    /// A page table is named. Nothing depends on it: context images name them, too.
    Context,
}

impl Packet<'_> {
    /// The bytes of the packet, as [`Packets`] reads them.
    pub fn encode(&self) -> Vec<u8> {
        let register = |sub, [offset, flags, mask, value]: [u32; 4]| {
            encode(sub, &[offset, REGISTER | flags, mask, 0, value], &[])
        };
        let memory = |sub, space: Space, address: u64, flags: u32, data: &[u8]| {
            let place = [address as u32, (address >> 32) as u32];
            let flags = space.number() << 28 | flags;
            encode(sub, &[place[0], place[1], flags, data.len() as u32], data)
        };
        match self {
            Self::Version { device, tool } => {
                let text = [tool.as_bytes(), &[0]].concat();
                encode(sub::VERSION, &[0, device << 8, 0, 0], &text)
            }
            Self::Comment(text) => {
                let text = [text.as_bytes(), &[0]].concat();
                encode(sub::COMMENT, &[0], &text)
            }
            Self::WriteRegister {
                offset,
                mask,
                value,
            } => register(sub::WRITE_REGISTER, [*offset, 0, *mask, *value]),
            Self::PollRegister {
                offset,
                mask,
                value,
                differs,
            } => {
                let flags = if *differs { DIFFERS } else { 0 };
                register(sub::POLL_REGISTER, [*offset, flags, *mask, *value])
            }
            Self::CompareRegister {
                offset,
                mask,
                value,
            } => register(sub::COMPARE_REGISTER, [*offset, 0, *mask, *value]),
            Self::Write {
                space,
                address,
                data,
            } => memory(sub::WRITE, *space, *address, 0, data),
            Self::Compare {
                space,
                address,
                data,
                differs,
            } => {
                let flags = if *differs { DATA_DIFFERS } else { 0 };
                memory(sub::COMPARE, *space, *address, flags, data)
            }
            Self::Context => Vec::new(),
        }
    }
}

/// A packet of dwords and data, which is filled to whole dwords.
fn encode(sub: u32, dwords: &[u32], data: &[u8]) -> Vec<u8> {
    let length = dwords.len() + data.len().div_ceil(4);
    let header = 7 << 29 | OPCODE_TRACE << 23 | sub << 16 | length as u32;
    let dwords = [header].into_iter().chain(dwords.iter().copied());
    let mut bytes: Vec<u8> = dwords.flat_map(u32::to_le_bytes).collect();
    bytes.extend(data);
    bytes.resize(4 * (length + 1), 0);
    bytes
}

/// The flags of an MMIO register of a dword.
const REGISTER: u32 = 2 << 16;
/// In a poll of a register, whether it must differ.
const DIFFERS: u32 = 1 << 2;
/// In a comparison of memory, whether it must differ.
const DATA_DIFFERS: u32 = 1 << 7;

/// A packet as text, with the names that registers have on a family.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    packet: &'a Packet<'a>,
    family: Option<Family>,
}

impl Packet<'_> {
    /// The packet as text. Without a family registers have no names.
    pub fn text(&self, family: Option<Family>) -> Text<'_> {
        Text {
            packet: self,
            family,
        }
    }

    /// What it writes, if that is zeros alone.
    pub fn zeros(&self) -> Option<(Space, Range<u64>)> {
        let Self::Write {
            space,
            address,
            data,
        } = self
        else {
            return None;
        };
        let end = address.checked_add(data.len() as u64)?;
        let zeros = data.iter().all(|byte| *byte == 0);
        zeros.then_some((*space, *address..end))
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let register = |offset: &u32| {
            let name = self
                .family
                .and_then(|family| registers::name(family, *offset));
            match name {
                Some(name) => format!("{name} ({offset:#x})"),
                None => format!("{offset:#x}"),
            }
        };
        match self.packet {
            Packet::Version { device, tool } => match platform(*device) {
                Some(platform) => write!(f, "version: {} ({device}), by {tool}", platform.name),
                None => write!(f, "version: device {device}, by {tool}"),
            },
            Packet::Comment(text) => write!(f, "comment: {text}"),
            Packet::WriteRegister {
                offset,
                mask: u32::MAX,
                value,
            } => write!(f, "write register {} = {value:#x}", register(offset)),
            Packet::WriteRegister {
                offset,
                mask,
                value,
            } => write!(
                f,
                "write register {} = {value:#x}, mask {mask:#x}",
                register(offset)
            ),
            Packet::PollRegister {
                offset,
                mask,
                value,
                differs,
            } => {
                let until = if *differs { "!=" } else { "==" };
                write!(
                    f,
                    "wait for register {} & {mask:#x} {until} {value:#x}",
                    register(offset)
                )
            }
            Packet::CompareRegister {
                offset,
                mask,
                value,
            } => write!(
                f,
                "expect register {} & {mask:#x} == {value:#x}",
                register(offset)
            ),
            Packet::Write {
                space,
                address,
                data,
            } => {
                write!(f, "write {space} at {address:#x}, {} bytes:", data.len())?;
                first(f, data)
            }
            Packet::Compare {
                space,
                address,
                data,
                differs,
            } => {
                let is = if *differs { "is not" } else { "is" };
                write!(
                    f,
                    "expect that {space} at {address:#x}, {} bytes, {is}",
                    data.len()
                )?;
                first(f, data)
            }
            Packet::Context => f.write_str("page table of a context"),
        }
    }
}

/// The first bytes of data.
fn first(f: &mut fmt::Formatter<'_>, data: &[u8]) -> fmt::Result {
    for byte in data.iter().take(16) {
        write!(f, " {byte:02x}")?;
    }
    f.write_str(if data.len() > 16 { " ..." } else { "" })
}

/// What an address of a packet counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// The global GTT's entries, in bytes.
    GlobalEntries,
    /// The host's memory: pages, and tables of every level.
    System,
    /// The device's own memory.
    Local,
    /// What the global GTT shows.
    Global,
}

impl Space {
    /// Its number in a packet.
    const fn number(self) -> u32 {
        match self {
            Self::Global => 0,
            Self::Local => 1,
            Self::System => 2,
            Self::GlobalEntries => 4,
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::GlobalEntries => "global GTT entries",
            Self::System => "system memory",
            Self::Local => "local memory",
            Self::Global => "global GTT memory",
        })
    }
}

/// Why a file is no AUB file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at offset {offset:#x}: {why}")]
pub struct AubError {
    /// Where the packet begins.
    pub offset: usize,
    /// What is wrong with it.
    pub why: String,
}

/// The packets of a file, with their offsets.
#[derive(Clone, Debug)]
pub struct Packets<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Packets<'a> {
    /// The packets of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// Whether `bytes` begin as an AUB file does: with the version.
    pub fn begins(bytes: &[u8]) -> bool {
        let header = bytes.first_chunk::<4>().map(|b| u32::from_le_bytes(*b));
        header.is_some_and(|header| header >> 16 == 0xe000 | OPCODE_TRACE << 7 | sub::VERSION)
    }
}

const OPCODE_TRACE: u32 = 0x2e;
const OPCODE_CONTEXT: u32 = 0x01;

/// Sub-opcodes of a trace's packets.
mod sub {
    pub const COMPARE_REGISTER: u32 = 0x01;
    pub const POLL_REGISTER: u32 = 0x02;
    pub const WRITE_REGISTER: u32 = 0x03;
    pub const COMPARE: u32 = 0x04;
    pub const WRITE: u32 = 0x06;
    pub const COMMENT: u32 = 0x08;
    pub const VERSION: u32 = 0x0e;
}

impl<'a> Iterator for Packets<'a> {
    type Item = Result<(usize, Packet<'a>), AubError>;

    fn next(&mut self) -> Option<Self::Item> {
        let offset = self.offset;
        let rest = self.bytes.get(offset..).filter(|rest| !rest.is_empty())?;
        Some(match packet(rest) {
            Ok((packet, bytes)) => {
                self.offset += bytes;
                Ok((offset, packet))
            }
            Err(why) => {
                // What follows cannot be found.
                self.offset = self.bytes.len();
                Err(AubError { offset, why })
            }
        })
    }
}

/// The packet at the begin of `rest`, and its length.
fn packet(rest: &[u8]) -> Result<(Packet<'_>, usize), String> {
    let header = dword(rest, 0).ok_or("the file ends within a header")?;
    let (opcode, sub) = (header >> 23 & 0x3f, header >> 16 & 0x7f);
    if header >> 29 != 7 {
        return Err(format!("{header:#010x} is no header: bits 31:29 are not 7"));
    }
    // The length leaves out one dword of a trace's packet, and two of a context's.
    let dwords = (header & 0xffff) as usize
        + match opcode {
            OPCODE_CONTEXT => 2,
            _ => 1,
        };
    let bytes = rest.get(..4 * dwords).ok_or_else(|| {
        let left = rest.len();
        format!("a packet of {dwords} dwords begins, and {left} bytes are left")
    })?;
    let at = |index| dword(bytes, index).ok_or(format!("a packet of {dwords} dwords is too short"));
    let packet = match (opcode, sub) {
        (OPCODE_CONTEXT, _) => Packet::Context,
        (OPCODE_TRACE, sub::VERSION) => Packet::Version {
            device: at(2)? >> 8 & 0xff,
            tool: text(bytes.get(20..)),
        },
        (OPCODE_TRACE, sub::COMMENT) => Packet::Comment(text(bytes.get(8..))),
        (OPCODE_TRACE, sub::WRITE_REGISTER) => Packet::WriteRegister {
            offset: register(&at)?,
            mask: at(3)?,
            value: at(5)?,
        },
        (OPCODE_TRACE, sub::POLL_REGISTER) => Packet::PollRegister {
            offset: register(&at)?,
            mask: at(3)?,
            value: at(5)?,
            differs: at(2)? & DIFFERS != 0,
        },
        (OPCODE_TRACE, sub::COMPARE_REGISTER) => Packet::CompareRegister {
            offset: register(&at)?,
            mask: at(3)?,
            value: at(5)?,
        },
        (OPCODE_TRACE, sub::WRITE) => {
            let (space, address, data) = memory(bytes, &at)?;
            Packet::Write {
                space,
                address,
                data,
            }
        }
        (OPCODE_TRACE, sub::COMPARE) => {
            let (space, address, data) = memory(bytes, &at)?;
            if at(3)? & 1 << 6 != 0 {
                return Err("comparisons of checksums are not supported".into());
            }
            Packet::Compare {
                space,
                address,
                data,
                differs: at(3)? & DATA_DIFFERS != 0,
            }
        }
        _ => return Err(format!("packet {opcode:#x}.{sub:#x} is not supported")),
    };
    Ok((packet, bytes.len()))
}

fn dword(bytes: &[u8], index: usize) -> Option<u32> {
    let bytes = bytes.get(4 * index..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*bytes))
}

/// Text to its first zero byte.
fn text(bytes: Option<&[u8]>) -> String {
    let bytes = bytes.unwrap_or_default();
    let end = bytes.iter().position(|byte| *byte == 0);
    String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned()
}

/// The offset of a register: of an MMIO register, a dword.
fn register(at: &impl Fn(usize) -> Result<u32, String>) -> Result<u32, String> {
    let flags = at(2)?;
    match (flags >> 28, flags >> 16 & 0xf) {
        (0, 2) => at(1),
        (space, size) => Err(format!(
            "a register of space {space} and size {size} is not supported: dwords (2) of MMIO (0) are"
        )),
    }
}

/// Space, address and data.
fn memory<'a>(
    bytes: &'a [u8],
    at: &impl Fn(usize) -> Result<u32, String>,
) -> Result<(Space, u64, &'a [u8]), String> {
    let (flags, count) = (at(3)?, at(4)? as usize);
    if flags >> 1 & 1 != 0 || flags >> 2 & 3 != 0 {
        return Err("repeated and tiled data are not supported".into());
    }
    let space = match flags >> 28 {
        0 => Space::Global,
        1 => Space::Local,
        // Tables of all levels lie in memory.
        2 | 6 | 8 | 9 | 10 => Space::System,
        4 => Space::GlobalEntries,
        other => return Err(format!("address space {other} is not supported")),
    };
    let data = bytes.get(20..).and_then(|data| data.get(..count));
    let data = data
        .ok_or_else(|| format!("{count} bytes of data are announced, and the packet is shorter"))?;
    Ok((space, u64::from(at(2)?) << 32 | u64::from(at(1)?), data))
}

/// A simulator's numbers of devices (NEO `AubMemDump::CmdServicesMemTraceVersion::DeviceValues`).
const DEVICES: &[(u32, &str)] = &[
    (11, "bdw"),
    (12, "skl"),
    (19, "icl"),
    (22, "tgl"),
    (36, "dg2"),
];

/// The platform that a simulator's number of a device stands for.
pub fn platform(device: u32) -> Option<&'static devinfo::Platform> {
    let (_, name) = DEVICES.iter().find(|(number, _)| *number == device)?;
    devinfo::by_name(name)
}

/// A simulator's number of a platform.
pub fn number(platform: &devinfo::Platform) -> Option<u32> {
    let found = DEVICES.iter().find(|(_, name)| *name == platform.name);
    found.map(|(number, _)| *number)
}
