//! `info`: what a kernel file is for, and what its kernels take.

use std::fmt::Write as _;
use std::path::PathBuf;

use devinfo::Target;
use serde_json::{Value, json};
use umd::Binary;
use umd::binary::{AccessQualifier, ArgInfo, KernelInfo};

use crate::exit::{Error, Exit};
use crate::kernel::{self, Hints};
use crate::kernel_file::{KernelFile, Kind};
use crate::platform;
use crate::{compiler, files};

/// Print what a kernel file is for, and what its kernels take and need
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// The kernel file (`-` is stdin)
    file: PathBuf,

    /// The platform: picks from an archive, is needed for source; a file for another one is
    /// rejected
    #[arg(short, long, value_name = "PLATFORM", value_parser = platform::parse)]
    platform: Option<Target>,

    #[command(flatten)]
    compiler: compiler::Options,

    /// Print one JSON document; an archive's zebins are a list in it if there are several
    #[arg(long)]
    json: bool,
}

/// Runs the sub-command.
///
/// # Errors
/// The file is rejected.
pub fn run(args: &Args) -> Result<(), Error> {
    let file = KernelFile::read(&args.file)?;
    let binaries = binaries(args, &file)?;
    if args.json {
        return files::print_json(&match binaries.as_slice() {
            [one] => as_json(one),
            all => json!({ "binaries": all.iter().map(as_json).collect::<Vec<_>>() }),
        });
    }
    let mut out = String::new();
    for binary in &binaries {
        let _ = writeln!(
            out,
            "{}: {} for {}",
            file.name,
            file.kind.describe(),
            binary.target()
        );
        for kernel in binary.kernels() {
            describe(&mut out, kernel, grf_bytes(binary) as u32);
            if let Some(reason) = binary.unsupported(&kernel.name) {
                let _ = writeln!(out, "  does not run         {reason}");
            }
        }
        for (index, text) in binary.printf_strings().iter().enumerate() {
            let _ = writeln!(out, "printf string {index}: {text:?}");
        }
    }
    files::print(&out)
}

/// What the file holds for the named platform; everything if none is named.
fn binaries(args: &Args, file: &KernelFile) -> Result<Vec<Binary>, Error> {
    if let (Kind::Zebin(bytes), None) = (&file.kind, args.platform) {
        return Binary::members(bytes)
            .and_then(|members| members.into_iter().map(Binary::parse).collect())
            .map_err(|e| file.rejected(e));
    }
    let hints = Hints {
        target: match args.platform {
            Some(target) => Some(target),
            None => kernel::target_of(file)?,
        },
        compiler: args.compiler.clone(),
        ..Hints::default()
    };
    Ok(vec![kernel::load(file, &hints)?])
}

/// The register size of the platform that a binary is for.
pub fn grf_bytes(binary: &Binary) -> usize {
    binary.target().platform.grf_bytes()
}

/// Where an argument goes: its register, its binding table index, or both.
pub fn place(kernel: &KernelInfo, arg: &ArgInfo, grf_bytes: u32) -> String {
    let mut places = Vec::new();
    if let Some(offset) = arg.payload_offset {
        let register = kernel.cross_thread_register + offset / grf_bytes;
        places.push(format!(
            "payload {offset} (r{register}, byte {})",
            offset % grf_bytes
        ));
    }
    if let Some(index) = arg.binding_table_index {
        places.push(format!("binding table index {index}"));
    }
    if arg.alignment > 1 {
        places.push(format!("aligned to {}", arg.alignment));
    }
    places.join(", ")
}

fn describe(out: &mut String, kernel: &KernelInfo, grf_bytes: u32) {
    let _ = writeln!(out, "kernel {}", kernel.name);
    let mut fact = |name: &str, value: String| {
        let _ = writeln!(out, "  {name:<20} {value}");
    };
    fact(
        "sub-group size",
        format!("{} (SIMD{})", kernel.simd, kernel.simd),
    );
    fact("registers", kernel.grf_count.to_string());
    fact("code", format!("{} bytes", kernel.code_size));
    if kernel.slm_size > 0 {
        fact(
            "local memory",
            format!("{} bytes a work-group", kernel.slm_size),
        );
    }
    if kernel.barriers > 0 {
        fact("barriers", kernel.barriers.to_string());
    }
    if kernel.scratch_size > 0 {
        fact("scratch", format!("{} bytes a thread", kernel.scratch_size));
    }
    if kernel.private_size > 0 {
        fact(
            "private memory",
            format!("{} bytes a work-item", kernel.private_size),
        );
    }
    if let Some([x, y, z]) = kernel.required_local_size {
        fact("required local size", format!("{x},{y},{z}"));
    }
    if let Some(size) = kernel.required_sub_group_size {
        fact("required sub-group", size.to_string());
    }
    if kernel.has_printf {
        fact("prints", "yes".to_owned());
    }
    for (index, arg) in kernel.args.iter().enumerate() {
        let source = arg
            .type_name
            .as_deref()
            .map(|t| format!(" ({t})"))
            .unwrap_or_default();
        let place = match place(kernel, arg, grf_bytes) {
            place if place.is_empty() => place,
            place => format!(", {place}"),
        };
        let _ = writeln!(
            out,
            "  argument {index} {}: {}{source}{place}",
            arg.name.as_deref().unwrap_or("-"),
            arg.kind,
        );
    }
}

fn as_json(binary: &Binary) -> Value {
    let target = binary.target();
    let kernels: Vec<_> = binary
        .kernels()
        .iter()
        .map(|kernel| kernel_json(kernel, binary.unsupported(&kernel.name)))
        .collect();
    json!({
        "target": {
            "platform": target.platform.name,
            "product_family": target.product_family,
            "core_family": target.core_family,
            "product_config": target.product_config,
            "revisions": target.revisions,
            "version": target.version,
        },
        "kernels": kernels,
        "printf_strings": binary.printf_strings(),
    })
}

fn kernel_json(kernel: &KernelInfo, unsupported: Option<&str>) -> Value {
    let args: Vec<_> = kernel
        .args
        .iter()
        .map(|arg| {
            json!({
                "name": arg.name,
                "type": arg.type_name,
                "kind": arg.kind.to_string(),
                "address_space": arg.address_space.map(|space| format!("{space:?}").to_lowercase()),
                "access": arg.access.map(|access| match access {
                    AccessQualifier::ReadOnly => "read_only",
                    AccessQualifier::WriteOnly => "write_only",
                    AccessQualifier::ReadWrite => "read_write",
                }),
                "payload_offset": arg.payload_offset,
                "binding_table_index": arg.binding_table_index,
                "alignment": arg.alignment,
            })
        })
        .collect();
    json!({
        "name": kernel.name,
        "simd": kernel.simd,
        "grf_count": kernel.grf_count,
        "code_bytes": kernel.code_size,
        "slm_bytes": kernel.slm_size,
        "barriers": kernel.barriers,
        "scratch_bytes": kernel.scratch_size,
        "private_bytes": kernel.private_size,
        "required_local_size": kernel.required_local_size,
        "required_sub_group_size": kernel.required_sub_group_size,
        "prints": kernel.has_printf,
        "unsupported": unsupported,
        "cross_thread_register": kernel.cross_thread_register,
        "args": args,
    })
}
