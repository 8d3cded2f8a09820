//! From `--arg` to a kernel's arguments.

use std::path::{Path, PathBuf};

use umd::binary::{ArgInfo, ArgKind, KernelInfo, ValueType};
use umd::{Arg, Buffer, Device, HostMemory, Image, ImageDesc, ImageKind, Sampler};

use crate::args::{ArgRef, ArgSpec, Content, Dimensions, ElementType, ImageShape, PictureFormat};
use crate::exit::Error;
use crate::files;
use crate::picture::Picture;

/// One bound argument: what the kernel gets, and what is saved afterwards.
#[derive(Debug)]
pub struct Bound {
    /// What the kernel gets.
    pub value: Value,
    /// Where the content goes after the run.
    pub save: Option<Save>,
}

/// What the kernel gets.
#[derive(Debug)]
pub enum Value {
    /// A buffer.
    Buffer(Buffer),
    /// An image.
    Image(Image),
    /// A null pointer.
    Null,
    /// Bytes by value.
    Bytes(Vec<u8>),
    /// Shared local memory.
    Local(u32),
    /// A sampler.
    Sampler(Sampler),
}

/// Where the content goes after the run.
#[derive(Debug)]
pub enum Save {
    /// As it is.
    Raw(PathBuf),
    /// As a picture.
    Png(PathBuf, Dimensions, PictureFormat),
}

impl Bound {
    /// The argument in the form that `umd` takes.
    pub fn arg(&self) -> Arg<'_> {
        match &self.value {
            Value::Buffer(buffer) => Arg::Buffer(buffer),
            Value::Image(image) => Arg::Image(image),
            Value::Null => Arg::Null,
            Value::Bytes(bytes) => Arg::Value(bytes),
            Value::Local(bytes) => Arg::Local(*bytes),
            Value::Sampler(sampler) => Arg::Sampler(*sampler),
        }
    }

    /// The size of a buffer, or of an image's texels, in bytes; `None` if it has no memory.
    pub fn size(&self) -> Option<u64> {
        match &self.value {
            Value::Buffer(buffer) => Some(buffer.size()),
            Value::Image(image) => Some(image_bytes(image)),
            _ => None,
        }
    }

    /// The bytes of a buffer, or of an image, row after row.
    ///
    /// # Errors
    /// The argument has no memory, or it cannot be read.
    pub fn content(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = zeroes(self.size().unwrap_or(0))?;
        match &self.value {
            Value::Buffer(buffer) => buffer.read(0, &mut bytes)?,
            Value::Image(image) => image.read(&image.whole(), &mut bytes)?,
            _ => {
                return Err(Error::Usage(
                    "it is neither a buffer nor an image".to_owned(),
                ));
            }
        }
        Ok(bytes)
    }

    /// Saves the content, if requested.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn save(&self) -> Result<Option<&Path>, Error> {
        match &self.save {
            None => Ok(None),
            Some(Save::Raw(path)) => {
                match &self.value {
                    Value::Buffer(buffer) => {
                        files::write_parts(path, buffer.size(), |at, part| {
                            Ok(buffer.read(at, part)?)
                        })?;
                    }
                    _ => files::write(path, &self.content()?)?,
                }
                Ok(Some(path))
            }
            Some(Save::Png(path, size, format)) => {
                let picture = Picture {
                    size: *size,
                    format: *format,
                    pixels: self.content()?,
                };
                picture.write(path)?;
                Ok(Some(path))
            }
        }
    }
}

/// Binds all arguments of a kernel.
///
/// # Errors
/// A wrong number of arguments, a reference that leads nowhere, a file that cannot be read, or
/// memory that the device refuses.
pub fn bind(device: &Device, kernel: &KernelInfo, specs: &[ArgSpec]) -> Result<Vec<Bound>, Error> {
    if specs.len() != kernel.args.len() {
        return Err(Error::Usage(format!(
            "kernel {} takes {} arguments, {} given{}",
            kernel.name,
            kernel.args.len(),
            specs.len(),
            describe(kernel)
        )));
    }
    let mut bound: Vec<Bound> = Vec::with_capacity(specs.len());
    for (index, (spec, info)) in specs.iter().zip(&kernel.args).enumerate() {
        let one = bind_one(device, kernel, &bound, spec, info).map_err(|e| at(index, info, e))?;
        bound.push(one);
    }
    Ok(bound)
}

