//! The protocol, from the bytes on: what is answered, and what closes a connection.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use devinfo::Target;
use oracles::Random;
use softgpu_bus::tbx::{Server, ServerOptions, Session, SessionError, serve};
use softgpu_device::{Execution, Settings};

use crate::client;

/// A message: kind, transaction, body, data.
fn message(kind: u32, body: &[u32], data: &[u8]) -> Vec<u8> {
    let words = [&[kind, 7, 4 * body.len() as u32], body].concat();
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(data);
    bytes
}

/// What a device answers to a stream of messages.
fn answers(stream: &[u8]) -> (Vec<u8>, Result<Session, SessionError>) {
    let machine = client::machine("skl", 1 << 23).unwrap();
    let mut out = Vec::new();
    let session = serve(&machine, &mut &*stream, &mut out);
    (out, session)
}

fn refused(stream: &[u8]) -> String {
    answers(stream).1.unwrap_err().to_string()
}

#[test]
fn memory_registers_and_entries_are_read_as_they_were_written() {
    let stream = [
        message(11, &[0x0032_0002], &[]),
        message(4, &[0x0100_0000, 0x1ffe, 4], &[1, 2, 3, 4]),
        message(5, &[0x0100_0000, 0x1ffc, 8], &[]),
        message(0, &[0x9, 0xc800, 0x38], &[]),
        message(0, &[0x8, 0xc800, 0], &[]),
        message(2, &[1, 5, 0x2001, 3], &[]),
        message(2, &[0, 5], &[0; 8]),
    ];
    let (out, session) = answers(&stream.concat());
    let want = [
        message(6, &[0x0100_0000, 0x1ffc, 8], &[0, 0, 1, 2, 3, 4, 0, 0]),
        message(1, &[0x38], &[]),
        message(3, &[0x2001, 3], &[]),
    ];
    // The body of a GTT message has four dwords; the last message has two and eight bytes more.
    assert!(session.is_err());
    assert_eq!(out, want[..2].concat());
    let (out, session) = answers(&[&stream[5][..], &message(2, &[0, 5, 0, 0], &[])].concat());
    assert_eq!(out, want[2]);
    assert_eq!(session.unwrap().requests, 2);
}

#[test]
fn a_client_learns_of_what_is_not_served_by_the_end_of_its_connection() {
    assert!(refused(&message(9, &[], &[])).contains("message 9 is not known"));
    assert!(refused(&message(0, &[1], &[])).contains("a body of 4 bytes: it takes 12"));
    assert!(refused(&message(0, &[3, 0, 0], &[])).contains("units of 1 are not served: 4 bytes"));
    assert!(refused(&message(0, &[0x49, 0, 0], &[])).contains("space of 1 are not served"));
    assert!(refused(&message(4, &[2 << 6, 0, 0], &[])).contains("writes to memory of 2"));
    assert!(refused(&message(5, &[0, 0, 1 << 30], &[])).contains("exceeds 1048576: split it"));
    assert!(refused(&message(2, &[1, 1 << 20, 0, 0], &[])).contains("has no entry 0x100000"));
    assert!(refused(&message(4, &[0, 0, 8], &[1])).contains("fill whole buffer"));
    let far = (0..=4u32).flat_map(|at| message(4, &[0, at << 24, 1], &[1]));
    assert!(refused(&far.collect::<Vec<_>>()).contains("more than 0x800000 bytes"));
}

#[test]
fn hostile_streams_end_with_an_error_or_their_end() {
    let mut random = Random::new(0x7b8);
    for _ in 0..3000 {
        let mut stream = Vec::new();
        for _ in 0..random.below(12) {
            let kind = [0, 2, 4, 5, 11, (random.bits() as u32)][random.below(6) as usize];
            let mut body: Vec<u32> = (0..4).map(|_| random.bits() as u32).collect();
            if random.below(4) > 0 {
                body[0] &= 0x1f00_0001;
                body[0] |= u32::from(kind == 0) << 3;
                // Submission registers, and memory that exists.
                body[1] = [0x2230, 0x2234, 0x2550, body[1] & 0xffff][random.below(4) as usize];
                body[2] &= 0xff;
            }
            if matches!(kind, 0 | 4 | 5) {
                body.pop();
            }
            let data = vec![(random.bits() as u32) as u8; (body[2] & 0xff) as usize];
            let data = if kind == 4 { &data[..] } else { &[] };
            stream.extend(message(kind, &body, data));
        }
        let (_, session) = answers(&stream);
        if let Err(error) = session {
            assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn connections_have_devices_of_their_own_and_are_counted() {
    let options = ServerOptions {
        platform: Target::parse("tgl").unwrap().platform,
        settings: Settings {
            threads: 1,
            hang_timeout: Duration::from_secs(10),
            check: false,
            execution: Execution::default(),
        },
        memory: 1 << 23,
        connections: 2,
    };
    let server = Server::bind(SocketAddr::from(([127, 0, 0, 1], 0)), options).unwrap();
    let address = server.address().unwrap();
    thread::spawn(move || server.run());
    let ask = |stream: &mut TcpStream, bytes: &[u8], answer: usize| {
        stream.write_all(bytes).unwrap();
        let mut out = vec![0; answer];
        stream.read_exact(&mut out).unwrap();
        out[answer - 1]
    };
    let [mut first, mut second] = [(); 2].map(|()| TcpStream::connect(address).unwrap());
    let read = message(5, &[0, 0x1000, 1], &[]);
    let write = message(4, &[0, 0x1000, 1], &[9]);
    assert_eq!(ask(&mut first, &[&write[..], &read].concat(), 25), 9);
    assert_eq!(ask(&mut second, &read, 25), 0);
    let mut third = TcpStream::connect(address).unwrap();
    assert_eq!(third.read(&mut [0; 1]).unwrap_or(0), 0, "it is closed");
    drop(first);
    // A place is free again as soon as the server has seen it.
    let begin = std::time::Instant::now();
    loop {
        let mut again = TcpStream::connect(address).unwrap();
        if again.write_all(&read).is_ok() && again.read_exact(&mut [0; 25]).is_ok() {
            break;
        }
        assert!(begin.elapsed() < Duration::from_secs(60));
    }
}
