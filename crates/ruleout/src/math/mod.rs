//! Pure functions: rates, sizes and inversions.
