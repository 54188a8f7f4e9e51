//! Words, numbers and signs of a text.

use crate::text::fold_for_search;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Token {
    /// Folded, with apostrophes in it.
    Word(String),
    /// Digits, without the signs that group them.
    Number(String),
    Sign(char),
}

/// Splits a text, once through.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    text.split('\n').flat_map(|line| tokens_of_line(&fold_for_search(line))).collect()
}

fn tokens_of_line(folded: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut rest = folded.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        match (tokens.last_mut(), c) {
            (_, ' ') => tokens.push(Token::Sign(' ')),
            (Some(Token::Number(digits)), c) if c.is_ascii_digit() => digits.push(c),
            (Some(Token::Number(digits)), '.' | ',' | '٫' | '٬')
                if next.is_some_and(|c| c.is_ascii_digit()) =>
            {
                if matches!(c, '.' | '٫') {
                    digits.push('.');
                }
            }
            (_, c) if c.is_numeric() => tokens.push(Token::Number(c.to_string())),
            (Some(Token::Word(word)), c) if c.is_alphabetic() => word.push(c),
            (Some(Token::Word(word)), '\'' | '’') if next.is_some_and(char::is_alphabetic) => {
                word.push('\'');
            }
            (_, c) if c.is_alphabetic() => tokens.push(Token::Word(c.to_string())),
            (_, c) => tokens.push(Token::Sign(c)),
        }
    }
    tokens.push(Token::Sign('\n'));
    tokens.retain(|token| *token != Token::Sign(' '));
    tokens
}

#[cfg(test)]
mod tests {
    use super::{Token, tokens};

    #[test]
    fn a_text_is_words_numbers_and_signs() {
        let word = |word: &str| Token::Word(word.to_owned());
        let number = |number: &str| Token::Number(number.to_owned());
        for (text, parts) in [
            ("السّعر بـ ٢٥٬٠٠٠", vec![word("السعر"), word("ب"), number("25000")]),
            (
                "I’m here, 4:30.",
                vec![
                    word("i'm"),
                    word("here"),
                    Token::Sign(','),
                    number("4"),
                    Token::Sign(':'),
                    number("30"),
                    Token::Sign('.'),
                ],
            ),
            ("30k", vec![number("30"), word("k")]),
            ("12.50$", vec![number("12.50"), Token::Sign('$')]),
        ] {
            let mut all = tokens(text);
            assert_eq!(all.pop(), Some(Token::Sign('\n')));
            assert_eq!(all, parts, "{text}");
        }
    }
}
