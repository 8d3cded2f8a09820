//! `.ze_info`: the YAML that describes a zebin's kernels.
//!
//! Each record lists the fields that are read, and as `informative` those that are known to need
//! nothing here, by the names of IGC's `zeinfo.md` and of NEO's `zeinfo.h` (versions 1.20 to
//! 1.73). What else a record has is kept by name: a kernel that something unknown is said of is
//! refused, as NEO does, because it may matter.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::error::BinaryError;

/// A mapping whose unknown keys are kept.
trait Record {
    /// Where the value of a key goes; `None` for one that is not known.
    fn slot(&mut self, key: &str) -> Option<Slot<'_>>;
    fn unknown_keys(&mut self) -> &mut Vec<String>;
}

/// A list of records.
trait Records {
    fn next(&mut self) -> &mut dyn Record;
}

impl<T: Record + Default> Records for Vec<T> {
    fn next(&mut self) -> &mut dyn Record {
        self.push(T::default());
        let last = self.len() - 1;
        &mut self[last]
    }
}

/// Where a value goes. All records are read by the same code, which so is compiled once.
enum Slot<'a> {
    Text(&'a mut String),
    OptionalText(&'a mut Option<String>),
    Number(&'a mut u32),
    OptionalNumber(&'a mut Option<u32>),
    Flag(&'a mut bool),
    Numbers(&'a mut Vec<u32>),
    OptionalNumbers(&'a mut Option<Vec<u32>>),
    Record(&'a mut dyn Record),
    Records(&'a mut dyn Records),
    Nowhere,
}

macro_rules! slots {
    ($($slot:ident $ty:ty;)*) => {$(
        impl<'a> From<&'a mut $ty> for Slot<'a> {
            fn from(value: &'a mut $ty) -> Self {
                Self::$slot(value)
            }
        }
    )*};
}

slots! {
    Text String; OptionalText Option<String>; Number u32; OptionalNumber Option<u32>; Flag bool;
    Numbers Vec<u32>; OptionalNumbers Option<Vec<u32>>;
    Record ExecutionEnv; Record UserAttributes;
}

impl<'a, T: Record + Default> From<&'a mut Vec<T>> for Slot<'a> {
    fn from(list: &'a mut Vec<T>) -> Self {
        Self::Records(list)
    }
}

impl<'de> DeserializeSeed<'de> for Slot<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        match self {
            Self::Text(to) => *to = Deserialize::deserialize(from)?,
            Self::OptionalText(to) => *to = Deserialize::deserialize(from)?,
            Self::Number(to) => *to = Deserialize::deserialize(from)?,
            Self::OptionalNumber(to) => *to = Deserialize::deserialize(from)?,
            Self::Flag(to) => *to = Deserialize::deserialize(from)?,
            Self::Numbers(to) => *to = Deserialize::deserialize(from)?,
            Self::OptionalNumbers(to) => *to = Deserialize::deserialize(from)?,
            Self::Record(record) => from.deserialize_map(Fields(record))?,
            Self::Records(list) => from.deserialize_seq(Elements(list))?,
            Self::Nowhere => drop(IgnoredAny::deserialize(from)?),
        }
        Ok(())
    }
}

/// Reads a record.
struct Fields<'a>(&'a mut dyn Record);

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match self.0.slot(&key) {
                Some(slot) => map.next_value_seed(slot)?,
                None => {
                    map.next_value_seed(Slot::Nowhere)?;
                    self.0.unknown_keys().push(key);
                }
            }
        }
        Ok(())
    }
}

/// Reads a list of records.
struct Elements<'a>(&'a mut dyn Records);

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        // An element is there only once it was read.
        struct Next<'a>(&'a mut dyn Records);
        impl<'de> DeserializeSeed<'de> for Next<'_> {
            type Value = ();

            fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
                Slot::Record(self.0.next()).deserialize(from)
            }
        }
        while seq.next_element_seed(Next(self.0))?.is_some() {}
        Ok(())
    }
}

