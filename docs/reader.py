#!/usr/bin/env python3
"""Reads the filter files of format.md: a second implementation, made from that page alone.

    reader.py FILE                      print the header as text
    reader.py FILE --hash HEX...        ask for hashes
    reader.py FILE --key TEXT...        ask for keys
    reader.py FILE --keys-from FILE     ask for keys, one a line
    reader.py FILE --begins TEXT...     ask a prefix filter for keys that begin so
    reader.py FILE --at TIME --key ...  ask a windowed filter as of a time; as of its clock without

Every file is verified first, at some ten megabytes a second, or less than one if it is a table;
--no-verify leaves the payload unscanned. Exit status: 0 when some key may be in the set, 1 when
none is, 2 on an error.

Numbers such as §5.1 are sections of format.md. Nothing is needed but Python 3.7 or newer, and
hashes.py beside this file.
"""

import argparse
import os
import re
import struct
import sys
from dataclasses import dataclass, replace

sys.dont_write_bytecode = True
from hashes import MASK, siphash, xxh3, xxh64  # noqa: E402

MAGIC = b"\x89RLO\r\n\x1a\n"
LEN_KINDS = {0: "exact", 1: "at most", 2: "unknown"}
HASHES = {1: "xxh3", 2: "xxh64", 3: "siphash13", 4: "siphash24"}
KEYED = (3, 4)
KEY_CHECK_TEXT = b"ruleout key check value, version 1"
BITS, PROBES, LINES, FINGERPRINT_BITS, SLOTS, REMAINDER_BITS, BLOCKS, SHARDS, SEGMENT_BITS, SEGMENTS = range(1, 11)
BUCKETS, WIDTH, RICE_BITS, CODE_BITS, OFFSET_BITS, OFFSET_BIAS = range(23, 29)
BASE, GROWTH, RATE, MOST_LAYERS, CAPACITIES, LENS, WINDOW, STEP, CLOCK, EXTRACTOR, WHOLE_KEYS = range(30, 41)
PARAMETERS = {BITS: "bits", PROBES: "probes", LINES: "lines", FINGERPRINT_BITS: "fingerprint_bits", SLOTS: "slots",
              REMAINDER_BITS: "remainder_bits", BLOCKS: "blocks", SHARDS: "shards", SEGMENT_BITS: "segment_bits",
              SEGMENTS: "segments", BUCKETS: "buckets", WIDTH: "width",
              RICE_BITS: "rice_bits", CODE_BITS: "code_bits", OFFSET_BITS: "offset_bits", OFFSET_BIAS: "offset_bias",
              BASE: "base", GROWTH: "growth", RATE: "rate",
              MOST_LAYERS: "most_layers", CAPACITIES: "capacities", LENS: "lens", WINDOW: "window", STEP: "step",
              CLOCK: "clock", EXTRACTOR: "extractor", WHOLE_KEYS: "whole_keys"}
BITMAP, TABLE, QUOTIENT, COUNTERS = range(1, 5)
FINGERPRINTS, CODES = 10, 20


class Refused(Exception):
    """The file breaks a rule of the format, or cannot answer what was asked."""


@dataclass
class Filter:
    """A file that kept the rules of sections 1, 2, 3 and 5."""

    data: bytes
    family: int
    hash_algorithm: int
    len_kind: int
    seed: int  # or the key check value
    capacity: int
    len: int
    header_len: int
    payload_len: int
    parameters: dict  # code -> int, list of int, or bytes
    sections: list  # of (code, start, end, checksum)
    time: int = 0  # as of when a windowed filter is asked; as of its clock, if that is later


def need(condition, message):
    if not condition:
        raise Refused(message)


def up64(x):
    return (x + 63) // 64 * 64


def is_zero(data):
    return not any(data)


