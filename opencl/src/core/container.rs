//! Binaries of programs that are no executables of a device: an ELF file with SPIR-V or LLVM's
//! bitcode and the options, as Intel's runtime writes and reads it.
//!
//! Executables are zebins, which Intel's runtime reads as well. Its own, which may have another form
//! of device code in such a file, are compiled again from the module.

use object::elf::{FileFlags, FileHeader64, FileType, Machine, OsAbi, SectionFlags, SectionType};
use object::read::elf::{FileHeader as _, SectionHeader as _};
use object::write::elf::{FileHeader, SectionHeader, Writer};
use object::{Endianness, LittleEndian};

/// What the file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Objects,
    Library,
    Executable,
}

impl Kind {
    const ALL: [(Self, FileType); 3] = [
        (Self::Objects, FileType(0xff02)),
        (Self::Library, FileType(0xff03)),
        (Self::Executable, FileType(0xff04)),
    ];
}

/// Types of sections: a module of bitcode, options, a module of SPIR-V.
const BITCODE: SectionType = SectionType(0xff00_0003);
const OPTIONS: SectionType = SectionType(0xff00_0006);
const SPIRV: SectionType = SectionType(0xff00_0009);

/// A binary with a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Container {
    pub kind: Kind,
    pub options: String,
    pub module: Vec<u8>,
}

impl Container {
    /// The container that bytes are; `None` if they are something else.
    ///
    /// # Errors
    /// The file is broken, or has no module.
    pub(crate) fn read(bytes: &[u8]) -> Result<Option<Self>, String> {
        let Ok(header) = FileHeader64::<LittleEndian>::parse(bytes) else {
            return Ok(None);
        };
        let number = header.e_type.get(LittleEndian);
        let Some(&(kind, _)) = Kind::ALL.iter().find(|(_, own)| *own == number) else {
            return Ok(None);
        };
        let broken = |error: object::Error| format!("the binary is broken: {error}");
        let sections = header.sections(LittleEndian, bytes).map_err(broken)?;
        let mut container = Self {
            kind,
            options: String::new(),
            module: Vec::new(),
        };
        for section in sections.iter() {
            let data = || section.data(LittleEndian, bytes).map_err(broken);
            match section.sh_type(LittleEndian) {
                SPIRV | BITCODE => container.module = data()?.to_vec(),
                OPTIONS => {
                    let text = String::from_utf8_lossy(data()?).into_owned();
                    container.options = text.trim_end_matches('\0').to_owned();
                }
                _ => {}
            }
        }
        match container.module.is_empty() {
            true => Err("the binary has no SPIR-V and no bitcode".to_owned()),
            false => Ok(Some(container)),
        }
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// They are too many for its fields.
    pub(crate) fn write(&self) -> Result<Vec<u8>, String> {
        let too_large = |error: object::write::Error| format!("no binary: {error}");
        let mut bytes = Vec::new();
        let mut writer = Writer::new(Endianness::Little, true, &mut bytes);
        let (kind, name) = match spirv_module::is_spirv(&self.module) {
            true => (SPIRV, "SPIRV Object"),
            false => (BITCODE, "Intel(R) OpenCL LLVM Object"),
        };
        let sections = [
            (kind, name, self.module.as_slice()),
            (OPTIONS, "BuildOptions", self.options.as_bytes()),
        ];
        writer.reserve_null_section_index();
        let names = sections.map(|(_, name, _)| {
            writer.reserve_section_index();
            writer.add_section_name(name.as_bytes())
        });
        writer.reserve_shstrtab_section_index();
        writer.reserve_file_header();
        let offsets = sections.map(|(_, _, data)| writer.reserve(data.len() as u64, 8));
        writer.reserve_shstrtab().map_err(too_large)?;
        writer.reserve_section_headers();
        let number = Kind::ALL.iter().find(|(kind, _)| *kind == self.kind);
        let header = FileHeader {
            os_abi: OsAbi(0),
            abi_version: 0,
            e_type: number.map_or(FileType(0), |(_, number)| *number),
            e_machine: Machine(0),
            e_entry: 0,
            e_flags: FileFlags(0),
        };
        writer.write_file_header(&header).map_err(too_large)?;
        for (_, _, data) in sections {
            writer.write_align(8);
            writer.write(data);
        }
        writer.write_shstrtab();
        writer.write_null_section_header();
        for (index, (kind, _, data)) in sections.into_iter().enumerate() {
            writer.write_section_header(&SectionHeader {
                sh_name: writer.section_name_offset(names.get(index).copied()),
                sh_type: kind,
                sh_flags: SectionFlags(0),
                sh_addr: 0,
                sh_offset: offsets.get(index).copied().unwrap_or(0),
                sh_size: data.len() as u64,
                sh_link: 0,
                sh_info: 0,
                sh_addralign: 8,
                sh_entsize: 0,
            });
        }
        writer.write_shstrtab_section_header();
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for kind in [Kind::Objects, Kind::Library, Kind::Executable] {
            let container = Container {
                kind,
                options: "-cl-std=CL3.0".to_owned(),
                module: b"BC\xc0\xdesome bitcode".to_vec(),
            };
            let bytes = container.write().unwrap();
            assert_eq!(Container::read(&bytes).unwrap(), Some(container));
            for end in 0..bytes.len() {
                assert!(!matches!(Container::read(&bytes[..end]), Ok(Some(_))));
            }
        }
        assert_eq!(Container::read(b"\x7fELF").unwrap(), None);
    }
}
