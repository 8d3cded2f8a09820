//! What the source calls the types of a kernel's arguments, and their qualifiers.
//!
//! Types of SPIR-V have no signs and no names, so llvm-spirv keeps those of the source in an
//! `OpString` for each kernel: `kernel_arg_type.KERNEL.int*,s_t,` and
//! `kernel_arg_type_qual.KERNEL.const volatile,,`. An item ends with a comma.

use hashbrown::HashMap;

/// What texts say of arguments, by the kernel's name.
#[derive(Debug, Default)]
pub struct Descriptions {
    types: HashMap<String, String>,
    qualifiers: HashMap<String, String>,
}

impl Descriptions {
    /// Takes a text if it describes the arguments of a kernel.
    pub fn take(&mut self, text: &str) {
        let Some(rest) = text.strip_prefix("kernel_arg_type") else {
            return;
        };
        let (kernels, rest) = match rest.strip_prefix("_qual.") {
            Some(rest) => (&mut self.qualifiers, rest),
            None => match rest.strip_prefix('.') {
                Some(rest) => (&mut self.types, rest),
                None => return,
            },
        };
        // Names of OpenCL C have no dots; those of types may.
        if let Some((kernel, items)) = rest.split_once('.') {
            kernels.insert(kernel.to_owned(), items.to_owned());
        }
    }

    /// The names of the types of a kernel's arguments.
    pub fn types(&self, kernel: &str, count: usize) -> Option<Vec<&str>> {
        items(self.types.get(kernel)?, count)
    }

    /// The qualifiers of these types.
    pub fn qualifiers(&self, kernel: &str, count: usize) -> Option<Vec<&str>> {
        items(self.qualifiers.get(kernel)?, count)
    }
}

/// One item for each argument; with another number of them, nobody knows which is whose.
fn items(list: &str, count: usize) -> Option<Vec<&str>> {
    let items: Vec<&str> = list.split_terminator(',').collect();
    (items.len() == count).then_some(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_describe_arguments() {
        let mut all = Descriptions::default();
        all.take("kernel_arg_type.k.float*,struct (anonymous at a.cl:1:9),image2d_t,");
        all.take("kernel_arg_type_qual.k.const volatile,,,");
        all.take("kernel_arg_types.k.no,no,no,");
        all.take("kernel_arg_type.none.");
        let types = ["float*", "struct (anonymous at a.cl:1:9)", "image2d_t"];
        assert_eq!(all.types("k", 3).as_deref(), Some(&types[..]));
        assert_eq!(all.types("none", 0).as_deref(), Some(&[][..]));
        let qualifiers = ["const volatile", "", ""];
        assert_eq!(all.qualifiers("k", 3).as_deref(), Some(&qualifiers[..]));
        // Too few, too many, and another kernel.
        for (kernel, count) in [("k", 2), ("k", 4), ("l", 3)] {
            assert_eq!(all.types(kernel, count), None);
            assert_eq!(all.qualifiers(kernel, count), None);
        }
    }
}
