"""The hash functions that §1, §3 and §4 of format.md name. All are public; these follow their specifications."""

import struct

MASK = (1 << 64) - 1
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
