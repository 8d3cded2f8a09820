//! The examples run on the software GPU, behind both kernel drivers, and print what they should.
#![cfg(feature = "softgpu")]
#![cfg(test)]

/// Includes examples; their `main` is not called.
macro_rules! examples {
    ($($name:ident $path:literal)*) => {$(
        #[path = $path]
        #[allow(dead_code, reason = "main is for the example's own executable")]
        mod $name;
    )*};
}

examples! {
    image "../examples/image.rs"
    sub_buffer "../examples/sub_buffer.rs"
    two_queues "../examples/two_queues.rs"
    vector_add "../examples/vector_add.rs"
}

type Run = fn(&str) -> Result<String, Box<dyn std::error::Error>>;

fn prints(run: Run, expected: &str) {
    for device in ["soft:tgl", "soft:tgl@xe"] {
        assert_eq!(run(device).unwrap(), expected, "{device}");
    }
    // The kernels are for another platform, or there is no such device.
    for device in ["soft:skl", "/nowhere"] {
        assert!(run(device).is_err(), "{device}");
    }
}

#[test]
fn an_image() {
    prints(image::run, "40 x 30 texels; the last is [40, 30, 1, 255]");
}

#[test]
fn a_part_of_a_buffer() {
    let expected = "elements 8 to 15: [8.0, 9.0, 3.0, 4.0, 5.0, 6.0, 14.0, 15.0]";
    prints(sub_buffer::run, expected);
}

#[test]
fn two_queues_in_order() {
    let expected = "first 7 * i, then 7 * i + i: [0, 8, 16, 24, 32, 40, 48, 56]";
    prints(two_queues::run, expected);
}

#[test]
fn a_vector_addition() {
    let expected = "1024 sums; the last is 1023 + 1023000 = 1024023";
    prints(vector_add::run, expected);
}
