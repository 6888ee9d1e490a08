#!/bin/sh
# Everything that must hold before a change lands: format, lints, docs, tests. Run from anywhere; needs a Rust toolchain.
set -eu
cd "$(dirname "$0")/.."

# A fresh Debian machine may lack these two: one links, the other runs the independent reader of the file format.
missing=
command -v cc >/dev/null || missing="$missing build-essential"
command -v python3 >/dev/null || missing="$missing python3"
if [ -n "$missing" ]; then
    sudo=
    [ "$(id -u)" -eq 0 ] || sudo=sudo
    $sudo apt-get update
    # shellcheck disable=SC2086 # a list of packages
    $sudo apt-get install -y --no-install-recommends $missing
fi

step() {
    printf '\n== %s\n' "$*"
    "$@"
}

step cargo fmt --all --check
step cargo clippy --workspace --all-targets --locked -- -D warnings
step cargo clippy --release --locked --manifest-path bench/Cargo.toml -- -D warnings
step env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
step cargo build -p ruleout --no-default-features --locked
step cargo test --workspace --locked
# The portable twin of every kernel, under the suites that use kernels.
step env RULEOUT_FORCE_SCALAR=1 cargo test -p ruleout --tests --locked
step python3 docs/check_golden.py
step cargo run --locked -q -p ruleout-cli -- demo
# The benchmarks work and count right; their figures mean nothing here.
step cargo run --release --locked -q --manifest-path bench/Cargo.toml -- --smoke
