//! `--arg SPEC`: one kernel argument on the command line.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use umd::Sampler;

use super::image::{Dimensions, ImageShape, sampler};
use super::{ElementType, PictureFormat, number};

/// What one kernel argument is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgSpec {
    /// `in=`, `out=`, `inout=`, `fill=`: a buffer.
    Buffer {
        /// Its bytes.
        content: Content,
        /// The file to write after the run.
        output: Option<PathBuf>,
    },
    /// `TYPE=V[,V...]`: a scalar or vector by value.
    Value {
        /// The type of the elements.
        element: ElementType,
        /// The number of elements: 1, 2, 3, 4, 8 or 16.
        lanes: usize,
        /// The little-endian bytes.
        bytes: Vec<u8>,
    },
    /// `bytes=HEX`: a structure by value.
    Bytes(Vec<u8>),
    /// `local=BYTES`: a `local` pointer to this many bytes.
    Local {
        /// The size of the shared local memory.
        bytes: u64,
    },
    /// `null`: a null pointer.
    Null,
    /// `same=ARG`: the buffer or image of another argument again.
    Same(ArgRef),
    /// `sub=ARG:ORIGIN:BYTES`: a part of the buffer of another argument.
    Sub {
        /// The argument that has the buffer.
        parent: ArgRef,
        /// Where the part begins, in bytes.
        origin: u64,
        /// The size of the part.
        bytes: u64,
    },
    /// `userptr=PATH:MISALIGN`: host memory with the file's bytes, not copied, at an address
    /// that is `MISALIGN` bytes into a page.
    UserPtr {
        /// The file to read.
        path: PathBuf,
        /// The offset in the page.
        misalign: u64,
    },
    /// `image=PATH.png[:FORMAT]`: a 2-D image with the picture's pixels.
    Image {
        /// The PNG file to read.
        path: PathBuf,
        /// The pixels.
        format: PictureFormat,
    },
    /// `image-out=PATH.png:WxH[:FORMAT]`: a 2-D image, saved as a picture after the run.
    ImageOut {
        /// The PNG file to write.
        path: PathBuf,
        /// The size of the image.
        size: Dimensions,
        /// The pixels.
        format: PictureFormat,
    },
    /// `image-raw=`, `image-raw-out=`, `image-raw-inout=`: an image with bare pixels, row after row.
    ImageRaw {
        /// The size and the pixels.
        shape: ImageShape,
        /// The file to read; zeroes if there is none.
        input: Option<PathBuf>,
        /// The file to write after the run.
        output: Option<PathBuf>,
    },
    /// `image-of=ARG:SIZE:FORMAT`: an image of the bytes of another argument's buffer.
    ImageOf {
        /// The argument that has the buffer.
        buffer: ArgRef,
        /// The size and the pixels.
        shape: ImageShape,
    },
    /// `png-out=PATH.png:WxH`: a buffer of `W * H` rgba8 pixels, saved as a picture.
    PngOut {
        /// The PNG file to write.
        path: PathBuf,
        /// The size of the picture.
        size: Dimensions,
    },
    /// `sampler=ADDRESS,FILTER,COORDS`.
    Sampler(Sampler),
}

/// What a buffer holds before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The bytes of a file.
    File(PathBuf),
    /// One byte value.
    Filled {
        /// The value.
        byte: u8,
        /// The size of the buffer.
        bytes: u64,
    },
}

/// One argument of the kernel, by its position or its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgRef {
    /// The position, from 0.
    Index(usize),
    /// The name in the source.
    Name(String),
}

impl FromStr for ArgRef {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("ARG: expected an argument's position (from 0) or name".to_owned());
        }
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            let index = text.parse().map_err(|_| {
                format!("ARG: expected an argument's position (from 0) or name, not {text:?}")
            })?;
            return Ok(ArgRef::Index(index));
        }
        Ok(ArgRef::Name(text.to_owned()))
    }
}

