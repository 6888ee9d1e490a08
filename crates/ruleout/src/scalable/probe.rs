//! The layers as parts of one payload: reading, writing, asking the newest first, which has most of the keys.

use alloc::vec::Vec;

use crate::base::{BaseParams, read_base};
use crate::bits::Mask;
use crate::error::OpenError;
use crate::frame::{ALIGN, Field, Header, Len, ParamKind, Section, Value, integers};
use crate::layout::{Layout, Tally};
use crate::math::scalable::union_fpr;

use super::ScalableParams;
use super::layer::LayerParams;
use super::params::Series;

impl ScalableParams {
    /// Every layer with its payload, the oldest first.
    pub(super) fn parts<'a>(
        &'a self,
        payload: &'a [u8],
    ) -> impl DoubleEndedIterator<Item = (&'a LayerParams, &'a [u8])> + ExactSizeIterator {
        self.layers.iter().map(|layer| (layer, &payload[layer.place()]))
    }
}

impl Layout for ScalableParams {
    fn read(header: &Header<'_>) -> Result<Self, OpenError> {
        use ParamKind::{Integer, Integers};
        let base = read_base(header)?;
        let fields = BaseParams::fields_of(base).ok_or(OpenError::Missing { field: Field::Base.name() })?;
        let [firsts, seconds, _, growth, rate, most_layers, capacities, lens] = header.values_of([
            (fields[0], Integers),
            (fields[1], Integers),
            (Field::Base, Integer),
            (Field::Growth, Integer),
            (Field::Rate, Integer),
            (Field::MostLayers, Integer),
            (Field::Capacities, Integers),
            (Field::Lens, Integers),
        ])?;
        let numbers = [capacities, growth, rate, most_layers];
        let series = Series::validated(base, numbers.map(|value| integers(value).next().unwrap_or(0)))?;

        let count = integers(capacities).len();
        let same = [firsts, seconds, lens].into_iter().all(|list| integers(list).len() == count);
        check(same && count <= series.most_layers as usize, "number of layers", count as u64)?;
        let shapes = integers(firsts).zip(integers(seconds)).map(|(first, second)| [first, second]);
        let mut params = Self { series, layers: Vec::with_capacity(count) };
        let mut start = Some(0);
        for (i, (values, (capacity, keys))) in
            shapes.zip(integers(capacities).zip(integers(lens))).enumerate()
        {
            check(series.layer_capacity(i as u32) == Some(capacity), Field::Capacities.name(), capacity)?;
            check(keys <= capacity, Field::Lens.name(), keys)?;
            let layer = BaseParams::of_values(base, capacity, values)?;
            let at = start.ok_or(OpenError::Missing { field: "payload" })?;
            params.layers.push(LayerParams { params: layer, keys, start: at });
            let end = u64::checked_add(at, layer.payload_bytes());
            start = end.and_then(|end| end.checked_next_multiple_of(ALIGN as u64));
        }
        let total = params.layers.iter().fold(0u64, |sum, layer| sum.saturating_add(layer.params.capacity()));
        check(header.capacity() == total, "capacity", header.capacity())?;
        Ok(params)
    }

    fn sections(&self) -> impl Iterator<Item = (Section, u64)> {
        self.layers.iter().map(|layer| (layer.params.section(), layer.params.payload_bytes()))
    }

    fn fields(&self) -> impl Iterator<Item = (Field, Value)> {
        let list = |of: fn(&LayerParams) -> u64| Value::Integers(self.layers.iter().map(of).collect());
        let shape = BaseParams::fields_of(self.series.base).unwrap_or([Field::Bits, Field::Probes]);
        [
            (shape[0], list(|layer| layer.params.values()[0])),
            (shape[1], list(|layer| layer.params.values()[1])),
            (Field::Base, u64::from(self.series.base.code()).into()),
            (Field::Growth, self.series.growth.into()),
            (Field::Rate, self.series.rate.into()),
            (Field::MostLayers, self.series.most_layers.into()),
            (Field::Capacities, list(|layer| layer.params.capacity())),
            (Field::Lens, list(|layer| layer.keys)),
        ]
        .into_iter()
    }

    fn emptied(&self) -> Self {
        let layers = self.layers.iter().take(1).map(|first| LayerParams { keys: 0, ..*first }).collect();
        Self { series: self.series, layers }
    }

    /// Of each layer by its own number of keys: what was seen before counts in the length, and not in a layer.
    fn fpr_of_len(&self, _len: Len) -> Option<f64> {
        Some(union_fpr(self.layers.iter().map(|layer| layer.params.fpr_at(layer.keys))))
    }

    fn tally(&self, payload: &[u8]) -> Tally {
        let (mut fill, mut bytes, mut keys) = (0.0, 0.0, Some(0.0));
        let fpr = union_fpr(self.parts(payload).map(|(layer, payload)| {
            let tally = layer.params.tally(payload);
            fill += tally.fill * payload.len() as f64;
            bytes += payload.len() as f64;
            keys = keys.zip(tally.keys).map(|(sum, keys)| sum + keys);
            tally.fpr
        }));
        Tally { fill: fill / bytes, fpr, keys }
    }

    fn check(&self, payload: &[u8]) -> Result<(), OpenError> {
        self.parts(payload).try_for_each(|(layer, payload)| layer.params.check(payload))
    }

    fn probe(&self, payload: &[u8], hash: u64) -> bool {
        self.parts(payload).rev().any(|(layer, payload)| layer.params.probe(payload, hash))
    }

    fn probe_many(&self, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
        hits.reset(hashes.len());
        let mut of_layer = Mask::new();
        for (layer, payload) in self.parts(payload).rev() {
            layer.params.probe_many(payload, hashes, &mut of_layer);
            hits.or(&of_layer);
        }
    }
}

/// Refuses a number that another one in the header contradicts.
fn check(holds: bool, field: &'static str, value: u64) -> Result<(), OpenError> {
    let allowed = "what follows from the other parameters";
    if holds { Ok(()) } else { Err(OpenError::Invalid { field, value, allowed }) }
}
