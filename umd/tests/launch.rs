//! Kernels of Intel's compiler, run on the software GPU. `kernels/build.sh` rebuilds them.
#![cfg(feature = "softgpu")]
#![cfg(test)]

use std::time::Duration;

use umd::{
    Arg, Buffer, Device, DeviceError, DeviceSpec, Error, ErrorClass, ErrorKind, Event, Kernel,
    NdRange, OpenOptions, Program, Queue, QueueOptions,
};

const VADD: &[u8] = include_bytes!("kernels/vadd.tgllp.zebin");
const SLM: &[u8] = include_bytes!("kernels/slm.tgllp.zebin");
const BLKBUF: &[u8] = include_bytes!("kernels/blkbuf.tgllp.zebin");
const IDS: &[u8] = include_bytes!("kernels/ids.tgllp.zebin");
const PRINTF: &[u8] = include_bytes!("kernels/printf.tgllp.zebin");
const CONST: &[u8] = include_bytes!("kernels/const.tgllp.zebin");
const FAULTS: &[u8] = include_bytes!("kernels/faults.tgllp.zebin");

const LONG: Duration = Duration::from_secs(30);

struct Bench {
    device: Device,
    queue: Queue,
}

impl Bench {
    fn new() -> Self {
        Self::with(&OpenOptions::default())
    }

    fn with(options: &OpenOptions) -> Self {
        let device = Device::open_with(&DeviceSpec::soft("tgl"), options).unwrap();
        let queue = device.queue(QueueOptions::default()).unwrap();
        Self { device, queue }
    }

    fn kernel(&self, zebin: &[u8], name: &str) -> Kernel {
        Program::load(&self.device, zebin)
            .unwrap()
            .kernel(name)
            .unwrap()
    }

    fn buffer(&self, bytes: &[u8]) -> Buffer {
        let buffer = self.device.buffer(bytes.len() as u64).unwrap();
        buffer.write(0, bytes).unwrap();
        buffer
    }

    fn run(&self, kernel: &Kernel, range: &NdRange) -> Event {
        let event = self.queue.enqueue(kernel, range, &[]).unwrap();
        event.wait(LONG).unwrap();
        event
    }
}

fn bytes<T, const N: usize>(values: impl IntoIterator<Item = T>, f: fn(T) -> [u8; N]) -> Vec<u8> {
    values.into_iter().flat_map(f).collect()
}

fn i32s(values: impl IntoIterator<Item = i32>) -> Vec<u8> {
    bytes(values, i32::to_le_bytes)
}

fn read(buffer: &Buffer) -> Vec<u8> {
    let mut out = vec![0; buffer.size() as usize];
    buffer.read(0, &mut out).unwrap();
    out
}

fn read_i32s(buffer: &Buffer) -> Vec<i32> {
    let bytes = read(buffer);
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|b| i32::from_le_bytes(*b))
        .collect()
}

#[test]
fn vadd() {
    let bench = Bench::new();
    let mut kernel = bench.kernel(VADD, "vadd");
    let n = 1000i32;
    let floats = |f: fn(i32) -> f32| bytes((0..n).map(f), f32::to_le_bytes);
    let a = bench.buffer(&floats(|i| i as f32));
    let b = bench.buffer(&floats(|i| 0.5 * i as f32));
    let c = bench.device.buffer(4 * n as u64).unwrap();
    kernel.set_arg(0, Arg::Buffer(&a)).unwrap();
    kernel.set_arg(1, Arg::Buffer(&b)).unwrap();
    kernel.set_arg(2, Arg::Buffer(&c)).unwrap();
    kernel.set_arg(3, Arg::Value(&2f32.to_le_bytes())).unwrap();
    kernel.set_arg(4, Arg::Value(&n.to_le_bytes())).unwrap();
    kernel.set_arg(5, Arg::Value(&[0; 16])).unwrap();
    kernel.set_arg(6, Arg::Value(&[3])).unwrap();
    let event = bench.run(&kernel, &NdRange::new(&[1024]).unwrap());
    assert_eq!(read(&c), floats(|i| i as f32 * 2.0 + 0.5 * i as f32 + 3.0));
    let times = event.timestamps().unwrap();
    assert!(times.queued <= times.submitted && times.submitted <= times.started);
    assert!(times.started <= times.ended);
    assert!(bench.device.statistics().unwrap().instructions > 0);
}

