#!/usr/bin/env python3
"""Reads the filter files of format.md: a second implementation, made from that page alone.

    reader.py FILE                      print the header as text
    reader.py FILE --hash HEX...        ask for hashes
    reader.py FILE --key TEXT...        ask for keys
    reader.py FILE --keys-from FILE     ask for keys, one a line

Every file is verified first, at some ten megabytes a second; --no-verify leaves the payload
unscanned. Exit status: 0 when some key may be in the set, 1 when none is, 2 on an error.

Numbers such as §5.1 are sections of format.md. Nothing but Python 3.7 or newer is needed.
"""

import argparse
import struct
import sys
from dataclasses import dataclass

MASK = (1 << 64) - 1
MAGIC = b"\x89RLO\r\n\x1a\n"
LEN_KINDS = {0: "exact", 1: "at most", 2: "unknown"}
HASHES = {1: "xxh3", 2: "xxh64", 3: "siphash13", 4: "siphash24"}
KEYED = (3, 4)
KEY_CHECK_TEXT = b"ruleout key check value, version 1"
BITS, PROBES, LINES, BLOCKS = 1, 2, 3, 7
PARAMETERS = {BITS: "bits", PROBES: "probes", LINES: "lines", BLOCKS: "blocks"}
BITMAP, COUNTERS = 1, 4


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


def need(condition, message):
    if not condition:
        raise Refused(message)


def up64(x):
    return (x + 63) // 64 * 64


def is_zero(data):
    return not any(data)


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
    family, start = FAMILIES[f.family], f.sections[0][1]
    return all(family.is_set(f.data, start, p) for p in family.positions(f, h))


def check_family(f):
    """The parameters and the sections are those of the family, in their ranges and of their size."""
    family = FAMILIES[f.family]
    shaping = {code: value for code, value in f.parameters.items() if code < 0x8000}
    need(set(shaping) == set(family.ranges), f"parameters {sorted(shaping)} are not those of {family.name}")
    for code, allowed in family.ranges.items():
        value = shaping[code]
        need(isinstance(value, int) and value in allowed, f"{PARAMETERS[code]} is {value}, which is not allowed")
    codes = [code for code, *_ in f.sections]
    need(codes == [family.section], f"sections {codes} are not those of {family.name}")
    _, start, end, _ = f.sections[0]
    need(end - start == family.section_len(f), f"a section of {end - start} bytes, not {family.section_len(f)}")


class Family:
    """What most families share: one section, a bitmap, any bit of which may be set."""

    section = BITMAP

    @staticmethod
    def verify(f):
        pass

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
        need(used == 0 or f.data[-1] >> used == 0, "bits past the last are not zero")

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


class CountingBits(Family):  # §5.7
    name = "counting_bits"
    ranges = Counting.ranges
    positions = staticmethod(Counting.positions)

    @staticmethod
    def section_len(f):
        return 16 * f.parameters[LINES]


FAMILIES = {1: Bloom, 2: Blocked, 3: SplitBlock, 4: Counting, 7: CountingBits}


# The hash functions that §1, §3 and §4 name. All of them are public; these follow their specifications.

P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P4, P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def u32(data, at):
    return int.from_bytes(data[at:at + 4], "little")


