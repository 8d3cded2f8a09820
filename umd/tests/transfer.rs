//! Copies, fills and maps of buffers and images, made by software GPUs of every platform through
//! each of its kernel drivers, against the same done on bytes here.
#![cfg(feature = "softgpu")]
#![cfg(test)]

use std::time::Duration;

use devinfo::Platform;
use oracles::Random;
use umd::{
    Buffer, Device, DeviceSpec, Event, HostMemory, Image, ImageDesc, ImageFormat, ImageKind,
    MapAccess, Queue, QueueOptions, RectLayout, Region, channel_order as order,
    channel_type as channel,
};

const LONG: Duration = Duration::from_secs(60);

/// Runs a test on every platform that `with` wants, through each of its kernel drivers.
fn everywhere(with: fn(&Platform) -> bool, test: impl Fn(&Device, &Queue)) {
    let mut ran = 0;
    for platform in devinfo::PLATFORMS.iter().filter(|platform| with(platform)) {
        for driver in platform.kernel_drivers {
            let name = format!("soft:{platform}@{driver}");
            // What fails says where.
            eprintln!("{name}");
            let device = Device::open(&name.parse::<DeviceSpec>().unwrap()).unwrap();
            let queue = device.queue(QueueOptions::default()).unwrap();
            test(&device, &queue);
            ran += 1;
        }
    }
    assert!(ran > 20, "{ran}");
}

fn any(_: &Platform) -> bool {
    true
}

fn with_images(platform: &Platform) -> bool {
    platform.images
}

/// Tests that run everywhere, or on the platforms that a function wants.
macro_rules! everywhere {
    ($($with:ident: $($test:ident)*;)*) => {
        mod everywhere {
            $($(
                #[test]
                fn $test() {
                    super::everywhere(super::$with, super::$test);
                }
            )*)*
        }
    };
}

everywhere! {
    any: bytes_from_anywhere_to_anywhere
        bytes_within_one_buffer_and_its_parts
        memory_of_this_process
        rectangles_of_bytes
        patterns_of_every_size
        maps_of_buffers;
    with_images: images_to_and_from_buffers
        images_to_images_and_fills
        images_of_other_texels_and_regions_beyond_are_refused
        maps_of_images;
}

/// Bytes that differ from place to place.
fn noise(seed: u32, length: usize) -> Vec<u8> {
    Random::new(seed.into()).bytes(length)
}

fn filled(device: &Device, bytes: &[u8]) -> Buffer {
    let buffer = device.buffer(bytes.len() as u64).unwrap();
    buffer.write(0, bytes).unwrap();
    buffer
}

fn content(buffer: &Buffer) -> Vec<u8> {
    let mut bytes = vec![0; buffer.size() as usize];
    buffer.read(0, &mut bytes).unwrap();
    bytes
}

/// Waits, and looks whether the times are in order and the GPU's own.
fn ended(event: Event) {
    event.wait(LONG).unwrap();
    let times = event.timestamps().unwrap();
    assert!(times.queued <= times.submitted && times.submitted <= times.started);
    assert!(times.started <= times.ended, "{times:?}");
}

fn bytes_from_anywhere_to_anywhere(device: &Device, queue: &Queue) {
    let source = noise(1, 300);
    let from = filled(device, &source);
    for (at, to, length) in [
        (0, 0, 300),
        (0, 0, 1),
        (3, 0, 17),
        (0, 5, 64),
        (7, 7, 100),
        (1, 2, 255),
        (16, 31, 33),
        (299, 299, 1),
        (4, 8, 0),
    ] {
        let before = noise(2, 300);
        let target = filled(device, &before);
        let event = queue.copy_buffer((&from, at), (&target, to), length, &[]);
        ended(event.unwrap());
        let mut expected = before;
        let (at, to, length) = (at as usize, to as usize, length as usize);
        expected[to..to + length].copy_from_slice(&source[at..at + length]);
        assert_eq!(content(&target), expected, "{at} to {to}, {length}");
    }
}

fn bytes_within_one_buffer_and_its_parts(device: &Device, queue: &Queue) {
    let bytes = noise(3, 256);
    let whole = filled(device, &bytes);
    let (low, high) = (
        whole.sub_buffer(0, 128).unwrap(),
        whole.sub_buffer(128, 128).unwrap(),
    );
    ended(queue.copy_buffer((&low, 1), (&high, 2), 100, &[]).unwrap());
    let mut expected = bytes.clone();
    expected.copy_within(1..101, 130);
    assert_eq!(content(&whole), expected);
    let overlap = queue.copy_buffer((&whole, 0), (&low, 50), 51, &[]);
    assert!(overlap.unwrap_err().to_string().contains("overlap"));
    assert!(queue.copy_buffer((&whole, 0), (&low, 50), 50, &[]).is_ok());
    let beyond = queue.copy_buffer((&low, 100), (&high, 0), 29, &[]);
    assert!(beyond.unwrap_err().to_string().contains("its 128 bytes"));
}