/// The forms of [`ArgSpec`], in the order of the help text: keyword and the rest.
const FORMS: [(&str, &str); 19] = [
    ("in", "in=PATH"),
    ("out", "out=PATH:BYTES"),
    ("inout", "inout=PATH_IN:PATH_OUT"),
    ("fill", "fill=BYTE:BYTES"),
    ("i8 … f64", "TYPE=V[,V...]"),
    ("bytes", "bytes=HEX"),
    ("local", "local=BYTES"),
    ("null", "null"),
    ("same", "same=ARG"),
    ("sub", "sub=ARG:ORIGIN:BYTES"),
    ("userptr", "userptr=PATH:MISALIGN"),
    ("image", "image=PATH.png[:FORMAT]"),
    ("image-out", "image-out=PATH.png:WxH[:FORMAT]"),
    ("image-raw", "image-raw=PATH:SIZE:FORMAT"),
    ("image-raw-out", "image-raw-out=PATH:SIZE:FORMAT"),
    (
        "image-raw-inout",
        "image-raw-inout=PATH_IN:PATH_OUT:SIZE:FORMAT",
    ),
    ("image-of", "image-of=ARG:SIZE:FORMAT"),
    ("png-out", "png-out=PATH.png:WxH"),
    ("sampler", "sampler=ADDRESS,FILTER,COORDS"),
];

impl ArgSpec {
    /// The text about `SPEC` in the help of `run`.
    pub const HELP: &str = "\
Kernel arguments: one --arg SPEC for each argument, in the kernel's order. SPEC is one of
  in=PATH                a buffer with the bytes of a file (- is stdin)
  out=PATH:BYTES         a zero-filled buffer, saved to PATH afterwards (- is stdout)
  inout=PATH_IN:PATH_OUT a buffer with a file's bytes, saved afterwards
  fill=BYTE:BYTES        a buffer filled with one byte value
  i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64
    TYPE=V[,V...]        a scalar, or a vector of 2, 3, 4, 8 or 16 values
  bytes=HEX              a structure by value
  local=BYTES            shared local memory
  null                   a null pointer
  same=ARG               the buffer or image of argument ARG (its position from 0, or its
                         name) again
  sub=ARG:ORIGIN:BYTES   a part of the buffer of argument ARG
  userptr=PATH:MISALIGN  host memory with a file's bytes, MISALIGN bytes into a page
  image=PATH.png[:FORMAT]
                         a 2-D image with a picture's pixels; FORMAT is rgba8 (if none is
                         named) r8 r16 rgba16, or one of these with ui: r8ui ...
  image-out=PATH.png:WxH[:FORMAT]
                         a 2-D image, saved as a picture afterwards
  image-raw=PATH:SIZE:FORMAT, image-raw-out=PATH:SIZE:FORMAT,
  image-raw-inout=PATH_IN:PATH_OUT:SIZE:FORMAT
                         the same with bare pixels, row after row. SIZE is as the kernel's
                         argument needs it: W (1-D, buffer), WxH (2-D), WxLAYERS (1-D array),
                         WxHxD (3-D), WxHxLAYERS (2-D array). FORMAT is channels (r rg rgba
                         bgra a i l d srgba sbgra), bits (8 16 32) and type (none: 0 to 1;
                         s: -1 to 1; i, ui, f), such as r32f rgba8 rgba8ui rg16s
  image-of=ARG:SIZE:FORMAT
                         an image of the bytes of the buffer of argument ARG
  png-out=PATH.png:WxH   a buffer of W*H rgba8 pixels, saved as a picture afterwards
  sampler=ADDRESS,FILTER,COORDS
                         ADDRESS: none clamp clamp-to-edge repeat mirrored-repeat,
                         FILTER: nearest linear, COORDS: unnormalized normalized
PATH:X splits at the last colon. Sizes take 0x and the suffixes K, M, G.";
}

impl ArgSpec {
    /// The file that is read for it.
    pub fn input(&self) -> Option<&Path> {
        match self {
            ArgSpec::Buffer {
                content: Content::File(path),
                ..
            }
            | ArgSpec::UserPtr { path, .. }
            | ArgSpec::Image { path, .. } => Some(path),
            ArgSpec::ImageRaw { input, .. } => input.as_deref(),
            _ => None,
        }
    }

    /// The file that is written for it.
    pub fn output(&self) -> Option<&Path> {
        match self {
            ArgSpec::ImageOut { path, .. } | ArgSpec::PngOut { path, .. } => Some(path),
            ArgSpec::Buffer { output, .. } | ArgSpec::ImageRaw { output, .. } => output.as_deref(),
            _ => None,
        }
    }
}

