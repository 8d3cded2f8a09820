//! Timelines in Chrome's trace format, which Perfetto and chrome://tracing show.
//!
//! The format is a list of events with microseconds since an arbitrary start ("Trace Event
//! Format", Google). The host is thread 1 of the process, the device's queue thread 2; an arrow
//! leads from each enqueue to its command.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use umd::Timestamps;

const PROCESS: u32 = 1;
const HOST: u32 = 1;
const DEVICE: u32 = 2;

/// A timeline being recorded.
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

    /// Records a command that was enqueued at `enqueued`, while [`host`] recorded, and has ended.
    /// Perfetto draws an arrow only between moments of recorded spans.
    pub fn device(&mut self, name: &str, enqueued: Instant, stamps: Timestamps) {
        // The device's clock has its own origin; both clocks have the time at which the command was
        // enqueued.
        let origin = self.since_start(enqueued);
        let at = |moment: Duration| origin + moment.saturating_sub(stamps.queued);
        let (started, ended) = (at(stamps.started), at(stamps.ended));
        let length = ended.saturating_sub(started);
        self.span(DEVICE, name, started, length.max(Duration::from_nanos(1)));
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

/// Does something on the host and records its times, if there is a timeline.
pub fn host<T>(trace: &mut Option<Trace>, name: &str, work: impl FnOnce() -> T) -> T {
    let Some(trace) = trace else {
        return work();
    };
    let begin = Instant::now();
    let result = work();
    trace.span(HOST, name, trace.since_start(begin), begin.elapsed());
    result
}

fn micros(span: Duration) -> f64 {
    span.as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_and_arrows() {
        let mut trace = Some(Trace::new());
        let ms = Duration::from_millis;
        let stamps = |ended| Timestamps {
            queued: ms(100),
            submitted: ms(101),
            started: ms(102),
            ended: ms(ended),
        };
        for (name, ended) in [("k", 105), ("empty", 102)] {
            let enqueued = host(&mut trace, "enqueue", Instant::now);
            trace
                .as_mut()
                .unwrap()
                .device(name, enqueued, stamps(ended));
        }
        let document: Value = serde_json::from_str(&trace.unwrap().json()).unwrap();
        let events = document["traceEvents"].as_array().unwrap();
        let of = |phase: &'static str| events.iter().filter(move |e| e["ph"] == phase);
        let kernel = of("X").find(|e| e["name"] == "k").unwrap();
        assert_eq!(kernel["tid"], DEVICE);
        assert!((kernel["dur"].as_f64().unwrap() - 3000.0).abs() < 1.0);
        let time = |event: &Value| event["ts"].as_f64().unwrap();
        for (from, to) in of("s").zip(of("f")) {
            assert!((time(to) - time(from) - 2000.0).abs() < 1.0);
        }
        for end in of("s").chain(of("f")) {
            let contains = |span: &Value| {
                let (begin, length) = (time(span), span["dur"].as_f64().unwrap());
                span["tid"] == end["tid"] && (begin..begin + length).contains(&time(end))
            };
            assert!(of("X").any(contains), "{end}");
        }
    }

    #[test]
    fn nothing_is_recorded_unless_asked_for() {
        assert_eq!(host(&mut None, "enqueue", || 7), 7);
    }
}
