//! Which kernels of a file a command looks at.

use std::path::PathBuf;

use devinfo::Target;
use umd::Binary;
use umd::binary::KernelInfo;

use crate::exit::Error;
use crate::kernel::{self, Hints};
use crate::kernel_file::{KernelFile, Kind};
use crate::{compiler, platform};

/// A file, and which of its kernels.
#[derive(Debug, clap::Args)]
pub struct Selection {
    /// The kernel file (`-` is stdin)
    file: PathBuf,

    /// The platform: needed for bare instructions and source, picks from an archive; a file for
    /// another one is rejected
    #[arg(short, long, value_name = "PLATFORM", value_parser = platform::parse)]
    platform: Option<Target>,

    /// Only this kernel
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,

    #[command(flatten)]
    compiler: compiler::Options,
}

/// What a file holds.
pub enum Code {
    /// Instructions without a name.
    Bare(Target, Vec<u8>),
    /// Kernels.
    Binary(Box<Binary>),
}

impl Selection {
    /// Reads the file. Gives its name, for messages, too.
    ///
    /// # Errors
    /// The file is rejected, or does not go with the platform or the kernel's name.
    pub fn open(&self) -> Result<(String, Code), Error> {
        let file = KernelFile::read(&self.file)?;
        let usage = |what: &str| Error::Usage(format!("{}: bare instructions {what}", file.name));
        let code = match &file.kind {
            Kind::Raw(_) if self.kernel.is_some() => {
                return Err(usage("are no kernel with a name; leave --kernel out"));
            }
            Kind::Raw(code) => {
                let target = self
                    .platform
                    .ok_or_else(|| usage("do not say their platform; say it with -p"))?;
                Code::Bare(target, code.clone())
            }
            _ => {
                let target = match self.platform {
                    Some(target) => Some(target),
                    None => kernel::target_of(&file)?,
                };
                let hints = Hints {
                    target,
                    compiler: self.compiler.clone(),
                    ..Hints::default()
                };
                Code::Binary(Box::new(kernel::load(&file, &hints)?))
            }
        };
        Ok((file.name, code))
    }

    /// The chosen kernels of the file `name`.
    ///
    /// # Errors
    /// [`Error::Usage`] if it does not have the kernel.
    pub fn kernels<'a>(
        &self,
        name: &str,
        binary: &'a Binary,
    ) -> Result<Vec<&'a KernelInfo>, Error> {
        let all = binary.kernels();
        let Some(wanted) = &self.kernel else {
            return Ok(all.iter().collect());
        };
        let kernel = all.iter().find(|kernel| kernel.name == *wanted);
        let kernel = kernel.ok_or_else(|| {
            let names: Vec<_> = all.iter().map(|kernel| kernel.name.as_str()).collect();
            Error::Usage(format!(
                "{name} has no kernel {wanted:?}; it has {}",
                names.join(", ")
            ))
        })?;
        Ok(vec![kernel])
    }
}