/// Declares a record.
macro_rules! record {
    (
        $(#[$meta:meta])*
        $name:ident {
            $($(#[$field_meta:meta])* $field:ident $(= $key:literal)?: $type:ty,)*
        }
        informative { $($(#[$why:meta])* $skipped:literal,)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default)]
        pub(crate) struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
            /// Keys that are not known.
            pub unknown: Vec<String>,
        }

        impl Record for $name {
            fn slot(&mut self, key: &str) -> Option<Slot<'_>> {
                Some(match key {
                    $(record!(@key $field $($key)?) => (&mut self.$field).into(),)*
                    $($skipped => Slot::Nowhere,)*
                    _ => return None,
                })
            }

            fn unknown_keys(&mut self) -> &mut Vec<String> {
                &mut self.unknown
            }
        }
    };
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
}

impl<'de> Deserialize<'de> for ZeInfo {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut info = Self::default();
        Slot::Record(&mut info).deserialize(from)?;
        Ok(info)
    }
}

record! {
    /// The whole of `.ze_info`.
    ZeInfo {
        version: String,
        kernels: Vec<ZeKernel>,
        functions: Vec<ZeFunction>,
        kernels_misc_info: Vec<ZeMisc>,
    }
    informative {
        /// Names by which a host finds program-scope variables.
        "global_host_access_table",
        "kernels_cost_info",
        /// How fast, not what.
        "l1_cache_policy",
        /// What is missing shows as an unresolved symbol.
        "required_libs",
    }
}

record! {
    /// `functions[]`: code that kernels of other files can call.
    ZeFunction {
        name: String,
        execution_env: ExecutionEnv,
    }
    informative {}
}

record! {
    /// `kernels[]`.
    ZeKernel {
        name: String,
        execution_env: ExecutionEnv,
        user_attributes: UserAttributes,
        payload_arguments: Vec<PayloadArgument>,
        per_thread_payload_arguments: Vec<PerThreadArgument>,
        binding_table_indices: Vec<BindingTableIndex>,
        per_thread_memory_buffers: Vec<MemoryBuffer>,
        inline_samplers: Vec<InlineSampler>,
    }
    informative {
        /// For debuggers.
        "debug_env",
        /// What the code does with pointers that are no arguments.
        "experimental_properties",
    }
}

record! {
    /// `kernels[].execution_env`.
    ExecutionEnv {
        barrier_count: u32,
        grf_count: u32,
        has_device_enqueue: bool,
        has_dpas: bool,
        has_printf_calls: bool,
        has_rtcalls: bool,
        has_sample: bool,
        has_stack_calls: bool,
        inline_data_payload_size: u32,
        offset_to_skip_per_thread_data_load: u32,
        require_assert_buffer: bool,
        require_disable_eufusion: bool,
        require_iab: bool,
        require_sync_buffer: bool,
        required_sub_group_size: u32,
        required_work_group_size: Vec<u32>,
        simd_size: u32,
        slm_alloc_mode: u32,
        slm_size: u32,
        subgroup_independent_forward_progress: bool,
        thread_scheduling_mode: String,
        work_group_walk_order_dimensions: Vec<u32>,
    }
    informative {
        /// A label in the code, which runs from its beginning.
        "actual_kernel_start_offset",
        /// No thread is preempted in its middle.
        "disable_mid_thread_preemption",
        /// It follows from the register count.
        "eu_thread_count",
        /// Whether the walker may make local ids: the payload's fields tell.
        "generate_local_id",
        /// Addresses have 64 bits, whatever the code does with them.
        "has_4gb_buffers",
        "has_bindless_image_read",
        /// Caches are flushed and invalidated between any two kernels.
        "has_fence_for_image_access",
        "has_lsc_stores_with_non_default_l1_cache_controls",
        /// For devices of several tiles.
        "has_global_atomics",
        "has_indirect_calls",
        /// The slots of `per_thread_memory_buffers` tell.
        "has_multi_scratch_spaces",
        "has_no_stateless_write",
        "hw_preemption_mode",
        /// All memory of a device is always bound.
        "indirect_stateless_count",
        /// For a defect of hardware that is not in the table (NEO
        /// `isOffsetToSkipSetFFIDGPWARequired`).
        "offset_to_skip_set_ffid_gp",
        /// How much of `per_thread_memory_buffers` is for what.
        "private_size",
        "spill_size",
    }
}

record! {
    /// `kernels[].user_attributes`. Hints, whose names end so, are not followed.
    UserAttributes {
        intel_reqd_sub_group_size: Option<u32>,
        /// What `work_group_walk_order_dimensions` was made of.
        intel_reqd_workgroup_walk_order: Option<Vec<u32>>,
        reqd_work_group_size: Option<Vec<u32>>,
        work_group_size_hint: Option<Vec<u32>>,
        vec_type_hint: Option<String>,
        invalid_kernel: Option<String>,
    }
    informative {}
}

record! {
    /// `kernels[].payload_arguments[]`.
    PayloadArgument {
        arg_type: String,
        arg_index: Option<u32>,
        offset: Option<u32>,
        size: u32,
        source_offset: Option<u32>,
        addrmode: String,
        addrspace: String,
        access_type: String,
        sampler_index: Option<u32>,
        sampler_type: String,
        image_type: String,
        slm_alignment: Option<u32>,
        bti_value: Option<u32>,
        is_pipe: bool,
    }
    informative {
        /// A value that is an address.
        "is_ptr",
        /// The code takes a linear image in a tiled one's place.
        "image_transformable",
    }
}

record! {
    /// `kernels[].per_thread_payload_arguments[]`.
    PerThreadArgument {
        arg_type: String,
        offset: u32,
        size: u32,
    }
    informative {}
}

record! {
    /// `kernels[].binding_table_indices[]`.
    BindingTableIndex {
        bti_value: u32,
        arg_index: u32,
    }
    informative {}
}

record! {
    /// `kernels[].per_thread_memory_buffers[]`.
    MemoryBuffer {
        kind = "type": String,
        usage: String,
        size: u32,
        slot: u32,
        is_simt_thread: bool,
    }
    informative {}
}

record! {
    /// `kernels[].inline_samplers[]`.
    InlineSampler {
        sampler_index: u32,
        addrmode: String,
        filtermode: String,
        normalized: bool,
    }
    informative {}
}

record! {
    /// `kernels_misc_info[]`: nothing of it is needed to run a kernel.
    ZeMisc {
        name: String,
        args_info: Vec<ZeArgInfo>,
    }
    informative {}
}

record! {
    /// `kernels_misc_info[].args_info[]`.
    ZeArgInfo {
        index: u32,
        name: String,
        address_qualifier: String,
        access_qualifier: String,
        type_name: String,
        type_qualifiers: String,
    }
    informative {}
}

impl ZeKernel {
    /// The keys of the kernel and its parts that are not known, as paths.
    pub(crate) fn unknown(&self) -> Vec<String> {
        let of = |path: &'static str, keys: &[String]| {
            keys.iter()
                .map(move |key| format!("{path}{key}"))
                .collect::<Vec<_>>()
        };
        let attributes = self.user_attributes.unknown.iter();
        let attributes: Vec<String> = attributes
            .filter(|key| !key.ends_with("_hint"))
            .cloned()
            .collect();
        let mut all = of("", &self.unknown);
        all.extend(of("execution_env.", &self.execution_env.unknown));
        all.extend(of("user_attributes.", &attributes));
        for arg in &self.payload_arguments {
            all.extend(of("payload_arguments[].", &arg.unknown));
        }
        for arg in &self.per_thread_payload_arguments {
            all.extend(of("per_thread_payload_arguments[].", &arg.unknown));
        }
        for index in &self.binding_table_indices {
            all.extend(of("binding_table_indices[].", &index.unknown));
        }
        for buffer in &self.per_thread_memory_buffers {
            all.extend(of("per_thread_memory_buffers[].", &buffer.unknown));
        }
        for sampler in &self.inline_samplers {
            all.extend(of("inline_samplers[].", &sampler.unknown));
        }
        all
    }
}

/// Parses `.ze_info`.
///
/// # Errors
/// It is no UTF-8 or no YAML, or a field has another type; with line and column.
pub(crate) fn parse(bytes: &[u8]) -> Result<ZeInfo, BinaryError> {
    let text = std::str::from_utf8(bytes).map_err(|error| BinaryError::Malformed {
        section: ".ze_info".to_owned(),
        offset: error.valid_up_to() as u64,
        why: "it is not UTF-8".to_owned(),
    })?;
    // Compilers pad the section with zeros.
    let text = text.trim_end_matches('\0');
    let info: ZeInfo = serde_saphyr::from_str(text).map_err(|error| BinaryError::Info {
        path: error.location().map_or_else(
            || "the document".to_owned(),
            |at| format!("line {}, column {}", at.line(), at.column()),
        ),
        why: first_line(&error.without_snippet().to_string()),
    })?;
    let major = info.version.split('.').next().unwrap_or("");
    if major != "1" {
        return Err(BinaryError::Info {
            path: "version".to_owned(),
            why: format!("{:?} is not supported; 1.x is", info.version),
        });
    }
    Ok(info)
}

fn first_line(text: &str) -> String {
    text.lines()
        .next()
        .unwrap_or("it cannot be read")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn unknown_fields_are_kept_by_name() {
        let info = parse(
            b"version: '1.73'\nnewest: {a: 1}\nkernels:\n  - name: k\n    new_field: [1, 2]\n    \
              execution_env:\n      simd_size: 16\n      newer: true\n      private_size: 8\n    \
              user_attributes:\n      other_hint: 3\n      other: 4\n    \
              per_thread_memory_buffers:\n      - type: scratch\n        tile: 1\n    \
              debug_env: {}\n",
        )
        .unwrap();
        assert_eq!(info.unknown, ["newest"]);
        let kernel = &info.kernels[0];
        assert_eq!(kernel.execution_env.simd_size, 16);
        assert_eq!(kernel.per_thread_memory_buffers[0].kind, "scratch");
        assert_eq!(
            kernel.unknown(),
            [
                "new_field",
                "execution_env.newer",
                "user_attributes.other",
                "per_thread_memory_buffers[].tile"
            ]
        );
    }

    #[test]
    fn errors_say_where() {
        let error = parse(
            b"version: '1.20'\nkernels:\n  - name: k\n    execution_env:\n      simd_size: -1\n",
        )
        .unwrap_err()
        .to_string();
        assert!(error.contains("line 5"), "{error}");
        let error = parse(b"version: '2.0'\n").unwrap_err().to_string();
        assert!(error.contains("\"2.0\" is not supported"), "{error}");
        assert!(parse(b"\xff\xfe").is_err());
        assert!(parse(b"kernels: {").is_err());
    }
}