/// The position that `--print`, `--expect`, `same=` or `sub=` names.
///
/// # Errors
/// [`Error::Usage`] if the kernel has no such argument.
pub fn resolve(kernel: &KernelInfo, arg: &ArgRef) -> Result<usize, Error> {
    let found = match arg {
        ArgRef::Index(index) => Some(*index).filter(|i| *i < kernel.args.len()),
        ArgRef::Name(name) => kernel
            .args
            .iter()
            .position(|info| info.name.as_deref() == Some(name)),
    };
    found.ok_or_else(|| {
        let arg = match arg {
            ArgRef::Index(index) => index.to_string(),
            ArgRef::Name(name) => format!("{name:?}"),
        };
        Error::Usage(format!(
            "kernel {} has no argument {arg}{}",
            kernel.name,
            describe(kernel)
        ))
    })
}

/// The arguments of raw instructions, which no file describes: as on the command line.
///
/// # Errors
/// [`Error::Usage`] for arguments that need a description of the kernel.
pub fn raw_kinds(specs: &[ArgSpec]) -> Result<Vec<ArgKind>, Error> {
    specs
        .iter()
        .map(|spec| match spec {
            ArgSpec::Value { bytes, .. } | ArgSpec::Bytes(bytes) => Ok(ArgKind::Value {
                size: bytes.len() as u32,
                element: None,
            }),
            ArgSpec::Local { .. } => Ok(ArgKind::Local),
            ArgSpec::Image { .. }
            | ArgSpec::ImageOut { .. }
            | ArgSpec::ImageRaw { .. }
            | ArgSpec::ImageOf { .. }
            | ArgSpec::Sampler(_) => Err(Error::Usage(
                "raw EU instructions take buffers and values only; \
                 assembly directives can bind images and samplers"
                    .to_owned(),
            )),
            _ => Ok(ArgKind::Buffer),
        })
        .collect()
}

/// The forms of `--arg` that fit an argument, for messages about a form that does not.
pub fn forms(kernel: &KernelInfo, index: usize) -> String {
    let forms = match kernel.args.get(index).map(|info| info.kind) {
        Some(ArgKind::Buffer) => "in= out= inout= fill= userptr= sub= same= png-out= null",
        Some(ArgKind::Value { .. }) => "TYPE=V[,V...] bytes=HEX",
        Some(ArgKind::Local) => "local=BYTES",
        Some(ArgKind::Image(_)) => {
            "image= image-out= image-raw= image-raw-out= image-raw-inout= image-of= same="
        }
        Some(ArgKind::Sampler) => "sampler=ADDRESS,FILTER,COORDS",
        Some(ArgKind::Unused) | None => "any form, the kernel does not use it",
    };
    format!("forms that fit: {forms}")
}

/// The kernel's arguments, one per line, for messages about them.
fn describe(kernel: &KernelInfo) -> String {
    kernel
        .args
        .iter()
        .enumerate()
        .map(|(index, info)| {
            let name = info.name.as_deref().unwrap_or("-");
            let source = info
                .type_name
                .as_deref()
                .map(|t| format!(" ({t})"))
                .unwrap_or_default();
            format!("\n  {index}  {name}  {}{source}", info.kind)
        })
        .collect()
}

fn at(index: usize, info: &ArgInfo, error: Error) -> Error {
    let name = info
        .name
        .as_deref()
        .map(|n| format!(" ({n})"))
        .unwrap_or_default();
    let place = |text: String| format!("argument {index}{name}: {text}");
    match error {
        Error::Usage(text) => Error::Usage(place(text)),
        Error::Rejected(text) => Error::Rejected(place(text)),
        Error::Device(text) => Error::Device(place(text)),
        Error::Failed(text) => Error::Failed(place(text)),
        other => other,
    }
}