impl FromStr for ArgSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "null" {
            return Ok(ArgSpec::Null);
        }
        let (keyword, rest) = text.split_once('=').ok_or_else(|| unknown(text))?;
        if let Ok(element) = keyword.parse::<ElementType>() {
            return value(element, rest);
        }
        let form = FORMS
            .iter()
            .find(|(name, _)| *name == keyword)
            .map(|(_, form)| *form)
            .ok_or_else(|| unknown(keyword))?;
        Form { form, text }.parse(keyword, rest)
    }
}

fn unknown(keyword: &str) -> String {
    let forms: Vec<_> = FORMS.iter().map(|(_, form)| *form).collect();
    format!(
        "unknown kind of argument {keyword:?}, expected one of {}",
        forms.join(" ")
    )
}

fn value(element: ElementType, rest: &str) -> Result<ArgSpec, String> {
    let mut bytes = Vec::new();
    let mut lanes = 0;
    for (index, part) in rest.split(',').enumerate() {
        bytes.extend(
            element
                .encode(part)
                .map_err(|e| format!("value {index}: {e}"))?,
        );
        lanes = index + 1;
    }
    if !matches!(lanes, 1 | 2 | 3 | 4 | 8 | 16) {
        return Err(format!("a vector has 2, 3, 4, 8 or 16 values, not {lanes}"));
    }
    Ok(ArgSpec::Value {
        element,
        lanes,
        bytes,
    })
}

/// One form of a specification being read; has the error messages for wrong parts.
struct Form<'a> {
    form: &'static str,
    text: &'a str,
}

impl Form<'_> {
    fn parse(&self, keyword: &str, rest: &str) -> Result<ArgSpec, String> {
        Ok(match keyword {
            "in" => ArgSpec::Buffer {
                content: Content::File(self.path(rest)?),
                output: None,
            },
            "out" => {
                let (path, bytes) = self.last(rest)?;
                let bytes = part("BYTES", number::bytes(bytes))?;
                ArgSpec::Buffer {
                    content: Content::Filled { byte: 0, bytes },
                    output: Some(self.path(path)?),
                }
            }
            "inout" => {
                let (input, output) = self.last(rest)?;
                ArgSpec::Buffer {
                    content: Content::File(self.path(input)?),
                    output: Some(self.path(output)?),
                }
            }
            "fill" => {
                let (byte, bytes) = self.last(rest)?;
                let byte = part("BYTE", number::count(byte))?;
                let byte = u8::try_from(byte)
                    .map_err(|_| format!("BYTE: expected 0 to 255, not {byte}"))?;
                let bytes = part("BYTES", number::bytes(bytes))?;
                ArgSpec::Buffer {
                    content: Content::Filled { byte, bytes },
                    output: None,
                }
            }
            "bytes" => ArgSpec::Bytes(part("HEX", hex(rest))?),
            "local" => ArgSpec::Local {
                bytes: part("BYTES", number::bytes(rest))?,
            },
            "same" => ArgSpec::Same(rest.parse()?),
            "sub" => {
                let (front, bytes) = self.last(rest)?;
                let (parent, origin) = self.last(front)?;
                ArgSpec::Sub {
                    parent: parent.parse()?,
                    origin: part("ORIGIN", number::count(origin))?,
                    bytes: part("BYTES", number::bytes(bytes))?,
                }
            }
            "userptr" => {
                let (path, misalign) = self.last(rest)?;
                let misalign = part("MISALIGN", number::count(misalign))?;
                if misalign >= 4096 {
                    return Err(format!("MISALIGN: expected 0 to 4095, not {misalign}"));
                }
                ArgSpec::UserPtr {
                    path: self.path(path)?,
                    misalign,
                }
            }
            "image" => {
                let (path, format) = optional_format(rest)?;
                ArgSpec::Image {
                    path: self.path(path)?,
                    format,
                }
            }
            "image-out" => {
                let (front, format) = optional_format(rest)?;
                let (path, size) = self.last(front)?;
                ArgSpec::ImageOut {
                    path: self.path(path)?,
                    size: part("WxH", size.parse())?,
                    format,
                }
            }
            "png-out" => {
                let (path, size) = self.last(rest)?;
                ArgSpec::PngOut {
                    path: self.path(path)?,
                    size: part("WxH", size.parse())?,
                }
            }
            "image-raw" | "image-raw-out" | "image-raw-inout" => {
                let (paths, shape) = self.shape(rest)?;
                let (input, output) = match keyword {
                    "image-raw" => (Some(paths), None),
                    "image-raw-out" => (None, Some(paths)),
                    _ => {
                        let (input, output) = self.last(paths)?;
                        (Some(input), Some(output))
                    }
                };
                let path = |text: Option<&str>| text.map(|text| self.path(text)).transpose();
                ArgSpec::ImageRaw {
                    shape,
                    input: path(input)?,
                    output: path(output)?,
                }
            }
            "image-of" => {
                let (buffer, shape) = self.shape(rest)?;
                ArgSpec::ImageOf {
                    buffer: buffer.parse()?,
                    shape,
                }
            }
            "sampler" => {
                let mut parts = rest.split(',');
                let (Some(address), Some(filter), Some(coordinates), None) =
                    (parts.next(), parts.next(), parts.next(), parts.next())
                else {
                    return Err(self.wrong());
                };
                ArgSpec::Sampler(sampler(address, filter, coordinates)?)
            }
            _ => return Err(unknown(keyword)),
        })
    }

    fn wrong(&self) -> String {
        format!("expected {}, not {:?}", self.form, self.text)
    }

    fn last<'t>(&self, text: &'t str) -> Result<(&'t str, &'t str), String> {
        text.rsplit_once(':').ok_or_else(|| self.wrong())
    }

    fn path(&self, text: &str) -> Result<PathBuf, String> {
        if text.is_empty() {
            Err(self.wrong())
        } else {
            Ok(text.into())
        }
    }

    fn shape<'t>(&self, rest: &'t str) -> Result<(&'t str, ImageShape), String> {
        let (front, format) = self.last(rest)?;
        let (front, size) = self.last(front)?;
        Ok((
            front,
            ImageShape {
                sides: part("SIZE", size.parse())?,
                format: part("FORMAT", format.parse())?,
            },
        ))
    }
}

