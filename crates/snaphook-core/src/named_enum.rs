//! Enums whose variants have names in settings, messages and documents. Not here: lifecycle events (`event`).

/// Makes such an enum: each name stands beside its variant, once. A second name is read, too, and not written.
///
/// ```
/// snaphook_core::named_enum! {
///     /// The size of a shirt.
///     #[derive(Debug, Clone, Copy, PartialEq, Eq)]
///     pub enum Size {
///         /// Small.
///         Small = "small" | "s",
///         /// Large.
///         Large = "large",
///     }
/// }
/// assert_eq!(Size::from_name("s"), Some(Size::Small));
/// assert_eq!(Size::ALL.map(Size::as_str), ["small", "large"]);
/// ```
#[macro_export]
macro_rules! named_enum {
    ($(#[$of_enum:meta])* pub enum $Enum:ident {
        $($(#[$of_variant:meta])* $Variant:ident = $name:literal $(| $other:literal)?,)*
    }) => {
        $(#[$of_enum])*
        pub enum $Enum { $($(#[$of_variant])* $Variant,)* }

        impl $Enum {
            /// All of them, in order.
            pub const ALL: [$Enum; [$($name,)*].len()] = [$($Enum::$Variant,)*];

            /// The names of all, in order.
            pub const NAMES: &'static [&'static str] = &[$($name,)*];

            /// The name in settings, messages and documents.
            pub const fn as_str(self) -> &'static str {
                match self { $($Enum::$Variant => $name,)* }
            }

            /// The one of this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name $(| $other)? => Some($Enum::$Variant),)*
                    _ => None,
                }
            }
        }

        impl ::std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
