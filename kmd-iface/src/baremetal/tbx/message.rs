//! The messages: a header of three dwords, a body, and data behind the body.

use std::io::{self, Read};

/// The most bytes of memory in one message. NEO splits what exceeds 262,124.
pub const MOST_DATA: u32 = 1 << 20;
/// The most bytes of a body that some message has.
const MOST_BODY: u32 = 64;
/// The flags of accesses to registers: units of 4 bytes.
const REGISTER: u32 = 4 << 1;
/// The flag of a write.
const WRITE: u32 = 1;

/// Numbers of messages.
mod number {
    pub const MMIO: u32 = 0;
    pub const MMIO_ANSWER: u32 = 1;
    pub const GTT: u32 = 2;
    pub const GTT_ANSWER: u32 = 3;
    pub const WRITE_DATA: u32 = 4;
    pub const READ_DATA: u32 = 5;
    pub const READ_DATA_ANSWER: u32 = 6;
    pub const CONTROL: u32 = 11;
}

/// Which of the two memories an address counts in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bank {
    /// The host's memory.
    #[default]
    System,
    /// The memory of a discrete device.
    Local,
}

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// How the client wants to be served: bits, and which of them count.
    Control {
        /// The bits.
        value: u16,
        /// Which of them count.
        mask: u16,
    },
    /// Reads a register, or writes it.
    Register {
        /// Its offset.
        offset: u32,
        /// What is written.
        value: Option<u32>,
    },
    /// Reads an entry of the global GTT, or writes it.
    GlobalEntry {
        /// Its number.
        index: u32,
        /// What is written.
        value: Option<u64>,
    },
    /// Writes physical memory.
    Write {
        /// Which memory.
        bank: Bank,
        /// Where.
        address: u64,
        /// What.
        data: Vec<u8>,
    },
    /// Reads physical memory. The request does not say of which bank.
    Read {
        /// Where.
        address: u64,
        /// How much.
        bytes: u32,
    },
}

/// What a server answers to a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A register.
    Register(u32),
    /// An entry of the global GTT.
    GlobalEntry(u64),
    /// Physical memory.
    Memory {
        /// Where.
        address: u64,
        /// What.
        data: Vec<u8>,
    },
}

