//! Register allocation: a place in the register file for each virtual register.
//!
//! A virtual register lives from its first to its last instruction in the order of the code, and,
//! if it is used in a loop and outside of it, through the whole loop: lanes that wait for others
//! keep what they have. Copies whose two registers can be one go first ([`join`]). The places are
//! given by linear scan ([`scan`]). What finds none goes to the
//! thread's scratch memory ([`spill`]), and the scan begins again.

mod apart;
mod flow;
mod halves;
mod join;
mod lives;
mod scan;
mod spill;

use crate::code::Code;
use crate::target::Target;
use lives::{Life, Nest, Uses, lives};
use spill::Scratch;

pub use spill::MIDDLE;

/// The units of places, in bytes.
const UNIT: u32 = 4;

/// The most scratch memory that messages reach, in bytes.
const MOST_SCRATCH: u32 = 0x2_0000;

/// Between uses that are as near as this, a spilled register stays: in the first rounds.
const NEAR: u32 = 6;

/// Where each virtual register is.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// The first byte in the register file.
    pub places: Vec<u32>,
    /// Bytes of scratch memory.
    pub scratch: u32,
}

/// Gives places, and the code with them: copies that are not needed are gone, and loads and stores
/// are there if it spills.
///
/// # Errors
/// What does not fit.
pub fn allocate(code: &Code, target: &Target, spills: bool) -> Result<(Code, Allocation), String> {
    let grf = target.grf();
    // Registers of their own for some lanes save copies, and one for all is easier to place. Parts of
    // messages that are there early keep the rest of the message's registers busy.
    let ways: [fn(&mut Code, u32); 3] = [
        |code, grf| {
            halves::part(code, grf);
            join::join(code, grf);
        },
        join::join,
        |_, _| {},
    ];
    for way in ways {
        let mut code = code.clone();
        way(&mut code, grf);
        apart::part(&mut code, grf);
        match places(&mut code, target, spills) {
            Ok(places) => return Ok((code, places)),
            Err(_) if !spills => {}
            Err(what) => return Err(what),
        }
    }
    Err(String::new())
}

fn places(code: &mut Code, target: &Target, spills: bool) -> Result<Allocation, String> {
    let (grf, registers) = (target.grf(), target.registers);
    let mut scratch = Scratch::default();
    for round in 0.. {
        let uses = Uses::new(code, grf);
        let nest = Nest::new(code);
        let lives = lives(code, &uses, &nest);
        if !spills && pressure(code, &lives) > grf * registers {
            return Err(String::new());
        }
        let costs = costs(code, &lives, &uses, &nest);
        let scanned = scan::scan(code, &lives, &costs, grf, registers);
        let scanned = scanned.map_err(|()| {
            format!("an instruction needs more than {registers} registers of {grf} bytes")
        })?;
        if scanned.spilled.is_empty() {
            return Ok(Allocation {
                places: scanned.places,
                scratch: scratch.size,
            });
        }
        if !spills {
            return Err(String::new());
        }
        let gap = if round < 2 { NEAR } else { 0 };
        scratch.rewrite(code, &uses, &lives, &scanned.spilled, gap, target);
        if scratch.size > MOST_SCRATCH {
            break;
        }
    }
    Err(format!(
        "more than {MOST_SCRATCH} bytes of registers of a thread do not fit and go to scratch \
         memory, whose messages reach no further"
    ))
}

/// The bytes that live at once.
fn pressure(code: &Code, lives: &[Life]) -> u32 {
    let mut events: Vec<(u32, bool, u32)> = Vec::with_capacity(2 * lives.len());
    for life in lives {
        let size = code.vars[life.var].size;
        events.push((life.first, true, size));
        events.push((life.last + 1, false, size));
    }
    events.sort_unstable();
    let (mut now, mut most) = (0u32, 0);
    for (_, begins, size) in events {
        match begins {
            true => now += size,
            false => now -= size,
        }
        most = most.max(now);
    }
    most
}

/// What it costs to have each virtual register in memory: its uses, more in loops, for each
/// instruction that its registers become free in.
fn costs(code: &Code, lives: &[Life], uses: &Uses, nest: &Nest) -> Vec<f32> {
    let mut out = vec![0.0; code.vars.len()];
    for life in lives {
        let sum: f32 = uses.of(life.var).iter().map(|u| nest.weight(u.at)).sum();
        out[life.var] = sum / (life.last - life.first + 1) as f32;
    }
    out
}
