//! The messages: a header of three dwords, a body, and data behind the body.

use std::io::{self, Read};

use crate::Bank;

/// The most bytes of memory in one message. NEO splits what exceeds 262,124.
const MOST_DATA: u32 = 1 << 20;
/// The most bytes of a body that some message has.
const MOST_BODY: u32 = 64;

/// Numbers of messages.
pub(super) mod number {
    pub const MMIO: u32 = 0;
    pub const MMIO_ANSWER: u32 = 1;
    pub const GTT: u32 = 2;
    pub const GTT_ANSWER: u32 = 3;
    pub const WRITE_DATA: u32 = 4;
    pub const READ_DATA: u32 = 5;
    pub const READ_DATA_ANSWER: u32 = 6;
    pub const CONTROL: u32 = 11;
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// How the client wants to be served: nothing depends on it.
    Control,
    /// Reads a register, or writes it.
    Register { offset: u32, value: Option<u32> },
    /// Reads an entry of the global GTT, or writes it.
    GlobalEntry { index: u32, value: Option<u64> },
    /// Writes physical memory.
    Write {
        bank: Bank,
        address: u64,
        data: Vec<u8>,
    },
    /// Reads physical memory. The request does not say of which bank.
    Read { address: u64, bytes: u32 },
}

/// Why what came is no request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// The socket failed, or ended within a message.
    #[error(transparent)]
    Socket(#[from] io::Error),
    /// A message that nobody knows.
    #[error(
        "message {kind} is not known: MMIO (0), GTT (2), write (4), read (5), control (11) are"
    )]
    Unknown {
        /// Its number.
        kind: u32,
    },
    /// A body that is not as long as the message's.
    #[error("message {kind} has a body of {bytes} bytes: it takes {wanted}")]
    Body {
        /// Its number.
        kind: u32,
        /// What its header says.
        bytes: u32,
        /// What the message takes.
        wanted: u32,
    },
    /// A kind of access that is not served.
    #[error("{what} of {value} are not served: {served}")]
    Access {
        /// What.
        what: &'static str,
        /// Its number.
        value: u32,
        /// What is served.
        served: &'static str,
    },
    /// More data than a message may have.
    #[error("a message about {bytes} bytes of memory exceeds {MOST_DATA}: split it")]
    Data {
        /// How many.
        bytes: u32,
    },
}

/// Reads a request and the number of its transaction; `None` at the end of the stream.
pub(super) fn read(stream: &mut impl Read) -> Result<Option<(u32, Request)>, MessageError> {
    let mut header = [0; 12];
    if stream.read(&mut header[..1])? == 0 {
        return Ok(None);
    }
    stream.read_exact(&mut header[1..])?;
    let [kind, transaction, bytes] = dwords(&header);
    let wanted = match kind {
        number::MMIO | number::WRITE_DATA | number::READ_DATA => 12,
        number::GTT => 16,
        number::CONTROL => 4,
        _ => return Err(MessageError::Unknown { kind }),
    };
    if bytes < wanted || bytes > MOST_BODY {
        return Err(MessageError::Body {
            kind,
            bytes,
            wanted,
        });
    }
    let mut body = [0; MOST_BODY as usize];
    let (body, _) = body.split_at_mut(bytes as usize);
    stream.read_exact(body)?;
    let [flags, second, third, fourth] = dwords(body);
    let request = match kind {
        number::CONTROL => Request::Control,
        number::MMIO => {
            // Bits 3:1 are the size in bytes, 8:6 the space: registers are space 0.
            let (size, space) = (flags >> 1 & 7, flags >> 6 & 7);
            access("accesses to registers in units", size, 4, "4 bytes")?;
            access("accesses to space", space, 0, "registers (0)")?;
            Request::Register {
                offset: second,
                value: (flags & 1 != 0).then_some(third),
            }
        }
        number::GTT => Request::GlobalEntry {
            index: second,
            value: (flags & 1 != 0).then_some(u64::from(third) | u64::from(fourth) << 32),
        },
        number::WRITE_DATA => {
            let mut data = vec![0; data_bytes(third)?];
            stream.read_exact(&mut data)?;
            let bank = match flags >> 6 & 3 {
                0 => Bank::System,
                1 => Bank::Local,
                value => {
                    return Err(MessageError::Access {
                        what: "writes to memory",
                        value,
                        served: "system (0) and local (1) memory",
                    });
                }
            };
            Request::Write {
                bank,
                address: address(flags, second),
                data,
            }
        }
        _ => {
            data_bytes(third)?;
            Request::Read {
                address: address(flags, second),
                bytes: third,
            }
        }
    };
    Ok(Some((transaction, request)))
}

/// Bits 31:24 of the flags are bits 39:32 of an address.
fn address(flags: u32, low: u32) -> u64 {
    u64::from(flags >> 24) << 32 | u64::from(low)
}

fn data_bytes(bytes: u32) -> Result<usize, MessageError> {
    match bytes <= MOST_DATA {
        true => Ok(bytes as usize),
        false => Err(MessageError::Data { bytes }),
    }
}

fn access(
    what: &'static str,
    value: u32,
    wanted: u32,
    served: &'static str,
) -> Result<(), MessageError> {
    match value == wanted {
        true => Ok(()),
        false => Err(MessageError::Access {
            what,
            value,
            served,
        }),
    }
}

/// The first dwords of `bytes`; those beyond its end are 0.
fn dwords<const N: usize>(bytes: &[u8]) -> [u32; N] {
    let (all, _) = bytes.as_chunks::<4>();
    let mut dwords = [0; N];
    for (dword, bytes) in dwords.iter_mut().zip(all) {
        *dword = u32::from_le_bytes(*bytes);
    }
    dwords
}

/// An answer: header, body, data.
pub(super) fn answer(kind: u32, transaction: u32, body: &[u32], data: &[u8]) -> Vec<u8> {
    let header = [kind, transaction, 4 * body.len() as u32];
    let words = header.iter().chain(body);
    let mut bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(data);
    bytes
}
