//! What the default verdicts are beyond the paper's, case by case.
