//! Fast detectors against slow judges that share no code with them, on random traces.

mod race_judge;
mod random;
