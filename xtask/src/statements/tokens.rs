//! A statement's text as words and groups: as much of SQL as the rules need.

/// A part of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// A keyword or a name, in lower case.
    Word(String),
    /// A name in quotes, which is no keyword.
    Quoted(String),
    /// `$1`.
    Parameter(u32),
    /// A text, a number or a sign.
    Other(String),
    /// The tokens between parentheses.
    Group(Vec<Self>),
}

impl Token {
    pub(crate) fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if own == word)
    }

    /// Returns whether a query begins with this token.
    pub(crate) fn begins_query(&self) -> bool {
        ["select", "insert", "update", "delete", "with", "values"].iter().any(|verb| self.is(verb))
    }

    pub(crate) fn is_sign(&self, sign: &str) -> bool {
        matches!(self, Self::Other(own) if own == sign)
    }

    /// Returns the token's text if it may be a name.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Word(name) | Self::Quoted(name) => Some(name),
            _ => None,
        }
    }
}

/// Splits a text into tokens; an unclosed parenthesis ends with the text.
pub(crate) fn read(text: &str) -> Vec<Token> {
    let mut reader = Reader { letters: text.chars().collect(), at: 0 };
    let mut tokens = Vec::new();
    while reader.peek(0).is_some() {
        tokens.extend(reader.group());
        // A parenthesis that closes nothing.
        reader.at += 1;
    }
    tokens
}

struct Reader {
    letters: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.letters.get(self.at + ahead).copied()
    }

    /// Reads up to the closing parenthesis, which is left.
    fn group(&mut self) -> Vec<Token> {
        let mut tokens = Vec::new();
        while let Some(letter) = self.peek(0) {
            match letter {
                ')' => break,
                '(' => {
                    self.at += 1;
                    tokens.push(Token::Group(self.group()));
                    self.at += 1;
                }
                '-' if self.peek(1) == Some('-') => drop(self.take(|letter| letter != '\n')),
                '\'' => tokens.push(Token::Other(self.quoted('\''))),
                '"' => tokens.push(Token::Quoted(self.quoted('"'))),
                '$' => {
                    self.at += 1;
                    let number = self.take(|letter| letter.is_ascii_digit());
                    tokens.extend(number.parse().map(Token::Parameter));
                }
                _ if letter.is_whitespace() => self.at += 1,
                _ if letter.is_alphabetic() || letter == '_' => {
                    let word = self.take(|letter| letter.is_alphanumeric() || letter == '_');
                    tokens.push(Token::Word(word.to_lowercase()));
                }
                _ if letter.is_ascii_digit() => {
                    tokens.push(Token::Other(self.take(|letter| letter.is_ascii_digit() || letter == '.')));
                }
                _ if OPERATORS.contains(letter) => {
                    tokens.push(Token::Other(self.take(|letter| OPERATORS.contains(letter))));
                }
                _ => {
                    self.at += 1;
                    tokens.push(Token::Other(letter.into()));
                }
            }
        }
        tokens
    }

    fn take(&mut self, is_part: impl Fn(char) -> bool) -> String {
        let rest = self.letters.get(self.at..).unwrap_or_default();
        let taken: String = rest.iter().copied().take_while(|letter| is_part(*letter)).collect();
        self.at += taken.chars().count();
        taken
    }

    /// Reads the text between two of `mark`; a doubled one within stands for one.
    fn quoted(&mut self, mark: char) -> String {
        let mut text = String::new();
        loop {
            self.at += 1;
            text.push_str(&self.take(|letter| letter != mark));
            self.at += 1;
            if self.peek(0) != Some(mark) {
                return text;
            }
            text.push(mark);
        }
    }
}

const OPERATORS: &str = "+-*/<>=~!@#%^&|?:";

#[cfg(test)]
mod tests {
    use super::{Token, read};

    fn word(word: &str) -> Token {
        Token::Word(word.to_owned())
    }

    fn other(text: &str) -> Token {
        Token::Other(text.to_owned())
    }

    #[test]
    fn a_text_is_read_as_words_groups_and_parameters() {
        assert_eq!(
            read("SELECT \"Order\".x -- (a comment\n FROM f($12, 'it''s (') >= 1.5)"),
            [
                word("select"),
                Token::Quoted("Order".to_owned()),
                other("."),
                word("x"),
                word("from"),
                word("f"),
                Token::Group(vec![Token::Parameter(12), other(","), other("it's (")]),
                other(">="),
                other("1.5"),
            ]
        );
    }
}
