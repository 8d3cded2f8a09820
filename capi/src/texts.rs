//! Texts of kernels as C reads them.

use std::ffi::CString;

/// What C reads of a kernel for as long as it lives.
#[derive(Debug)]
pub(crate) struct Texts {
    pub name: CString,
    pub attributes: CString,
    /// Name, type and qualifiers of each argument.
    pub args: Vec<[CString; 3]>,
}

impl Texts {
    pub(crate) fn of(info: &umd::KernelInfo) -> Self {
        let text = |text: &str| CString::new(text).unwrap_or_default();
        let or_empty = |option: &Option<String>| text(option.as_deref().unwrap_or_default());
        let args = info.args.iter().map(|arg| {
            [
                or_empty(&arg.name),
                or_empty(&arg.type_name),
                text(&arg.type_qualifiers),
            ]
        });
        Self {
            name: text(&info.name),
            attributes: text(&info.attributes),
            args: args.collect(),
        }
    }
}
