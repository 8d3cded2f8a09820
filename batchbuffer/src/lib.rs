//! Command-stream packets and hardware states: declared once, encoded, decoded and printed.
