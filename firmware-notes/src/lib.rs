//! What firmware each platform needs, as data and prose.
