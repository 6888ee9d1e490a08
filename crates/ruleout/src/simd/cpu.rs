//! What the CPU can do, asked once.
//!
//! A token proves that instructions are there: a kernel that needs them takes one, and so cannot be called without.

#[cfg(all(target_arch = "x86_64", feature = "std"))]
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Which vector instructions kernels may use: found when a filter's shape is made and kept in it, so that a loop of
/// lookups need not ask in every turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Vectors {
    #[cfg(target_arch = "x86_64")]
    pub(super) avx2: Option<Avx2>,
}

impl Vectors {
    #[inline]
    pub(crate) fn detect() -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            avx2: Avx2::detect(),
        }
    }
}

impl core::fmt::Debug for Vectors {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        #[cfg(target_arch = "x86_64")]
        if self.avx2.is_some() {
            return f.write_str("AVX2");
        }
        f.write_str("none")
    }
}

/// Runs `$kernel` with the token `$cpu` where `$vectors` has AVX2, `$portable` elsewhere.
macro_rules! with_avx2 {
    ($vectors:expr, |$cpu:ident| $kernel:expr, $portable:expr $(,)?) => {{
        #[cfg(target_arch = "x86_64")]
        return match $vectors.avx2 {
            Some($cpu) => $kernel,
            None => $crate::simd::cpu::apart(move || $portable),
        };
        #[cfg(not(target_arch = "x86_64"))]
        {
            let $crate::simd::Vectors {} = $vectors;
            $portable
        }
    }};
}
pub(super) use with_avx2;

/// Runs `portable` in a function of its own: inlined, it would take registers from the kernel beside it.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub(super) fn apart<T>(portable: impl FnOnce() -> T) -> T {
    portable()
}

/// Whether the CPU has something: asking it, and the environment, costs far more than a lookup, so that the answer is
/// kept.
#[cfg(all(target_arch = "x86_64", feature = "std"))]
struct Answer(AtomicU8);

#[cfg(all(target_arch = "x86_64", feature = "std"))]
impl Answer {
    const UNKNOWN: u8 = 0;
    const NO: u8 = 1;
    const YES: u8 = 2;

    const fn new() -> Self {
        Self(AtomicU8::new(Self::UNKNOWN))
    }

    /// What `ask` says, and no, whatever it says, when the environment variable `RULEOUT_FORCE_SCALAR` is set.
    #[inline(always)]
    fn get(&self, ask: fn() -> bool) -> bool {
        // One comparison in memory, one branch.
        self.0.load(Relaxed) == Self::YES || self.find(ask)
    }

    #[cold]
    #[inline(never)]
    fn find(&self, ask: fn() -> bool) -> bool {
        if self.0.load(Relaxed) == Self::NO {
            return false;
        }
        // Threads that ask at once find the same.
        let forced = std::env::var_os("RULEOUT_FORCE_SCALAR").is_some_and(|value| !value.is_empty());
        let answer = !forced && ask();
        self.0.store(if answer { Self::YES } else { Self::NO }, Relaxed);
        answer
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! token {
    ($(#[$doc:meta])* $name:ident: $($feature:tt),+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $name(());

        impl $name {
            /// The proof, if there is one. Without `std` only what the build was told of its CPU is known.
            #[inline(always)]
            pub(crate) fn detect() -> Option<Self> {
                #[cfg(feature = "std")]
                let there = {
                    static ANSWER: Answer = Answer::new();
                    ANSWER.get(|| $( std::is_x86_feature_detected!($feature) )&&+)
                };
                #[cfg(not(feature = "std"))]
                let there = cfg!(all($( target_feature = $feature ),+));
                there.then_some(Self(()))
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
token! {
    /// Proof that the CPU has AVX2.
    Avx2: "avx2"
}

#[cfg(target_arch = "x86_64")]
token! {
    /// Proof that the CPU has BMI1, BMI2, LZCNT and POPCNT.
    Bmi2: "bmi1", "bmi2", "lzcnt", "popcnt"
}