fn memory_of_this_process(device: &Device, queue: &Queue) {
    let memory = HostMemory::new(3 * 4096).unwrap();
    let bytes = noise(4, 5000);
    memory.write(37, &bytes).unwrap();
    let user = device.from_user_memory(&memory, 37..5037).unwrap();
    let target = device.buffer(5000).unwrap();
    ended(
        queue
            .copy_buffer((&user, 0), (&target, 0), 5000, &[])
            .unwrap(),
    );
    assert_eq!(content(&target), bytes);
    ended(
        queue
            .fill_buffer((&user, 1), 4998, &[0xab, 0xcd], &[])
            .unwrap(),
    );
    let mut out = vec![0; 5002];
    memory.read(36, &mut out).unwrap();
    assert_eq!(out[0], 0);
    assert_eq!((out[1], out[5000]), (bytes[0], bytes[4999]));
    assert!(out[2..5000].chunks(2).all(|pair| pair == [0xab, 0xcd]));
    assert_eq!(out[5001], 0);
}

fn rectangles_of_bytes(device: &Device, queue: &Queue) {
    let (source, before) = (noise(5, 4000), noise(6, 4000));
    let from = filled(device, &source);
    for (at, to, size) in [
        // Everything a multiple of four, then nothing.
        (([4, 1, 0], 64, 640), ([8, 2, 1], 48, 480), [40, 5, 3]),
        (([3, 0, 1], 31, 310), ([1, 1, 1], 37, 0), [29, 4, 2]),
        (([0, 0, 0], 0, 0), ([0, 0, 0], 100, 1000), [100, 10, 4]),
    ] {
        let layout = |(origin, row_pitch, slice_pitch)| RectLayout {
            origin,
            row_pitch,
            slice_pitch,
        };
        let target = filled(device, &before);
        let event = queue.copy_buffer_rect((&from, layout(at)), (&target, layout(to)), size, &[]);
        ended(event.unwrap());
        let pitches = |(_, row, slice): ([u64; 3], u64, u64)| {
            let row = if row == 0 { size[0] } else { row };
            (row, if slice == 0 { row * size[1] } else { slice })
        };
        let place = |side: ([u64; 3], u64, u64), y: u64, z: u64| {
            let (row, slice) = pitches(side);
            let [x0, y0, z0] = side.0;
            (x0 + (y0 + y) * row + (z0 + z) * slice) as usize
        };
        let mut expected = before.clone();
        for z in 0..size[2] {
            for y in 0..size[1] {
                let (a, b) = (place(at, y, z), place(to, y, z));
                let width = size[0] as usize;
                expected[b..b + width].copy_from_slice(&source[a..a + width]);
            }
        }
        assert_eq!(content(&target), expected, "{at:?} to {to:?}");
    }
    let wide = RectLayout {
        row_pitch: 10,
        ..RectLayout::default()
    };
    for (layout, size, why) in [
        (wide, [11, 1, 1], "the row pitch is 10"),
        (wide, [10, 401, 1], "its 4000 bytes"),
        (wide, [10, 0, 1], "is empty"),
        (wide, [1, u64::MAX, u64::MAX], "its 4000 bytes"),
    ] {
        let target = device.buffer(4000).unwrap();
        let error = queue.copy_buffer_rect((&from, layout), (&target, layout), size, &[]);
        let error = error.unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

fn patterns_of_every_size(device: &Device, queue: &Queue) {
    for power in 0..8 {
        let size = 1usize << power;
        let pattern = noise(7, size);
        for offset in [0u64, 1, 6, 16] {
            let before = noise(8, 1000);
            let target = filled(device, &before);
            let length = (900 / size * size) as u64;
            let event = queue.fill_buffer((&target, offset), length, &pattern, &[]);
            ended(event.unwrap());
            let mut expected = before;
            let from = offset as usize;
            for (place, byte) in expected[from..from + length as usize]
                .iter_mut()
                .zip(pattern.iter().cycle())
            {
                *place = *byte;
            }
            assert_eq!(content(&target), expected, "{size} bytes from {offset} on");
        }
    }
    let target = device.buffer(100).unwrap();
    for (length, pattern, why) in [
        (12, vec![0; 3], "powers of two"),
        (256, vec![0; 256], "up to 128"),
        (6, vec![0; 4], "no multiple"),
        (104, vec![0; 4], "its 100 bytes"),
        (4, vec![], "powers of two"),
    ] {
        let error = queue.fill_buffer((&target, 0), length, &pattern, &[]);
        let error = error.unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

/// One image of each shape.
fn shapes() -> [(ImageKind, [u32; 3]); 5] {
    [
        (ImageKind::D1, [70, 1, 1]),
        (ImageKind::D1Array, [33, 4, 1]),
        (ImageKind::D2, [45, 37, 1]),
        (ImageKind::D2Array, [21, 10, 3]),
        (ImageKind::D3, [18, 9, 5]),
    ]
}

/// One format for each size of a texel.
fn formats() -> [ImageFormat; 5] {
    [
        ImageFormat::new(order::R, channel::UNORM8),
        ImageFormat::new(order::RG, channel::SNORM8),
        ImageFormat::new(order::BGRA, channel::UNORM8),
        ImageFormat::new(order::RGBA, channel::HALF),
        ImageFormat::new(order::RGBA, channel::FLOAT),
    ]
}

/// A region strictly inside where there is room.
fn inner(image: &Image) -> Region {
    let extent = image.desc().extent();
    let origin = extent.map(|n| if n > 2 { 1 } else { 0 });
    let size = std::array::from_fn(|d| extent[d] - 2 * origin[d]);
    Region { origin, size }
}

fn texels(image: &Image, region: &Region) -> Vec<u8> {
    let count: u32 = region.size.iter().product();
    let mut bytes = vec![0; (count * image.texel_bytes()) as usize];
    image.read(region, &mut bytes).unwrap();
    bytes
}

fn images_to_and_from_buffers(device: &Device, queue: &Queue) {
    for (kind, size) in shapes() {
        for format in formats() {
            let image = device.image(&ImageDesc::new(kind, format, size)).unwrap();
            let whole = image.whole();
            let before = noise(9, texels(&image, &whole).len());
            image.write(&whole, &before).unwrap();
            let region = inner(&image);
            let content_before = texels(&image, &region);
            // A misaligned place in the buffer, and an aligned one.
            for at in [3u64, 32] {
                let length = content_before.len();
                let buffer = device.buffer(length as u64 + 40).unwrap();
                let event = queue.copy_image_to_buffer((&image, region), (&buffer, at), &[]);
                ended(event.unwrap());
                let at = at as usize;
                let got = content(&buffer);
                assert_eq!(got[at..at + length], content_before, "{kind} {format}");
                assert!(got[..at].iter().chain(&got[at + length..]).all(|&b| b == 0));
            }
            let new = noise(10, content_before.len() + 7);
            let buffer = filled(device, &new);
            let event = queue.copy_buffer_to_image((&buffer, 7), (&image, region), &[]);
            ended(event.unwrap());
            assert_eq!(texels(&image, &region), new[7..], "{kind} {format}");
            // Nothing beside the region was written.
            image.write(&region, &content_before).unwrap();
            assert_eq!(texels(&image, &whole), before, "{kind} {format}");
        }
    }
}

fn images_to_images_and_fills(device: &Device, queue: &Queue) {
    for format in formats() {
        let image = |kind, size| device.image(&ImageDesc::new(kind, format, size)).unwrap();
        let mut images: Vec<Image> = shapes().map(|(kind, size)| image(kind, size)).into();
        // A linear one.
        let texel = images[0].texel_bytes();
        let rows = ImageDesc {
            row_pitch: 50 * texel,
            ..ImageDesc::d2(format, 45, 37)
        };
        let buffer = device.buffer(u64::from(50 * texel * 37)).unwrap();
        images.push(device.image_from_buffer(&buffer, &rows).unwrap());
        for (number, from) in images.iter().enumerate() {
            let content = noise(11 + number as u32, texels(from, &from.whole()).len());
            from.write(&from.whole(), &content).unwrap();
            for to in images.iter().filter(|to| !std::ptr::eq(from, *to)) {
                let (a, b) = (from.desc().extent(), to.desc().extent());
                let size = std::array::from_fn(|d| a[d].min(b[d]));
                let origin: [u32; 3] = std::array::from_fn(|d| a[d] - size[d]);
                let event = queue.copy_image((from, origin), (to, [0; 3]), size, &[]);
                ended(event.unwrap());
                let expected = texels(from, &Region { origin, size });
                let origin = [0; 3];
                assert_eq!(texels(to, &Region { origin, size }), expected);
            }
        }
        let color = noise(40, texel as usize);
        for image in &images {
            let region = inner(image);
            image
                .write(
                    &image.whole(),
                    &vec![0; texels(image, &image.whole()).len()],
                )
                .unwrap();
            ended(queue.fill_image((image, region), &color, &[]).unwrap());
            let got = texels(image, &region);
            assert!(got.chunks(texel as usize).all(|t| t == color), "{format}");
            let all = texels(image, &image.whole());
            let set = all.chunks(texel as usize).filter(|t| *t == color).count();
            assert_eq!(set, region.size.iter().product::<u32>() as usize);
        }
    }
}

fn images_of_other_texels_and_regions_beyond_are_refused(device: &Device, queue: &Queue) {
    let image = |format| device.image(&ImageDesc::d2(format, 16, 16)).unwrap();
    let [small, _, large, ..] = formats().map(image);
    let text = |result: Result<Event, umd::Error>| result.unwrap_err().to_string();
    let error = text(queue.copy_image((&small, [0; 3]), (&large, [0; 3]), [4, 4, 1], &[]));
    assert!(error.contains("texels have 1 bytes"), "{error}");
    let error = text(queue.copy_image((&large, [0; 3]), (&large, [3, 3, 0]), [4, 4, 1], &[]));
    assert!(error.contains("overlap"), "{error}");
    let region = Region {
        origin: [8, 8, 0],
        size: [9, 1, 1],
    };
    let error = text(queue.fill_image((&large, region), &[0; 4], &[]));
    assert!(error.contains("is not in the image"), "{error}");
    let error = text(queue.fill_image((&large, large.whole()), &[0; 3], &[]));
    assert!(error.contains("the image's have 4"), "{error}");
    let buffer = device.buffer(1023).unwrap();
    let error = text(queue.copy_image_to_buffer((&large, large.whole()), (&buffer, 0), &[]));
    assert!(error.contains("its 1023 bytes"), "{error}");
}

fn maps_of_buffers(device: &Device, queue: &Queue) {
    let buffer = device.buffer(64).unwrap();
    let fill = queue.fill_buffer((&buffer, 0), 64, &[7], &[]).unwrap();
    let mapped = queue.map_buffer(&buffer, 16, 8, &[fill]).unwrap();
    mapped.event().wait(LONG).unwrap();
    assert_eq!(
        mapped.bytes().host_pointer(),
        buffer.host_pointer().wrapping_add(16)
    );
    assert_eq!(content(mapped.bytes()), [7; 8]);
    mapped.bytes().write(0, &[9; 8]).unwrap();
    queue.unmap(mapped, &[]).unwrap().wait(LONG).unwrap();
    let other = Device::open(&DeviceSpec::soft("skl")).unwrap();
    let elsewhere = other.queue(QueueOptions::default()).unwrap();
    let error = elsewhere.map_buffer(&buffer, 0, 8, &[]).unwrap_err();
    assert!(
        error.to_string().contains("belongs to another device"),
        "{error}"
    );
    let mapped = queue.map_buffer(&buffer, 16, 8, &[]).unwrap();
    let error = elsewhere.unmap(mapped, &[]).unwrap_err();
    assert!(
        error.to_string().contains("belongs to another device"),
        "{error}"
    );
    assert_eq!(content(&buffer)[15..25], [7, 9, 9, 9, 9, 9, 9, 9, 9, 7]);
}

fn maps_of_images(device: &Device, queue: &Queue) {
    let format = ImageFormat::new(order::R, channel::UINT16);
    let image = device.image(&ImageDesc::d2(format, 20, 20)).unwrap();
    let region = Region {
        origin: [2, 3, 0],
        size: [5, 4, 1],
    };
    queue
        .fill_image((&image, image.whole()), &[1, 2], &[])
        .unwrap();
    let mapped = queue
        .map_image(&image, region, MapAccess::ReadWrite, &[])
        .unwrap();
    mapped.event().wait(LONG).unwrap();
    assert_eq!((mapped.row_pitch(), mapped.slice_pitch()), (10, 40));
    assert_eq!(content(mapped.bytes()), [1, 2].repeat(20));
    mapped.bytes().write(10, &[5, 6]).unwrap();
    queue.unmap(mapped, &[]).unwrap().wait(LONG).unwrap();
    let all = texels(&image, &image.whole());
    let at = (4 * 20 + 2) * 2;
    assert_eq!(all[at - 2..at + 4], [1, 2, 5, 6, 1, 2]);
    assert_eq!(all.chunks(2).filter(|t| *t == [5, 6]).count(), 1);
}

#[test]
fn platforms_without_images_say_so_first() {
    let without: Vec<_> = devinfo::PLATFORMS
        .iter()
        .filter(|platform| !platform.images)
        .collect();
    assert_eq!(without, [devinfo::by_name("pvc").unwrap()]);
    for platform in without {
        let device = Device::open(&DeviceSpec::soft(platform.name)).unwrap();
        let format = ImageFormat::new(order::R, channel::UINT8);
        let desc = ImageDesc::d2(format, 16, 16);
        let buffer = device.buffer(256).unwrap();
        for made in [
            device.image(&desc),
            device.image_from_buffer(&buffer, &desc),
        ] {
            let error = made.unwrap_err().to_string();
            assert!(
                error.starts_with("an image is not possible on pvc: it has no samplers"),
                "{error}"
            );
        }
    }
}
