//! Directories to ordered hook candidates and problems; front matter.
