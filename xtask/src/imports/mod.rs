//! Imports among the files of a crate, each followed to the file that defines the name.
//!
//! A re-export (`pub use`, `pub(crate) use`) is a door: what goes through it is followed, and the door itself
//! imports nothing. A module is a door, too: `use crate::consent` imports nothing, `consent::propose()` does.
//! What is compiled for tests alone is left out.
//!
//! Not seen are methods, which need no import, and names that macros put together.

mod modules;
#[cfg(test)]
mod tests;
mod tokens;

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use proc_macro2::TokenStream;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprLit, Field, ImplItem, Item, ItemMacro, ItemMod, ItemUse};
use syn::{Lit, Macro, Meta, Token, TraitItem, UseTree, Variant, Visibility};

pub(crate) use self::modules::Import;
use self::modules::{Module, Modules};

/// Features that nothing but tests turns on.
const FEATURES_OF_TESTS: [&str; 2] = ["mocks", "testing"];
/// Files that a crate begins with: of a library, of a program.
pub(crate) const ROOTS: [&str; 2] = ["lib.rs", "main.rs"];

/// The sources of a library or a program, without tests.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// Paths from the folder `src`; the root of the crate is the first.
    pub(crate) files: Vec<String>,
    pub(crate) imports: Vec<Import>,
}

impl Sources {
    /// Reads the library and the program in a crate's folder `src`.
    pub(crate) fn read_all(src: &Path) -> anyhow::Result<Vec<Self>> {
        let roots: Vec<_> = ROOTS.into_iter().filter(|root| src.join(root).exists()).collect();
        if roots.is_empty() {
            bail!("{} has neither lib.rs nor main.rs", src.display());
        }
        roots.into_iter().map(|root| Self::read(src, root)).collect()
    }

    fn read(src: &Path, root: &str) -> anyhow::Result<Self> {
        let mut reader =
            Reader { src, files: Vec::new(), modules: Modules::default(), at: 0, bodies: Vec::new() };
        reader.read_file(root.to_owned(), None, "")?;
        Ok(Self { files: reader.files, imports: reader.modules.imports() })
    }
}

/// Reads the modules of a crate, file by file.
struct Reader<'src> {
    src: &'src Path,
    files: Vec<String>,
    modules: Modules,
    /// Index of the module that is being read.
    at: usize,
    /// Bodies of functions, which are read without being parsed; taken once they are read.
    bodies: Vec<TokenStream>,
}

