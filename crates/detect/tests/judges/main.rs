//! Fast detectors against slow judges that share no code with them, on random traces.

mod atomizer_judge;
mod code_judge;
mod lock_judge;
mod race_judge;
mod random;
mod ranges;
mod repeats;
mod serial_judge;
mod spans;
mod stale_judge;
mod team;
mod views_judge;
