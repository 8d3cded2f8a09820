//! Every form of argument and every option of `run`, on the software GPU.

#![cfg(test)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const VADD: &str = "umd/tests/kernels/vadd.tgllp.zebin";
const IMAGE: &str = "umd/tests/kernels/image.tgllp.zebin";

/// A command line that is being put together.
struct Run {
    command: Command,
    folder: tempfile::TempDir,
}

impl Run {
    /// `run FILE --kernel KERNEL --global GLOBAL` on soft:tgl, in the repository's root folder.
    fn new(file: &str, kernel: &str, global: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_intel-gpu-run"));
        command
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
            .args(["run", file, "--device", "soft:tgl"])
            .args(["--kernel", kernel, "--global", global]);
        Self {
            command,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path.display().to_string()
    }

    fn arg(&mut self, spec: impl AsRef<str>) -> &mut Self {
        self.options(&["--arg", spec.as_ref()])
    }

    fn options(&mut self, options: &[&str]) -> &mut Self {
        self.command.args(options);
        self
    }

    fn output(&mut self) -> Output {
        self.command.output().unwrap()
    }

    /// Runs it; it must succeed. Returns what it wrote to stdout.
    fn ok(&mut self) -> Vec<u8> {
        let output = self.output();
        let talk = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{talk}");
        output.stdout
    }
}

fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

fn as_floats(bytes: &[u8]) -> Vec<f32> {
    let (words, rest) = bytes.as_chunks::<4>();
    assert!(rest.is_empty());
    words.iter().map(|word| f32::from_le_bytes(*word)).collect()
}

/// `c[i] = a[i] + 1`.
const INCREMENT: &str = "vadd_stateful";

#[test]
fn buffers_by_file_pattern_and_host_memory() {
    let ramp = |from: u8| (0..16u8).map(move |i| f32::from(from + i));
    for form in ["in", "userptr", "inout"] {
        let mut run = Run::new(VADD, INCREMENT, "16");
        let input = run.file("in.bin", floats(ramp(0)));
        let back = run.path("back.bin");
        let spec = match form {
            "in" => format!("in={input}"),
            "userptr" => format!("userptr={input}:64"),
            _ => format!("inout={input}:{}", back.display()),
        };
        let out = run.arg(spec).arg("out=-:64").ok();
        assert_eq!(as_floats(&out), ramp(1).collect::<Vec<_>>(), "{form}");
        if form == "inout" {
            assert_eq!(std::fs::read(back).unwrap(), floats(ramp(0)));
        }
    }
    let mut run = Run::new(VADD, INCREMENT, "4");
    let out = run.arg("fill=0:16").arg("out=-:16").ok();
    assert_eq!(as_floats(&out), [1.0; 4]);
}

#[test]
fn one_buffer_as_two_arguments_and_its_parts() {
    let mut run = Run::new(VADD, INCREMENT, "4");
    let input = run.file("in.bin", floats([1.0, 2.0, 3.0, 4.0]));
    let path = run.path("out.bin");
    run.arg(format!("inout={input}:{}", path.display()))
        .arg("same=0")
        .ok();
    let saved = as_floats(&std::fs::read(&path).unwrap());
    assert_eq!(saved, [2.0, 3.0, 4.0, 5.0]);

    let mut run = Run::new(VADD, INCREMENT, "4");
    let input = run.file("in.bin", floats((0..32u8).map(f32::from)));
    let path = run.path("out.bin");
    run.arg(format!("inout={input}:{}", path.display()))
        .arg("sub=a:64:16")
        .ok();
    let saved = as_floats(&std::fs::read(&path).unwrap());
    assert_eq!(saved[15..21], [15.0, 1.0, 2.0, 3.0, 4.0, 20.0]);
}

#[test]
fn values_vectors_and_bytes() {
    // c[i] = a[i] * s + b[i] + v4.z + ch for i < n
    for (vector, character) in [
        ("u32=1,2,30,4", "i8=-5"),
        ("bytes=00000000_00000000_1e000000_00000000", "bytes=fb"),
    ] {
        let mut run = Run::new(VADD, "vadd", "8");
        let a = run.file("a.bin", floats([2.0; 8]));
        let b = run.file("b.bin", floats([100.0; 8]));
        run.arg(format!("in={a}"))
            .arg(format!("in={b}"))
            .arg("out=-:32");
        let out = run
            .arg("f32=1.5")
            .arg("i32=6")
            .arg(vector)
            .arg(character)
            .ok();
        let expected = [[128.0; 6].as_slice(), &[0.0; 2]].concat();
        assert_eq!(as_floats(&out), expected);
    }
}

#[test]
fn images_of_every_kind_and_a_sampler() {
    let mut run = Run::new(IMAGE, "img", "8,8");
    let pixels = |count: usize, value: f32| floats(std::iter::repeat_n(value, count * 4));
    let image = |name: &str, size: &str, count, value| {
        let path = run.file(name, pixels(count, value));
        format!("image-raw={path}:{size}:rgba32f")
    };
    let input = image("in", "8x8", 64, 1.0);
    let volume = image("volume", "4x4x3", 48, 2.0);
    let array = image("array", "4x4x2", 32, 3.0);
    let texels = image("texels", "8", 8, 4.0);
    run.arg(input)
        .arg("image-raw-out=-:8x8:rgba32f")
        .arg("sampler=clamp-to-edge,linear,normalized")
        .arg(volume)
        .arg(array)
        .arg(texels)
        .arg("fill=0:32");
    let out = as_floats(&run.ok());
    // Three reads of the first image and one of each other; away from the border.
    for pixel in [27, 28, 35, 36] {
        assert_eq!(out[pixel * 4..][..4], [12.0; 4], "pixel {pixel}");
    }
}

#[test]
fn images_in_place_and_by_another_format() {
    let mut run = Run::new(IMAGE, "img_rw", "3,2");
    let texels = [0x3c00u16, 0x4000, 0x4200, 0x4400].repeat(6); // half 1 2 3 4
    let bytes: Vec<u8> = texels.iter().flat_map(|half| half.to_le_bytes()).collect();
    let input = run.file("in", bytes);
    let out = run
        .arg(format!("image-raw-inout={input}:-:3x2:rgba16f"))
        .ok();
    assert_eq!(out[..8], [0x00, 0x40, 0x00, 0x44, 0x00, 0x46, 0x00, 0x48]);
}

#[test]
fn pictures_in_and_out() {
    for (color, depth, format) in [
        (png::ColorType::Grayscale, png::BitDepth::Eight, "r8ui"),
        (png::ColorType::Grayscale, png::BitDepth::Sixteen, "r16ui"),
        (png::ColorType::Rgba, png::BitDepth::Eight, "rgba8ui"),
        (png::ColorType::Rgba, png::BitDepth::Sixteen, "rgba16ui"),
    ] {
        let mut run = Run::new(IMAGE, "img_u", "4,2");
        let samples = 8 * color.samples();
        // Each sample ends in a byte that does not carry when one is added.
        let data: Vec<u8> = (0..samples as u8)
            .flat_map(|i| match depth {
                png::BitDepth::Sixteen => vec![i, 2 * i],
                _ => vec![2 * i],
            })
            .collect();
        let mut picture = Vec::new();
        let mut encoder = png::Encoder::new(&mut picture, 4, 2);
        encoder.set_color(color);
        encoder.set_depth(depth);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&data).unwrap();
        writer.finish().unwrap();
        let input = run.file("in.png", picture);
        let saved = run.path("out.png");
        run.arg(format!("image={input}:{format}"))
            .arg(format!("image-out={}:4x2:{format}", saved.display()))
            .ok();
        let file = std::io::BufReader::new(std::fs::File::open(saved).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut got = vec![0; data.len()];
        let info = reader.next_frame(&mut got).unwrap();
        assert_eq!((info.color_type, info.bit_depth), (color, depth));
        let wanted: Vec<u8> = match depth {
            png::BitDepth::Sixteen => data
                .iter()
                .enumerate()
                .map(|(i, v)| v + (i % 2) as u8)
                .collect(),
            _ => data.iter().map(|v| v + 1).collect(),
        };
        assert_eq!(got, wanted, "{format}");
    }
}

#[test]
fn assembly_binds_an_image_of_a_buffer() {
    let mut run = Run::new("-", "nothing", "1");
    let pixels = run.file("pixels", [1, 2, 3, 4, 5, 6, 7, 8]);
    run.arg(format!("in={pixels}")).arg("image-of=0:2x1:rgba8");
    run.options(&["--print", "picture:u8:8", "--print", "0:u16:2"]);
    run.command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = run.command.stderr(Stdio::piped()).spawn().unwrap();
    let text = "//.platform tgl\n//.kernel nothing\n//.simd 16\n//.ids none\n//.arg bytes buf:0\n\
                //.arg picture image:1\n//.local 1,1,1\n\
                (W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n\
                (W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT,@1}\n";
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let talk = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{talk}");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "picture: 1 2 3 4 5 6 7 8\n0: 513 1027\n"
    );
}