#[test]
fn arguments_are_checked() {
    let bench = Bench::new();
    let mut kernel = bench.kernel(VADD, "vadd");
    let text = |result: Result<(), Error>| result.unwrap_err().to_string();
    let error = text(kernel.set_arg(4, Arg::Value(&[0; 8])));
    assert_eq!(
        error,
        "kernel vadd, argument 4 (n): it takes 4 bytes, 8 are given"
    );
    let error = text(kernel.set_arg(0, Arg::Local(4)));
    assert!(error.contains("it takes a buffer, a size of local memory is given"));
    assert!(text(kernel.set_arg(7, Arg::Null)).contains("has no argument 7; it has 7"));
    let range = NdRange::new(&[32]).unwrap();
    let error = bench.queue.enqueue(&kernel, &range, &[]).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Usage);
    assert_eq!(error.to_string(), "kernel vadd, argument 0 (a) is not set");
    let buffer = bench.buffer(&[0; 128]);
    kernel.lend_arg(0, Arg::Buffer(&buffer)).unwrap();
    let error = text(bench.queue.enqueue(&kernel, &range, &[]).map(drop));
    assert_eq!(error, "kernel vadd, argument 1 (b) is not set");
    drop(buffer);
    let error = bench.queue.enqueue(&kernel, &range, &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidKernelArgs);
    assert!(
        error
            .to_string()
            .contains("argument 0 (a): its memory is gone")
    );
}

#[test]
fn local_memory_and_barriers() {
    let bench = Bench::new();
    let mut kernel = bench.kernel(SLM, "slm_reduce");
    let input = bench.buffer(&i32s(0..512));
    let output = bench.device.buffer(8).unwrap();
    kernel.set_arg(0, Arg::Buffer(&input)).unwrap();
    kernel.set_arg(1, Arg::Buffer(&output)).unwrap();
    kernel.set_arg(2, Arg::Local(4 * 256)).unwrap();
    kernel.set_arg(3, Arg::Local(4 * 256)).unwrap();
    let range = NdRange::new(&[512]).unwrap().with_local(&[256]).unwrap();
    bench.run(&kernel, &range);
    // Four times the sum, and tmp2[1].
    let sum = |from: i32| (from..from + 256).sum::<i32>() * 4 + 1;
    assert_eq!(read_i32s(&output), [sum(0), sum(256)]);
    kernel.set_arg(2, Arg::Local(65536)).unwrap();
    let error = bench.queue.enqueue(&kernel, &range, &[]).unwrap_err();
    assert!(error.to_string().contains("of shared local memory a group"));
}

#[test]
fn block_reads_and_writes() {
    let bench = Bench::new();
    let mut kernel = bench.kernel(BLKBUF, "blkbuf");
    let sizes = [1usize, 2, 4, 8];
    let inputs = sizes.map(|size| {
        let pattern = (0..4096 * size).map(|i| (i * 7 + i / 256) as u8);
        bench.buffer(&pattern.collect::<Vec<_>>())
    });
    let outputs = sizes.map(|size| bench.device.buffer(4096 * size as u64).unwrap());
    for (index, buffer) in inputs.iter().chain(&outputs).enumerate() {
        kernel.set_arg(index, Arg::Buffer(buffer)).unwrap();
    }
    let range = NdRange::new(&[16]).unwrap().with_local(&[16]).unwrap();
    bench.run(&kernel, &range);
    let inputs = inputs.each_ref().map(read);
    let outputs = outputs.each_ref().map(read);
    // In elements: block_write4 of block_read4, write8 of read8 at 64, write at 200 of 3.
    assert_eq!(outputs[2][..64 * 4], inputs[2][..64 * 4]);
    assert_eq!(outputs[2][64 * 4..192 * 4], inputs[2][64 * 4..192 * 4]);
    assert_eq!(outputs[2][200 * 4..216 * 4], inputs[2][3 * 4..19 * 4]);
    // The write at 200 is misaligned by the source's own doing and lands at 192.
    assert_eq!(outputs[0][..192], inputs[0][..192]);
    assert_eq!(outputs[3][..32 * 8], inputs[3][..32 * 8]);
}

