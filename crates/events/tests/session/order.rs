//! The merged order, on random runs: it keeps each thread's order and the order of the stamps, loses nothing, passes the
//! checker, however writing and reading interleave, live and afterwards.
