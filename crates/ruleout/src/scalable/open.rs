//! Opening a filter where its bytes lie.

use alloc::vec::Vec;

use crate::bits::Buf;
use crate::error::OpenError;
use crate::family::Family;
use crate::frame::{ALIGN, Field, Header, ParamKind, integers};
use crate::hash::Hasher;
use crate::native::OpenOptions;

use super::layer::Stored;
use super::{Base, Scalable, ScalableParams};

/// The family of the layers in the file that `header` is of: which [`Scalable`] opens it.
///
/// # Errors
/// [`OpenError`] when it is no scalable filter, or one of a family that this release does not know.
pub fn base_of(header: &Header<'_>) -> Result<Family, OpenError> {
    if header.family() != Family::Scalable {
        return Err(OpenError::WrongFamily { expected: Family::Scalable, found: header.family() });
    }
    let is_base = |code, kind| code == Field::Base.code() && kind == ParamKind::Integer;
    let base = header.params().find(|param| is_base(param.code, param.kind));
    let code = base.and_then(|param| integers(param.value).next());
    let code = code.ok_or(OpenError::Missing { field: Field::Base.name() })?;
    let family = u16::try_from(code).ok().and_then(Family::from_code);
    family.ok_or(OpenError::Invalid {
        field: Field::Base.name(),
        value: code,
        allowed: "the code of a family that this release knows",
    })
}

impl<P: Base, D: AsRef<[u8]>> Scalable<P, D> {
    /// Opens a filter without copying or reading its payload.
    ///
    /// # Errors
    /// [`OpenError`] for any damage to the header, any wrong length, another family or another family's layers, and a
    /// keyed hash. Damage to the payload is not noticed here; it can give wrong answers and nothing worse.
    ///
    /// # Complexity
    /// Linear in the header; allocates some hundred bytes for each layer in it.
    pub fn open(data: D) -> Result<Self, OpenError> {
        Self::open_with(data, &OpenOptions::new())
    }

    /// [`Scalable::open`], and any damage to the payload is refused too.
    ///
    /// # Errors
    /// [`OpenError`] as for [`Scalable::open`], and when a checksum does not match or a payload is one that no
    /// sequence of insertions makes.
    ///
    /// # Complexity
    /// Reads the whole file once.
    pub fn open_verified(data: D) -> Result<Self, OpenError> {
        Self::open_with(data, &OpenOptions::new().verify(true))
    }

    /// Opens a filter as `options` say.
    ///
    /// # Errors
    /// [`OpenError`] as for [`Scalable::open`] or [`Scalable::open_verified`], and when the key does not fit.
    pub fn open_with(data: D, options: &OpenOptions<'_>) -> Result<Self, OpenError> {
        let file = data.as_ref();
        let header = Header::read(file)?;
        header.check_file_len(file.len() as u64)?;
        let (params, layers) = read(&header)?;
        let hasher = Hasher::for_id(header.hash_id(), options.key)?;
        let len = header.len();
        let mut filter = Self { params, hasher, len, layers, parts: alloc::vec![data], verified: false };
        if options.verify {
            filter.verify()?;
            filter.verified = true;
        }
        Ok(filter)
    }

    /// An owned copy, which can change, grow and be saved.
    ///
    /// # Errors
    /// [`OpenError`] when the filter was opened without verification and turns out to be damaged, or when memory
    /// runs out.
    pub fn to_owned(&self) -> Result<Scalable<P>, OpenError> {
        if !self.verified {
            self.verify()?;
        }
        let (mut layers, mut parts) = (Vec::new(), Vec::new());
        for (part, (layer, payload)) in self.payloads().enumerate() {
            layers.push(Stored { part, place: 0..payload.len(), ..layer.clone() });
            parts.push(Buf::copy_of(payload)?);
        }
        let (params, hasher, len) = (self.params, self.hasher.clone(), self.len);
        Ok(Scalable { params, hasher, len, layers, parts, verified: true })
    }

    /// Refuses any damage to the payload of a view.
    fn verify(&self) -> Result<(), OpenError> {
        if let Some(file) = self.parts.first() {
            Header::read(file.as_ref())?.check_payload(file.as_ref())?;
        }
        self.payloads().try_for_each(|(layer, payload)| layer.params.check(payload))
    }
}

/// The parameters and the layers a header holds; the file has the length it says.
fn read<P: Base>(header: &Header<'_>) -> Result<(ScalableParams, Vec<Stored<P>>), OpenError> {
    use ParamKind::{Integer, Integers};
    let base = base_of(header)?;
    if base != P::FAMILY {
        return Err(OpenError::WrongBase { expected: P::FAMILY, found: base });
    }
    let [first, second] = P::FIELDS;
    let [firsts, seconds, _, growth, rate, most_layers, capacities, lens] = header.values_of([
        (first, Integers),
        (second, Integers),
        (Field::Base, Integer),
        (Field::Growth, Integer),
        (Field::Rate, Integer),
        (Field::MostLayers, Integer),
        (Field::Capacities, Integers),
        (Field::Lens, Integers),
    ])?;
    let number = |value| integers(value).next().unwrap_or(0);
    let params =
        ScalableParams::validated(number(capacities), number(growth), number(rate), number(most_layers))?;

    let count = integers(capacities).len();
    let same = [firsts, seconds, lens].into_iter().all(|list| integers(list).len() == count);
    if !same || header.section_rows().count() != count || count > params.most_layers() as usize {
        return Err(OpenError::Invalid {
            field: "number of layers",
            value: count as u64,
            allowed: "that of the sections and of every list, and no more than the most",
        });
    }
    let values = integers(firsts).zip(integers(seconds)).map(|(first, second)| [first, second]);
    let keys = integers(capacities).zip(integers(lens));
    let mut layers = Vec::with_capacity(count);
    let mut end = header.header_len();
    let mut total = 0u64;
    for (layer, ((values, (capacity, keys)), row)) in (0..).zip(values.zip(keys).zip(header.section_rows())) {
        check(params.layer_capacity(layer) == Some(capacity), Field::Capacities.name(), capacity)?;
        check(keys <= capacity, Field::Lens.name(), keys)?;
        let params = P::of_layer(capacity, values)?;
        if row.code != P::SECTION.code() {
            return Err(OpenError::UnknownField { kind: "section", code: row.code });
        }
        check(row.len == params.payload_bytes(), "section length", row.len)?;
        // The sections add up to the file's length, which is one of memory.
        let start = end.next_multiple_of(ALIGN);
        end = start + row.len as usize;
        layers.push(Stored { params, keys, part: 0, place: start..end });
        total = total.saturating_add(capacity);
    }
    check(header.capacity() == total, "capacity", header.capacity())?;
    Ok((params, layers))
}

/// Refuses a number that another one in the header contradicts.
fn check(holds: bool, field: &'static str, value: u64) -> Result<(), OpenError> {
    let allowed = "what follows from the other parameters";
    if holds { Ok(()) } else { Err(OpenError::Invalid { field, value, allowed }) }
}
