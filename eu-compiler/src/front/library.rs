//! The library of functions that no instruction computes: OpenCL C in `library`, as SPIR-V. They are
//! inlined as the functions of the kernel's own module are.

use std::sync::OnceLock;

use hashbrown::HashMap;

use super::module::Module;
use super::reader::{self, Instruction};
use super::translate::Translator;
use super::value::Val;
use crate::error::Error;
use crate::ir::{Convert, Type, Value};

/// The files: one a floating-point type, and that of pipes.
const FILES: [&[u8]; 4] = [
    include_bytes!("../../library/half.spv"),
    include_bytes!("../../library/float.spv"),
    include_bytes!("../../library/double.spv"),
    include_bytes!("../../library/pipe.spv"),
];

/// The file of pipes.
pub(super) const PIPES: usize = 3;

/// A file and the ids of its functions by their names.
struct Library {
    module: Module<'static>,
    functions: HashMap<String, u32>,
}

/// The file for a type.
const fn of_type(ty: Type) -> Option<usize> {
    match ty {
        Type::F16 => Some(0),
        Type::F32 => Some(1),
        Type::F64 => Some(2),
        _ => None,
    }
}

/// A file; none if it is broken.
fn library(index: usize) -> Option<&'static Library> {
    static MODULES: [OnceLock<Option<spirv_module::Module>>; FILES.len()] =
        [const { OnceLock::new() }; FILES.len()];
    static LIBRARIES: [OnceLock<Option<Library>>; FILES.len()] =
        [const { OnceLock::new() }; FILES.len()];
    let file = MODULES[index].get_or_init(|| reader::file(FILES[index]).ok());
    let made = LIBRARIES[index].get_or_init(|| {
        let module = super::module(file.as_ref()?).ok()?;
        let named = |id: &u32| Some((module.names.get(id)?.clone(), *id));
        let functions = module.functions.keys().filter_map(named).collect();
        Some(Library { module, functions })
    });
    made.as_ref()
}

impl Translator<'_> {
    /// The results of a function of the library: as many as it has; none if there is no such function.
    /// Halves are computed as floats where they have no function of their own.
    pub(super) fn library(
        &mut self,
        name: &str,
        ty: Type,
        args: &[Value],
        i: &Instruction<'_>,
    ) -> Result<Option<Vec<Value>>, Error> {
        let found = match of_type(ty) {
            Some(file) => self.file_function(file, &format!("{name}_{ty}"), args, i)?,
            None => None,
        };
        let Some(found) = found else {
            if ty != Type::F16 {
                return Ok(None);
            }
            let wide = args.iter().map(|arg| match self.function.ty(*arg) {
                Type::F16 => self.here().convert(Convert::FToF, *arg, Type::F32),
                _ => *arg,
            });
            let wide: Vec<Value> = wide.collect();
            let results = self.library(name, Type::F32, &wide, i)?;
            return Ok(results.map(|all| {
                // A second result may be an integer: its user knows.
                let narrow = all.iter().enumerate().map(|(index, value)| {
                    match (index, self.function.ty(*value)) {
                        (0, Type::F32) => self.here().convert(Convert::FToF, *value, Type::F16),
                        _ => *value,
                    }
                });
                narrow.collect()
            }));
        };
        Ok(Some(found))
    }

    /// The results of a function of a file; none if it has no such function.
    pub(super) fn file_function(
        &mut self,
        file: usize,
        name: &str,
        args: &[Value],
        i: &Instruction<'_>,
    ) -> Result<Option<Vec<Value>>, Error> {
        let found = library(file).and_then(|library| {
            let id = library.functions.get(name)?;
            Some((&library.module, *id))
        });
        let Some((module, id)) = found else {
            return Ok(None);
        };
        // Its ids mean something else than those of the kernel's module.
        let kernel = std::mem::replace(&mut self.module, module);
        let globals = std::mem::take(&mut self.globals);
        let types = std::mem::take(&mut self.types);
        let outer = self.library_at.replace(i.at);
        let args = args.iter().map(|arg| Val::one(*arg)).collect();
        let result = self.call(id, args, Some(i));
        // Its words are not those of the kernel's module.
        let result = result.map_err(|error| error.at(i.place()));
        self.module = kernel;
        self.globals = globals;
        self.types = types;
        self.library_at = outer;
        Ok(Some(result?.scalars.to_vec()))
    }
}
