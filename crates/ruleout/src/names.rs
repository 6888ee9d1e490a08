//! Enumerations whose variants have a lower-case name for people.

/// Defines an enumeration with a name for every variant, each stated once.
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $type:ident: $kind:literal {
            $( $(#[$doc:meta])* $variant:ident = $name:literal, )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $type { $( $(#[$doc])* $variant, )+ }

        impl $type {
            /// Every one this version knows.
            pub const ALL: &'static [Self] = &[$( Self::$variant, )+];

            /// The name, as printed and parsed.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )+ }
            }
        }

        impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }

        impl core::str::FromStr for $type {
            type Err = $crate::error::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                match name {
                    $( $name => Ok(Self::$variant), )+
                    _ => Err($crate::error::UnknownName { kind: $kind, known: &[$( $name, )+] }),
                }
            }
        }
    };
}
pub(crate) use named;