#[test]
fn ids_in_every_region_of_an_uneven_range() {
    let bench = Bench::new();
    let mut kernel = bench.kernel(IDS, "ids_dyn");
    let (global, local, offset) = ([10u64, 7, 3], [4u32, 2, 2], [5u64, 0, 9]);
    let out = bench.device.buffer(8 * 10 * 7 * 3).unwrap();
    kernel.set_arg(0, Arg::Buffer(&out)).unwrap();
    let range = NdRange::new(&global)
        .and_then(|r| r.with_local(&local))
        .and_then(|r| r.with_offset(&offset))
        .unwrap();
    bench.run(&kernel, &range);
    let mut expected = Vec::new();
    for z in 0..3u64 {
        for y in 0..7u64 {
            for x in 0..10u64 {
                // get_local_size(1) is smaller in the last groups of y.
                let local_y = if y / 2 == 3 { 1 } else { 2 };
                let value = x % 4 + y % 2 * 3 + z % 2 * 5 + 7 + 2 + 4 + local_y + 9 + 3;
                expected.extend(value.to_le_bytes());
            }
        }
    }
    assert_eq!(read(&out), expected);
}

#[test]
fn required_sizes_are_required() {
    let bench = Bench::new();
    let mut kernel = bench.kernel(IDS, "ids_reqd");
    let out = bench.device.buffer(4 * 16 * 4 * 4).unwrap();
    kernel.set_arg(0, Arg::Buffer(&out)).unwrap();
    let range = NdRange::new(&[16, 4, 4]).unwrap();
    let wrong = range.with_local(&[8, 2, 2]).unwrap();
    let error = bench.queue.enqueue(&kernel, &wrong, &[]).unwrap_err();
    assert!(error.to_string().contains("requires [16, 2, 2]"), "{error}");
    // A dimension that is not there has the size 1.
    for (sizes, dimensions) in [(&[256][..], "1 dimensions"), (&[16, 16], "2 dimensions")] {
        let flat = NdRange::new(sizes).unwrap();
        let error = bench.queue.enqueue(&kernel, &flat, &[]).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains(dimensions) && text.contains("[16, 2, 2], which has 3"),
            "{text}"
        );
    }
    bench.run(&kernel, &range);
    let mut expected = Vec::new();
    for z in 0..4 {
        for y in 0..4 {
            for x in 0..16 {
                expected.push(x + y % 2 * 3 + z % 2 * 5 + y / 2 + z / 2);
            }
        }
    }
    assert_eq!(read_i32s(&out), expected);
}

#[test]
fn printf() {
    let bench = Bench::new();
    let mut kernel = bench.kernel(PRINTF, "pf");
    let a = bench.buffer(&i32s([2, 5]));
    kernel.set_arg(0, Arg::Buffer(&a)).unwrap();
    kernel
        .set_arg(1, Arg::Value(&1.5f32.to_le_bytes()))
        .unwrap();
    let event = bench.run(&kernel, &NdRange::new(&[2]).unwrap());
    let text = String::from_utf8(event.printed()).unwrap();
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        ["big str 1,2,3,5", "hello 2 1.500000", "hello 5 1.500000"]
    );
}

#[test]
fn constants_and_variables_are_relocated() {
    let bench = Bench::new();
    let program = Program::load(&bench.device, CONST).unwrap();
    assert_eq!(program.kernels().len(), 1, "the symbol holder is no kernel");
    assert!(program.kernel("cst").is_ok());
}

#[test]
fn a_wild_store_is_a_page_fault_and_the_next_queue_works() {
    let bench = Bench::new();
    let mut kernel = bench.kernel(FAULTS, "wild");
    let out = bench.buffer(&i32s([7]));
    kernel.set_arg(0, Arg::Buffer(&out)).unwrap();
    let address = 0x1234_5678_9000u64;
    kernel
        .set_arg(1, Arg::Value(&address.to_le_bytes()))
        .unwrap();
    let range = NdRange::new(&[1]).unwrap();
    let event = bench.queue.enqueue(&kernel, &range, &[]).unwrap();
    let error = event.wait(LONG).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Device);
    let Error::Device(DeviceError::PageFault(report)) = error else {
        panic!("{error}");
    };
    assert_eq!(report.address.unwrap().get(), address);
    assert_eq!(report.kernel.as_deref(), Some("wild"));
    assert!(report.instruction.is_some(), "{report:?}");
    let refused = bench.queue.enqueue(&kernel, &range, &[]);
    assert!(matches!(refused, Err(Error::Device(DeviceError::Lost(_)))));

    let queue = bench.device.queue(QueueOptions::default()).unwrap();
    let address = out.address().get();
    kernel
        .set_arg(1, Arg::Value(&address.to_le_bytes()))
        .unwrap();
    let event = queue.enqueue(&kernel, &range, &[]).unwrap();
    event.wait(LONG).unwrap();
    assert_eq!(read_i32s(&out), [1]);
}

