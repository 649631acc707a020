//! Fast detectors against slow judges that share no code with them, on random traces.

mod random;
mod views_judge;
