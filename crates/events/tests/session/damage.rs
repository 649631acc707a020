//! Sessions that were cut off or damaged.
