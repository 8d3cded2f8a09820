//! Reading the buffer.

use crate::binary::SegmentKind;
use crate::error::DeviceError;
use crate::memory::Part;
use crate::program::ProgramInner;

use super::format::{Format, Piece, Value};

/// Bytes of the buffer. Compilers assume them (IGC `OpenCLPrintfResolution.cpp`).
pub(crate) const BUFFER_SIZE: u64 = 4 << 20;
/// The count of used bytes.
const HEADER: usize = 4;
/// The most bytes that one kernel's output takes in this process: `%s` and wide fields can make
/// more of it than the buffer has.
const MAX_TEXT: usize = 64 << 20;

/// Makes the buffer empty, before a launch.
pub(crate) fn reset(memory: Part<'_>) -> Result<(), DeviceError> {
    match memory.write(0, &(HEADER as u32).to_le_bytes()) {
        true => Ok(()),
        false => Err(DeviceError::Internal("a printf buffer has no header")),
    }
}

/// What was printed, in the order in which it lies in the buffer.
pub(crate) fn text(memory: Part<'_>, program: &ProgramInner) -> Vec<u8> {
    let used = memory.record::<u32>(0).unwrap_or_default() as usize;
    let most = usize::try_from(BUFFER_SIZE).unwrap_or(usize::MAX);
    if used > most {
        tracing::warn!(
            "printf: {used} bytes were printed, the buffer has {most}; the rest is lost"
        );
    }
    let used = used.min(most).min(memory.len());
    let mut bytes = vec![0; used.saturating_sub(HEADER)];
    memory.read(HEADER, &mut bytes);
    render(&bytes, |address| string(program, address))
}

/// The string at a GPU address.
fn string(program: &ProgramInner, address: u64) -> Option<&[u8]> {
    let segments = program.binary.segments();
    segments.iter().enumerate().find_map(|(index, segment)| {
        if !matches!(segment.kind, SegmentKind::Strings | SegmentKind::Constants) {
            return None;
        }
        let bo = program.memory(segment.kind)?;
        let start = bo.address().get() + program.place(index);
        let offset = usize::try_from(address.checked_sub(start)?).ok()?;
        let rest = segment.data.get(offset..)?;
        rest.split(|&byte| byte == 0).next()
    })
}

/// Formats the calls in a buffer. `string` gives the string at an address.
fn render<'a>(bytes: &[u8], string: impl Fn(u64) -> Option<&'a [u8]>) -> Vec<u8> {
    let mut reader = Reader { bytes };
    let mut out = Vec::new();
    loop {
        let start = reader;
        let Some(address) = reader.u64() else { break };
        // A lane that found the buffer full leaves this.
        if address == 0xffff_ffff || out.len() > MAX_TEXT {
            break;
        }
        if address == 0 {
            continue;
        }
        let Some(format) = string(address) else {
            // "If the format is exhausted while arguments remain, the excess arguments are … ignored."
            reader = start;
            if start.bytes.len() < bytes.len() && reader.argument().is_some() {
                continue;
            }
            out.extend(format!("<printf: no format string at {address:#x}>\n").bytes());
            break;
        };
        if call(&mut reader, format, &string, &mut out).is_none() {
            break;
        }
    }
    out
}

/// Formats one call; `None` if the buffer ends inside of it.
fn call<'a>(
    reader: &mut Reader<'_>,
    format: &[u8],
    string: &impl Fn(u64) -> Option<&'a [u8]>,
    out: &mut Vec<u8>,
) -> Option<()> {
    for piece in Format::new(format) {
        match piece {
            Piece::Text(text) => out.extend(text),
            Piece::Conversion(conversion) => {
                let argument = reader.argument()?;
                for (number, value) in argument.iter().enumerate() {
                    if number > 0 {
                        out.push(b',');
                    }
                    if let Value::Pointer(address) = *value
                        && conversion.is_string()
                    {
                        let text = match address {
                            0 => b"(null)".as_slice(),
                            _ => string(address).unwrap_or(b"<no string>"),
                        };
                        conversion.string(text, out);
                    } else {
                        conversion.value(*value, out);
                    }
                }
            }
        }
    }
    Some(())
}

/// Types of arguments (IGC `SHADER_PRINTF_TYPE`).
const BYTE: u32 = 1;
const SHORT: u32 = 2;
const INT: u32 = 3;
const FLOAT: u32 = 4;
const STRING: u32 = 5;
const LONG: u32 = 6;
const POINTER: u32 = 7;
const DOUBLE: u32 = 8;
const VECTOR_BYTE: u32 = 9;
const VECTOR_SHORT: u32 = 10;
const VECTOR_INT: u32 = 11;
const VECTOR_LONG: u32 = 12;
const VECTOR_FLOAT: u32 = 13;
const VECTOR_DOUBLE: u32 = 14;