/// Why what came is no message.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// The socket failed, or ended within a message.
    #[error(transparent)]
    Socket(#[from] io::Error),
    /// A request that nobody knows.
    #[error(
        "message {kind} is not known: MMIO (0), GTT (2), write (4), read (5), control (11) are"
    )]
    Unknown {
        /// Its number.
        kind: u32,
    },
    /// An answer that nobody knows.
    #[error("answer {kind} is not known: MMIO (1), GTT (3) and read (6) have one")]
    UnknownAnswer {
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

impl Request {
    /// Reads a request and the number of its transaction; `None` at the end of the stream.
    ///
    /// # Errors
    /// What came is no request, or the stream failed.
    pub fn read(stream: &mut impl Read) -> Result<Option<(u32, Self)>, MessageError> {
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
        let [flags, second, third, fourth] = body(stream, kind, bytes, wanted)?;
        let request = match kind {
            number::CONTROL => Self::Control {
                value: flags as u16,
                mask: (flags >> 16) as u16,
            },
            number::MMIO => {
                // Bits 3:1 are the size in bytes, 8:6 the space: registers are space 0.
                let (size, space) = (flags >> 1 & 7, flags >> 6 & 7);
                access("accesses to registers in units", size, 4, "4 bytes")?;
                access("accesses to space", space, 0, "registers (0)")?;
                Self::Register {
                    offset: second,
                    value: (flags & WRITE != 0).then_some(third),
                }
            }
            number::GTT => Self::GlobalEntry {
                index: second,
                value: (flags & WRITE != 0).then_some(u64::from(third) | u64::from(fourth) << 32),
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
                Self::Write {
                    bank,
                    address: address(flags, second),
                    data,
                }
            }
            _ => {
                data_bytes(third)?;
                Self::Read {
                    address: address(flags, second),
                    bytes: third,
                }
            }
        };
        Ok(Some((transaction, request)))
    }

    /// Its bytes.
    pub fn encode(&self, transaction: u32) -> Vec<u8> {
        let message = |kind, body: &[u32], data: &[u8]| message(kind, transaction, body, data);
        match self {
            Self::Control { value, mask } => {
                let body = u32::from(*mask) << 16 | u32::from(*value);
                message(number::CONTROL, &[body], &[])
            }
            Self::Register { offset, value } => {
                let flags = REGISTER | u32::from(value.is_some());
                message(number::MMIO, &[flags, *offset, value.unwrap_or(0)], &[])
            }
            Self::GlobalEntry { index, value } => {
                let entry = value.unwrap_or(0);
                let (low, high) = (entry as u32, (entry >> 32) as u32);
                let flags = u32::from(value.is_some());
                message(number::GTT, &[flags, *index, low, high], &[])
            }
            Self::Write {
                bank,
                address,
                data,
            } => {
                let bank = match bank {
                    Bank::System => 0,
                    Bank::Local => 1 << 6,
                };
                let body = [bank | flags(*address), *address as u32, data.len() as u32];
                message(number::WRITE_DATA, &body, data)
            }
            Self::Read { address, bytes } => {
                let body = [flags(*address), *address as u32, *bytes];
                message(number::READ_DATA, &body, &[])
            }
        }
    }
}

impl Answer {
    /// Reads an answer and the number of its transaction.
    ///
    /// # Errors
    /// What came is no answer, or the stream failed or ended.
    pub fn read(stream: &mut impl Read) -> Result<(u32, Self), MessageError> {
        let mut header = [0; 12];
        stream.read_exact(&mut header)?;
        let [kind, transaction, bytes] = dwords(&header);
        let wanted = match kind {
            number::MMIO_ANSWER => 4,
            number::GTT_ANSWER => 8,
            number::READ_DATA_ANSWER => 12,
            _ => return Err(MessageError::UnknownAnswer { kind }),
        };
        let [first, second, third, _] = body(stream, kind, bytes, wanted)?;
        let answer = match kind {
            number::MMIO_ANSWER => Self::Register(first),
            number::GTT_ANSWER => Self::GlobalEntry(u64::from(first) | u64::from(second) << 32),
            _ => {
                let mut data = vec![0; data_bytes(third)?];
                stream.read_exact(&mut data)?;
                Self::Memory {
                    address: address(first, second),
                    data,
                }
            }
        };
        Ok((transaction, answer))
    }

    /// Its bytes.
    pub fn encode(&self, transaction: u32) -> Vec<u8> {
        match self {
            Self::Register(value) => message(number::MMIO_ANSWER, transaction, &[*value], &[]),
            Self::GlobalEntry(entry) => {
                let body = [*entry as u32, (*entry >> 32) as u32];
                message(number::GTT_ANSWER, transaction, &body, &[])
            }
            Self::Memory { address, data } => {
                let body = [flags(*address), *address as u32, data.len() as u32];
                message(number::READ_DATA_ANSWER, transaction, &body, data)
            }
        }
    }
}

/// Bits 31:24 of the flags are bits 39:32 of an address.
fn address(flags: u32, low: u32) -> u64 {
    u64::from(flags >> 24) << 32 | u64::from(low)
}

/// The flags of an address.
const fn flags(address: u64) -> u32 {
    (address >> 32 << 24) as u32
}

/// The first dwords of a body of `bytes`, which has at least `wanted`.
fn body(
    stream: &mut impl Read,
    kind: u32,
    bytes: u32,
    wanted: u32,
) -> Result<[u32; 4], MessageError> {
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
    Ok(dwords(body))
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

/// A message: header, body, data.
fn message(kind: u32, transaction: u32, body: &[u32], data: &[u8]) -> Vec<u8> {
    let header = [kind, transaction, 4 * body.len() as u32];
    let words = header.iter().chain(body);
    let mut bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(data);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let address = 0x7f_1234_5678;
        let requests = [
            Request::Control { value: 2, mask: 50 },
            Request::Register {
                offset: 0x2230,
                value: Some(7),
            },
            Request::Register {
                offset: 0x2234,
                value: None,
            },
            Request::GlobalEntry {
                index: 9,
                value: Some(0x12_3456_7001),
            },
            Request::GlobalEntry {
                index: 9,
                value: None,
            },
            Request::Write {
                bank: Bank::Local,
                address,
                data: vec![1, 2, 3],
            },
            Request::Write {
                bank: Bank::System,
                address,
                data: vec![],
            },
            Request::Read {
                address,
                bytes: 4096,
            },
        ];
        for request in requests {
            let bytes = request.encode(5);
            let read = Request::read(&mut &*bytes).unwrap();
            assert_eq!(read, Some((5, request)));
            for short in 1..bytes.len() {
                assert!(Request::read(&mut &bytes[..short]).is_err());
            }
        }
        let answers = [
            Answer::Register(3),
            Answer::GlobalEntry(0x12_3456_7001),
            Answer::Memory {
                address,
                data: vec![4, 5],
            },
        ];
        for answer in answers {
            let bytes = answer.encode(6);
            assert_eq!(Answer::read(&mut &*bytes).unwrap(), (6, answer));
            for short in 0..bytes.len() {
                assert!(Answer::read(&mut &bytes[..short]).is_err());
            }
        }
    }

    /// What NEO was seen to send.
    #[test]
    fn bytes_are_those_of_intels_runtime() {
        let control = Request::Control {
            value: 2,
            mask: 0x32,
        };
        let hex = |request: &Request| {
            let bytes = request.encode(0);
            bytes
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
        };
        assert_eq!(hex(&control), "0b000000000000000400000002003200");
        let status_page = Request::Register {
            offset: 0x2080,
            value: Some(0x1000),
        };
        assert_eq!(
            hex(&status_page),
            "00000000000000000c000000090000008020000000100000"
        );
    }
}
