//! Paths among tokens that are not parsed: what macros and attributes get, and bodies of functions, whose
//! parsing would take most of the time.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use syn::{Attribute, ItemUse, parse::Parser};

/// Macro that stands for the body of a function, with the body's number.
pub(super) const BODY: &str = "__body";

/// What is found among tokens.
#[derive(Default)]
pub(super) struct Found {
    /// Paths, single names included.
    pub(super) paths: Vec<Path>,
    pub(super) uses: Vec<ItemUse>,
}

/// A path and the line that it begins on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) names: Vec<String>,
    pub(super) line: usize,
    /// Whether it names a macro that is called.
    pub(super) is_call: bool,
}

/// Finds paths and imports among tokens; `with_texts`: also paths in string literals, which is how serde's
/// attributes have them. What `is_left_out` by its attribute is passed over.
pub(super) fn find(
    tokens: TokenStream,
    with_texts: bool,
    is_left_out: &dyn Fn(&[Attribute]) -> bool,
) -> Found {
    let mut scan = Scan::new(with_texts, is_left_out);
    scan.read(tokens);
    scan.found
}

/// Takes the bodies of functions out, but not of what macros get, and puts calls of [`BODY`] in their places.
pub(super) fn without_bodies(tokens: TokenStream, bodies: &mut Vec<TokenStream>) -> TokenStream {
    let (mut has_fn, mut is_of_macro) = (false, false);
    let tokens = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) if std::mem::take(&mut is_of_macro) => group.into(),
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            let inner = inner(group);
            let inner = if std::mem::take(&mut has_fn) {
                bodies.push(inner);
                call_of_body(bodies.len() - 1)
            } else {
                without_bodies(inner, bodies)
            };
            Group::new(Delimiter::Brace, inner).into()
        }
        token => {
            match &token {
                TokenTree::Ident(name) => has_fn |= name == "fn",
                TokenTree::Punct(mark) => {
                    has_fn &= mark.as_char() != ';';
                    // `name! { … }`, `macro_rules! name { … }`.
                    is_of_macro = mark.as_char() == '!';
                }
                TokenTree::Group(_) | TokenTree::Literal(_) => {}
            }
            token
        }
    });
    tokens.collect()
}

fn call_of_body(number: usize) -> TokenStream {
    let number = TokenTree::from(Literal::usize_unsuffixed(number));
    let call: [TokenTree; 3] = [
        Ident::new(BODY, Span::call_site()).into(),
        Punct::new('!', Spacing::Alone).into(),
        Group::new(Delimiter::Brace, number.into()).into(),
    ];
    call.into_iter().collect()
}

/// Takes the tokens out of a group, which has to be gone before they can be read without a copy.
fn inner(group: Group) -> TokenStream {
    let inner = group.stream();
    drop(group);
    inner
}

/// Lists all names among tokens.
pub(super) fn names(tokens: &TokenStream) -> Vec<String> {
    let mut names = Vec::new();
    for token in tokens.clone() {
        match token {
            TokenTree::Ident(name) => names.push(name.to_string()),
            TokenTree::Group(group) => names.extend(self::names(&group.stream())),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    names
}

struct Scan<'rule> {
    with_texts: bool,
    is_left_out: &'rule dyn Fn(&[Attribute]) -> bool,
    found: Found,
    /// The path that is being read.
    names: Vec<String>,
    line: usize,
    before: Before,
    /// Whether what is being read begins with something that has no name here: `<T as Trait>::NAME`,
    /// `::std::mem`, `$name::of`, `.method`, `'lifetime`.
    is_foreign: bool,
}

/// What stands before a token.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Before {
    #[default]
    Other,
    Name,
    /// The first of two colons.
    Colon,
    Colons,
    /// A mark that takes the next name away: `$`, `.`, `'`.
    Mark(char),
}

impl<'rule> Scan<'rule> {
    fn new(with_texts: bool, is_left_out: &'rule dyn Fn(&[Attribute]) -> bool) -> Self {
        Self {
            with_texts,
            is_left_out,
            found: Found::default(),
            names: Vec::new(),
            line: 0,
            before: Before::Other,
            is_foreign: false,
        }
    }

