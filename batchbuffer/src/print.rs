//! Packets as text, and as values for other forms of output.

use core::fmt;

use devinfo::Family;

use crate::batch::Step;
use crate::decode::{View, read_bits, real, sign_extend};
use crate::layout::{Field, Kind, Row};
use crate::registers;

/// One field of a packet or state with its value.
#[derive(Clone, Copy, Debug)]
pub struct FieldValue {
    /// The field.
    pub field: &'static Field,
    /// Where it lies, relative to its own layout.
    pub row: Row,
    /// Whose layout it is.
    pub family: Family,
    /// Which element, if the field is repeated.
    pub index: Option<usize>,
    /// Its bits.
    pub raw: u64,
}

impl FieldValue {
    /// The name of the value, if it has one.
    pub fn value_name(&self) -> Option<&'static str> {
        let Kind::Values(names) = self.row.kind else {
            return None;
        };
        names
            .iter()
            .find(|(_, value)| *value == self.raw)
            .map(|(name, _)| *name)
    }
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let raw = self.raw;
        match self.row.kind {
            Kind::Uint | Kind::State(_) if raw < 10 => write!(f, "{raw}"),
            Kind::Uint | Kind::State(_) => write!(f, "{raw} ({raw:#x})"),
            Kind::Int => write!(f, "{}", sign_extend(raw, &self.row)),
            Kind::Bool => write!(f, "{}", raw != 0),
            Kind::Address | Kind::Offset => write!(f, "{:#x}", raw << self.row.lo),
            Kind::Register => {
                let register = (raw << self.row.lo) as u32;
                match registers::name(self.family, register) {
                    Some(name) => write!(f, "{name} ({register:#x})"),
                    None => write!(f, "{register:#x}"),
                }
            }
            Kind::Float | Kind::Fixed { .. } => write!(f, "{}", real(raw, &self.row)),
            Kind::One => write!(f, "{raw}"),
            Kind::Values(_) => match self.value_name() {
                Some(name) => write!(f, "{name} ({raw})"),
                None => write!(f, "{raw}"),
            },
        }
    }
}

/// The fields of a packet or state as they lie on its family, repeated fields
/// element by element; nested layouts are not entered.
pub fn fields<'a>(view: &View<'a>) -> impl Iterator<Item = FieldValue> + use<'a> {
    let view = *view;
    let layout = view.layout();
    layout.fields.iter().flat_map(move |&field| {
        let row = field.row(view.family()).copied();
        let count = row.map_or(0, |row| row.elements(view.dwords().len()));
        (0..count).filter_map(move |index| {
            let row = row?;
            let start = row.element(index, view.dwords().len())?;
            Some(FieldValue {
                field,
                row,
                family: view.family(),
                index: row.repeat.map(|_| index),
                raw: read_bits(view.dwords(), start, row.bits()),
            })
        })
    })
}

/// All fields of a packet or state and of the layouts nested in it, each with
/// its path: `Interface Descriptor/Kernel Start Pointer`.
pub fn all_fields(view: &View<'_>) -> Vec<(String, FieldValue)> {
    fn enter(view: &View<'_>, path: &str, out: &mut Vec<(String, FieldValue)>) {
        for value in fields(view) {
            let mut name = format!("{path}{}", value.field.name);
            if let Some(index) = value.index {
                name.push_str(&format!("[{index}]"));
            }
            match view.state_at(value.field, value.index.unwrap_or(0)) {
                // A packet's body has no name of its own.
                Some(inner) if value.field.name == inner.layout().name => enter(&inner, path, out),
                Some(inner) => enter(&inner, &format!("{name}/"), out),
                None => out.push((name, value)),
            }
        }
    }
    let mut out = Vec::new();
    enter(view, "", &mut out);
    out
}

/// Prints the fields of a packet or state that are not zero, one per line.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    view: View<'a>,
    indent: usize,
    all: bool,
}

impl<'a> Fields<'a> {
    /// Prints `view`, every line indented by `indent` columns; `all` also prints the zero fields.
    pub fn new(view: View<'a>, indent: usize, all: bool) -> Self {
        Fields { view, indent, all }
    }
}

impl fmt::Display for Fields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indent = self.indent;
        for value in fields(&self.view) {
            let name = value.field.name;
            let nested = self.view.state_at(value.field, value.index.unwrap_or(0));
            if nested.is_none() && value.raw == 0 && !self.all {
                continue;
            }
            write!(f, "{:indent$}{name}", "")?;
            if let Some(index) = value.index {
                write!(f, "[{index}]")?;
            }
            match nested {
                None => writeln!(f, ": {value}")?,
                Some(view) => {
                    writeln!(f, ":")?;
                    Fields::new(view, indent + 2, self.all).fmt(f)?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Step<'_> {
    /// Address, header and name on one line, then the fields that are not zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = self.dwords.first().copied().unwrap_or(0);
        match &self.packet {
            Ok(packet) => {
                writeln!(f, "{}: {header:#010x}  {}", self.address, packet.name())?;
                if let Some(issue) = packet.issue {
                    writeln!(f, "    ! {issue}")?;
                }
                Fields::new(**packet, 4, false).fmt(f)
            }
            Err(error) => {
                writeln!(f, "{}: {header:#010x}  ! {error}", self.address)
            }
        }
    }
}
