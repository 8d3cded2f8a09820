//! Names the shared library by its major version, which programs that are linked to it ask for.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libintel_gpu.so.1");
    println!("cargo:rerun-if-changed=build.rs");
}