#[derive(Clone, Copy)]
struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (value, rest) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = rest;
        Some(*value)
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.bytes = self.bytes.get(bytes..)?;
        Some(())
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take()?))
    }

    /// One argument: a value, or the elements of a vector.
    fn argument(&mut self) -> Option<Vec<Value>> {
        let kind = self.u32()?;
        let (element, count) = match kind {
            VECTOR_BYTE => (BYTE, self.u32()?),
            VECTOR_SHORT => (SHORT, self.u32()?),
            VECTOR_INT => (INT, self.u32()?),
            VECTOR_LONG => (LONG, self.u32()?),
            VECTOR_FLOAT => (FLOAT, self.u32()?),
            VECTOR_DOUBLE => (DOUBLE, self.u32()?),
            other => (other, 1),
        };
        // OpenCL's longest vector.
        if count > 16 {
            return None;
        }
        let mut values = Vec::with_capacity(count as usize);
        let mut padding = 0;
        for _ in 0..count {
            values.push(match element {
                BYTE => {
                    padding += 3;
                    Value::Int(i8::from_le_bytes(self.take()?).into(), 8)
                }
                SHORT => {
                    padding += 2;
                    Value::Int(i16::from_le_bytes(self.take()?).into(), 16)
                }
                INT => Value::Int(i32::from_le_bytes(self.take()?).into(), 32),
                LONG => Value::Int(i64::from_le_bytes(self.take()?), 64),
                FLOAT => Value::Float(f32::from_le_bytes(self.take()?).into()),
                DOUBLE => Value::Float(f64::from_le_bytes(self.take()?)),
                STRING | POINTER => Value::Pointer(self.u64()?),
                _ => return None,
            });
        }
        self.skip(padding)?;
        Some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRINGS: &[u8] = b"x = %d, f = %5.2f\n\0%v4d %s|\0str\0%c%%%v2hhx\n\0%d %d\n";

    fn string(address: u64) -> Option<&'static [u8]> {
        let offset = address.checked_sub(0x1000)?;
        STRINGS.get(offset as usize..)?.split(|&b| b == 0).next()
    }

    fn buffer(parts: &[&[u8]]) -> Vec<u8> {
        parts.concat()
    }

    #[test]
    fn calls_are_formatted_in_order() {
        let bytes = buffer(&[
            &0x1000u64.to_le_bytes(),
            &INT.to_le_bytes(),
            &(-7i32).to_le_bytes(),
            &FLOAT.to_le_bytes(),
            &1.5f32.to_le_bytes(),
            &0x1013u64.to_le_bytes(),
            &VECTOR_INT.to_le_bytes(),
            &4u32.to_le_bytes(),
            &1i32.to_le_bytes(),
            &2i32.to_le_bytes(),
            &3i32.to_le_bytes(),
            &(-4i32).to_le_bytes(),
            &STRING.to_le_bytes(),
            &0x101cu64.to_le_bytes(),
            &0x1020u64.to_le_bytes(),
            &BYTE.to_le_bytes(),
            b"A\0\0\0",
            &VECTOR_BYTE.to_le_bytes(),
            &2u32.to_le_bytes(),
            &[0x0f, 0xff, 0, 0, 0, 0, 0, 0],
        ]);
        assert_eq!(
            render(&bytes, string),
            b"x = -7, f =  1.50\n1,2,3,-4 str|A%f,ff\n"
        );
        for end in 0..bytes.len() {
            render(&bytes[..end], string);
        }
    }

    /// "The precision … gives … the maximum number of bytes to be written for s conversions" (C99,
    /// 7.19.6.1), and a string may be in any encoding.
    #[test]
    fn bytes_are_printed_as_they_are() {
        let strings = |address| match address {
            1 => Some(b"\xe9 %.3s|%5s|%c".as_slice()),
            2 => Some(b"\xfcb\xff\xfe".as_slice()),
            _ => None,
        };
        let bytes = buffer(&[
            &1u64.to_le_bytes(),
            &STRING.to_le_bytes(),
            &2u64.to_le_bytes(),
            &STRING.to_le_bytes(),
            &2u64.to_le_bytes(),
            &INT.to_le_bytes(),
            &0xe4u32.to_le_bytes(),
        ]);
        let expected = b"\xe9 \xfcb\xff| \xfcb\xff\xfe|\xe4";
        assert_eq!(render(&bytes, strings), expected);
    }

    #[test]
    fn excess_arguments_are_ignored() {
        let bytes = buffer(&[
            &0x101cu64.to_le_bytes(),
            &STRING.to_le_bytes(),
            &0x1013u64.to_le_bytes(),
            &VECTOR_SHORT.to_le_bytes(),
            &2u32.to_le_bytes(),
            &[1, 0, 2, 0, 0, 0, 0, 0],
            &INT.to_le_bytes(),
            &0i32.to_le_bytes(),
            &0x101cu64.to_le_bytes(),
        ]);
        assert_eq!(render(&bytes, string), b"strstr");
        for end in 0..bytes.len() {
            render(&bytes[..end], string);
        }
        // There is no argument before the first format.
        let text = String::from_utf8(render(&bytes[8..], string)).unwrap();
        assert!(text.contains("no format string"), "{text}");
    }

    #[test]
    fn hostile_buffers_end() {
        let full = [0xffu8; 4096];
        assert_eq!(render(&full[..4], string), b"");
        let text = String::from_utf8(render(&full, string)).unwrap();
        assert!(text.contains("no format string at 0xffffffffffffffff"));
        let bytes = buffer(&[&0x102fu64.to_le_bytes(), &99u32.to_le_bytes()]);
        render(&bytes, string);
    }
}