fn bind_one(
    device: &Device,
    kernel: &KernelInfo,
    earlier: &[Bound],
    spec: &ArgSpec,
    info: &ArgInfo,
) -> Result<Bound, Error> {
    let kept = |value| Ok(Bound { value, save: None });
    match spec {
        ArgSpec::Buffer { content, output } => Ok(Bound {
            value: Value::Buffer(match content {
                Content::File(path) => filled(device, path)?,
                Content::Filled { byte, bytes } => {
                    let buffer = device.buffer(*bytes)?;
                    if *byte != 0 {
                        buffer.fill(0, *bytes, &[*byte])?;
                    }
                    buffer
                }
            }),
            save: output.clone().map(Save::Raw),
        }),
        ArgSpec::PngOut { path, size } => Ok(Bound {
            value: Value::Buffer(device.buffer(picture_bytes(*size)?)?),
            save: Some(Save::Png(path.clone(), *size, PictureFormat::default())),
        }),
        ArgSpec::UserPtr { path, misalign } => kept(Value::Buffer(user_memory(
            device,
            &nonempty(path)?,
            *misalign,
        )?)),
        ArgSpec::Same(arg) => match earlier_value(kernel, earlier, arg)? {
            Value::Buffer(buffer) => kept(Value::Buffer(buffer.clone())),
            Value::Image(image) => kept(Value::Image(image.clone())),
            _ => Err(Error::Usage(
                "same= names an argument that is neither a buffer nor an image".to_owned(),
            )),
        },
        ArgSpec::Sub {
            parent,
            origin,
            bytes,
        } => {
            let parent = buffer_of(kernel, earlier, parent)?;
            kept(Value::Buffer(parent.sub_buffer(*origin, *bytes)?))
        }
        ArgSpec::Null => kept(Value::Null),
        ArgSpec::Value {
            element,
            lanes,
            bytes,
        } => {
            same_sort(*element, info)?;
            kept(Value::Bytes(padded(*element, *lanes, bytes, info)))
        }
        ArgSpec::Bytes(bytes) => kept(Value::Bytes(bytes.clone())),
        ArgSpec::Local { bytes } => {
            let bytes = u32::try_from(*bytes)
                .map_err(|_| Error::Usage(format!("{bytes} bytes of local memory are too many")))?;
            kept(Value::Local(bytes))
        }
        ArgSpec::Image { path, format } => {
            let picture = Picture::read(path, *format)?;
            let Dimensions { width, height } = picture.size;
            let image = device.image(&ImageDesc::d2(format.format, width, height))?;
            image.write(&image.whole(), &picture.pixels)?;
            kept(Value::Image(image))
        }
        ArgSpec::ImageOut { path, size, format } => Ok(Bound {
            value: Value::Image(device.image(&ImageDesc::d2(
                format.format,
                size.width,
                size.height,
            ))?),
            save: Some(Save::Png(path.clone(), *size, *format)),
        }),
        ArgSpec::ImageRaw {
            shape,
            input,
            output,
        } => Ok(Bound {
            value: Value::Image(raw_image(device, shape, info, input.as_deref())?),
            save: output.clone().map(Save::Raw),
        }),
        ArgSpec::ImageOf { buffer, shape } => {
            let buffer = buffer_of(kernel, earlier, buffer)?;
            let desc = desc(shape, info)?;
            kept(Value::Image(device.image_from_buffer(buffer, &desc)?))
        }
        ArgSpec::Sampler(sampler) => kept(Value::Sampler(*sampler)),
    }
}

fn nonempty(path: &Path) -> Result<Vec<u8>, Error> {
    let bytes = files::read(path)?;
    if bytes.is_empty() {
        return Err(empty(path));
    }
    Ok(bytes)
}

fn empty(path: &Path) -> Error {
    Error::Rejected(format!(
        "{} is empty, and no buffer has 0 bytes",
        path.display()
    ))
}

/// A buffer with a file's bytes.
fn filled(device: &Device, path: &Path) -> Result<Buffer, Error> {
    match files::length(path)? {
        Some(0) => Err(empty(path)),
        Some(length) => {
            let buffer = device.buffer(length)?;
            let mut at = 0;
            files::read_parts(path, length, |part| {
                buffer.write(at, part)?;
                at += part.len() as u64;
                Ok(())
            })?;
            Ok(buffer)
        }
        None => {
            let bytes = nonempty(path)?;
            let buffer = device.buffer(bytes.len() as u64)?;
            buffer.write(0, &bytes)?;
            Ok(buffer)
        }
    }
}

/// Host memory whose first byte is `misalign` bytes into a page.
fn user_memory(device: &Device, bytes: &[u8], misalign: u64) -> Result<Buffer, Error> {
    // MISALIGN is below a page.
    let begin = misalign as usize;
    let memory = HostMemory::new(begin + bytes.len())?;
    memory.write(begin, bytes)?;
    Ok(device.from_user_memory(&memory, begin..begin + bytes.len())?)
}

/// What an earlier argument is bound to.
fn earlier_value<'b>(
    kernel: &KernelInfo,
    earlier: &'b [Bound],
    arg: &ArgRef,
) -> Result<&'b Value, Error> {
    let index = resolve(kernel, arg)?;
    earlier.get(index).map(|bound| &bound.value).ok_or_else(|| {
        Error::Usage(format!(
            "argument {index} comes later; name one that stands before this"
        ))
    })
}

