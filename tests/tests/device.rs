//! What a program may expect of any device: memory, events, queues, times. On each platform's software
//! GPU, or on the device that `INTEL_GPU_DEVICE` names. What kernels compute there is in `kernels`.

#![cfg(test)]

use std::time::Duration;

use stack_tests::corpus::{SETS, Set};
use stack_tests::{Random, launch, subject};
use umd::{
    Arg, Buffer, Device, Error, Event, EventStatus, Image, ImageDesc, ImageFormat, Kernel, NdRange,
    Program, Queue, QueueOptions, channel_order, channel_type,
};
use zerocopy::IntoBytes;

/// How long a command may take.
const LONG: Duration = Duration::from_secs(60);
/// How many integers the kernel adds.
const COUNT: usize = 1000;

/// Runs a test on a device for each set of the corpus.
fn everywhere(test: impl Fn(&Set, &Device)) {
    let mut seen = 0;
    for set in SETS.iter().filter(|set| subject::runs(set.target)) {
        test(set, &launch::device(&subject::device(set.target)));
        seen += 1;
    }
    assert!(seen > 0, "there is no device");
}

fn queue(device: &Device) -> Queue {
    device.queue(QueueOptions::default()).unwrap()
}

/// Whole numbers, which floats have exactly.
fn noise(seed: u64, count: usize) -> Vec<f32> {
    Random::new(seed).many(count, |bits| (bits % 100_000) as f32)
}

fn filled(device: &Device, values: &[f32]) -> Buffer {
    let buffer = device.buffer(values.as_bytes().len() as u64).unwrap();
    buffer.write(0, values.as_bytes()).unwrap();
    buffer
}

fn content(buffer: &Buffer) -> Vec<f32> {
    let mut values = vec![0f32; buffer.size() as usize / 4];
    buffer.read(0, values.as_mut_bytes()).unwrap();
    values
}

/// A kernel that adds one to each number.
fn increment(set: &Set, device: &Device) -> Kernel {
    let program = Program::load(device, &set.zebin("vadd")).unwrap();
    program.kernel("increment").unwrap()
}

fn enqueue(
    queue: &Queue,
    kernel: &mut Kernel,
    [from, to]: [&Buffer; 2],
    wait: &[Event],
) -> Result<Event, Error> {
    kernel.set_arg(0, Arg::Buffer(from))?;
    kernel.set_arg(1, Arg::Buffer(to))?;
    queue.enqueue(kernel, &NdRange::new(&[COUNT as u64])?, wait)
}

fn plus(values: &[f32], more: u8) -> Vec<f32> {
    values.iter().map(|value| value + f32::from(more)).collect()
}

#[test]
fn queues_wait_for_each_others_events() {
    everywhere(|set, device| {
        let values = noise(1, COUNT);
        let queues = [queue(device), queue(device)];
        let [one, other] = [filled(device, &values), filled(device, &[0.0; COUNT])];
        let mut kernel = increment(set, device);
        let mut last: Option<Event> = None;
        // Each queue adds to what the other has left.
        for round in 0..5 {
            let ends = match round % 2 {
                0 => [&one, &other],
                _ => [&other, &one],
            };
            let wait: Vec<Event> = last.into_iter().collect();
            last = Some(enqueue(&queues[round % 2], &mut kernel, ends, &wait).unwrap());
        }
        let last = last.unwrap();
        last.wait(LONG).unwrap();
        assert_eq!(last.status(), EventStatus::Complete, "{}", set.name);
        assert_eq!(content(&other), plus(&values, 5), "{}", set.name);
        assert_eq!(content(&one), plus(&values, 4), "{}", set.name);
    });
}

#[test]
fn a_user_event_holds_what_waits_for_it() {
    everywhere(|set, device| {
        let values = noise(3, COUNT);
        let [a, out] = [filled(device, &values), filled(device, &[9.0; COUNT])];
        let queue = queue(device);
        let user = device.user_event();
        let mut kernel = increment(set, device);
        let held = enqueue(&queue, &mut kernel, [&a, &out], &[user.event().clone()]).unwrap();
        assert!(held.wait(Duration::from_millis(30)).is_err());
        assert_eq!(content(&out), [9.0; COUNT], "{}", set.name);
        user.complete();
        held.wait(LONG).unwrap();
        assert_eq!(content(&out), plus(&values, 1), "{}", set.name);
    });
}

#[test]
fn parts_of_buffers_are_buffers() {
    everywhere(|set, device| {
        let values = noise(4, 2048);
        let whole = filled(device, &values);
        let [a, out] = [0, 1].map(|at| whole.sub_buffer(at * 4096, 4 * COUNT as u64).unwrap());
        let event = enqueue(&queue(device), &mut increment(set, device), [&a, &out], &[]);
        event.unwrap().wait(LONG).unwrap();
        let mut expected = values.clone();
        expected[1024..1024 + COUNT].copy_from_slice(&plus(&values[..COUNT], 1));
        assert_eq!(content(&whole), expected, "{}", set.name);
    });
}

#[test]
fn bytes_are_copied_and_filled_from_anywhere_to_anywhere() {
    everywhere(|set, device| {
        let values = noise(5, 2000);
        let [from, to] = [filled(device, &values), filled(device, &[0.0; 2000])];
        let queue = queue(device);
        let mut expected = vec![0u8; 8000];
        for (source, target, count) in [(0, 4000, 3001), (17, 3, 250), (7999, 7999, 1)] {
            let copied =
                queue.copy_buffer((&from, source as u64), (&to, target as u64), count, &[]);
            copied.unwrap();
            let bytes = &values.as_bytes()[source..source + count as usize];
            expected[target..target + count as usize].copy_from_slice(bytes);
        }
        let pattern = [1, 2, 3, 4];
        queue.fill_buffer((&to, 1024), 512, &pattern, &[]).unwrap();
        expected[1024..1536].copy_from_slice(&pattern.repeat(128));
        queue.finish(LONG).unwrap();
        assert_eq!(content(&to).as_bytes(), expected, "{}", set.name);
    });
}

#[test]
fn images_keep_what_is_written_and_copied() {
    everywhere(|set, device| {
        if !set.has("images") {
            return;
        }
        let desc = ImageDesc::d2(
            ImageFormat::new(channel_order::RGBA, channel_type::UNORM8),
            37,
            21,
        );
        let texels = noise(6, 37 * 21);
        let [from, to]: [Image; 2] = [(); 2].map(|()| device.image(&desc).unwrap());
        from.write(&from.whole(), texels.as_bytes()).unwrap();
        let queue = queue(device);
        let copied = queue.copy_image((&from, [0; 3]), (&to, [0; 3]), [37, 21, 1], &[]);
        copied.unwrap().wait(LONG).unwrap();
        let mut found = vec![0f32; texels.len()];
        to.read(&to.whole(), found.as_mut_bytes()).unwrap();
        assert_eq!(found, texels, "{}", set.name);
    });
}

#[test]
fn commands_have_times_in_their_order() {
    everywhere(|set, device| {
        let values = noise(7, COUNT);
        let [a, out] = [filled(device, &values), filled(device, &values)];
        let queue = queue(device);
        let mut kernel = increment(set, device);
        let mut before = Duration::ZERO;
        for _ in 0..3 {
            let event = enqueue(&queue, &mut kernel, [&a, &out], &[]).unwrap();
            event.wait(LONG).unwrap();
            let times = event.timestamps().unwrap();
            assert!(times.started <= times.ended, "{}: {times:?}", set.name);
            assert!(times.started >= before, "{}: {times:?}", set.name);
            before = times.ended;
        }
    });
}
