//! What the modules of a crate define and take, and which file a name of theirs comes from.

use std::collections::{BTreeMap, HashMap, HashSet};

/// A name that one file takes from another. Each name is listed once for each pair of files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Import {
    /// Index of the file that imports.
    pub(crate) from: usize,
    /// Index of the file that defines the name.
    pub(crate) to: usize,
    pub(crate) name: String,
    /// First line of the importing file that has the name.
    pub(crate) line: usize,
}

/// A module: what it defines, and what it takes from elsewhere.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// Index of the file that it stands in.
    file: usize,
    parent: Option<usize>,
    pub(super) children: HashMap<String, usize>,
    pub(super) items: HashSet<String>,
    /// Those of the items that are macros: modules below can call them without an import.
    pub(super) macros: HashSet<String>,
    /// Path behind each name that is imported or re-exported.
    pub(super) names: HashMap<String, Vec<String>>,
    /// Those of the names that are re-exported.
    pub(super) doors: HashSet<String>,
    /// Paths whose names are all imported or re-exported.
    pub(super) globs: Vec<Vec<String>>,
    /// Names of macros that are called, and the first line of each.
    calls: BTreeMap<String, usize>,
    /// Paths that stand in the module, and the first line of each.
    uses: BTreeMap<Vec<String>, usize>,
}

impl Module {
    pub(super) fn new(file: usize, parent: Option<usize>) -> Self {
        Self { file, parent, ..Self::default() }
    }

    pub(super) fn note(&mut self, path: Vec<String>, line: usize) {
        self.uses.entry(path).or_insert(line);
    }

    pub(super) fn call(&mut self, name: String, line: usize) {
        self.calls.entry(name).or_insert(line);
    }

    /// Returns whether a path may be new to the module: a single name comes from elsewhere only by a door.
    fn takes(&self, path: &[String]) -> bool {
        match path {
            [name] => self.doors.contains(name) || !self.globs.is_empty(),
            _ => true,
        }
    }
}

/// The modules of a crate; the first is its root.
#[derive(Debug, Default)]
pub(super) struct Modules(BTreeMap<usize, Module>);

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Found {
    Module(usize),
    /// A name that a module defines.
    Name(usize, String),
    OtherCrate,
}

/// Names that were looked up on the way, each in a module, and whether more of the path followed: re-exports
/// may lead in a circle.
type Way = HashSet<(usize, String, bool)>;

impl Modules {
    pub(super) fn add(&mut self, module: Module) -> usize {
        let index = self.0.len();
        self.0.insert(index, module);
        index
    }

    pub(super) fn at(&mut self, index: usize) -> &mut Module {
        self.0.entry(index).or_default()
    }

    /// Lists what the files import from each other, each file's imports by their lines.
    pub(super) fn imports(&self) -> Vec<Import> {
        let mut lines: BTreeMap<(usize, usize, String), usize> = BTreeMap::new();
        let mut add = |from, to, name, line| {
            if from != to {
                let first = lines.entry((from, to, name)).or_insert(line);
                *first = line.min(*first);
            }
        };
        for (&at, module) in &self.0 {
            for (path, &line) in module.uses.iter().filter(|(path, _)| module.takes(path)) {
                if let Some(Found::Name(to, name)) = self.follow(at, path, &mut Way::new()) {
                    add(module.file, self.file(to), name, line);
                }
            }
            for (name, &line) in &module.calls {
                if let Some(to) = self.above(at).find(|module| module.macros.contains(name)) {
                    add(module.file, to.file, name.clone(), line);
                }
            }
        }
        let imports = lines.into_iter().map(|((from, to, name), line)| Import { from, to, name, line });
        let mut imports: Vec<_> = imports.collect();
        imports.sort_by_key(|import| (import.from, import.line));
        imports
    }

    fn file(&self, index: usize) -> usize {
        self.0.get(&index).map_or(0, |module| module.file)
    }

    /// Lists a module and those that it is in.
    fn above(&self, at: usize) -> impl Iterator<Item = &Module> {
        std::iter::successors(self.0.get(&at), |module| self.0.get(&module.parent?))
    }

    /// Follows a path that stands in a module.
    fn follow(&self, at: usize, path: &[String], way: &mut Way) -> Option<Found> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.enter(0, rest, way),
            "self" | "super" => self.enter(at, path, way),
            _ => self.look_up(at, path, way),
        }
    }

    /// Follows a path from the inside of a module. A name that is not found is one that a macro makes.
    fn enter(&self, at: usize, path: &[String], way: &mut Way) -> Option<Found> {
        let Some((first, rest)) = path.split_first() else { return Some(Found::Module(at)) };
        match first.as_str() {
            "self" => self.enter(at, rest, way),
            "super" => self.enter(self.0.get(&at)?.parent?, rest, way),
            _ => Some(self.look_up(at, path, way).unwrap_or_else(|| Found::Name(at, first.clone()))),
        }
    }

    /// Follows a path that begins with a name of a module; `None` if the module has no such name.
    fn look_up(&self, at: usize, path: &[String], way: &mut Way) -> Option<Found> {
        let (first, rest) = path.split_first()?;
        let module = self.0.get(&at)?;
        if !way.insert((at, first.clone(), rest.is_empty())) {
            return None;
        }
        let child = |way: &mut Way| self.enter(*module.children.get(first)?, rest, way);
        // A module may have the name of what it is there for.
        if !rest.is_empty()
            && let Some(found) = child(way)
        {
            return Some(found);
        }
        if let Some(target) = module.names.get(first) {
            let path: Vec<_> = target.iter().chain(rest).cloned().collect();
            return Some(self.follow(at, &path, way).unwrap_or(Found::OtherCrate));
        }
        if module.items.contains(first) {
            return Some(Found::Name(at, first.clone()));
        }
        child(way).or_else(|| {
            module.globs.iter().find_map(|glob| match self.follow(at, glob, &mut way.clone())? {
                Found::Module(target) => self.look_up(target, path, way),
                Found::Name(..) | Found::OtherCrate => None,
            })
        })
    }
}
