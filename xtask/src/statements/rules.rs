//! Rules that let a statement run on the one node of its workspace.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
};

use super::{
    scope::{Scope, arms, subqueries},
    tables::{Tables, is_look_up},
    tokens::{Token, read},
};

/// Reason why a statement does not run on the one node of its workspace, or not at all there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// A table of workspaces is not filtered by `workspace_id = $n`.
    Unfiltered(String),
    /// Several tables are changed, or an insertion is beside something else.
    Chain(BTreeSet<String>),
    /// A look-up table is joined with a table of workspaces.
    MixesLookUp(String),
    /// The inserted values do not come from a row of the workspace.
    InsertSource(String),
    /// An insertion from a query loses the code of its error.
    NoReturning(String),
    Ctid,
    SeveralCommands,
    SelectsNothing,
    NotDistinctFrom,
    LateralLimit,
    CaseOperand,
    LockBesideQuery,
    NotImmutable,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfiltered(table) => write!(out, "`{table}` is not narrowed by `workspace_id = $n`"),
            Self::Chain(tables) => {
                let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
                write!(out, "one statement changes {}: make it several", tables.join(", "))
            }
            Self::MixesLookUp(table) => {
                write!(out, "the look-up table `{table}` stands beside a workspace's")
            }
            Self::InsertSource(table) => {
                write!(out, "what is inserted into `{table}` takes its workspace from no row of `workspaces`")
            }
            Self::NoReturning(table) => {
                write!(
                    out,
                    "INSERT INTO {table} … SELECT needs RETURNING or ON CONFLICT: its error's code is lost"
                )
            }
            Self::Ctid => out.write_str("it finds rows by `ctid`"),
            Self::SeveralCommands => out.write_str("it is several commands"),
            Self::SelectsNothing => out.write_str("it selects no column"),
            Self::NotDistinctFrom => out.write_str("it compares its workspace by IS NOT DISTINCT FROM $n"),
            Self::LateralLimit => out.write_str("a lateral subquery beside a function has a LIMIT"),
            Self::CaseOperand => out.write_str("it has a CASE with an operand: say CASE WHEN x = …"),
            Self::LockBesideQuery => out.write_str("it locks rows of a table beside a WITH query"),
            Self::NotImmutable => out.write_str(
                "it changes rows by what depends on the session: a column cast to an array, `date_trunc` without AT TIME \
                 ZONE, or a function that writes values as text",
            ),
        }
    }
}

/// Lists the faults of a statement. Commands that neither read nor change rows have none.
pub(crate) fn faults(text: &str, tables: &Tables) -> BTreeSet<Fault> {
    let mut tokens = read(text);
    while tokens.last().is_some_and(|last| last.is_sign(";")) {
        tokens.pop();
    }
    let mut judge = Judge {
        tables,
        faults: BTreeSet::new(),
        changed: BTreeSet::new(),
        read: BTreeSet::new(),
        chained: false,
    };
    if tokens.iter().any(|token| token.is_sign(";")) {
        judge.faults.insert(Fault::SeveralCommands);
    } else if tokens.first().is_some_and(begins_statement) {
        judge.query(&tokens, &BTreeSet::new());
        judge.everywhere(&tokens);
        if judge.changed.iter().any(|table| tables.is_of_workspaces(table)) && !is_immutable(&tokens) {
            judge.faults.insert(Fault::NotImmutable);
        }
        judge.whole();
    }
    judge.faults
}

/// Returns whether a statement that reads or changes rows begins with this token.
pub(super) fn begins_statement(token: &Token) -> bool {
    token.begins_query() || matches!(token, Token::Group(_))
}

struct Judge<'a> {
    tables: &'a Tables,
    faults: BTreeSet<Fault>,
    changed: BTreeSet<String>,
    /// Tables that are read or changed.
    read: BTreeSet<String>,
    /// Whether a WITH query inserts, or one changes beside another change.
    chained: bool,
}