def bits(data, at, count):
    """The integer of `count` bits that starts at bit `at` of data, the bits counted as in a bitmap."""
    return int.from_bytes(data[at // 8:(at + count + 7) // 8], "little") >> at % 8 & (1 << count) - 1


def open_filter(data):
    """Everything that a header alone can tell, in the order that §1 demands."""
    f, parameter_count, section_count = read_prelude(data)
    rows = read_parameters(f, parameter_count, f.header_len - 24 * section_count)
    read_sections(f, rows, section_count)
    check_family(f)
    return f


# §1 The prelude


def read_prelude(data):
    need(data[:8] == MAGIC, "not a ruleout filter, or changed in transfer: bad magic")
    need(len(data) >= 64, f"truncated: {len(data)} bytes, and the prelude alone has 64")
    (_, version, family, algorithm, kind, reserved, seed, capacity, length, header_len, parameters, sections,
     payload_len, checksum) = struct.unpack("<8sHHHBBQQQIHHQQ", data[:64])
    need(version == 1, f"version {version} is not known to this reader, which knows 1")
    need(header_len % 64 == 0 and 64 <= header_len <= 65536, f"header_len {header_len} is not allowed")
    need(header_len <= len(data), f"truncated: {len(data)} bytes, and the header alone has {header_len}")
    need(checksum == xxh64(data[:56] + bytes(8) + data[64:header_len]), "damaged header: its checksum differs")

    need(family in FAMILIES, f"family {family} is not known to this reader")
    need(algorithm in HASHES, f"hash algorithm {algorithm} is not known to this reader")
    need(kind in LEN_KINDS, f"kind of len {kind} is not known")
    need(kind != 2 or length == 0, f"len is unknown, yet {length}")
    need(reserved == 0, "a reserved byte is not zero")
    size = header_len + payload_len
    need(len(data) == size, f"{len(data)} bytes long, where the header says {size}")
    return (Filter(data, family, algorithm, kind, seed, capacity, length, header_len, payload_len, {}, []),
            parameters, sections)


# §2 Parameters


def read_parameters(f, count, limit):
    """Fills f.parameters from the bytes between the prelude and limit; returns where the rows of §3 start."""
    at, last = 64, -1
    for _ in range(count):
        need(at + 8 <= limit, "the parameters overrun the header")
        code, kind, length = struct.unpack_from("<HHI", f.data, at)
        start, end = at + 8, at + 8 + length
        at = end + -length % 8
        need(code > last, f"parameter {code} comes after {last}")
        need(at <= limit, "the parameters overrun the header")
        need(is_zero(f.data[end:at]), f"the padding of parameter {code} is not zero")
        value = f.data[start:end]
        if kind == 1:
            need(length == 8, f"parameter {code} is an integer of {length} bytes")
            value = int.from_bytes(value, "little")
        elif kind == 2:
            need(length % 8 == 0, f"parameter {code} is a list of integers in {length} bytes")
            value = [v for v, in struct.iter_unpack("<Q", value)]
        else:
            need(kind == 3, f"parameter {code} has a value of unknown kind {kind}")
        f.parameters[code] = value
        last = code
    return at


# §3 Sections


def read_sections(f, at, count):
    """Fills f.sections from the rows at `at`, and checks that header and file end where these say."""
    table_end = at + 24 * count
    need(f.header_len == up64(table_end), f"header_len is {f.header_len}, and the header's content ends at {table_end}")
    need(is_zero(f.data[table_end:f.header_len]), "the padding of the header is not zero")
    end = f.header_len
    for at in range(at, table_end, 24):
        code, reserved, length, checksum = struct.unpack_from("<H6sQQ", f.data, at)
        need(is_zero(reserved), "a reserved byte of a section is not zero")
        start = up64(end)
        end = start + length
        f.sections.append((code, start, end, checksum))
    need(end == len(f.data), f"the sections end at {end}, and the file at {len(f.data)}")


def verify(f):
    """What opening leaves out: the scan of the payload."""
    before = f.header_len
    for code, start, end, checksum in f.sections:
        need(is_zero(f.data[before:start]), f"the padding before section {code} is not zero")
        need(xxh64(f.data[start:end]) == checksum, f"damaged payload: the checksum of section {code} differs")
        before = end
    FAMILIES[f.family].verify(f)


# §4 From key to hash


def hash_key(f, key, secret=None):
    """The hash of a key, which is a string of bytes."""
    if f.hash_algorithm in KEYED:
        need(secret is not None, "the filter is keyed: keys need its secret")
        return siphash(key, secret, *((1, 3) if f.hash_algorithm == 3 else (2, 4)))
    return (xxh3 if f.hash_algorithm == 1 else xxh64)(key, f.seed)


def check_secret(f, secret):
    need(f.hash_algorithm in KEYED, "the filter is not keyed, yet a secret was given")
    need(hash_key(f, KEY_CHECK_TEXT, secret) == f.seed, "not the secret that the filter was built under")


# §5 Families


def scale(x, r):
    return x * r >> 64


def may_contain(f, h):
    """Whether a key of hash h may be in the set: True is "maybe", False is "surely not"."""
    return FAMILIES[f.family].may_contain(f, h)


def may_contain_key(f, key, secret=None):
    """As may_contain, of a key."""
    return FAMILIES[f.family].may_contain_key(f, key, secret)


def check_family(f):
    """The parameters and the sections are those of the family, in their ranges and of their size."""
    FAMILIES[f.family].check(f)


def check_ranges(f, ranges):
    """Integer parameters, each with the values that it may have."""
    for code, allowed in ranges.items():
        value = f.parameters[code]
        need(isinstance(value, int) and value in allowed, f"{PARAMETERS[code]} is {value}, which is not allowed")


def shaping(f):
    return {code for code in f.parameters if code < 0x8000}


class Keys:
    """What all families share but for one: a key is asked for by its hash."""

    @classmethod
    def may_contain_key(cls, f, key, secret):
        return cls.may_contain(f, hash_key(f, key, secret))


class Family(Keys):
    """What most families share: one section, a bitmap, any bit of which may be set."""

    section = BITMAP

    @classmethod
    def check(cls, f):
        need(shaping(f) == set(cls.ranges), f"parameters {sorted(shaping(f))} are not those of {cls.name}")
        check_ranges(f, cls.ranges)
        need(cls.shape_allowed(f), f"a {cls.name} filter of this shape is too large")
        codes = [code for code, *_ in f.sections]
        need(codes == [cls.section], f"sections {codes} are not those of {cls.name}")
        _, start, end, _ = f.sections[0]
        need(end - start == cls.section_len(f), f"a section of {end - start} bytes, not {cls.section_len(f)}")

    @staticmethod
    def shape_allowed(f):
        return True

    @staticmethod
    def verify(f):
        pass

    @classmethod
    def may_contain(cls, f, h):
        _, start, _, _ = f.sections[0]
        return all(cls.is_set(f.data, start, p) for p in cls.positions(f, h))

    @staticmethod
    def is_set(data, start, p):
        return data[start + p // 8] >> p % 8 & 1


class Bloom(Family):  # §5.1
    name = "bloom"
    ranges = {BITS: range(1, 1 << 64), PROBES: range(1, 65)}

    @staticmethod
    def section_len(f):
        return (f.parameters[BITS] + 7) // 8

    @staticmethod
    def verify(f):
        used = f.parameters[BITS] % 8
        need(used == 0 or f.data[f.sections[0][2] - 1] >> used == 0, "bits past the last are not zero")

    @staticmethod
    def positions(f, h):
        x = h
        for _ in range(f.parameters[PROBES]):
            yield scale(x, f.parameters[BITS])
            x = (x ^ x >> 32) * 0xD6E8FEB86659FD93 + 0x9E3779B97F4A7C15 & MASK


class Blocked(Family):  # §5.2
    name = "blocked"
    ranges = {PROBES: range(1, 33), LINES: range(1, 1 << 55)}
    multipliers = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1)

    @staticmethod
    def section_len(f):
        return 64 * f.parameters[LINES]

    @staticmethod
    def positions(f, h, line_bits=9):
        line = scale(h, f.parameters[LINES])
        for i in range(f.parameters[PROBES]):
            if i % 8 == 0:
                word = (h * Blocked.multipliers[i // 8] & MASK) >> 32
            else:
                word = word * 0x9E3779B9 & 0xFFFFFFFF
            yield (line << line_bits) + (word >> 32 - line_bits)


class SplitBlock(Family):  # §5.3
    name = "split_block"
    ranges = {BLOCKS: range(1, (1 << 25) + 1)}
    salts = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)

    @staticmethod
    def section_len(f):
        return 32 * f.parameters[BLOCKS]

    @staticmethod
    def positions(f, h):
        block = (h >> 32) * f.parameters[BLOCKS] >> 32
        for i, salt in enumerate(SplitBlock.salts):
            yield 256 * block + 32 * i + ((h * salt & 0xFFFFFFFF) >> 27)


class Counting(Family):  # §5.4
    name = "counting"
    ranges = {PROBES: range(1, 33), LINES: range(1, 1 << 57)}
    section = COUNTERS

    @staticmethod
    def section_len(f):
        return 64 * f.parameters[LINES]

    @staticmethod
    def is_set(data, start, p):
        return data[start + p // 2] >> 4 * (p % 2) & 15 > 0

    @staticmethod
    def positions(f, h):
        return Blocked.positions(f, h, line_bits=7)


class Cuckoo(Family):  # §5.5
    name = "cuckoo"
    ranges = {FINGERPRINT_BITS: range(4, 33), SLOTS: range(3, (1 << 59) + 1)}
    section = TABLE

    @staticmethod
    def shape_allowed(f):
        return f.parameters[SLOTS] <= 1 << 63 - f.parameters[FINGERPRINT_BITS]

    @staticmethod
    def section_len(f):
        return 64 + (f.parameters[SLOTS] * f.parameters[FINGERPRINT_BITS] + 7) // 8 + 8

    @staticmethod
    def windows(f):
        return (f.parameters[SLOTS] - 1) // 2 * 2

    @staticmethod
    def fingerprints(f):
        return (1 << f.parameters[FINGERPRINT_BITS] - 1) - 1

    @staticmethod
    def control(f):
        """The victim's fingerprint, its window, and the number of keys."""
        return struct.unpack_from("<3Q", f.data, f.sections[0][1])

    @staticmethod
    def tag(f, slot):
        width = f.parameters[FINGERPRINT_BITS]
        return bits(f.data, 8 * (f.sections[0][1] + 64) + slot * width, width)

    @staticmethod
    def pair(f, window, fingerprint):
        """A window and the other one of its fingerprint."""
        windows = Cuckoo.windows(f)
        offset = 1 + 2 * scale(fingerprint * fingerprint * 0x9E3779B97F4A7C15 & MASK, windows // 2)
        return window, (offset - window) % windows

    @staticmethod
    def may_contain(f, h):
        product = h * Cuckoo.windows(f)
        fingerprint = 1 + scale(product & MASK, Cuckoo.fingerprints(f))
        pair = Cuckoo.pair(f, product >> 64, fingerprint)
        if any(Cuckoo.tag(f, w + place) == 2 * fingerprint + place for w in pair for place in (0, 1)):
            return True
        victim, window, _ = Cuckoo.control(f)
        return victim == fingerprint and window in pair

    @staticmethod
    def verify(f):
        _, start, end, _ = f.sections[0]
        slots, windows = f.parameters[SLOTS], Cuckoo.windows(f)
        need(is_zero(f.data[start + 24:start + 64]), "reserved bytes of the table are not zero")
        past = 8 * (start + 64) + slots * f.parameters[FINGERPRINT_BITS]
        need(bits(f.data, past, 8 * end - past) == 0, "bits past the last slot are not zero")
        count = 0
        for slot in range(slots):
            fingerprint, place = divmod(Cuckoo.tag(f, slot), 2)
            if fingerprint or place:
                need(fingerprint > 0, f"slot {slot} holds a tag without a fingerprint")
                need(0 <= slot - place < windows, f"slot {slot} holds a tag of no window")
                count += 1
        victim, window, keys = Cuckoo.control(f)
        if victim or window:
            need(1 <= victim <= Cuckoo.fingerprints(f), f"the victim's fingerprint is {victim}")
            need(window < windows, f"the victim's window is {window}")
            need(all(Cuckoo.tag(f, w + place) for w in Cuckoo.pair(f, window, victim) for place in (0, 1)),
                 "there is a victim, yet room for it")
            count += 1
        need(keys == count, f"{count} keys in the table, which says {keys}")


class Quotient(Family):  # §5.6
    name = "quotient"
    ranges = {SLOTS: range(1, (1 << 61) + 1), REMAINDER_BITS: range(2, 33)}
    section = QUOTIENT

    @staticmethod
    def shape_allowed(f):
        return f.parameters[SLOTS] << f.parameters[REMAINDER_BITS] <= 1 << 63

    @staticmethod
    def section_len(f):
        return 64 + Quotient.blocks(f) * (17 + 8 * f.parameters[REMAINDER_BITS])

    @staticmethod
    def blocks(f):
        slots = f.parameters[SLOTS]
        return (slots + min(slots, 128) + 63) // 64

    @staticmethod
    def block_at(f, b):
        need(0 <= b < Quotient.blocks(f), "damaged table: it leads out of its blocks")
        return f.sections[0][1] + 64 + b * (17 + 8 * f.parameters[REMAINDER_BITS])

    @staticmethod
    def is_occupied(f, quotient):
        return f.data[Quotient.block_at(f, quotient // 64) + quotient % 64 // 8] >> quotient % 8 & 1

    @staticmethod
    def is_run_end(f, slot):
        return f.data[Quotient.block_at(f, slot // 64) + 8 + slot % 64 // 8] >> slot % 8 & 1

    @staticmethod
    def offset(f, b):
        return f.data[Quotient.block_at(f, b) + 16]

    @staticmethod
    def remainder(f, slot):
        width = f.parameters[REMAINDER_BITS]
        return bits(f.data, 8 * (Quotient.block_at(f, slot // 64) + 17) + slot % 64 * width, width)

    @staticmethod
    def run(f, slot):
        """Each remainder of the run that starts at slot, with its number of copies and its last slot."""
        digit_bits = f.parameters[REMAINDER_BITS] - 1
        while True:
            x, copies, last = Quotient.remainder(f, slot), 1, slot
            while copies < 3 and not Quotient.is_run_end(f, last) and Quotient.remainder(f, last + 1) == x:
                copies, last = copies + 1, last + 1
            if copies == 3:
                shift, more = 0, True
                while more:
                    need(not Quotient.is_run_end(f, last), f"the run ends at slot {last}, amid a number of copies")
                    last += 1
                    more, digit = divmod(Quotient.remainder(f, last), 1 << digit_bits)
                    need(digit or more or shift == 0, f"the digit in slot {last} is a leading zero")
                    copies += digit << shift
                    need(copies <= MASK, f"too many copies in slot {last}")
                    shift += digit_bits
            yield x, copies, last
            if Quotient.is_run_end(f, last):
                return
            slot = last + 1

    @staticmethod
    def count(f, fingerprint):
        """How many copies of a fingerprint there are."""
        quotient, x = divmod(fingerprint, 1 << f.parameters[REMAINDER_BITS])
        if not Quotient.is_occupied(f, quotient):
            return 0
        b = quotient // 64
        while Quotient.offset(f, b) == 255:
            b -= 1
        slot = 64 * b + Quotient.offset(f, b)
        for before in range(64 * b, quotient):
            if Quotient.is_occupied(f, before):
                while not Quotient.is_run_end(f, slot):
                    slot += 1
                slot += 1
        for y, copies, _ in Quotient.run(f, max(slot, quotient)):
            if y >= x:
                return copies if y == x else 0
        return 0

    @staticmethod
    def may_contain(f, h):
        return Quotient.count(f, scale(h, f.parameters[SLOTS] << f.parameters[REMAINDER_BITS])) > 0

    @staticmethod
    def verify(f):
        slots, blocks = f.parameters[SLOTS], Quotient.blocks(f)
        stated_used, stated_distinct, stated_copies, reserved = struct.unpack_from("<3Q40s", f.data, f.sections[0][1])
        need(is_zero(reserved), "reserved bytes of the table are not zero")
        used = distinct = total = end = 0  # `end` is the slot after the last run so far
        for b in range(blocks):
            need(Quotient.offset(f, b) == min(255, max(0, end - 64 * b)), f"the offset of block {b} is wrong")
            for quotient in range(64 * b, 64 * b + 64):
                if Quotient.is_occupied(f, quotient):
                    need(quotient < slots, f"quotient {quotient} is past the last slot")
                    slot = max(quotient, end)
                    Quotient.verify_unused(f, end, slot)
                    previous = -1
                    for x, copies, last in Quotient.run(f, slot):
                        need(x > previous, f"the remainders of quotient {quotient} do not ascend")
                        previous, distinct, total = x, distinct + 1, total + copies
                    end = last + 1
                    used += end - slot
        Quotient.verify_unused(f, end, 64 * blocks)
        need(used == stated_used, f"{used} slots in use, where the table says {stated_used}")
        need(used <= slots - slots // 20 + 16, f"{used} slots in use are too many")
        need(distinct == stated_distinct, f"{distinct} fingerprints, where the table says {stated_distinct}")
        need(total == stated_copies, f"{total} copies, where the table says {stated_copies}")

    @staticmethod
    def verify_unused(f, start, end):
        for slot in range(start, end):
            need(not Quotient.is_run_end(f, slot), f"slot {slot} ends a run, yet is in none")
            need(Quotient.remainder(f, slot) == 0, f"slot {slot} holds a remainder, yet is in no run")


class CountingBits(Family):  # §5.7
    name = "counting_bits"
    ranges = Counting.ranges
    positions = staticmethod(Counting.positions)

    @staticmethod
    def section_len(f):
        return 16 * f.parameters[LINES]


class Composed(Keys):
    """What filters share that are made of filters of a family `base`, a section each."""

    @classmethod
    def check(cls, f):
        base = f.parameters.get(BASE)
        need(base in cls.ranges[BASE], f"no base family, or one that a {cls.name} filter cannot have")
        own = {*FAMILIES[base].ranges, *cls.ranges, *cls.others}
        need(shaping(f) == own, f"parameters {sorted(shaping(f))} are not those of {cls.name}")
        check_ranges(f, cls.ranges)
        cls.check_own(f)
        for part in cls.parts(f):
            check_family(part)

    @classmethod
    def parts(cls, f):
        """Each part as a filter of its own."""
        base = f.parameters[BASE]
        for i, section in enumerate(f.sections):
            parameters = {code: cls.of_part(f.parameters[code], i) for code in FAMILIES[base].ranges}
            yield replace(f, family=base, parameters=parameters, sections=[section])

    @staticmethod
    def of_part(value, i):
        return value

    @classmethod
    def verify(cls, f):
        for part in cls.parts(f):
            FAMILIES[part.family].verify(part)

    @classmethod
    def may_contain(cls, f, h):
        return any(may_contain(part, h) for part in cls.parts(f))


def check_list(f, code, count):
    value = f.parameters[code]
    need(isinstance(value, list) and len(value) == count, f"{PARAMETERS[code]} is no list of {count} integers")


class Scalable(Composed):  # §5.8
    name = "scalable"
    ranges = {BASE: (1, 2, 5), GROWTH: range(2, 17), RATE: range(1, 1 << 64), MOST_LAYERS: range(1, 49)}

    others = (CAPACITIES, LENS)

    @staticmethod
    def check_own(f):
        count = len(f.sections)
        need(1 <= count <= f.parameters[MOST_LAYERS], f"{count} layers are not allowed")
        for code in (*FAMILIES[f.parameters[BASE]].ranges, CAPACITIES, LENS):
            check_list(f, code, count)
        capacities, lens = f.parameters[CAPACITIES], f.parameters[LENS]
        need(capacities[0] >= 1, "the first layer is for no key")
        series = [capacities[0] * f.parameters[GROWTH]**i for i in range(count)]
        need(capacities == series, f"the capacities are {capacities}, and follow no series")
        need(f.capacity == min(sum(capacities), MASK), f"the capacity is {f.capacity}, that of the layers another")
        need(all(n <= c for n, c in zip(lens, capacities)), "a layer has more keys than its capacity")

    @staticmethod
    def of_part(value, i):
        return value[i]


class Windowed(Composed):  # §5.9
    name = "windowed"
    ranges = {BASE: (1, 2), WINDOW: range(1, 1 << 64), STEP: range(1, 1 << 64), CLOCK: range(1 << 64)}
    others = (LENS,)

    @staticmethod
    def check_own(f):
        window, step = f.parameters[WINDOW], f.parameters[STEP]
        need(window % step == 0 and window // step in range(1, 1025), f"a window of {window} in steps of {step}")
        count = Windowed.buckets(f)
        need(len(f.sections) == count, f"{len(f.sections)} buckets, not {count}")
        check_list(f, LENS, count)
        need(f.capacity % count == 0, f"the capacity is {f.capacity}, for {count} buckets alike")
        need(not any(f.parameters[LENS][f.parameters[CLOCK] // step + 1:]), "sightings in a tick that has not come")

    @staticmethod
    def buckets(f):
        return f.parameters[WINDOW] // f.parameters[STEP] + 1

    @classmethod
    def verify(cls, f):
        super().verify(f)
        for i, (sightings, (_, start, end, _)) in enumerate(zip(f.parameters[LENS], f.sections)):
            need(sightings > 0 or is_zero(f.data[start:end]), f"bucket {i} has no sighting, yet a bit")

    @classmethod
    def parts(cls, f):
        """The buckets that are asked as of f.time: all with sightings, unless that is later than the clock."""
        step, clock, count = f.parameters[STEP], f.parameters[CLOCK], Windowed.buckets(f)
        newest = clock // step
        oldest = max(f.time, clock) // step - (count - 1)
        for i, bucket in enumerate(super().parts(f)):
            if f.parameters[LENS][i] and newest - (newest - i) % count >= oldest:
                yield bucket


class Prefix(Composed):  # §5.10
    name = "prefix"
    ranges = {BASE: (1, 2), WHOLE_KEYS: (0, 1)}
    others = (EXTRACTOR,)
    mark = 0xA54FF53A5F1D36F1

    @staticmethod
    def check_own(f):
        need(len(f.sections) == 1, f"{len(f.sections)} sections, not 1")
        name = f.parameters[EXTRACTOR]
        need(isinstance(name, bytes) and 1 <= len(name) <= 255, "the extractor is no name")
        try:
            name.decode()
        except UnicodeDecodeError:
            raise Refused("the extractor's name is not text") from None
        rule = Prefix.rule(name)
        need(rule or not name.startswith((b"fixed:", b"up-to:")), f"{name!r} is not an extractor")

    @staticmethod
    def rule(name):
        """The numbers of an extractor that this page has: (N,) or (XX, N); None of one that others know."""
        match = re.fullmatch(rb"fixed:(0|[1-9][0-9]*)|up-to:([0-9a-f]{2}):([1-9][0-9]*)", name)
        if match is None:
            return None
        rule = (int(match[1]),) if match[1] else (int(match[2], 16), int(match[3]))
        return rule if rule[-1] < 1 << 32 else None

    @staticmethod
    def prefix(f, text):
        """The prefix of a string of bytes, or None if that is outside the extractor's domain."""
        rule = Prefix.rule(f.parameters[EXTRACTOR])
        if rule is None:
            return None
        if len(rule) == 1:
            return text[:rule[0]] if len(text) >= rule[0] else None
        at = -1
        for _ in range(rule[1]):
            at = text.find(rule[0], at + 1)
            if at < 0:
                return None
        return text[:at + 1]

    @classmethod
    def may_begin(cls, f, text, secret):
        """Whether a key that begins with text may be in the set."""
        prefix = cls.prefix(f, text)
        return prefix is None or super().may_contain(f, hash_key(f, prefix, secret) ^ cls.mark)

    @classmethod
    def may_contain(cls, f, h):
        return f.parameters[WHOLE_KEYS] == 0 or super().may_contain(f, h)

    @classmethod
    def may_contain_key(cls, f, key, secret):
        if f.parameters[WHOLE_KEYS]:
            return super().may_contain_key(f, key, secret)
        return cls.may_begin(f, key, secret)


class Fuse(Family):  # §5.11
    name = "fuse"
    section = FINGERPRINTS
    probes = 3
    ranges = {FINGERPRINT_BITS: range(1, 33), SHARDS: range(1 << 63), SEGMENT_BITS: range(15),
              SEGMENTS: range((1 << 31) + 1)}

    @classmethod
    def slots(cls, f):
        return f.parameters[SEGMENTS] + cls.probes - 1 << f.parameters[SEGMENT_BITS]

    @classmethod
    def shape_allowed(cls, f):
        shape = [f.parameters[code] for code in (SHARDS, SEGMENT_BITS, SEGMENTS)]
        if f.capacity == 0:
            return not any(shape)
        return shape[0] >= 1 and shape[2] >= 1 and cls.slots(f) <= 1 << 31 and cls.section_len(f) <= 1 << 63

    @classmethod
    def shard_len(cls, f):
        return (cls.slots(f) * f.parameters[FINGERPRINT_BITS] + 7) // 8

    @classmethod
    def section_len(cls, f):
        return f.parameters[SHARDS] * (cls.shard_len(f) + 1) + 7 if f.capacity else 0

    @classmethod
    def may_contain(cls, f, h):
        if f.capacity == 0:
            return False
        shards, width, segment_bits = (f.parameters[code] for code in (SHARDS, FINGERPRINT_BITS, SEGMENT_BITS))
        start, shard_len = f.sections[0][1], cls.shard_len(f)
        shard, x = divmod(h * shards, 1 << 64)
        seed = f.data[start + shards * shard_len + shard]
        if seed:
            x = x + seed * 0x3C6EF372FE94F82B & MASK
            x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
            x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
            x ^= x >> 31
        y = x * 0x9E3779B97F4A7C15 & MASK
        m = (y ^ y >> 32) & (1 << 57) - 1
        seen = (m * 0xBB67AE8584CAA73B & MASK) >> 64 - width
        for i in range(cls.probes):
            place = (m >> 14 * i) & (1 << segment_bits) - 1
            slot = (scale(x, f.parameters[SEGMENTS]) + i << segment_bits) + place
            seen ^= bits(f.data, 8 * (start + shard * shard_len) + slot * width, width)
        return seen == 0

    @classmethod
    def verify(cls, f):
        if f.capacity == 0:
            return
        _, start, end, _ = f.sections[0]
        used, shard_len = cls.slots(f) * f.parameters[FINGERPRINT_BITS], cls.shard_len(f)
        for shard in range(f.parameters[SHARDS]):
            past = bits(f.data, 8 * (start + shard * shard_len) + used, 8 * shard_len - used)
            need(past == 0, f"bits past the last slot of shard {shard} are not zero")
        need(is_zero(f.data[end - 7:end]), "bytes past the seeds are not zero")


class Fuse4(Fuse):  # §5.11
    name = "fuse4"
    probes = 4


class Golomb(Family):  # §5.12
    name = "golomb"
    section = CODES
    ranges = {BUCKETS: range(1, (1 << 61) + 1), WIDTH: range(1, (1 << 61) + 1), RICE_BITS: range(57),
              CODE_BITS: range((1 << 54) + 1), OFFSET_BITS: range(57), OFFSET_BIAS: range((1 << 54) + 1)}

    @staticmethod
    def shape_allowed(f):
        buckets, offset_bits, bias = (f.parameters[code] for code in (BUCKETS, OFFSET_BITS, OFFSET_BIAS))
        if buckets * f.parameters[WIDTH] > 1 << 61:
            return False
        if buckets == 1:
            return offset_bits == bias == 0
        return offset_bits >= 1 and Golomb.index_bits(f) <= 1 << 62 and bias <= f.parameters[CODE_BITS]

    @staticmethod
    def index_bits(f):
        return (f.parameters[BUCKETS] - 1) * f.parameters[OFFSET_BITS]

    @staticmethod
    def section_len(f):
        return (Golomb.index_bits(f) + f.parameters[CODE_BITS] + 7) // 8

    @staticmethod
    def read(f, at, count):
        """`count` bits of the section from bit `at` on."""
        return bits(f.data, 8 * f.sections[0][1] + at, count)

    @staticmethod
    def even(f, bucket):
        return bucket * (256 * f.parameters[CODE_BITS] // f.parameters[BUCKETS]) // 256

    @staticmethod
    def entry(f, bucket):
        width = f.parameters[OFFSET_BITS]
        return Golomb.read(f, (bucket - 1) * width, width)

    @staticmethod
    def start(f, bucket):
        if bucket == 0:
            return 0
        if bucket == f.parameters[BUCKETS]:
            return f.parameters[CODE_BITS]
        start = Golomb.even(f, bucket) + Golomb.entry(f, bucket) - f.parameters[OFFSET_BIAS]
        need(0 <= start <= f.parameters[CODE_BITS], f"damaged index: bucket {bucket} begins outside the codes")
        return start

    @staticmethod
    def values(f, bucket):
        """Each value of a bucket, with the bits that are then left between quotients and low bits."""
        rice_bits, first = f.parameters[RICE_BITS], Golomb.index_bits(f)
        at, low = (first + Golomb.start(f, b) for b in (bucket, bucket + 1))
        following = 0
        while True:
            quotient = 0
            while at < low and not Golomb.read(f, at, 1):
                at, quotient = at + 1, quotient + 1
            if at + rice_bits >= low:
                return
            at, low = at + 1, low - rice_bits
            value = following + (quotient << rice_bits) + Golomb.read(f, low, rice_bits)
            following = value + 1
            yield value, low - at

    @staticmethod
    def may_contain(f, h):
        product = h * f.parameters[BUCKETS]
        wanted = scale(product & MASK, f.parameters[WIDTH])
        return any(value == wanted for value, _ in Golomb.values(f, product >> 64))

    @staticmethod
    def verify(f):
        bits_in_all = Golomb.index_bits(f) + f.parameters[CODE_BITS]
        need(Golomb.read(f, bits_in_all, -bits_in_all % 8) == 0, "bits past the last are not zero")
        buckets = f.parameters[BUCKETS]
        bias = most = 0
        for bucket in range(buckets):
            start, end = Golomb.start(f, bucket), Golomb.start(f, bucket + 1)
            need(start <= end, f"bucket {bucket} ends before it begins")
            rest = end - start
            for value, rest in Golomb.values(f, bucket):
                need(value < f.parameters[WIDTH], f"bucket {bucket} has a value of {value}")
            need(rest == 0, f"bucket {bucket} has {rest} bits of no value")
            if bucket:
                bias = max(bias, Golomb.even(f, bucket) - start)
                most = max(most, Golomb.entry(f, bucket))
        need(f.parameters[OFFSET_BIAS] == bias, f"the bias is {f.parameters[OFFSET_BIAS]}, where {bias} is enough")
        width = max(1, most.bit_length()) if buckets > 1 else 0
        need(f.parameters[OFFSET_BITS] == width, f"entries of {f.parameters[OFFSET_BITS]} bits, where {width} do")


FAMILIES = {1: Bloom, 2: Blocked, 3: SplitBlock, 4: Counting, 5: Cuckoo, 6: Quotient, 7: CountingBits, 8: Scalable,
            9: Windowed, 10: Prefix, 12: Fuse, 14: Golomb, 15: Fuse4}


# The command


def describe(f):
    seed = "key check value" if f.hash_algorithm in KEYED else "seed"
    yield "version", 1
    yield "family", f"{f.family} {FAMILIES[f.family].name}"
    yield "hash algorithm", f"{f.hash_algorithm} {HASHES[f.hash_algorithm]}"
    yield seed, f"{f.seed:016x}"
    yield "capacity", f.capacity
    yield "kind of len", LEN_KINDS[f.len_kind]
    yield "len", f.len
    yield "header_len", f.header_len
    yield "payload_len", f.payload_len
    for code, value in f.parameters.items():
        yield f"parameter {PARAMETERS.get(code, hex(code))}", value.hex() if isinstance(value, bytes) else value
    for code, start, end, checksum in f.sections:
        yield f"section {code}", f"bytes {start} to {end - 1}, checksum {checksum:016x}"


def arguments():
    def hash_value(text):
        value = int(text, 16)
        if not 0 <= value <= MASK:
            raise ValueError
        return value

    def secret(text):
        value = bytes.fromhex(text)
        if len(value) != 16:
            raise ValueError
        return value

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--hash", nargs="+", metavar="HEX", type=hash_value, help="ask for hashes of 64 bits")
    parser.add_argument("--key", nargs="+", metavar="TEXT", help="ask for keys")
    parser.add_argument("--keys-from", metavar="FILE", help="ask for the lines that are not empty")
    parser.add_argument("--begins", nargs="+", metavar="TEXT", help="ask a prefix filter for keys that begin so")
    parser.add_argument("--at", metavar="TIME", type=int, help="ask a windowed filter as of this time")
    parser.add_argument("--secret", metavar="HEX", type=secret, help="the 16 bytes of a keyed filter's key")
    parser.add_argument("--verify", action="store_true", default=True, help="scan the payload (the default)")
    parser.add_argument("--no-verify", action="store_false", dest="verify", help="trust the payload")
    return parser.parse_args()


def run(args, out):
    with open(args.file, "rb") as file:
        f = open_filter(file.read())
    if args.verify:
        verify(f)
    if args.secret is not None:
        check_secret(f, args.secret)
    if args.at is not None:
        need(FAMILIES[f.family] is Windowed, "the filter is not windowed: it has no time")
        f.time = args.at
    need(args.begins is None or FAMILIES[f.family] is Prefix, "the filter is not of prefixes")
    keys, beginnings = (list(map(os.fsencode, texts or ())) for texts in (args.key, args.begins))
    if args.keys_from is not None:
        with open(args.keys_from, "rb") as file:
            keys += filter(None, file.read().split(b"\n"))
    if args.hash is args.key is args.keys_from is args.begins is None:
        for name, value in describe(f):
            out.write(f"{name:<18} {value}\n".encode())
        return 0
    answers = [(b"%016x" % h, may_contain(f, h)) for h in args.hash or ()]
    answers += [(key, may_contain_key(f, key, args.secret)) for key in keys]
    answers += [(text, Prefix.may_begin(f, text, args.secret)) for text in beginnings]
    some = False
    for text, maybe in answers:
        some |= maybe
        out.write((b"maybe\t" if maybe else b"absent\t") + text + b"\n")
    return 0 if some else 1


def main():
    try:
        status = run(arguments(), sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return status
    except (OSError, Refused) as error:
        print(f"reader.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