def u64(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def rotl(x, n):
    return (x << n | x >> 64 - n) & MASK


def xxh64_round(acc, lane):
    return rotl(acc + lane * P2 & MASK, 31) * P1 & MASK


def xxh64_avalanche(x):
    x = (x ^ x >> 33) * P2 & MASK
    x = (x ^ x >> 29) * P3 & MASK
    return x ^ x >> 32


def xxh64(data, seed=0):
    at = len(data) // 32 * 32
    if at:
        a, b, c, d = (seed + P1 + P2) & MASK, (seed + P2) & MASK, seed, (seed - P1) & MASK
        for w, x, y, z in struct.iter_unpack("<4Q", data[:at]):
            a, b, c, d = xxh64_round(a, w), xxh64_round(b, x), xxh64_round(c, y), xxh64_round(d, z)
        acc = rotl(a, 1) + rotl(b, 7) + rotl(c, 12) + rotl(d, 18) & MASK
        for lane in (a, b, c, d):
            acc = ((acc ^ xxh64_round(0, lane)) * P1 + P4) & MASK
    else:
        acc = seed + P5
    acc = acc + len(data) & MASK
    while at + 8 <= len(data):
        acc = rotl(acc ^ xxh64_round(0, u64(data, at)), 27) * P1 + P4 & MASK
        at += 8
    if at + 4 <= len(data):
        acc = rotl(acc ^ u32(data, at) * P1 & MASK, 23) * P2 + P3 & MASK
        at += 4
    for byte in data[at:]:
        acc = rotl(acc ^ byte * P5 & MASK, 11) * P1 & MASK
    return xxh64_avalanche(acc)


XXH3_SECRET = bytes.fromhex("""
    b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221
    b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8
    a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb
    170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e""")


def swapped(x, size):
    return int.from_bytes(x.to_bytes(size, "little"), "big")


def xxh3_avalanche(x):
    x = (x ^ x >> 37) * 0x165667919E3779F9 & MASK
    return x ^ x >> 32


def folded(x, y):
    """The two halves of a 128-bit product, one XOR the other."""
    product = x * y
    return product & MASK ^ product >> 64


def xxh3(data, seed=0):
    n, s = len(data), XXH3_SECRET
    if n > 240:
        return xxh3_long(data, seed)
    if n > 16:
        return xxh3_medium(data, seed)
    if n > 8:
        low = (u64(s, 24) ^ u64(s, 32)) + seed & MASK ^ u64(data, 0)
        high = (u64(s, 40) ^ u64(s, 48)) - seed & MASK ^ u64(data, n - 8)
        return xxh3_avalanche(n + swapped(low, 8) + high + folded(low, high) & MASK)
    if n > 3:
        seed ^= swapped(seed & 0xFFFFFFFF, 4) << 32
        x = (u64(s, 8) ^ u64(s, 16)) - seed & MASK ^ (u32(data, n - 4) | u32(data, 0) << 32)
        x = (x ^ rotl(x, 49) ^ rotl(x, 24)) * 0x9FB21C651E98DF25 & MASK
        x = (x ^ (x >> 35) + n) * 0x9FB21C651E98DF25 & MASK
        return x ^ x >> 28
    if n > 0:
        x = data[-1] | n << 8 | data[0] << 16 | data[n // 2] << 24
        return xxh64_avalanche((u32(s, 0) ^ u32(s, 4)) + seed & MASK ^ x)
    return xxh64_avalanche(seed ^ u64(s, 56) ^ u64(s, 64))


def xxh3_medium(data, seed):
    n = len(data)

    def mix(at, secret_at):
        return folded(u64(data, at) ^ u64(XXH3_SECRET, secret_at) + seed & MASK,
                      u64(data, at + 8) ^ u64(XXH3_SECRET, secret_at + 8) - seed & MASK)

    acc = n * P1
    if n <= 128:
        for i in range((n + 31) // 32):
            acc += mix(16 * i, 32 * i) + mix(n - 16 * i - 16, 32 * i + 16)
    else:
        acc += sum(mix(16 * i, 16 * i) for i in range(8))
        acc = xxh3_avalanche(acc & MASK)
        acc += sum(mix(16 * i, 16 * (i - 8) + 3) for i in range(8, n // 16))
        acc += mix(n - 16, 119)
    return xxh3_avalanche(acc & MASK)


def xxh3_long(data, seed):
    words = struct.unpack("<24Q", XXH3_SECRET)
    secret = struct.pack("<24Q", *((w - seed if i % 2 else w + seed) & MASK for i, w in enumerate(words)))
    acc = [P32_3, P1, P2, P3, P4, P32_2, P5, P32_1]

    def accumulate(at, secret_at):
        stripe, key = struct.unpack_from("<8Q", data, at), struct.unpack_from("<8Q", secret, secret_at)
        for i in range(8):
            x = stripe[i] ^ key[i]
            acc[i ^ 1] = acc[i ^ 1] + stripe[i] & MASK
            acc[i] = acc[i] + (x & 0xFFFFFFFF) * (x >> 32) & MASK

    for stripe in range((len(data) - 1) // 64):
        accumulate(64 * stripe, 8 * (stripe % 16))
        if stripe % 16 == 15:  # a block of 1024 bytes is full, and more follows
            acc = [(a ^ a >> 47 ^ k) * P32_1 & MASK for a, k in zip(acc, struct.unpack_from("<8Q", secret, 128))]
    accumulate(len(data) - 64, 121)
    key = struct.unpack_from("<8Q", secret, 11)
    merged = sum(folded(acc[i] ^ key[i], acc[i + 1] ^ key[i + 1]) for i in range(0, 8, 2))
    return xxh3_avalanche(len(data) * P1 + merged & MASK)


def siphash(data, key, rounds, last_rounds):
    k0, k1 = struct.unpack("<2Q", key)
    a, b, c, d = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573

    def sipround(a, b, c, d):
        a, c = a + b & MASK, c + d & MASK
        b, d = rotl(b, 13) ^ a, rotl(d, 16) ^ c
        a, c = rotl(a, 32) + d & MASK, c + b & MASK
        return a, rotl(b, 17) ^ c, rotl(c, 32), rotl(d, 21) ^ a

    for word, in struct.iter_unpack("<Q", data + bytes(7 - len(data) % 8) + bytes([len(data) & 255])):
        d ^= word
        for _ in range(rounds):
            a, b, c, d = sipround(a, b, c, d)
        a ^= word
    c ^= 0xFF
    for _ in range(last_rounds):
        a, b, c, d = sipround(a, b, c, d)
    return a ^ b ^ c ^ d


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
    keys = [text.encode("utf-8", "surrogateescape") for text in args.key or ()]
    if args.keys_from is not None:
        with open(args.keys_from, "rb") as file:
            keys += filter(None, file.read().split(b"\n"))
    if args.hash is None and args.key is None and args.keys_from is None:
        for name, value in describe(f):
            out.write(f"{name:<18} {value}\n".encode())
        return 0
    questions = [(b"%016x" % h, h) for h in args.hash or ()]
    questions += [(key, hash_key(f, key, args.secret)) for key in keys]
    some = False
    for text, h in questions:
        maybe = may_contain(f, h)
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
