//! Saving a filter: one header, then every layer's payload, the oldest first.

use alloc::vec::Vec;

use crate::family::Family;
use crate::frame::{ALIGN, Field, HeaderWriter};

use super::{Base, Scalable};

impl<P: Base> Scalable<P> {
    /// The whole file as bytes.
    ///
    /// # Complexity
    /// A second copy of the filter; [`Scalable::write_to`] makes none.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = self.header_bytes();
        for (_, payload) in self.payloads() {
            file.resize(file.len().next_multiple_of(ALIGN), 0);
            file.extend(payload);
        }
        file
    }

    /// Writes the whole file.
    ///
    /// # Errors
    /// Those of the writer.
    #[cfg(feature = "std")]
    pub fn write_to(&self, mut writer: impl std::io::Write) -> std::io::Result<()> {
        writer.write_all(&self.header_bytes())?;
        // A header ends where a section may begin.
        let mut padding = 0;
        for (_, payload) in self.payloads() {
            writer.write_all(&[0; ALIGN][..padding])?;
            writer.write_all(payload)?;
            padding = payload.len().next_multiple_of(ALIGN) - payload.len();
        }
        Ok(())
    }

    /// The header over the payloads as they are.
    fn header_bytes(&self) -> Vec<u8> {
        let mut header = HeaderWriter::new(Family::Scalable.code());
        let list = |of: &dyn Fn(&P, u64) -> u64| -> Vec<u64> {
            self.layers.iter().map(|layer| of(&layer.params, layer.keys)).collect()
        };
        let [first, second] = P::FIELDS;
        header.integers(first.code(), &list(&|params, _| params.values()[0]));
        header.integers(second.code(), &list(&|params, _| params.values()[1]));
        header.integer(Field::Base.code(), P::FAMILY.code().into());
        header.integer(Field::Growth.code(), self.params.growth().into());
        header.integer(Field::Rate.code(), self.params.rate());
        header.integer(Field::MostLayers.code(), self.params.most_layers().into());
        header.integers(Field::Capacities.code(), &list(&|params, _| params.capacity()));
        header.integers(Field::Lens.code(), &list(&|_, keys| keys));
        for (_, payload) in self.payloads() {
            header.section(P::SECTION.code(), payload);
        }
        header.finish(self.hasher.id(), self.capacity(), self.len)
    }
}
