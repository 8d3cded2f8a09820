//! `.ze_info`: the YAML that describes a zebin's kernels.
//!
//! Every field that decides how a kernel is loaded or started is here, by the names of IGC's
//! `zeinfo.md` (versions 1.20 to 1.73). Fields that are not here are informative; a file of a
//! newer version may have more, which are skipped.

use serde::Deserialize;

use super::error::BinaryError;

/// The whole of `.ze_info`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ZeInfo {
    pub version: String,
    pub kernels: Vec<ZeKernel>,
    pub functions: Vec<ZeFunction>,
    pub kernels_misc_info: Vec<ZeMisc>,
}

/// `functions[]`: code that kernels call.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ZeFunction {
    pub name: String,
    pub execution_env: ExecutionEnv,
}

/// `kernels[]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ZeKernel {
    pub name: String,
    pub execution_env: ExecutionEnv,
    pub user_attributes: UserAttributes,
    pub payload_arguments: Vec<PayloadArgument>,
    pub per_thread_payload_arguments: Vec<PerThreadArgument>,
    pub binding_table_indices: Vec<BindingTableIndex>,
    pub per_thread_memory_buffers: Vec<MemoryBuffer>,
    pub inline_samplers: Vec<InlineSampler>,
}

/// `kernels[].execution_env`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ExecutionEnv {
    pub barrier_count: u32,
    pub eu_thread_count: u32,
    pub grf_count: u32,
    pub has_device_enqueue: bool,
    pub has_rtcalls: bool,
    pub has_stack_calls: bool,
    pub has_dpas: bool,
    pub has_sample: bool,
    pub has_fence_for_image_access: bool,
    pub has_printf_calls: bool,
    pub inline_data_payload_size: u32,
    pub offset_to_skip_per_thread_data_load: u32,
    pub offset_to_skip_set_ffid_gp: u32,
    pub private_size: u32,
    pub spill_size: u32,
    pub require_iab: bool,
    pub require_assert_buffer: bool,
    pub require_sync_buffer: bool,
    pub required_sub_group_size: u32,
    pub required_work_group_size: Vec<u32>,
    pub require_disable_eufusion: bool,
    pub simd_size: u32,
    pub slm_size: u32,
    pub slm_alloc_mode: u32,
    pub subgroup_independent_forward_progress: bool,
    pub work_group_walk_order_dimensions: Vec<u32>,
}

/// `kernels[].user_attributes`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct UserAttributes {
    pub intel_reqd_sub_group_size: Option<u32>,
    pub intel_reqd_workgroup_walk_order: Option<Vec<u32>>,
    pub reqd_work_group_size: Option<Vec<u32>>,
    pub work_group_size_hint: Option<Vec<u32>>,
    pub vec_type_hint: Option<String>,
    pub invalid_kernel: Option<String>,
}

/// `kernels[].payload_arguments[]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PayloadArgument {
    pub arg_type: String,
    pub arg_index: Option<u32>,
    pub offset: Option<u32>,
    pub size: u32,
    pub source_offset: Option<u32>,
    pub addrmode: String,
    pub addrspace: String,
    pub access_type: String,
    pub sampler_index: Option<u32>,
    pub sampler_type: String,
    pub image_type: String,
    pub slm_alignment: Option<u32>,
    pub bti_value: Option<u32>,
    pub is_pipe: bool,
}

/// `kernels[].per_thread_payload_arguments[]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PerThreadArgument {
    pub arg_type: String,
    pub offset: u32,
    pub size: u32,
}

/// `kernels[].binding_table_indices[]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct BindingTableIndex {
    pub bti_value: u32,
    pub arg_index: u32,
}

/// `kernels[].per_thread_memory_buffers[]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct MemoryBuffer {
    #[serde(rename = "type")]
    pub kind: String,
    pub usage: String,
    pub size: u32,
    pub slot: u32,
    pub is_simt_thread: bool,
}

/// `kernels[].inline_samplers[]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct InlineSampler {
    pub sampler_index: u32,
    pub addrmode: String,
    pub filtermode: String,
    pub normalized: bool,
}

/// `kernels_misc_info[]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ZeMisc {
    pub name: String,
    pub args_info: Vec<ZeArgInfo>,
}

/// `kernels_misc_info[].args_info[]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ZeArgInfo {
    pub index: u32,
    pub name: String,
    pub address_qualifier: String,
    pub access_qualifier: String,
    pub type_name: String,
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
    fn unknown_fields_are_skipped() {
        let info = parse(
            b"version: '1.73'\nkernels:\n  - name: k\n    new_field: [1, 2]\n    \
              execution_env:\n      simd_size: 16\n      newer: true\n",
        )
        .unwrap();
        assert_eq!(info.kernels[0].execution_env.simd_size, 16);
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
