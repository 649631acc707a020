//! Fast detectors against slow judges that share no code with them, on random traces.

mod lock_judge;
mod atomizer_judge;
mod random;
