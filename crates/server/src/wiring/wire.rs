//! Making a use case of its parts.

/// Makes a struct: of clones, each of what is named or of the variable of the field's name, and of values
/// that go into it: `wire!(Invitations { store: access, vault, deps }, public_url, mailer = None)`.
macro_rules! wire {
    ($name:ident { $($field:ident $(: $part:expr)?),* $(,)? } $(, $own:ident $(= $value:expr)?)* $(,)?) => {
        $name { $($field: wire!(@$field $($part)?),)* $($own $(: $value)?),* }
    };
    (@$field:ident) => { $field.clone() };
    (@$field:ident $part:expr) => { $part.clone() };
}

pub(crate) use wire;
