//! Send messages: descriptors as values with named fields.
