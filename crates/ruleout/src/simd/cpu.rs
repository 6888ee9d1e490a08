//! What the CPU can do, asked once.

/// Proof that the CPU has AVX2, without which no kernel that needs it can be called.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// The proof, if the CPU can give it and the environment variable `RULEOUT_FORCE_SCALAR` is not set.
    #[inline(always)]
    pub(crate) fn detect() -> Option<Self> {
        detected().then_some(Self(()))
    }
}

/// Asking the CPU or the environment costs far more than a lookup: the answer is kept.
#[cfg(all(target_arch = "x86_64", feature = "std"))]
#[inline(always)]
fn detected() -> bool {
    use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
    const UNKNOWN: u8 = 0;
    const NO: u8 = 1;
    const YES: u8 = 2;
    static AVX2: AtomicU8 = AtomicU8::new(UNKNOWN);

    #[cold]
    fn ask() -> bool {
        let found = !scalar_is_forced() && std::is_x86_feature_detected!("avx2");
        AVX2.store(if found { YES } else { NO }, Relaxed);
        found
    }

    match AVX2.load(Relaxed) {
        YES => true,
        NO => false,
        _ => ask(),
    }
}

/// Whether the environment variable `RULEOUT_FORCE_SCALAR` is set to anything.
#[cfg(all(target_arch = "x86_64", feature = "std"))]
pub(super) fn scalar_is_forced() -> bool {
    std::env::var_os("RULEOUT_FORCE_SCALAR").is_some_and(|value| !value.is_empty())
}

/// Without `std` only what the build was told of its CPU is known.
#[cfg(all(target_arch = "x86_64", not(feature = "std")))]
#[inline(always)]
fn detected() -> bool {
    cfg!(target_feature = "avx2")
}