/// Splits off `:FORMAT`. A path may contain colons: a part that is no format belongs to the path.
fn optional_format(text: &str) -> Result<(&str, PictureFormat), String> {
    match text.rsplit_once(':') {
        Some((front, format))
            if !format.contains('.') && format.starts_with(|c: char| c.is_ascii_alphabetic()) =>
        {
            Ok((front, part("FORMAT", format.parse())?))
        }
        _ => Ok((text, PictureFormat::default())),
    }
}

fn part<T>(name: &str, parsed: Result<T, String>) -> Result<T, String> {
    parsed.map_err(|e| format!("{name}: {e}"))
}

fn hex(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|c| *c != '_')
        .map(|c| c.to_digit(16).map(|d| d as u8))
        .collect::<Option<_>>()
        .ok_or_else(|| format!("expected hexadecimal digits, not {text:?}"))?;
    if digits.is_empty() || !digits.len().is_multiple_of(2) {
        return Err(format!(
            "expected two digits for each byte, got {} digits",
            digits.len()
        ));
    }
    Ok(digits
        .chunks_exact(2)
        .map(|pair| pair.iter().fold(0, |byte, d| byte << 4 | d))
        .collect())
}

#[cfg(test)]
mod tests {
    use umd::{AddressingMode, FilterMode};

    use super::*;

