//! Timelines in Chrome's trace format, which Perfetto and chrome://tracing show.
//!
//! The format is a list of events with microseconds since an arbitrary start ("Trace Event
//! Format", Google). The host is thread 1 of the process, the device's queue thread 2; an arrow
//! leads from each enqueue to what ran.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use umd::Timestamps;

const PROCESS: u32 = 1;
const HOST: u32 = 1;
const DEVICE: u32 = 2;

/// A timeline that is being recorded.
#[derive(Debug)]
pub struct Trace {
    start: Instant,
    events: Vec<Value>,
    flows: u64,
}

impl Trace {
    /// An empty timeline that starts now.
    pub fn new() -> Self {
        let name = |thread: u32, name: &str| {
            json!({
                "ph": "M", "name": "thread_name", "pid": PROCESS, "tid": thread,
                "args": { "name": name },
            })
        };
        Self {
            start: Instant::now(),
            events: vec![name(HOST, "host"), name(DEVICE, "GPU")],
            flows: 0,
        }
    }

    /// Does something on the host and records when.
    pub fn host<T>(&mut self, name: &str, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let result = work();
        self.span(HOST, name, self.since_start(begin), begin.elapsed());
        result
    }

    /// Records a command that was enqueued at `enqueued` and has ended.
    pub fn device(&mut self, name: &str, enqueued: Instant, stamps: Timestamps) {
        // The device's clock has an origin of its own; both clocks know when the command was
        // enqueued.
        let origin = self.since_start(enqueued);
        let at = |moment: Duration| origin + moment.saturating_sub(stamps.queued);
        let (started, ended) = (at(stamps.started), at(stamps.ended));
        self.span(DEVICE, name, started, ended.saturating_sub(started));
        self.flows += 1;
        let mut flow = |phase: &str, thread: u32, moment: Duration| {
            self.events.push(json!({
                "ph": phase, "id": self.flows, "name": "launch", "cat": "launch", "bp": "e",
                "pid": PROCESS, "tid": thread, "ts": micros(moment),
            }));
        };
        flow("s", HOST, origin);
        flow("f", DEVICE, started);
    }

    /// The whole timeline.
    pub fn json(&self) -> String {
        json!({ "displayTimeUnit": "ns", "traceEvents": self.events }).to_string()
    }

    fn since_start(&self, moment: Instant) -> Duration {
        moment.saturating_duration_since(self.start)
    }

    fn span(&mut self, thread: u32, name: &str, begin: Duration, length: Duration) {
        self.events.push(json!({
            "ph": "X", "name": name, "pid": PROCESS, "tid": thread,
            "ts": micros(begin), "dur": micros(length),
        }));
    }
}

fn micros(span: Duration) -> f64 {
    span.as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_and_arrows() {
        let mut trace = Trace::new();
        let enqueued = Instant::now();
        trace.host("enqueue", || ());
        let ms = Duration::from_millis;
        trace.device(
            "k",
            enqueued,
            Timestamps {
                queued: ms(100),
                submitted: ms(101),
                started: ms(102),
                ended: ms(105),
            },
        );
        let document: Value = serde_json::from_str(&trace.json()).unwrap();
        let events = document["traceEvents"].as_array().unwrap();
        let kernel = events.iter().find(|e| e["name"] == "k").unwrap();
        assert_eq!(kernel["tid"], DEVICE);
        assert!((kernel["dur"].as_f64().unwrap() - 3000.0).abs() < 1.0);
        let flow = |phase: &str| events.iter().find(|e| e["ph"] == phase).unwrap()["ts"].as_f64();
        assert!((flow("f").unwrap() - flow("s").unwrap() - 2000.0).abs() < 1.0);
    }
}