#[test]
fn options_of_a_run() {
    let mut run = Run::new(VADD, INCREMENT, "16");
    let trace = run.path("trace.json");
    let wanted = run.file("wanted", floats([1.001; 16]));
    run.arg("fill=0:64").arg("fill=0:64");
    run.options(&["--repeat", "3", "--threads", "1", "--json", "--local", "8"]);
    run.options(&["--print", "1:f32:2", "--trace", trace.to_str().unwrap()]);
    run.options(&["--expect", &format!("c={wanted},1e-2")]);
    let document: serde_json::Value = serde_json::from_slice(&run.ok()).unwrap();
    assert_eq!(document["seconds"].as_array().unwrap().len(), 3);
    assert_eq!(document["print"][0]["elements"][1], "1");
    assert_eq!(document["local"][0], 8);
    assert_eq!(document["statistics"]["threads"], 6);
    let trace: serde_json::Value = serde_json::from_slice(&std::fs::read(trace).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let launches = events.iter().filter(|e| e["name"] == INCREMENT).count();
    assert_eq!(launches, 3);

    // The tolerance decides.
    let mut run = Run::new(VADD, INCREMENT, "16");
    let wanted = run.file("wanted", floats([1.001; 16]));
    run.arg("fill=0:64").arg("fill=0:64");
    run.options(&["--expect", &format!("c={wanted},2ulp")]);
    assert_eq!(run.output().status.code(), Some(5));
}

#[test]
fn the_global_offset_moves_the_ids() {
    let mut run = Run::new(VADD, INCREMENT, "4");
    let out = run
        .arg("fill=0:32")
        .arg("out=-:32")
        .options(&["--offset", "4"])
        .ok();
    assert_eq!(as_floats(&out), [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
}

#[test]
fn the_payload_shows_what_threads_start_with() {
    let mut run = Run::new(VADD, "vadd", "8");
    for spec in ["null", "null", "null", "f32=1", "i32=0", "u32=1,2,3,4"] {
        run.arg(spec);
    }
    let text = String::from_utf8(run.arg("i8=1").options(&["--dump-payload"]).ok()).unwrap();
    assert!(text.starts_with("cross-thread: "), "{text}");
    assert!(text.contains("3f800000"), "the float is not in\n{text}");
    assert!(
        text.contains("00010000"),
        "the first local ids are not in\n{text}"
    );
}

#[test]
fn a_scratch_page_takes_wild_accesses() {
    let wild = |run: &mut Run| {
        run.arg("fill=7:64")
            .arg("u64=0x123456789000")
            .output()
            .status
            .code()
    };
    const FAULTS: &str = "umd/tests/kernels/faults.tgllp.zebin";
    assert_eq!(wild(&mut Run::new(FAULTS, "wild", "1")), Some(4));
    let mut run = Run::new(FAULTS, "wild", "1");
    assert_eq!(wild(run.options(&["--scratch-page"])), Some(0));
}
