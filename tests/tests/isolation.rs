//! A kernel cannot reach the memory of the process that runs the software GPU: it gets host
//! addresses, and tries each kind of message on them.

#![cfg(test)]

use std::fmt::Write as _;
use std::time::Duration;

use stack_tests::subject;
use umd::{Arg, Binary, Device, DeviceSpec, Error, ErrorClass, NdRange, Program, QueueOptions};

/// The memory that must stay unread and unchanged.
const SECRET: u32 = 0x5ec2_e75e;

/// The program with `message`, which reads into r12; r12 is then stored to the buffer. The address
/// is in each pair of dwords of r10 and r11.
fn program(message: &str) -> String {
    let mut text = String::from(
        "//.platform tgl\n//.kernel probe\n//.simd 8\n//.ids none\n//.arg seen buf:0\n\
         //.arg address u64 @0\n//.local 1,1,1\n//.slm 1024\n//.scratch 1024\n",
    );
    for line in [
        "(W) mov (8|M0) r10.0<1>:ud r2.0<0;2,1>:ud",
        "(W) mov (8|M0) r11.0<1>:ud r2.0<0;2,1>:ud",
        "(W) mov (8|M0) r12.0<1>:ud 0:ud",
        "(W) mov (8|M0) r13.0<1>:ud r0.0<8;8,1>:ud",
        "(W) mov (8|M0) r15.0<1>:uw 0x76543210:uv",
        "(W) shl (8|M0) r14.0<1>:ud r15.0<8;8,1>:uw 2:w {@1}",
        "(W) sync.allwr null",
    ] {
        let _ = writeln!(text, "{line}");
    }
    text.push_str(message);
    for line in [
        "(W) sync.allwr null",
        "(W) send.dc1 (8|M0) null r14 r12 0x40 0x02026E00 {$1}",
        "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud",
        "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT,@1}",
    ] {
        let _ = write!(text, "\n{line}");
    }
    text.push('\n');
    text
}

/// Runs the message on `address`. Returns what it read.
fn probe(message: &str, address: u64, scratch_page: bool) -> Result<Vec<u8>, Error> {
    let options = umd::OpenOptions {
        threads: Some(1),
        hang_timeout: Some(Duration::from_secs(5)),
        scratch_page,
        ..umd::OpenOptions::default()
    };
    // Its own device: a fault ends the context.
    let device = Device::open_with(&DeviceSpec::soft("tgl"), &options)?;
    let program = Program::new(&device, Binary::assemble(&program(message), None)?)?;
    let mut kernel = program.kernel("probe")?;
    let seen = device.buffer(64)?;
    kernel.set_arg(0, Arg::Buffer(&seen))?;
    kernel.set_arg(1, Arg::Value(&address.to_le_bytes()))?;
    let queue = device.queue(QueueOptions::default())?;
    let event = queue.enqueue(&kernel, &NdRange::new(&[1])?, &[])?;
    event.wait(Duration::from_secs(60))?;
    let mut bytes = vec![0; 64];
    seen.read(0, &mut bytes)?;
    Ok(bytes)
}

#[test]
fn no_message_reaches_the_host() {
    if !subject::is_software() {
        return;
    }
    // Its own page, so that a read near its address would also find it.
    let secret = vec![SECRET; 4096].into_boxed_slice();
    let address = secret.as_ptr().expose_provenance() as u64;
    let messages = [
        (
            "A64 read",
            "(W) send.dc1 (8|M0) r12 r10 null 0x0 0x041401FF {$0}",
        ),
        (
            "A64 write",
            "(W) send.dc1 (8|M0) null r10 r14 0x40 0x040681FF {$0}",
        ),
        (
            "stateless read",
            "(W) send.dc1 (8|M0) r12 r10 null 0x0 0x02106EFF {$0}",
        ),
        (
            "stateless write",
            "(W) send.dc1 (8|M0) null r10 r14 0x40 0x02026EFD {$0}",
        ),
        (
            "local memory",
            "(W) send.dc1 (8|M0) r12 r10 null 0x0 0x02106EFE {$0}",
        ),
        (
            "scratch",
            "(W) send.dc0 (8|M0) r12 r13 null 0x0 0x021C0FFF {$0}",
        ),
        (
            "binding table",
            "(W) send.dc1 (8|M0) r12 r10 null 0x0 0x02106EEF {$0}",
        ),
        (
            "bindless surface",
            "(W) mov (1|M0) a0.0<1>:ud r2.0<0;1,0>:ud\n\
             (W) send.dc1 (8|M0) r12 r10 null a0.0 0x02106EFC {@1,$0}",
        ),
    ];
    for (name, message) in messages {
        // Exactly there, with the sign bits of a GPU address, and in the low half.
        for address in [
            address,
            address | 0xffff_8000_0000_0000,
            address & 0xffff_ffff,
        ] {
            for scratch_page in [false, true] {
                match probe(message, address, scratch_page) {
                    Ok(seen) => assert!(
                        seen.windows(4).all(|bytes| bytes != SECRET.to_le_bytes()),
                        "{name} saw {address:#x}"
                    ),
                    Err(error) => {
                        eprintln!("{name}: {error}");
                        assert_eq!(error.class(), ErrorClass::Device, "{name}: {error}");
                    }
                }
            }
        }
        let fault = probe(message, address, false);
        if name.starts_with("A64") {
            let text = fault.unwrap_err().to_string();
            let place = format!("{:x}", address & !0xfff);
            assert!(text.contains("page fault"), "{text}");
            assert!(text.contains(place.trim_end_matches('0')), "{text}");
        }
    }
    assert!(secret.iter().all(|word| *word == SECRET), "it was changed");
}
