//! One SELECT, INSERT, UPDATE or DELETE: the tables that it reads and how they are filtered.

use std::collections::BTreeSet;

use super::tokens::Token;

/// Facts of one query, without those of its subqueries.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a thing that is said or is not")]
pub(super) struct Scope {
    /// Tables with their aliases.
    pub(super) tables: Vec<(String, String)>,
    pub(super) changed: Option<String>,
    /// The query whose rows are inserted.
    pub(super) source: Option<Vec<Token>>,
    /// Whether an insertion has RETURNING or ON CONFLICT.
    pub(super) answers: bool,
    /// Tables filtered by `workspace_id = $n`.
    pub(super) narrowed: BTreeSet<String>,
    /// Whether `workspace_id = $n` names no table in particular.
    pub(super) all_narrowed: bool,
    /// Pairs of tables joined by their workspace.
    pub(super) joined: Vec<(String, String)>,
    pub(super) selects_nothing: bool,
    /// Whether it has FOR UPDATE OF or the like.
    pub(super) locks_one: bool,
    /// Whether it reads from a function.
    pub(super) has_function: bool,
}

/// Splits a query at UNION and the like.
pub(super) fn arms(tokens: &[Token]) -> Vec<&[Token]> {
    let joins = |token: &Token| ["union", "intersect", "except"].iter().any(|word| token.is(word));
    let parts = tokens.split(joins).map(|part| match part {
        [all, rest @ ..] if all.is("all") => rest,
        _ => part,
    });
    parts.filter(|part| !part.is_empty()).collect()
}

/// Lists the queries directly within a part, and whether they are lateral.
pub(super) fn subqueries(tokens: &[Token]) -> Vec<(&[Token], bool)> {
    let mut found = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let Token::Group(within) = token else { continue };
        if within.first().is_some_and(Token::begins_query) || arms(within).len() > 1 {
            let before = index.checked_sub(1).and_then(|before| tokens.get(before));
            found.push((within.as_slice(), before.is_some_and(|before| before.is("lateral"))));
        } else {
            found.extend(subqueries(within));
        }
    }
    found
}

/// Words that end a list of tables.
const ENDS: [&str; 13] = [
    "where",
    "group",
    "having",
    "window",
    "order",
    "limit",
    "offset",
    "fetch",
    "for",
    "returning",
    "set",
    "values",
    "select",
];

/// Words after a table that are not its alias.
const NO_ALIAS: [&str; 12] = [
    "on",
    "using",
    "join",
    "inner",
    "left",
    "right",
    "full",
    "cross",
    "natural",
    "lateral",
    "tablesample",
    "default",
];

impl Scope {
    /// Parses a part; `known` are the names of the queries before it.
    pub(super) fn of(part: &[Token], known: &BTreeSet<String>) -> Self {
        let mut scope = Self::default();
        match part {
            [verb, into, rest @ ..] if verb.is("insert") && into.is("into") => scope.insertion(rest),
            [verb, rest @ ..] if verb.is("update") => {
                scope.changed = rest.first().and_then(Token::name).map(str::to_owned);
                scope.items(rest);
                scope.from(rest, "from");
            }
            [verb, from, rest @ ..] if verb.is("delete") && from.is("from") => {
                scope.changed = rest.first().and_then(Token::name).map(str::to_owned);
                scope.items(rest);
                scope.from(rest, "using");
            }
            [verb, rest @ ..] if verb.is("select") => {
                scope.selects_nothing = rest
                    .first()
                    .is_none_or(|first| ["from", "where", "limit", "for"].iter().any(|word| first.is(word)));
                scope.from(rest, "from");
            }
            _ => {}
        }
        scope.tables.retain(|(_, name)| !known.contains(name));
        if scope.source.is_none() {
            scope.conditions(&flat(part));
        }
        scope.locks_one = part.windows(3).any(|words| {
            matches!(words, [lock, how, of] if lock.is("for") && (how.is("update") || how.is("share")) && of.is("of"))
        });
        scope
    }

    fn insertion(&mut self, rest: &[Token]) {
        self.changed = rest.first().and_then(Token::name).map(str::to_owned);
        let answers = |token: &Token| token.is("returning") || token.is("conflict");
        self.answers = rest.iter().any(answers);
        let inline = rest.iter().position(|token| token.is("select") || token.is("with"));
        let grouped = rest.iter().skip(1).find_map(|token| match token {
            Token::Group(within) if within.first().is_some_and(Token::begins_query) => Some(within),
            _ => None,
        });
        let is_values = rest.iter().take_while(|token| !answers(token)).any(|token| token.is("values"));
        if is_values {
            return;
        }
        self.source = inline.and_then(|at| rest.get(at..)).map_or(grouped.cloned(), |source| {
            let end = source.windows(2).position(|words| {
                matches!(words, [first, second] if first.is("returning") || first.is("on") && second.is("conflict"))
            });
            source.get(..end.unwrap_or(source.len())).map(<[Token]>::to_vec)
        });
    }