impl Judge<'_> {
    /// Judges a query with the WITH before it; `known` are names of queries around it.
    fn query(&mut self, tokens: &[Token], known: &BTreeSet<String>) {
        let mut known = known.clone();
        let mut rest = tokens;
        if let [first, after @ ..] = rest
            && first.is("with")
        {
            rest = after;
            while let Some((name, body, after)) = with_query(rest) {
                self.chained |= body.first().is_some_and(|first| first.is("insert"));
                self.query(body, &known);
                known.insert(name);
                rest = after;
            }
        }
        for arm in arms(rest) {
            match arm {
                [Token::Group(within)] => self.query(within, &known),
                _ => self.arm(arm, &known),
            }
        }
    }

    fn arm(&mut self, arm: &[Token], known: &BTreeSet<String>) {
        let scope = Scope::of(arm, known);
        if let Some(table) = &scope.changed {
            self.changed.insert(table.clone());
            self.read.insert(table.clone());
        }
        if let Some(source) = &scope.source {
            self.insertion(&scope, source, known);
        }
        if scope.selects_nothing {
            self.faults.insert(Fault::SelectsNothing);
        }
        if scope.locks_one && !known.is_empty() {
            self.faults.insert(Fault::LockBesideQuery);
        }
        self.narrowed(&scope);
        for (within, is_lateral) in subqueries(arm) {
            let is_limited = arms(within).iter().any(|arm| arm.iter().any(|token| token.is("limit")));
            if is_lateral && is_limited && scope.has_function {
                self.faults.insert(Fault::LateralLimit);
            }
            self.query(within, known);
        }
    }

    /// Judges an insertion of a query's rows.
    fn insertion(&mut self, scope: &Scope, source: &[Token], known: &BTreeSet<String>) {
        let Some(table) = scope.changed.as_ref().filter(|table| self.tables.is_of_workspaces(table)) else {
            return self.query(source, known);
        };
        if !scope.answers {
            self.faults.insert(Fault::NoReturning(table.clone()));
        }
        let first =
            source.iter().take_while(|token| !token.is_sign(",") && !token.is("from")).collect::<Vec<_>>();
        let from_row = first.last().and_then(|last| last.name()) == Some("workspace_id");
        let reads = Scope::of(source, known);
        let owner = match first.as_slice() {
            [.., alias, dot, _] if dot.is_sign(".") => alias.name(),
            _ => None,
        };
        let from_table = reads.tables.iter().any(|(alias, name)| {
            self.tables.is_of_workspaces(name) && owner.is_none_or(|owner| owner == alias.as_str())
        });
        if !(from_row && from_table) {
            self.faults.insert(Fault::InsertSource(table.clone()));
        }
        self.query(source, known);
    }

    /// Checks that every table of the scope is filtered by one workspace, by itself or by being joined to one
    /// that is.
    fn narrowed(&mut self, scope: &Scope) {
        let mut joined: HashMap<&str, usize> = HashMap::new();
        for (number, (alias, _)) in scope.tables.iter().enumerate() {
            joined.insert(alias, number);
        }
        // A changed table is never filtered by another one.
        for (left, right) in scope.joined.iter().filter(|_| scope.changed.is_none()) {
            if let (Some(&left), Some(&right)) = (joined.get(left.as_str()), joined.get(right.as_str())) {
                joined.values_mut().filter(|number| **number == right).for_each(|number| *number = left);
            }
        }
        let narrow: BTreeSet<usize> =
            scope.narrowed.iter().filter_map(|alias| joined.get(alias.as_str()).copied()).collect();
        for (alias, name) in &scope.tables {
            self.read.insert(name.clone());
            let is_narrow = scope.all_narrowed
                || joined.get(alias.as_str()).is_some_and(|number| narrow.contains(number));
            if self.tables.is_of_workspaces(name) && !is_narrow {
                self.faults.insert(Fault::Unfiltered(name.clone()));
            }
        }
    }

    /// Finds the faults that are wrong in any place.
    fn everywhere(&mut self, tokens: &[Token]) {
        for (index, token) in tokens.iter().enumerate() {
            let after = tokens.get(index + 1..).unwrap_or_default();
            if token.name() == Some("ctid") {
                self.faults.insert(Fault::Ctid);
            }
            if token.is("case") && !after.first().is_some_and(|next| next.is("when")) {
                self.faults.insert(Fault::CaseOperand);
            }
            if let [is, not, distinct, from, Token::Parameter(_), ..] = after
                && token.name() == Some("workspace_id")
                && is.is("is")
                && not.is("not")
                && distinct.is("distinct")
                && from.is("from")
            {
                self.faults.insert(Fault::NotDistinctFrom);
            }
            if let Token::Group(within) = token {
                self.everywhere(within);
            }
        }
    }

    /// Finds the faults of the statement as a whole.
    fn whole(&mut self) {
        if self.chained || self.changed.len() > 1 {
            self.faults.insert(Fault::Chain(self.changed.clone()));
        }
        if self.read.iter().any(|table| self.tables.is_of_workspaces(table)) {
            let look_ups = self.read.iter().filter(|table| is_look_up(table));
            self.faults.extend(look_ups.map(|table| Fault::MixesLookUp(table.clone())));
        }
    }
}

/// Returns whether nothing depends on the session's settings: no cast of anything but a parameter to an
/// array, which may be of times, and no time that is cut in the session's zone.
fn is_immutable(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().all(|(index, token)| {
        let after = tokens.get(index + 1..).unwrap_or_default();
        match (token, after) {
            (Token::Group(within), _) => is_immutable(within),
            (of, [cast, _, open, close, ..])
                if cast.is_sign("::") && open.is_sign("[") && close.is_sign("]") =>
            {
                matches!(of, Token::Parameter(_))
            }
            (name, [Token::Group(within), ..]) if name.is("date_trunc") => within
                .windows(3)
                .any(|words| words.iter().zip(["at", "time", "zone"]).all(|(token, word)| token.is(word))),
            // Values that a row is set to, not those that are inserted.
            (set, values) if set.is("set") => !values.iter().any(writes_as_text),
            _ => true,
        }
    })
}

/// Returns whether the token is a function that writes values of any type as text or JSON, which PostgreSQL
/// calls stable.
fn writes_as_text(token: &Token) -> bool {
    const NAMES: [&str; 7] = [
        "array_to_string",
        "concat",
        "concat_ws",
        "format",
        "jsonb_build_array",
        "jsonb_build_object",
        "to_jsonb",
    ];
    match token {
        Token::Group(within) => within.iter().any(writes_as_text),
        name => NAMES.iter().any(|function| name.is(function)),
    }
}

/// Parses the next query of a WITH: its name, its body, and the rest.
fn with_query(tokens: &[Token]) -> Option<(String, &[Token], &[Token])> {
    let start = usize::from(tokens.first().is_some_and(|first| first.is("recursive") || first.is_sign(",")));
    let tokens = tokens.get(start..)?;
    let name =
        tokens.first()?.name().filter(|name| !["select", "insert", "update", "delete"].contains(name))?;
    let at = tokens.iter().position(|token| token.is("as"))?;
    let body = at + tokens.get(at..)?.iter().position(|token| matches!(token, Token::Group(_)))?;
    let Some(Token::Group(within)) = tokens.get(body) else { return None };
    Some((name.to_owned(), within, tokens.get(body + 1..)?))
}