#[test]
fn an_endless_kernel_is_a_hang() {
    let bench = Bench::with(&OpenOptions {
        hang_timeout: Some(Duration::from_millis(300)),
        ..OpenOptions::default()
    });
    let mut kernel = bench.kernel(FAULTS, "endless");
    let out = bench.buffer(&i32s([0, 0]));
    kernel.set_arg(0, Arg::Buffer(&out)).unwrap();
    let range = NdRange::new(&[1]).unwrap();
    let event = bench.queue.enqueue(&kernel, &range, &[]).unwrap();
    let error = event.wait(Duration::from_millis(1)).unwrap_err();
    assert!(matches!(error, Error::Device(DeviceError::Timeout { .. })));
    let error = event.wait(LONG).unwrap_err();
    assert!(
        matches!(error, Error::Device(DeviceError::Hang(_))),
        "{error}"
    );
}

#[test]
fn queues_order_copies_and_kernels() {
    let bench = Bench::new();
    let other = bench
        .device
        .queue(QueueOptions {
            out_of_order: true,
            ..QueueOptions::default()
        })
        .unwrap();
    let (a, b) = (bench.buffer(&i32s([1; 64])), bench.buffer(&i32s([2; 64])));
    let first = bench.queue.fill_buffer((&a, 0), 256, &[9, 0, 0, 0], &[]);
    let second = other.copy_buffer((&a, 0), (&b, 0), 256, &[first.unwrap()]);
    let all = other.marker(&[]).unwrap();
    all.wait(LONG).unwrap();
    second.unwrap().wait(LONG).unwrap();
    assert_eq!(read_i32s(&b), [9; 64]);
    bench.queue.finish(LONG).unwrap();
}

/// A zebin whose kernels have one more line in `execution_env`, of the same length: padding of
/// other lines makes room.
fn with_env(zebin: &[u8], line: &str) -> Vec<u8> {
    let line = format!("      {line}\n");
    let mut out = zebin.to_vec();
    let marker = b"    execution_env:\n";
    let at = out.windows(marker.len()).position(|w| w == marker).unwrap() + marker.len();
    out.splice(at..at, line.bytes());
    let mut room = line.len();
    let mut place = at + line.len();
    while room > 0 {
        // Of two spaces behind a colon one is padding.
        let next = out[place..].windows(3).position(|w| w == b":  ").unwrap();
        out.remove(place + next + 1);
        room -= 1;
        place += next;
    }
    assert_eq!(out.len(), zebin.len());
    out
}

#[test]
fn a_kernel_that_needs_eus_apart_runs() {
    let bench = Bench::new();
    let zebin = with_env(VADD, "require_disable_eufusion: true");
    let mut kernel = bench.kernel(&zebin, "vadd");
    let ones = bench.buffer(&bytes([1f32; 64], f32::to_le_bytes));
    let c = bench.device.buffer(256).unwrap();
    for (index, buffer) in [&ones, &ones, &c].into_iter().enumerate() {
        kernel.set_arg(index, Arg::Buffer(buffer)).unwrap();
    }
    kernel.set_arg(3, Arg::Value(&2f32.to_le_bytes())).unwrap();
    kernel.set_arg(4, Arg::Value(&64i32.to_le_bytes())).unwrap();
    kernel.set_arg(5, Arg::Value(&[0; 16])).unwrap();
    kernel.set_arg(6, Arg::Value(&[3])).unwrap();
    bench.run(&kernel, &NdRange::new(&[64]).unwrap());
    assert_eq!(read(&c), bytes([6f32; 64], f32::to_le_bytes));
    let unknown = with_env(VADD, "of_the_future: 1");
    let program = Program::load(&bench.device, &unknown).unwrap();
    let error = program.kernel("vadd").unwrap_err().to_string();
    assert!(error.contains("execution_env.of_the_future"), "{error}");
}
