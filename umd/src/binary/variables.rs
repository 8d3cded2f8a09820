//! Constants and variables of programs, and whether those of two binaries are the same.

use super::Binary;
use super::image::{Patch, SegmentKind};

/// A constant or variable of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    /// The segment that it lies in.
    pub segment: usize,
    /// Where in it.
    pub offset: u64,
    /// Its bytes.
    pub size: u64,
    /// What the compiler calls it; no two of a binary have one name.
    pub name: String,
}

/// What the memory of constants and variables is at first, without the numbers of segments.
#[derive(Debug, PartialEq, Eq)]
struct Data<'a> {
    /// The kind, the bytes and the zeros of each.
    segments: Vec<(SegmentKind, &'a [u8], u64)>,
    /// What is patched where, with the place of another of these.
    addresses: Vec<(usize, usize, Patch, usize, u64)>,
    /// Where each name lies.
    names: Vec<(usize, u64, u64, &'a str)>,
}

impl Binary {
    /// Whether two binaries have the same constants and variables at the same places, so that kernels of both
    /// can use one memory.
    pub(crate) fn has_data_of(&self, other: &Self) -> bool {
        let own = self.data();
        own.is_some() && own == other.data()
    }

    /// `None` if the file does not tell it, or if some of it is addresses of code, which other code does not have.
    fn data(&self) -> Option<Data<'_>> {
        let all = self.segments.iter().enumerate();
        let data: Vec<_> = all.filter(|(_, one)| one.kind.is_data()).collect();
        let place = |segment: usize| data.iter().position(|(index, _)| *index == segment);
        let mut addresses = Vec::new();
        for one in &self.relocations {
            if let Some(of) = place(one.segment) {
                addresses.push((of, one.offset, one.patch, place(one.target)?, one.value));
            }
        }
        let own = self.variables.iter();
        let names = own.filter_map(|one| {
            let of = place(one.segment)?;
            Some((of, one.offset, one.size, one.name.as_str()))
        });
        let mut names: Vec<_> = names.collect();
        names.sort_unstable();
        addresses.sort_unstable_by_key(|&(of, offset, ..)| (of, offset));
        let is_told = |place: usize| names.iter().any(|(of, ..)| *of == place);
        let is_named = names.iter().all(|(.., name)| !name.is_empty());
        if !is_named || !(0..data.len()).all(is_told) {
            return None;
        }
        let segments = data.iter();
        let segments = segments.map(|(_, one)| (one.kind, one.data.as_slice(), one.zeros));
        Some(Data {
            segments: segments.collect(),
            addresses,
            names,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::image::{Relocation, Segment};
    use super::super::info::Target;
    use super::*;

    /// A program with some code, a constant and two variables, of which one is the other's address.
    fn binary(code: usize) -> Binary {
        let segment = |kind, data: &[u8]| Segment {
            kind,
            data: data.to_vec(),
            zeros: 4,
        };
        let mut segments = vec![segment(SegmentKind::Code, &[0; 16]); code];
        segments.push(segment(SegmentKind::Constants, &[1; 8]));
        segments.push(segment(SegmentKind::Globals, &[0; 16]));
        let address = Relocation {
            segment: code + 1,
            offset: 8,
            patch: Patch::Address64,
            target: code + 1,
            value: 0,
        };
        let target = Target::of(devinfo::by_name("tgl").unwrap());
        let binary = Binary::new(&[], target, Vec::new(), segments, vec![address], Vec::new());
        let variable = |segment, offset, name: &str| Variable {
            segment,
            offset,
            size: 8,
            name: name.to_owned(),
        };
        let variables = vec![
            variable(code, 0, "fixed"),
            variable(code + 1, 0, "value"),
            variable(code + 1, 8, "pointer"),
        ];
        Binary {
            variables,
            ..binary
        }
    }

    #[test]
    fn what_is_no_code_is_compared() {
        let mut other = binary(3);
        assert!(binary(1).has_data_of(&other));
        other.variables.swap(0, 2);
        assert!(binary(1).has_data_of(&other));
    }

    #[test]
    fn other_variables_are_others() {
        let changes: [fn(&mut Binary); 8] = [
            |other| other.variables[1].offset = 4,
            |other| other.variables[1].name = "other".to_owned(),
            |other| other.variables.truncate(2),
            |other| other.segments[2].data[0] = 1,
            |other| other.segments[1].zeros = 0,
            |other| other.relocations[0].value = 4,
            |other| other.relocations[0].target = 1,
            |other| other.relocations.clear(),
        ];
        for change in changes {
            let mut other = binary(1);
            change(&mut other);
            assert!(!binary(1).has_data_of(&other));
        }
    }

    #[test]
    fn what_is_not_told_is_not_the_same() {
        let changes: [fn(&mut Binary); 3] = [
            |other| other.variables.clear(),
            |other| other.variables[1].name.clear(),
            // The address of a function.
            |other| other.relocations[0].target = 0,
        ];
        for change in changes {
            let mut other = binary(1);
            change(&mut other);
            assert!(!other.has_data_of(&other.clone()));
        }
    }
}
