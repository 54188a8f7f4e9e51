//! How texts are written, each beside its other language.

/// Makes a struct of words, and a value of it for each language.
macro_rules! words {
    ($(#[doc = $about:literal])+ $words:ident: $($key:ident: $english:literal, $arabic:literal;)*) => {
        $(#[doc = $about])+
        #[derive(Debug)]
        pub struct $words {
            $(pub $key: &'static str,)*
        }

        impl $words {
            pub(super) const ENGLISH: Self = Self { $($key: $english,)* };
            pub(super) const ARABIC: Self = Self { $($key: $arabic,)* };
        }
    };
}

pub(super) use words;
