//! Intel's compiler on the same SPIR-V: what it refuses, whether its code is right, and how many
//! instructions and sends it needs.

use std::path::Path;
use std::process::Command;

use object::{Object, ObjectSection};
use umd::Device;

use super::cell::Cell;
use super::run::{self, Found, allowed, module};

/// A compiler's device.
#[derive(Clone, Copy, Debug)]
pub struct Judge {
    /// `ocloc`'s name for it.
    pub name: &'static str,
    /// The index in `DEVICES`.
    pub device: usize,
    /// Release 22.43 of Debian 12, or the one in `NEWER_OCLOC`.
    pub newer: bool,
    revision: Option<&'static str>,
}

const fn judge(name: &'static str, device: usize, newer: bool) -> Judge {
    Judge {
        name,
        device,
        newer,
        revision: None,
    }
}

/// One of each family that a release knows.
pub const JUDGES: [Judge; 10] = [
    judge("bdw", 0, false),
    judge("skl", 1, false),
    judge("icllp", 2, false),
    judge("tgllp", 3, false),
    Judge {
        revision: Some("0"),
        ..judge("dg2", 4, false)
    },
    Judge {
        revision: Some("8"),
        ..judge("dg2", 5, false)
    },
    judge("mtl-h", 6, true),
    judge("pvc", 7, true),
    judge("bmg-g21", 9, true),
    judge("ptl-h", 10, true),
];

impl Judge {
    /// The command, if the compiler is here.
    pub fn command(&self) -> Option<Vec<String>> {
        match self.newer {
            true => {
                let command = oracles::variable("NEWER_OCLOC", "newer ocloc")?;
                Some(command.split_whitespace().map(str::to_owned).collect())
            }
            false => oracles::debian("ocloc").then(|| vec!["ocloc".to_owned()]),
        }
    }

    /// Its zebin for a module.
    pub fn compile(
        &self,
        command: &[String],
        spirv: &[u8],
        folder: &Path,
    ) -> Result<Vec<u8>, String> {
        std::fs::write(folder.join("k.spv"), spirv).unwrap();
        std::fs::remove_file(folder.join("k.out")).ok();
        let mut ocloc = Command::new(&command[0]);
        ocloc
            .current_dir(folder)
            .args(&command[1..])
            .args(["compile", "-file", "k.spv", "-spirv_input", "-device"])
            .arg(self.name)
            .args(["-output_no_suffix", "-output", "k.out"])
            .args(["-internal_options", "-cl-intel-allow-zebin"]);
        if let Some(revision) = self.revision {
            ocloc.args(["-revision_id", revision]);
        }
        let output = ocloc.output().unwrap();
        let found = ["k.out", "k.out.bin"]
            .iter()
            .find_map(|name| std::fs::read(folder.join(name)).ok());
        match found.filter(|_| output.status.success()) {
            Some(bytes) => Ok(bytes),
            None => {
                let text = [output.stdout, output.stderr].concat();
                let text = String::from_utf8_lossy(&text).into_owned();
                let line = text
                    .lines()
                    .find(|line| line.contains("error") && !line.contains("Build failed"))
                    .or_else(|| text.lines().find(|line| !line.trim().is_empty()));
                Err(line.unwrap_or("it ended without a word").trim().to_owned())
            }
        }
    }
}

/// Instructions and sends of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub instructions: u64,
    pub sends: u64,
}

/// What a kernel's code has up to its end.
pub fn cost(family: devinfo::Family, code: &[u8]) -> Cost {
    let mut cost = Cost::default();
    let mut rest = code;
    while let Ok((instruction, length)) = isa_encoder::decode(family, rest) {
        let name = instruction.opcode.mnemonic();
        if name != "nop" && name != "illegal" && name != "sync" {
            cost.instructions += 1;
        }
        cost.sends += u64::from(name.starts_with("send"));
        rest = &rest[length.min(rest.len())..];
        if rest.is_empty() || name == "illegal" {
            break;
        }
    }
    cost
}

/// What became of a cell at Intel's compiler.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub cell: Cell,
    pub simd: u32,
    pub refused: Option<String>,
    pub wrong: Option<String>,
    /// Ours and theirs.
    pub costs: Option<[Cost; 2]>,
}

/// Asks it about cells at a width.
pub fn ask(
    judge: &Judge,
    command: &[String],
    device: &Device,
    cells: &[Cell],
    simd: u32,
) -> Vec<Verdict> {
    let (platform, revision) = super::DEVICES[judge.device];
    let target = devinfo::by_name(platform).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let have = cells.iter().filter(|cell| allowed(target, cell, simd));
    let have: Vec<Cell> = have.copied().collect();
    let mut verdicts = Vec::new();
    let mut work: Vec<Vec<Cell>> = have.chunks(16).map(<[Cell]>::to_vec).collect();
    while let Some(part) = work.pop() {
        let spirv = module(&part, simd);
        let theirs = match judge.compile(command, &spirv, folder.path()) {
            Ok(zebin) => zebin,
            Err(_) if part.len() > 1 => {
                let (a, b) = part.split_at(part.len() / 2);
                work.extend([a.to_vec(), b.to_vec()]);
                continue;
            }
            Err(why) => {
                verdicts.push(Verdict {
                    cell: part[0],
                    simd,
                    refused: Some(why),
                    wrong: None,
                    costs: None,
                });
                continue;
            }
        };
        let mut how = eu_compiler::Options::new(target);
        how.revision = revision;
        let ours = eu_compiler::compile(&spirv, &how).unwrap();
        if let Ok(folder) = std::env::var("ZEBINS") {
            for kernel in &ours.kernels {
                let name = format!("{folder}/{}.{}.asm", judge.name, kernel.name);
                std::fs::write(name, kernel.text()).unwrap();
            }
            std::fs::write(
                format!("{folder}/{}.theirs", judge.name),
                umd_zebin(&theirs),
            )
            .unwrap();
            std::fs::write(format!("{folder}/{}.spv", judge.name), &spirv).unwrap();
        }
        let mut found: Vec<Found> = Vec::new();
        run::launch(device, &part, simd, &theirs, &mut found);
        let file = umd_zebin(&theirs);
        let file = object::File::parse(file).unwrap();
        for Found { cell, wrong, .. } in found {
            let name = cell.kernel_name(false);
            let section = file.section_by_name(&format!(".text.{name}"));
            let theirs = section.map(|section| cost(target.family, section.data().unwrap()));
            let own = ours.kernels.iter().find(|kernel| kernel.name == name);
            let own = own.map(|kernel| cost(target.family, &kernel.code));
            verdicts.push(Verdict {
                cell,
                simd,
                refused: None,
                wrong,
                costs: own.zip(theirs).map(|(own, theirs)| [own, theirs]),
            });
        }
    }
    verdicts
}

/// The ELF in what `ocloc` writes.
fn umd_zebin(bytes: &[u8]) -> &[u8] {
    const MAGIC: &[u8] = b"\x7fELF";
    let at = bytes.windows(4).position(|window| window == MAGIC);
    &bytes[at.unwrap_or(0)..]
}
