//! The gate between in-memory sides.
