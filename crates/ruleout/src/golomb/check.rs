//! Going through all codes.
//!
//! In a shape there is exactly one payload for each set of values, so everything in the bytes is checked but for which
//! set it is, in one pass and without memory.

use super::build::index_of;
use super::codes::Values;
use super::shape::{Shape, bits_at};
use crate::error::OpenError;
use crate::frame::Field;

/// The number of values in the payload, whatever it holds: no more than there may be.
pub(super) fn count(shape: &Shape, payload: &[u8]) -> u64 {
    let (mut count, mut reached) = (0, 0);
    for bucket in 0..shape.size.buckets {
        let codes = shape.codes(payload, bucket);
        // An index that leads back would have the same codes read again and again.
        let start = codes.start.max(reached);
        count += Values::new(payload, start..codes.end, shape.size.rice_bits).count() as u64;
        reached = reached.max(codes.end);
    }
    count.min(shape.size.universe())
}

/// Refuses any payload but the one of its values in this shape.
pub(super) fn check(shape: &Shape, payload: &[u8]) -> Result<(), OpenError> {
    let behind = bits_at(payload, shape.bits(), 7);
    if behind != 0 {
        return Err(invalid("bits behind the last code", behind, "0"));
    }
    for bucket in 0..shape.size.buckets {
        let codes = shape.codes(payload, bucket);
        // It begins where the one before ends: the index says both at once.
        if codes.end < codes.start {
            return Err(invalid("end of a bucket", codes.end, "not before its start"));
        }
        check_bucket(shape, Values::new(payload, codes, shape.size.rice_bits))?;
    }
    check_index(shape, payload)
}

fn check_bucket(shape: &Shape, mut values: Values<'_>) -> Result<(), OpenError> {
    let most = shape.size.width - 1;
    for held in values.by_ref() {
        // Quotients that small leave no sum to wrap around.
        if held.quotients > most >> shape.size.rice_bits || held.value > most {
            return Err(invalid("value", held.value, "less than the width of a bucket"));
        }
    }
    match values.rest() {
        0 => Ok(()),
        rest => Err(invalid("bits between quotients and low bits", rest, "0")),
    }
}

/// No entry says what another one would say too, and none has bits to spare.
fn check_index(shape: &Shape, payload: &[u8]) -> Result<(), OpenError> {
    let starts =
        (0..shape.size.buckets).map(|bucket| shape.codes(payload, bucket).start - shape.index_bits());
    for (bucket, start) in (0..).zip(starts.clone()).skip(1) {
        let entry = shape.entry(payload, bucket);
        if shape.even(bucket) + entry != start + shape.offset_bias {
            return Err(invalid("entry of the index", entry, "a place within the codes"));
        }
    }
    let (offset_bits, offset_bias) = index_of(shape.size, shape.code_bits, starts);
    for (field, found, needed) in [
        (Field::OffsetBits, shape.offset_bits.into(), offset_bits.into()),
        (Field::OffsetBias, shape.offset_bias, offset_bias),
    ] {
        if found != needed {
            return Err(invalid(field.name(), found, "the least that the index needs"));
        }
    }
    Ok(())
}

fn invalid(field: &'static str, value: u64, allowed: &'static str) -> OpenError {
    OpenError::Invalid { field, value, allowed }
}
