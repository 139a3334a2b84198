//! Executables in hooks folders.
