//! Source lines: where `OpLine` says that instructions come from.

use std::path::Path;

use hashbrown::HashMap;
use spirv::Op;

use super::reader::Instruction;

/// Numbers of instructions in the set `OpenCL.DebugInfo.100`, and what the set is called.
const DEBUG_INFO: &str = "OpenCL.DebugInfo.100";
const COMPILATION_UNIT: u32 = 1;
const SOURCE: u32 = 35;

/// A file: the folder and the name. Files in the folder of a source that was compiled have none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct File {
    /// The folder, if it is not the compiler's.
    pub folder: Option<String>,
    /// The name in it.
    pub name: String,
}

/// The source lines of a module.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// Files.
    pub files: Vec<File>,
    /// By the first word of instructions, from where on the file and the line are these. None is line 0.
    rows: Vec<(u32, usize, u32)>,
}

impl Lines {
    /// Those of a module's instructions, with its texts.
    pub(super) fn of(instructions: &[Instruction<'_>], texts: &HashMap<u32, String>) -> Self {
        let mut sets = Vec::new();
        let mut sources = HashMap::new();
        let mut folders: Vec<String> = Vec::new();
        for i in instructions {
            match (i.op, i.words) {
                (Op::ExtInstImport, [id, ..]) if i.text(1) == DEBUG_INFO => sets.push(*id),
                (Op::ExtInst, [_, id, set, SOURCE, text, ..]) if sets.contains(set) => {
                    sources.insert(*id, *text);
                }
                (Op::ExtInst, [_, _, set, COMPILATION_UNIT, _, _, source, ..])
                    if sets.contains(set) =>
                {
                    let text = sources.get(source).and_then(|text| texts.get(text));
                    folders.extend(text.and_then(|text| folder(text)));
                }
                _ => {}
            }
        }
        let mut lines = Self::default();
        let mut files: HashMap<u32, usize> = HashMap::new();
        for i in instructions {
            let (file, line) = match (i.op, i.words) {
                (Op::Line, [file, line, ..]) => {
                    let text = || texts.get(file).map(String::as_str).unwrap_or_default();
                    let number = *files
                        .entry(*file)
                        .or_insert_with(|| lines.file(text(), &folders));
                    (number, *line)
                }
                // A line holds until the end of its block.
                (Op::NoLine | Op::Label | Op::FunctionEnd, _) => (0, 0),
                _ => continue,
            };
            lines.rows.push((i.at, file, line));
        }
        lines
    }

    /// File and line of the instruction at a word.
    pub fn at(&self, word: u32) -> Option<(usize, u32)> {
        let behind = self.rows.partition_point(|(at, ..)| *at <= word);
        let (_, file, line) = self.rows.get(behind.checked_sub(1)?)?;
        (*line != 0).then_some((*file, *line))
    }

    /// The same as names: the file, without folder where it is the compiler's, and the line.
    pub(super) fn name(&self, word: u32) -> Option<(String, u32)> {
        let (file, line) = self.at(word)?;
        let File { folder, name } = self.files.get(file)?;
        let name = match folder {
            Some(folder) => format!("{folder}/{name}"),
            None => name.clone(),
        };
        Some((name, line))
    }

    fn file(&mut self, text: &str, folders: &[String]) -> usize {
        let name = Path::new(text).file_name();
        let name = name.map_or(text.into(), |name| name.to_string_lossy());
        let folder = folder(text).filter(|folder| !folders.contains(folder));
        let file = File {
            folder,
            name: name.into_owned(),
        };
        let known = self.files.iter().position(|known| *known == file);
        known.unwrap_or_else(|| {
            self.files.push(file);
            self.files.len() - 1
        })
    }
}

/// The folder that a file's path has.
fn folder(path: &str) -> Option<String> {
    let folder = Path::new(path).parent()?.to_str()?;
    (!folder.is_empty()).then(|| folder.to_owned())
}
