//! Saving a filter.

use alloc::vec::Vec;

use super::Native;
use crate::frame::HeaderWriter;
use crate::layout::{Params, places};

impl<P: Params> Native<P> {
    /// The whole file as bytes.
    ///
    /// Equal filters give equal bytes: nothing of the machine or the hour is in them. The same keys in the same order make
    /// equal filters; in any order, where a filter is a bitmap, counters or a quotient table.
    ///
    /// # Complexity
    /// A second copy of the filter; [`Native::write_to`] makes none.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = self.header_bytes();
        let payload = self.payload();
        let mut file = Vec::with_capacity(header.len() + payload.len());
        file.extend(header);
        file.extend(payload);
        file
    }

    /// Writes the whole file.
    ///
    /// # Errors
    /// Those of the writer.
    #[cfg(feature = "std")]
    pub fn write_to(&self, mut writer: impl std::io::Write) -> std::io::Result<()> {
        writer.write_all(&self.header_bytes())?;
        writer.write_all(self.payload())
    }

    /// The header over the payload as it is. Only an owned filter has one made: its payload was built here or
    /// verified.
    fn header_bytes(&self) -> Vec<u8> {
        let mut header = HeaderWriter::new(P::FAMILY.code());
        for (field, value) in self.params.fields() {
            header.value(field.code(), &value);
        }
        for ((section, _), place) in self.params.sections().zip(places(&self.params)) {
            header.section(section.code(), &self.payload()[place]);
        }
        header.finish(self.hasher.id(), self.params.capacity(), self.len)
    }
}