    fn from(&mut self, tokens: &[Token], word: &str) {
        // `IS DISTINCT FROM` and the like stand after the tables, `extract(… FROM …)` in a group.
        let at = tokens.iter().enumerate().position(|(index, token)| {
            let before = index.checked_sub(1).and_then(|before| tokens.get(before));
            token.is(word) && !before.is_some_and(|before| before.is("distinct") && index > 1)
        });
        if let Some(list) = at.and_then(|at| tokens.get(at + 1..)) {
            self.items(list);
        }
    }

    /// Parses a list of tables, up to its end.
    fn items(&mut self, tokens: &[Token]) {
        let mut expects = true;
        let mut index = 0;
        while let Some(token) = tokens.get(index) {
            index += 1;
            if ENDS.iter().any(|end| token.is(end)) {
                return;
            }
            if token.is_sign(",") || token.is("join") {
                expects = true;
                continue;
            }
            if !expects || token.is("lateral") || token.is("only") {
                continue;
            }
            expects = false;
            let mut next = tokens.get(index);
            match token {
                Token::Group(within) if !within.first().is_some_and(Token::begins_query) => {
                    self.items(within);
                }
                Token::Group(_) | Token::Parameter(_) | Token::Other(_) => {}
                Token::Word(name) | Token::Quoted(name) => {
                    if matches!(next, Some(Token::Group(_))) {
                        self.has_function = true;
                        continue;
                    }
                    if next.is_some_and(|next| next.is("as")) {
                        next = tokens.get(index + 1);
                    }
                    let alias = next.and_then(Token::name).filter(|alias| {
                        !NO_ALIAS.contains(alias) && !ENDS.contains(alias) && *alias != "from"
                    });
                    self.tables.push((alias.unwrap_or(name).to_owned(), name.clone()));
                }
            }
        }
    }

    fn conditions(&mut self, tokens: &[&Token]) {
        for (index, token) in tokens.iter().enumerate() {
            if token.is("using")
                && let Some(Token::Group(columns)) = tokens.get(index + 1)
                && columns.iter().any(|column| column.name() == Some("workspace_id"))
            {
                let aliases: Vec<String> = self.tables.iter().map(|(alias, _)| alias.clone()).collect();
                self.joined.extend(aliases.windows(2).filter_map(|pair| match pair {
                    [left, right] => Some((left.clone(), right.clone())),
                    _ => None,
                }));
            }
            if !token.is_sign("=") {
                continue;
            }
            let before = column(tokens.get(..index).unwrap_or_default(), true);
            let after = column(tokens.get(index + 1..).unwrap_or_default(), false);
            match (before, after) {
                (Side::Workspace(owner), Side::Parameter) | (Side::Parameter, Side::Workspace(owner)) => {
                    match owner {
                        Some(owner) => drop(self.narrowed.insert(owner)),
                        None => self.all_narrowed = true,
                    }
                }
                (Side::Workspace(Some(left)), Side::Workspace(Some(right))) => {
                    self.joined.push((left, right));
                }
                _ => {}
            }
        }
    }
}

enum Side {
    /// A column `workspace_id`, with the table that it is qualified by.
    Workspace(Option<String>),
    Parameter,
    Neither,
}

/// Parses the column that these tokens end or begin with.
fn column(tokens: &[&Token], ends: bool) -> Side {
    let at = |index: usize| if ends { tokens.iter().rev().nth(index) } else { tokens.get(index) };
    let text = |name: Option<&&Token>| name.and_then(|name| name.name()).map(str::to_owned);
    match (at(0), at(1), at(2)) {
        (Some(Token::Parameter(_)), ..) => Side::Parameter,
        (Some(name), dot, owner) if ends && name.name() == Some("workspace_id") => {
            let is_owned = dot.is_some_and(|dot| dot.is_sign("."));
            Side::Workspace(if is_owned { text(owner) } else { None })
        }
        (Some(name), dot, _) if !ends && name.name() == Some("workspace_id") => {
            if dot.is_some_and(|dot| dot.is_sign(".")) { Side::Neither } else { Side::Workspace(None) }
        }
        (Some(owner), Some(dot), Some(name))
            if !ends && dot.is_sign(".") && name.name() == Some("workspace_id") =>
        {
            Side::Workspace(text(Some(owner)))
        }
        _ => Side::Neither,
    }
}

/// Flattens the tokens of a part and its groups, without those of queries in it.
fn flat(tokens: &[Token]) -> Vec<&Token> {
    let mut all = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            Token::Group(within) if within.first().is_some_and(Token::begins_query) => {}
            Token::Group(within) => {
                if index.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(|it| it.is("using"))
                {
                    all.push(token);
                }
                all.extend(flat(within));
            }
            _ => all.push(token),
        }
    }
    all
}
