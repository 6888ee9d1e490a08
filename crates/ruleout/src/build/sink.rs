//! Where a payload that is being built goes.

use alloc::vec::Vec;
use core::ops::Range;

use crate::error::BuildError;

/// Takes the bytes of a payload in order, section after section, and puts each where it belongs.
pub struct Sink<'a> {
    payload: &'a mut [u8],
    /// The places of the sections not filled yet, the next one last.
    places: Vec<Range<usize>>,
}

impl<'a> Sink<'a> {
    /// Into memory of zeros.
    pub(crate) fn memory(payload: &'a mut [u8], places: impl Iterator<Item = Range<usize>>) -> Self {
        let mut places: Vec<_> = places.collect();
        places.reverse();
        Self { payload, places }
    }

    /// Takes the next bytes, which may run over into later sections.
    ///
    /// # Errors
    /// None, in memory.
    ///
    /// # Panics
    /// When there are more than the sections have room for.
    pub(crate) fn write(&mut self, mut bytes: &[u8]) -> Result<(), BuildError> {
        while !bytes.is_empty() {
            let place = self.places.last_mut().expect("bytes behind the last section");
            let (here, later) = bytes.split_at(bytes.len().min(place.len()));
            self.payload[place.start..place.start + here.len()].copy_from_slice(here);
            place.start += here.len();
            if place.start == place.end {
                self.places.pop();
            }
            bytes = later;
        }
        Ok(())
    }

    /// # Panics
    /// When a section is not full.
    pub(crate) fn finish(self) {
        assert!(
            self.places.iter().all(|place| place.start == place.end),
            "sections that are not full: {:?}",
            self.places
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_fill_section_after_section() {
        let mut payload = [0; 12];
        let mut sink = Sink::memory(&mut payload, [0..3, 4..4, 4..8, 10..12].into_iter());
        for bytes in [&[1, 2][..], &[], &[3, 4, 5, 6, 7, 8], &[9]] {
            sink.write(bytes).unwrap();
        }
        sink.finish();
        assert_eq!(payload, [1, 2, 3, 0, 4, 5, 6, 7, 0, 0, 8, 9]);
    }
}
