//! Messages to people: on stderr only.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::exit::Error;

/// Sends log events to stderr: those that `filter` selects, or `RUST_LOG`, or warnings.
///
/// # Errors
/// [`Error::Usage`] if the filter cannot be read.
pub fn log_to_stderr(filter: Option<&str>) -> Result<(), Error> {
    let warnings = || Targets::new().with_default(Level::WARN);
    let filter: Targets = match filter {
        Some(text) => text
            .parse()
            .map_err(|e| Error::Usage(format!("--log {text:?} is no filter: {e}")))?,
        None => std::env::var("RUST_LOG")
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or_else(warnings),
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .without_time();
    // A second subscriber would be refused; there is none, and logging is no reason to stop.
    let _ = tracing_subscriber::registry()
        .with(lines)
        .with(filter)
        .try_init();
    Ok(())
}

/// Prints one line.
pub fn say(text: impl fmt::Display) {
    // There is nowhere left to report that stderr is closed.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Reports why the tool stops.
pub fn error(error: &Error) {
    match error {
        // Rendered, with its own `error:` headings.
        Error::Diagnostics(text) => say(text.trim_end()),
        Error::Several(errors) => errors.iter().for_each(self::error),
        other => say(format_args!("error: {other}")),
    }
}

/// A number with its thousands separated: `12 345 678`.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// A time span with a unit that suits it.
pub fn span(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds >= 1.0 {
        format!("{seconds:.2} s")
    } else if seconds >= 1e-3 {
        format!("{:.2} ms", seconds * 1e3)
    } else {
        format!("{:.1} us", seconds * 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::{grouped, span};
    use std::time::Duration;

    #[test]
    fn thousands_are_apart() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1 000");
        assert_eq!(grouped(12_345_678), "12 345 678");
    }

    #[test]
    fn spans_have_units() {
        assert_eq!(span(Duration::from_millis(1500)), "1.50 s");
        assert_eq!(span(Duration::from_micros(2500)), "2.50 ms");
        assert_eq!(span(Duration::from_nanos(1500)), "1.5 us");
    }
}