impl Reader<'_> {
    /// Reads a file as a module whose own modules are in the folder `below`.
    fn read_file(&mut self, path: String, parent: Option<usize>, below: &str) -> anyhow::Result<usize> {
        let place = self.src.join(&path);
        let text = fs::read_to_string(&place).with_context(|| place.display().to_string())?;
        let tokens: TokenStream =
            text.parse().map_err(syn::Error::from).with_context(|| place.display().to_string())?;
        let parsed: syn::File = syn::parse2(tokens::without_bodies(tokens, &mut self.bodies))
            .with_context(|| place.display().to_string())?;
        self.files.push(path);
        self.read_module(self.files.len() - 1, parent, &parsed.items, below)
    }

    fn read_module(
        &mut self,
        file: usize,
        parent: Option<usize>,
        items: &[Item],
        below: &str,
    ) -> anyhow::Result<usize> {
        let this = self.modules.add(Module::new(file, parent));
        self.at = this;
        for item in items.iter().filter(|item| !are_for_tests(attributes(item))) {
            self.define(item);
            self.visit_item(item);
        }
        for item in items.iter().filter(|item| !are_for_tests(attributes(item))) {
            if let Item::Mod(item) = item {
                let name = item.ident.to_string();
                let child = self.read_child(this, file, item, &format!("{below}{name}"))?;
                self.at = this;
                self.module().children.insert(name, child);
            }
        }
        Ok(this)
    }

    /// Reads a module below another; `place` is its path without an ending.
    fn read_child(
        &mut self,
        parent: usize,
        file: usize,
        item: &ItemMod,
        place: &str,
    ) -> anyhow::Result<usize> {
        if item.attrs.iter().any(|it| it.path().is_ident("path")) {
            bail!("the module {place} has its file elsewhere (#[path]), which is not followed");
        }
        let below = format!("{place}/");
        if let Some((_, items)) = &item.content {
            return self.read_module(file, Some(parent), items, &below);
        }
        let mut paths = [format!("{place}.rs"), format!("{place}/mod.rs")].into_iter();
        let Some(path) = paths.find(|path| self.src.join(path).exists()) else {
            bail!("there is no file of the module {place}");
        };
        self.read_file(path, Some(parent), &below)
    }

    /// Notes the name that an item defines, or the names that a macro gets to define some.
    fn define(&mut self, item: &Item) {
        let name = match item {
            Item::Const(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            Item::Fn(item) => &item.sig.ident,
            Item::Static(item) => &item.ident,
            Item::Struct(item) => &item.ident,
            Item::Trait(item) => &item.ident,
            Item::TraitAlias(item) => &item.ident,
            Item::Type(item) => &item.ident,
            Item::Union(item) => &item.ident,
            Item::Macro(ItemMacro { ident: Some(name), .. }) => {
                self.module().macros.insert(name.to_string());
                name
            }
            Item::Macro(item) => {
                let names = tokens::names(&item.mac.tokens);
                self.module().items.extend(names);
                return;
            }
            _ => return,
        };
        self.module().items.insert(name.to_string());
    }

    fn module(&mut self) -> &mut Module {
        self.modules.at(self.at)
    }

    /// Notes the paths among tokens that are not parsed.
    fn note_all(&mut self, tokens: TokenStream, with_texts: bool) {
        let found = tokens::find(tokens, with_texts, &are_for_tests);
        found.uses.iter().for_each(|item| self.visit_item_use(item));
        for tokens::Path { names, line, is_call } in found.paths {
            if let ([name], true) = (&names[..], is_call) {
                self.module().call(name.clone(), line);
            }
            self.module().note(names, line);
        }
    }

    /// Notes what stands at the end of each branch of a `use`.
    fn note_use(&mut self, tree: &UseTree, mut path: Vec<String>, is_door: bool) {
        let (name, alias) = match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                return self.note_use(&tree.tree, path, is_door);
            }
            UseTree::Group(tree) => {
                return tree.items.iter().for_each(|tree| self.note_use(tree, path.clone(), is_door));
            }
            UseTree::Glob(glob) => {
                let line = glob.star_token.spans[0].start().line;
                if !is_door {
                    self.module().note(path.clone(), line);
                }
                return self.module().globs.push(path);
            }
            UseTree::Name(tree) => (&tree.ident, &tree.ident),
            UseTree::Rename(tree) => (&tree.ident, &tree.rename),
        };
        let line = name.span().start().line;
        if name != "self" {
            path.push(name.to_string());
        }
        let alias =
            if alias == "self" { path.last().cloned().unwrap_or_default() } else { alias.to_string() };
        let module = self.module();
        if is_door {
            module.doors.insert(alias.clone());
        } else {
            module.note(path.clone(), line);
        }
        module.names.insert(alias, path);
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !are_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    /// Its items are read as those of a module of their own.
    fn visit_item_mod(&mut self, _: &'ast ItemMod) {}

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if item.leading_colon.is_none() {
            self.note_use(&item.tree, Vec::new(), !matches!(item.vis, Visibility::Inherited));
        }
    }

    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        if item.ident.is_none() {
            return visit::visit_item_macro(self, item);
        }
        // Other paths belong to wherever the macro is called.
        for path in tokens::find(item.mac.tokens.clone(), false, &are_for_tests).paths {
            if path.names.first().is_some_and(|first| first == "crate") {
                self.module().note(path.names, path.line);
            }
        }
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        if call.path.is_ident(tokens::BODY) {
            let number = call.tokens.to_string().parse().ok();
            let body = number.and_then(|number: usize| self.bodies.get_mut(number));
            let body = body.map(std::mem::take).unwrap_or_default();
            return self.note_all(body, false);
        }
        if let Some(name) = call.path.get_ident() {
            self.module().call(name.to_string(), name.span().start().line);
        }
        self.visit_path(&call.path);
        self.note_all(call.tokens.clone(), false);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let line = path.segments.first().map_or(0, |first| first.ident.span().start().line);
            self.module().note(names, line);
        }
        visit::visit_path(self, path);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        match &attribute.meta {
            Meta::List(list) => self.note_all(list.tokens.clone(), true),
            Meta::NameValue(pair) if !pair.path.is_ident("doc") => self.visit_expr(&pair.value),
            Meta::NameValue(_) | Meta::Path(_) => {}
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes = match item {
            ImplItem::Const(item) => &item.attrs[..],
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            ImplItem::Macro(item) => &item.attrs,
            _ => &[],
        };
        if !are_for_tests(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        let attributes = match item {
            TraitItem::Const(item) => &item.attrs[..],
            TraitItem::Fn(item) => &item.attrs,
            TraitItem::Type(item) => &item.attrs,
            TraitItem::Macro(item) => &item.attrs,
            _ => &[],
        };
        if !are_for_tests(attributes) {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_field(&mut self, field: &'ast Field) {
        if !are_for_tests(&field.attrs) {
            visit::visit_field(self, field);
        }
    }

    fn visit_variant(&mut self, variant: &'ast Variant) {
        if !are_for_tests(&variant.attrs) {
            visit::visit_variant(self, variant);
        }
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns whether something with these attributes is compiled for tests alone.
fn are_for_tests(attributes: &[Attribute]) -> bool {
    let conditions = attributes.iter().filter(|it| it.path().is_ident("cfg"));
    conditions.filter_map(|it| it.parse_args::<Meta>().ok()).any(|it| holds(&it) == Some(false))
}

/// Returns whether a condition of `cfg` holds outside of tests; `None` if that depends on more.
fn holds(condition: &Meta) -> Option<bool> {
    match condition {
        Meta::Path(path) if path.is_ident("test") || path.is_ident("doctest") => Some(false),
        Meta::NameValue(pair) if pair.path.is_ident("feature") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(feature), .. })
                if FEATURES_OF_TESTS.contains(&feature.value().as_str()) =>
            {
                Some(false)
            }
            _ => None,
        },
        Meta::List(list) => {
            let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
            let mut parts = parts.iter().map(holds);
            if list.path.is_ident("not") {
                return parts.next()?.map(|holds| !holds);
            }
            // `any` is true if one part is, `all` is false if one part is not.
            let decisive = list.path.is_ident("any");
            let parts: Vec<_> = parts.collect();
            if parts.contains(&Some(decisive)) {
                return Some(decisive);
            }
            parts.iter().all(Option::is_some).then_some(!decisive)
        }
        Meta::Path(_) | Meta::NameValue(_) => None,
    }
}