    fn read(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            self.before = match token {
                // `impl Trait + use<'a>` imports nothing.
                TokenTree::Ident(name)
                    if name == "use"
                        && self.before == Before::Other
                        && !tokens.peek().is_some_and(|next| is(next, '<')) =>
                {
                    let rest = tokens.by_ref().take_while(|token| !is(token, ';'));
                    let item = [TokenTree::from(name)].into_iter().chain(rest);
                    let item = item.chain([Punct::new(';', Spacing::Alone).into()]).collect();
                    self.found.uses.extend(syn::parse2(item));
                    Before::Other
                }
                TokenTree::Punct(mark) if mark.as_char() == '#' => {
                    self.end();
                    if let Some(TokenTree::Group(group)) = tokens.peek() {
                        let attribute = [TokenTree::from(mark), group.clone().into()].into_iter().collect();
                        let attributes = Attribute::parse_outer.parse2(attribute).unwrap_or_default();
                        if (self.is_left_out)(&attributes) {
                            tokens.next();
                            while tokens.next().is_some_and(|token| !is_end(&token)) {}
                        }
                    }
                    Before::Other
                }
                TokenTree::Ident(name) => {
                    self.read_name(name.to_string(), name.span().start().line);
                    Before::Name
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => match (self.before, mark.spacing()) {
                    (Before::Colon, _) => Before::Colons,
                    (_, Spacing::Joint) => Before::Colon,
                    (_, Spacing::Alone) => {
                        // A field, or a variable with its type.
                        if self.names.len() == 1 {
                            self.names.clear();
                        }
                        self.end()
                    }
                },
                TokenTree::Punct(mark) => {
                    self.end_with(mark.as_char() == '!' && !tokens.peek().is_some_and(|next| is(next, '=')));
                    match mark.as_char() {
                        // A range, or the rest of a struct.
                        '.' if self.before == Before::Mark('.') => Before::Other,
                        mark @ ('$' | '.' | '\'') => Before::Mark(mark),
                        _ => Before::Other,
                    }
                }
                TokenTree::Literal(literal) => {
                    self.end();
                    if self.with_texts {
                        self.read_text(&literal.to_string(), literal.span().start().line);
                    }
                    Before::Other
                }
                TokenTree::Group(group) => {
                    self.end();
                    self.before = Before::Other;
                    self.read(inner(group));
                    self.end()
                }
            };
        }
        self.end();
    }

    fn read_name(&mut self, name: String, line: usize) {
        if self.before == Before::Colons {
            self.is_foreign |= self.names.is_empty();
        } else {
            self.end();
            self.line = line;
            self.is_foreign = matches!(self.before, Before::Mark(_)) && name != "crate";
        }
        if !self.is_foreign {
            self.names.push(name);
        }
    }

    /// Reads a literal that is a path of several names.
    fn read_text(&mut self, literal: &str, line: usize) {
        let text = literal.trim_matches('"');
        let names: Vec<_> = text.split("::").map(str::to_owned).collect();
        let is_name = |name: &String| {
            !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
        };
        if names.len() > 1 && names.iter().all(is_name) {
            self.found.paths.push(Path { names, line, is_call: false });
        }
    }

    fn end(&mut self) -> Before {
        self.end_with(false)
    }

    fn end_with(&mut self, is_call: bool) -> Before {
        let names = std::mem::take(&mut self.names);
        if !names.is_empty() {
            self.found.paths.push(Path { names, line: self.line, is_call });
        }
        self.is_foreign = false;
        Before::Other
    }
}

fn is(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(it) if it.as_char() == mark)
}

/// Returns whether a token ends a statement, a field or an arm.
fn is_end(token: &TokenTree) -> bool {
    let is_block = matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    is_block || is(token, ';') || is(token, ',')
}

#[cfg(test)]
mod tests {
    use super::{find, without_bodies};

    #[test]
    fn paths_are_found_among_any_tokens() {
        for (tokens, found) in [
            ("crate::a::B", "crate::a::B"),
            ("x = a::b(c::D, &super::e)", "x a::b c::D super::e"),
            ("$crate::a::of($name::of, $name)", "crate::a::of"),
            ("<T as a::B>::C + ::std::mem::take", "T as a::B"),
            ("value.method::<a::B>().field", "value a::B"),
            ("name: a::B, other: ::std::C, &'life d::E", "a::B d::E"),
            ("{ [a::b!(c)] } ::d", "a::b c"),
            ("S { a: b::C, ..d::e() }", "S b::C d::e"),
            ("1..=a::B", "a::B"),
            ("a::B::<c::D>::new", "a::B c::D"),
            ("with = \"a::b\", rename = \"c d::e\", other = \"f\"", "with a::b rename other"),
        ] {
            let read = find(tokens.parse().unwrap(), true, &|_| false);
            let read: Vec<_> = read.paths.iter().map(|path| path.names.join("::")).collect();
            assert_eq!(read.join(" "), found, "{tokens}");
        }
    }

    #[test]
    fn bodies_of_functions_stand_in_a_macro_and_nothing_else_does() {
        for (tokens, without) in [
            ("fn f ( ) { a }", "fn f ( ) { __body ! { 0 } }"),
            (
                "fn f ( ) { } mod m { pub fn f ( ) -> T where T : U { a } }",
                "fn f ( ) { __body ! { 0 } } mod m { pub fn f ( ) -> T where T : U { __body ! { 1 } } }",
            ),
            ("struct S { f : fn ( ) } struct T { a : u8 }", "struct S { f : fn ( ) } struct T { a : u8 }"),
            ("type F = fn ( ) ; enum E { A }", "type F = fn ( ) ; enum E { A }"),
            ("m ! { fn f ( ) { a } } fn g ( ) { }", "m ! { fn f ( ) { a } } fn g ( ) { __body ! { 0 } }"),
            (
                "macro_rules ! m { ( ) => { fn f ( ) { a } } }",
                "macro_rules ! m { ( ) => { fn f ( ) { a } } }",
            ),
            (
                "trait T { fn f ( ) ; const C : u8 = { 1 } ; }",
                "trait T { fn f ( ) ; const C : u8 = { 1 } ; }",
            ),
        ] {
            let read: proc_macro2::TokenStream = tokens.parse().unwrap();
            let wanted: proc_macro2::TokenStream = without.parse().unwrap();
            assert_eq!(without_bodies(read, &mut Vec::new()).to_string(), wanted.to_string());
        }
    }
}
