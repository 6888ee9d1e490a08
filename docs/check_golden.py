#!/usr/bin/env python3
"""Holds reader.py to the golden files: `check_golden.py [DIR]`, by default testdata/golden/v1.

Of each NAME.rlo it checks, as testdata/golden/README.md describes the files, that

- it opens and verifies, and its header is as NAME.params.txt says;
- its answers to 4,096 hashes, or beginnings, are those of NAME.answers;
- every member is found by its key, and a keyed filter refuses another key;
- a copy with a bit flipped, cut short or lengthened is refused;
- so is one with a bit of a table's counts or reserved bytes, or behind the last code or seed, flipped, or a window's clock or
  count of sightings set to 0, though its checksums are right.

Prints a line for each file. Exit status: 0 when all hold, 1 when one does not, 2 when there are no files.
"""

import struct
import sys
from dataclasses import replace
from pathlib import Path

sys.dont_write_bytecode = True
import reader  # noqa: E402

ANSWERS = 4096


def mix(x):
    """The finalizer of SplitMix64."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & reader.MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & reader.MASK
    return x ^ x >> 31


def need(condition, message):
    if not condition:
        raise AssertionError(message)


def open_verified(data):
    f = reader.open_filter(data)
    reader.verify(f)
    return f


def check_header(f, params):
    """Every line of the params is the header's, but for the two that describe the members and the key."""
    header = {
        "version": "1",
        "family": reader.FAMILIES[f.family].name,
        "hash": reader.HASHES[f.hash_algorithm],
        "capacity": str(f.capacity),
        "len_kind": reader.LEN_KINDS[f.len_kind],
        "len": str(f.len),
        "header_len": str(f.header_len),
        "payload_len": str(f.payload_len),
    }
    if f.hash_algorithm in reader.KEYED:
        header["key_check"] = f"{f.seed:016x}"
    else:
        header["seed"] = str(f.seed)
    header.update((reader.PARAMETERS[code], shown(value)) for code, value in f.parameters.items())
    stated = {name: value for name, value in params.items() if name not in ("key", "first_key", "end_key")}
    need(stated == header, f"the params say {stated}, the header {header}")


def shown(value):
    """A parameter as the params have it."""
    if isinstance(value, list):
        return " ".join(map(str, value))
    return value.decode() if isinstance(value, bytes) else str(value)


