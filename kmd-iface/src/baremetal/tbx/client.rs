//! A device behind a TBX server.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufReader, BufWriter, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use batchbuffer::Engine;
use batchbuffer::execlists::{Execlists, Submission, execlists};
use batchbuffer::paging::{ADDRESS, PRESENT};
use batchbuffer::registers::{base, own};
use devinfo::Target;

use super::message::{Answer, Bank, MessageError, Request};
use super::mirror::Mirror;
use crate::baremetal::Bus;
use crate::{KmdError, KmdResult, UserMemory};

/// How long the server may take to answer, or to take what it is sent.
const PATIENCE: Duration = Duration::from_secs(60);
/// The bytes of memory in a message: less than NEO sends.
const MOST: usize = 1 << 17;
/// What NEO says when it connects, and which bits of it count.
const HELLO: Request = Request::Control {
    value: 0x02,
    mask: 0x32,
};
/// The engines that may be given work.
const ENGINES: [Engine; 3] = [Engine::Render, Engine::Blitter, Engine::Compute];

/// A device behind a TBX server: memory of this process, and a copy of it there.
pub struct Tbx {
    address: SocketAddr,
    target: Target,
    link: Mutex<Link>,
}

struct Link {
    input: BufReader<TcpStream>,
    output: BufWriter<TcpStream>,
    transaction: u32,
    /// The memory that the device reaches.
    memory: BTreeMap<u64, Mapped>,
    /// The engines that have work, as far as is known.
    busy: Vec<Engine>,
    /// Why the server answers no more.
    failed: Option<String>,
}

struct Mapped {
    mirror: Mirror,
    /// Whether the global GTT shows it: there engines tell what they have done.
    tells: bool,
}

impl fmt::Debug for Tbx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tbx({}, {})", self.address, self.target)
    }
}

impl Tbx {
    /// Connects to a server. The protocol does not say which device it has: `target` does.
    ///
    /// # Errors
    /// Nobody listens there, or does not speak TBX.
    pub fn connect(address: SocketAddr, target: Target) -> KmdResult<Self> {
        let failed =
            |error: io::Error| KmdError::BareMetal(format!("TBX server {address}: {error}"));
        let stream = TcpStream::connect_timeout(&address, PATIENCE).map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(failed)?;
        let input = BufReader::with_capacity(MOST, stream.try_clone().map_err(failed)?);
        let tbx = Self {
            address,
            target,
            link: Mutex::new(Link {
                input,
                output: BufWriter::with_capacity(MOST, stream),
                transaction: 0,
                memory: BTreeMap::new(),
                busy: Vec::new(),
                failed: None,
            }),
        };
        tbx.with(|link| link.put(&HELLO))?;
        // A client that reads this register learns there how its work has failed.
        tbx.read(tbx.row().faults.fault)?;
        Ok(tbx)
    }

    fn row(&self) -> &'static Execlists {
        execlists(self.target.platform.family)
    }

    fn link(&self) -> MutexGuard<'_, Link> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something over the socket. After its first failure nothing is done.
    fn with<T>(&self, act: impl FnOnce(&mut Link) -> Result<T, MessageError>) -> KmdResult<T> {
        let mut link = self.link();
        let failed = |why: &str| KmdError::BareMetal(format!("TBX server {}: {why}", self.address));
        if let Some(why) = &link.failed {
            return Err(failed(why));
        }
        act(&mut link).map_err(|error| {
            let why = reason(&error);
            let error = failed(&why);
            link.failed = Some(why);
            error
        })
    }

    /// The engine that a write to a register gives work.
    fn submits(&self, offset: u32) -> Option<Engine> {
        let wanted = match self.row().submission {
            Submission::Port => own::SUBMIT_PORT,
            Submission::Queue | Submission::Firmware => own::EXECLIST_CONTROL,
        };
        let mut engines = ENGINES.into_iter();
        engines.find(|engine| base(*engine) + wanted == offset)
    }

    /// Reads memory if an engine has nothing more to do. Returns whether one had.
    fn collect(&self) -> KmdResult<bool> {
        let row = self.row();
        self.with(|link| {
            let mut still = Vec::new();
            for engine in link.busy.clone() {
                let status = link.register(base(engine) + own::EXECLIST_STATUS)?;
                if status & (row.idle_status | row.busy_status) != row.idle_status {
                    still.push(engine);
                }
            }
            if still.len() == link.busy.len() {
                return Ok(false);
            }
            link.busy = still;
            link.receive()?;
            Ok(true)
        })
    }
}

/// What a failure of the socket means.
fn reason(error: &MessageError) -> String {
    let MessageError::Socket(socket) = error else {
        return error.to_string();
    };
    match socket.kind() {
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionReset => {
            "it has closed the connection; its log says why".to_owned()
        }
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            format!("no answer within {PATIENCE:?}")
        }
        _ => error.to_string(),
    }
}