/// The buffer of an earlier argument.
fn buffer_of<'b>(
    kernel: &KernelInfo,
    earlier: &'b [Bound],
    arg: &ArgRef,
) -> Result<&'b Buffer, Error> {
    match earlier_value(kernel, earlier, arg)? {
        Value::Buffer(buffer) => Ok(buffer),
        _ => Err(Error::Usage(format!(
            "argument {} is no buffer",
            resolve(kernel, arg)?
        ))),
    }
}

/// The image that a raw form describes, with a file's pixels or zeroes.
fn raw_image(
    device: &Device,
    shape: &ImageShape,
    info: &ArgInfo,
    path: Option<&Path>,
) -> Result<Image, Error> {
    let desc = desc(shape, info)?;
    let image = if desc.kind == ImageKind::D1Buffer {
        // These are the texels of a buffer, and a texel has at most 16 bytes.
        let buffer = device.buffer(u64::from(desc.width) * 16)?;
        device.image_from_buffer(&buffer, &desc)?
    } else {
        device.image(&desc)?
    };
    if let Some(path) = path {
        let bytes = files::read(path)?;
        let needed = image_bytes(&image);
        if bytes.len() as u64 != needed {
            return Err(Error::Rejected(format!(
                "{} has {} bytes, the image needs {needed}",
                path.display(),
                bytes.len(),
            )));
        }
        image.write(&image.whole(), &bytes)?;
    }
    Ok(image)
}

fn desc(shape: &ImageShape, info: &ArgInfo) -> Result<ImageDesc, Error> {
    let kind = match info.kind {
        ArgKind::Image(kind) => Some(kind),
        _ => None,
    };
    shape.desc(kind).map_err(Error::Usage)
}

/// Integers and floating-point numbers of the same size have different bytes.
fn same_sort(element: ElementType, info: &ArgInfo) -> Result<(), Error> {
    let ArgKind::Value { element: sort, .. } = info.kind else {
        return Ok(());
    };
    let by_name = info.type_name.as_deref().and_then(ElementType::of_source);
    let wants_float = match (by_name, sort) {
        (Some(own), _) => own.is_float(),
        (None, Some(sort)) => sort == ValueType::Float,
        (None, None) => return Ok(()),
    };
    if element.is_float() == wants_float {
        return Ok(());
    }
    let (wants, given) = match wants_float {
        true => ("floating-point numbers", "integers"),
        false => ("integers", "floating-point numbers"),
    };
    let own = match &info.type_name {
        Some(own) => format!("its type {own}"),
        None => "it".to_owned(),
    };
    Err(Error::Usage(format!(
        "{own} takes {wants}, {element} is for {given} (bytes=HEX gives any bytes)"
    )))
}

/// A vector of three has the size of four (OpenCL C 6.1.5); the padding is zero.
fn padded(element: ElementType, lanes: usize, bytes: &[u8], info: &ArgInfo) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if let ArgKind::Value { size, .. } = info.kind
        && lanes == 3
        && size as usize == 4 * element.size()
    {
        bytes.resize(size as usize, 0);
    }
    bytes
}

fn picture_bytes(size: Dimensions) -> Result<u64, Error> {
    let texels = u64::from(size.width) * u64::from(size.height);
    texels
        .checked_mul(PictureFormat::default().bytes() as u64)
        .ok_or_else(|| {
            Error::Usage(format!(
                "a picture of {}x{} pixels has more bytes than 64 bits can count",
                size.width, size.height
            ))
        })
}

fn image_bytes(image: &Image) -> u64 {
    let texels: u64 = image.desc().extent().into_iter().map(u64::from).product();
    texels * u64::from(image.texel_bytes())
}

/// Host memory; the host may not have that much.
fn zeroes(bytes: u64) -> Result<Vec<u8>, Error> {
    let too_large = |why: &dyn std::fmt::Display| {
        Error::Failed(format!(
            "the host has no {bytes} bytes to read it into: {why}"
        ))
    };
    let size = usize::try_from(bytes).map_err(|e| too_large(&e))?;
    let mut zeroes = Vec::new();
    zeroes.try_reserve_exact(size).map_err(|e| too_large(&e))?;
    zeroes.resize(size, 0);
    Ok(zeroes)
}