    fn ok(text: &str) -> ArgSpec {
        text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    fn error(text: &str) -> String {
        text.parse::<ArgSpec>().unwrap_err()
    }

    #[test]
    fn buffers_and_values() {
        for (text, spec) in [
            (
                "in=a:b.bin",
                r#"Buffer { content: File("a:b.bin"), output: None }"#,
            ),
            (
                "out=a:b:4K",
                r#"Buffer { content: Filled { byte: 0, bytes: 4096 }, output: Some("a:b") }"#,
            ),
            (
                "inout=a:b:c",
                r#"Buffer { content: File("a:b"), output: Some("c") }"#,
            ),
            (
                "fill=0xff:16",
                "Buffer { content: Filled { byte: 255, bytes: 16 }, output: None }",
            ),
            ("same=0", "Same(Index(0))"),
            (
                "sub=dst:64:0x40",
                r#"Sub { parent: Name("dst"), origin: 64, bytes: 64 }"#,
            ),
            (
                "userptr=a.bin:60",
                r#"UserPtr { path: "a.bin", misalign: 60 }"#,
            ),
            ("null", "Null"),
            ("local=1K", "Local { bytes: 1024 }"),
            (
                "u16=1,0xffff",
                "Value { element: U16, lanes: 2, bytes: [1, 0, 255, 255] }",
            ),
            ("bytes=01_ff", "Bytes([1, 255])"),
        ] {
            assert_eq!(format!("{:?}", ok(text)), spec);
        }
        assert_eq!(
            error("i32=1,2,3,4,5"),
            "a vector has 2, 3, 4, 8 or 16 values, not 5"
        );
        assert_eq!(error("u8=1,256"), "value 1: 256 does not fit u8 (0 to 255)");
        assert_eq!(
            error("bytes=123"),
            "HEX: expected two digits for each byte, got 3 digits"
        );
    }

    #[test]
    fn images_and_samplers() {
        let shape = |size: &str, format: &str| ImageShape {
            sides: size.parse().unwrap(),
            format: format.parse().unwrap(),
        };
        let path = |text: &str| PathBuf::from(text);
        let (width, height) = (64, 32);
        let size = Dimensions { width, height };
        for (text, spec) in [
            (
                "image=a:p.png",
                ArgSpec::Image {
                    path: path("a:p.png"),
                    format: PictureFormat::default(),
                },
            ),
            (
                "image=a:p.png:r16ui",
                ArgSpec::Image {
                    path: path("a:p.png"),
                    format: "r16ui".parse().unwrap(),
                },
            ),
            (
                "image-out=p.png:64x32",
                ArgSpec::ImageOut {
                    path: path("p.png"),
                    size,
                    format: PictureFormat::default(),
                },
            ),
            (
                "png-out=p.png:64x32",
                ArgSpec::PngOut {
                    path: path("p.png"),
                    size,
                },
            ),
            (
                "image-raw=p:64x32:r32f",
                ArgSpec::ImageRaw {
                    shape: shape("64x32", "r32f"),
                    input: Some(path("p")),
                    output: None,
                },
            ),
            (
                "image-raw-inout=a:b:c:8x4x2:rgba16f",
                ArgSpec::ImageRaw {
                    shape: shape("8x4x2", "rgba16f"),
                    input: Some(path("a:b")),
                    output: Some(path("c")),
                },
            ),
            (
                "image-of=src:16:r8ui",
                ArgSpec::ImageOf {
                    buffer: ArgRef::Name("src".into()),
                    shape: shape("16", "r8ui"),
                },
            ),
            (
                "sampler=clamp-to-edge,linear,normalized",
                ArgSpec::Sampler(Sampler::new(
                    AddressingMode::ClampToEdge,
                    FilterMode::Linear,
                    true,
                )),
            ),
        ] {
            assert_eq!(ok(text), spec);
        }
    }

    #[test]
    fn errors_name_the_part_and_what_was_expected() {
        assert_eq!(
            error("out=a.bin"),
            "expected out=PATH:BYTES, not \"out=a.bin\""
        );
        assert_eq!(
            error("out=a.bin:0"),
            "BYTES: expected a size of at least 1 byte, not 0"
        );
        assert_eq!(error("fill=256:1"), "BYTE: expected 0 to 255, not 256");
        assert_eq!(
            error("userptr=a:4096"),
            "MISALIGN: expected 0 to 4095, not 4096"
        );
        assert_eq!(
            error("image-out=p.png:64"),
            "WxH: expected WxH in pixels, such as 640x480, not \"64\""
        );
        assert!(error("image-raw=p:1x1:rgb8").starts_with("FORMAT: unknown channels \"rgb\""));
        assert!(error("image=p.png:rg8").starts_with("FORMAT: a picture"));
        assert!(error("image-raw=p:1x0:r8").starts_with("SIZE: expected"));
        assert!(error("sampler=clamp,linear").starts_with("expected sampler=ADDRESS"));
        assert!(error("sampler=edge,linear,normalized").starts_with("unknown ADDRESS \"edge\""));
        assert!(error("float=1").starts_with("unknown kind of argument \"float\""));
        assert!(error("nothing").contains("in=PATH"));
        assert!(error("same=").starts_with("ARG:"));
        assert!(error("in=").starts_with("expected in=PATH"));
    }
}