impl Link {
    /// Sends a request.
    fn put(&mut self, request: &Request) -> Result<u32, MessageError> {
        self.transaction = self.transaction.wrapping_add(1);
        self.output.write_all(&request.encode(self.transaction))?;
        Ok(self.transaction)
    }

    /// Sends a request and reads its answer.
    fn ask(&mut self, request: &Request) -> Result<Answer, MessageError> {
        let asked = self.put(request)?;
        self.output.flush()?;
        let (answered, answer) = Answer::read(&mut self.input)?;
        match asked == answered {
            true => Ok(answer),
            false => Err(unexpected(request)),
        }
    }

    fn register(&mut self, offset: u32) -> Result<u32, MessageError> {
        let request = Request::Register {
            offset,
            value: None,
        };
        match self.ask(&request)? {
            Answer::Register(value) => Ok(value),
            _ => Err(unexpected(&request)),
        }
    }

    /// Sends what the process has written to memory.
    fn send(&mut self) -> Result<(), MessageError> {
        let mut memory = std::mem::take(&mut self.memory);
        let sent = memory.iter_mut().try_for_each(|(first, mapped)| {
            mapped.mirror.send(MOST, |offset, bytes| {
                self.put(&Request::Write {
                    bank: Bank::System,
                    address: first + offset,
                    data: bytes.to_vec(),
                })
                .map(drop)
            })
        });
        self.memory = memory;
        sent
    }

    /// Reads what the device has written to memory.
    ///
    /// What engines tell is read last, and of that their status pages: those were mapped before all
    /// else, and so have the lowest addresses. Whoever sees that work has ended sees what it wrote.
    fn receive(&mut self) -> Result<(), MessageError> {
        let mut memory = std::mem::take(&mut self.memory);
        let received = [false, true].into_iter().try_for_each(|tells| {
            let mut mapped = memory.iter_mut().rev();
            mapped.try_for_each(|(first, mapped)| match mapped.tells == tells {
                true => self.receive_from(*first, &mut mapped.mirror),
                false => Ok(()),
            })
        });
        self.memory = memory;
        received
    }

    fn receive_from(&mut self, first: u64, mirror: &mut Mirror) -> Result<(), MessageError> {
        if !mirror.may_have_changed() {
            return Ok(());
        }
        for offset in (0..mirror.bytes()).step_by(MOST) {
            let bytes = (mirror.bytes() - offset).min(MOST as u64) as u32;
            let request = Request::Read {
                address: first + offset,
                bytes,
            };
            match self.ask(&request)? {
                Answer::Memory { address, data }
                    if address == first + offset && data.len() == bytes as usize =>
                {
                    mirror.receive(offset, &data);
                }
                _ => return Err(unexpected(&request)),
            }
        }
        Ok(())
    }
}

/// The server has answered something else.
fn unexpected(request: &Request) -> MessageError {
    io::Error::other(format!("its answer is not one to {request:x?}")).into()
}

impl Bus for Tbx {
    fn target(&self) -> Target {
        self.target
    }

    fn pci_id(&self) -> u16 {
        self.target.platform.default_pci_id()
    }

    fn shares_memory(&self) -> bool {
        false
    }

    fn read(&self, offset: u32) -> KmdResult<u32> {
        self.with(|link| link.register(offset))
    }

    fn write(&self, offset: u32, value: u32) -> KmdResult<()> {
        let submits = self.submits(offset);
        self.with(|link| {
            link.put(&Request::Register {
                offset,
                value: Some(value),
            })?;
            link.busy
                .extend(submits.filter(|engine| !link.busy.contains(engine)));
            Ok(link.output.flush()?)
        })
    }

    fn write_entry(&self, index: u32, entry: u64) -> KmdResult<()> {
        self.with(|link| {
            let shown = link.memory.range_mut(..=entry & ADDRESS).next_back();
            if let Some((_, mapped)) = shown.filter(|_| entry & PRESENT != 0) {
                mapped.tells = true;
            }
            link.put(&Request::GlobalEntry {
                index,
                value: Some(entry),
            })
            .map(drop)
        })
    }

    fn map(&self, address: u64, memory: &UserMemory) -> KmdResult<()> {
        let mapped = Mapped {
            mirror: Mirror::new(memory),
            tells: false,
        };
        self.link().memory.insert(address, mapped);
        Ok(())
    }

    fn unmap(&self, address: u64, _: u64) -> KmdResult<()> {
        match self.link().memory.remove(&address) {
            Some(_) => Ok(()),
            None => Err(KmdError::BareMetal(format!(
                "no memory is mapped at {address:#x}"
            ))),
        }
    }

    fn flush(&self) -> KmdResult<()> {
        self.with(Link::send)
    }

    fn wait(&self, limit: Duration) {
        // A failure is told by whatever is asked next.
        if !self.collect().unwrap_or(true) {
            std::thread::sleep(limit.min(Duration::from_micros(100)));
        }
    }
}
