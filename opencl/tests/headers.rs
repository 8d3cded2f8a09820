//! The crate's constants, structures and table of entry points are those of Debian's headers.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    non_snake_case,
    reason = "tests fail by panics, and structures have the names of the headers"
)]

use std::fmt::Write;
use std::mem::offset_of;
use std::path::Path;
use std::process::Command;

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::*;

/// Whether gcc takes a file of assertions. Says so if there is no gcc, or no headers.
fn assert_in_c(body: &str) {
    if !oracles::debian("gcc") {
        return;
    }
    if !Path::new("/usr/include/CL/cl_icd.h").is_file() {
        return oracles::missing("OpenCL headers (Debian package opencl-c-headers)");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("assertions.c");
    let text = format!(
        "#define CL_TARGET_OPENCL_VERSION 300\n#include <CL/cl_icd.h>\n#include <CL/cl_ext.h>\n\
         #include <stddef.h>\n{body}"
    );
    std::fs::write(&file, text).unwrap();
    let checked = Command::new("gcc")
        .args(["-std=c11", "-fsyntax-only", "-w"])
        .arg(&file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{said}");
}

/// The names of constants in the source: words that begin with `CL_`, outside comments and texts.
fn used(folder: &Path, names: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            used(&path, names);
            continue;
        }
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let code = line.split("//").next().unwrap_or_default();
            let code: String = code.split('"').step_by(2).collect();
            let words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            names.extend(
                words
                    .filter(|word| word.starts_with("CL_"))
                    .map(str::to_owned),
            );
        }
    }
    names.sort();
    names.dedup();
}

macro_rules! constants {
    ($($name:ident)*) => {
        const CONSTANTS: &[(&str, i128)] = &[$((stringify!($name), $name as i128)),*];
    };
}

include!("headers/constants.rs");

#[test]
fn constants_are_those_of_the_headers() {
    let mut names = Vec::new();
    used(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut names,
    );
    let listed: Vec<_> = CONSTANTS
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    names.retain(|name| !listed.contains(name));
    assert!(
        names.is_empty(),
        "missing in headers/constants.rs: {names:?}"
    );
    let mut body = String::new();
    for (name, value) in CONSTANTS {
        // Both by 64 bits: the headers have some of them signed.
        let value = *value as u64;
        writeln!(
            body,
            "_Static_assert((unsigned long){name} == {value}ul, \"{name}\");"
        )
        .unwrap();
    }
    assert_in_c(&body);
}

#[test]
fn structures_are_those_of_the_headers() {
    let sizes = [
        ("cl_image_format", size_of::<cl_image_format>()),
        ("cl_image_desc", size_of::<_cl_image_desc>()),
        ("cl_buffer_region", size_of::<cl_buffer_region>()),
        ("cl_name_version", size_of::<cl_name_version>()),
        ("cl_kernel_arg_type_qualifier", size_of::<cl_ulong>()),
        ("cl_context_properties", size_of::<isize>()),
        ("cl_queue_properties", size_of::<cl_ulong>()),
    ];
    let mut body = String::new();
    for (name, size) in sizes {
        writeln!(
            body,
            "_Static_assert(sizeof({name}) == {size}, \"{name}\");"
        )
        .unwrap();
    }
    assert_in_c(&body);
}

macro_rules! members {
    ($($name:ident)*) => {
        [$((stringify!($name), offset_of!(cl_icd_dispatch, $name))),*]
    };
}

#[test]
fn the_table_of_entry_points_is_that_of_the_headers() {
    let members = members! {
        clGetPlatformIDs clGetPlatformInfo clGetDeviceIDs clGetDeviceInfo clCreateContext
        clCreateCommandQueue clCreateBuffer clCreateImage2D clCreateSampler
        clCreateProgramWithSource clBuildProgram clUnloadCompiler clCreateKernel clSetKernelArg
        clWaitForEvents clGetEventProfilingInfo clFlush clFinish clEnqueueReadBuffer
        clEnqueueMapBuffer clEnqueueUnmapMemObject clEnqueueNDRangeKernel clEnqueueBarrier
        clGetExtensionFunctionAddress clCreateFromGLBuffer clGetGLContextInfoKHR
        clSetEventCallback clCreateSubBuffer clEnqueueCopyBufferRect clCreateSubDevicesEXT
        clCreateSubDevices clCreateImage clCompileProgram clGetKernelArgInfo clEnqueueFillBuffer
        clEnqueueBarrierWithWaitList clCreateFromGLTexture clCreateFromEGLImageKHR
        clCreateCommandQueueWithProperties clSVMAlloc clSetKernelExecInfo
        clGetKernelSubGroupInfoKHR clCloneKernel clCreateProgramWithIL clGetHostTimer
        clGetKernelSubGroupInfo clSetProgramSpecializationConstant clCreateBufferWithProperties
        clSetContextDestructorCallback
    };
    let mut body = String::new();
    for (name, offset) in members {
        writeln!(
            body,
            "_Static_assert(offsetof(struct _cl_icd_dispatch, {name}) == {offset}, \"{name}\");"
        )
        .unwrap();
    }
    assert_in_c(&body);
}