def check_answers(f, secret, expected):
    need(len(expected) == ANSWERS // 8, f"{len(expected)} bytes of answers")
    for i in range(ANSWERS):
        need(answer(f, secret, i) == bool(expected[i // 8] >> i % 8 & 1), f"answer {i} differs")


def answer(f, secret, i):
    family = reader.FAMILIES[f.family]
    if family is reader.Prefix and i % 2:
        return reader.Prefix.may_begin(f, str(i).encode(), secret)
    if family is reader.Windowed and i % 2:
        f = replace(f, time=min(f.parameters[reader.CLOCK] + f.parameters[reader.STEP], reader.MASK))
    return reader.may_contain(f, mix(i))


def check_secret(f, params):
    """The secret of a keyed filter."""
    if f.hash_algorithm not in reader.KEYED:
        return None
    secret = bytes.fromhex(params["key"])
    reader.check_secret(f, secret)
    other = bytes([secret[0] ^ 1]) + secret[1:]
    need(is_refused(reader.check_secret, f, other), "another key is taken")
    return secret


def check_members(f, secret, params):
    first, end = int(params["first_key"]), int(params["end_key"])
    if reader.FAMILIES[f.family] is reader.Windowed:
        first = max(first, end - f.parameters[reader.WINDOW])
    for member in range(first, end):
        key = str(member).encode()
        need(reader.may_contain_key(f, key, secret), f"the member {member} is not found")
        if reader.FAMILIES[f.family] is reader.Prefix:
            for length in range(len(key) + 1):
                need(reader.Prefix.may_begin(f, key[:length], secret), f"no key begins as {member} does")
    return end - first


def is_refused(check, *arguments):
    try:
        check(*arguments)
    except reader.Refused:
        return True
    return False


def check_damage(f):
    count = 0
    for what, copy in (*damaged(f.data, f.header_len), *miscounted(f)):
        need(is_refused(open_verified, bytes(copy)), f"taken with {what}")
        count += 1
    return count


def damaged(data, header_len):
    """Pairs of a description and a copy of data: every bit of the header is flipped in one, few of the payload."""
    payload = range(8 * header_len, 8 * len(data))
    for bit in (*range(8 * header_len), *payload[::max(1, len(payload) // 8)], *payload[-1:]):
        copy = bytearray(data)
        copy[bit // 8] ^= 1 << bit % 8
        yield f"bit {bit} flipped", copy
    for length in (0, 7, 63, header_len - 1, len(data) - 1):
        yield f"only {length} bytes", data[:length]
    yield "a byte more", data + b"\0"


def miscounted(f):
    """The like of damaged, with checksums that are right: only the rules of the family tell that these are wrong."""
    for code, start, *_ in f.sections:
        flipped = ()
        if code in (reader.TABLE, reader.QUOTIENT):
            flipped = range(8 * (start + 16), 8 * (start + 64), 5)
        elif code == reader.CODES:
            codes_end = reader.Golomb.index_bits(f) + f.parameters[reader.CODE_BITS]
            flipped = range(8 * start + codes_end, 8 * len(f.data))
        elif code == reader.FINGERPRINTS and f.capacity:
            flipped = range(8 * len(f.data) - 56, 8 * len(f.data), 5)
        for bit in flipped:
            copy = bytearray(f.data)
            copy[bit // 8] ^= 1 << bit % 8
            yield f"bit {bit} flipped, and checksums that are right", resealed(f, copy)
    if reader.FAMILIES[f.family] is reader.Windowed:
        lens = struct.pack(f"<{len(f.sections)}Q", *f.parameters[reader.LENS])
        at = f.data.index(struct.pack("<HHI", reader.LENS, 2, len(lens)) + lens) + 8
        for bucket, sightings in enumerate(f.parameters[reader.LENS]):
            if sightings:
                copy = bytearray(f.data)
                copy[at + 8 * bucket:at + 8 * bucket + 8] = bytes(8)
                yield f"no sighting in bucket {bucket}, and checksums that are right", resealed(f, copy)
        if any(f.parameters[reader.LENS][1:]):
            clock = f.data.index(struct.pack("<HHI", reader.CLOCK, 1, 8)) + 8
            copy = bytearray(f.data)
            copy[clock:clock + 8] = bytes(8)
            yield "a clock before its ticks, and checksums that are right", resealed(f, copy)


def resealed(f, data):
    """A file of the same sections with its checksums made right; their rows are the last of the header but for padding."""
    rows = b"".join(struct.pack("<H6xQQ", code, end - start, checksum) for code, start, end, checksum in f.sections)
    row = f.data.rindex(rows, 0, f.header_len)
    for _, start, end, _ in f.sections:
        struct.pack_into("<Q", data, row + 16, reader.xxh64(data[start:end]))
        row += 24
    struct.pack_into("<Q", data, 56, 0)
    struct.pack_into("<Q", data, 56, reader.xxh64(data[:f.header_len]))
    return data


def check(path):
    f = open_verified(path.read_bytes())
    lines = path.with_suffix(".params.txt").read_text(encoding="utf-8").splitlines()
    params = dict(line.split(" = ", 1) for line in lines)
    check_header(f, params)
    secret = check_secret(f, params)
    check_answers(f, secret, bytes.fromhex(path.with_suffix(".answers").read_text(encoding="ascii")))
    return f"{ANSWERS} answers, {check_members(f, secret, params)} members, {check_damage(f)} damaged copies refused"


def main():
    default = Path(__file__).resolve().parent.parent / "testdata" / "golden" / "v1"
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    paths = sorted(directory.glob("*.rlo"))
    if not paths:
        print(f"check_golden.py: no *.rlo in {directory}", file=sys.stderr)
        return 2
    failed = False
    for path in paths:
        try:
            print(f"ok      {path.stem}: {check(path)}")
        except (AssertionError, reader.Refused, OSError, LookupError, ValueError) as error:
            print(f"FAILED  {path.stem}: {error!r}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
