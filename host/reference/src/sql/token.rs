//! The words of a statement, with their places, for what the query engine's own parser does not read: GreptimeDB's DDL and InfluxQL.

/// What a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// A bare word: a keyword, a name or a number.
    Word(String),
    /// A name in double quotes or backticks, without them.
    Quoted(String),
    /// A text in single quotes, without them.
    Text(String),
    /// Any other character.
    Sign(char),
}

/// How a quote is written inside of quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escape {
    /// Twice, as in SQL.
    Doubled,
    /// After a backslash, as in `InfluxQL`.
    Backslash,
}

/// A token and where it is: bytes of the statement from `start` to before `end`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) token: Token,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// All tokens of a text. Comments are left out.
///
/// # Errors
///
/// A quote that is never closed.
pub(crate) fn tokens(text: &str, escape: Escape) -> Result<Vec<Placed>, String> {
    let mut found = Vec::new();
    let mut characters = text.char_indices().peekable();
    while let Some((start, character)) = characters.next() {
        let rest = &text[start..];
        if character.is_whitespace() {
            continue;
        }
        let (token, end) = if let Some(length) = comment(rest) {
            while characters.next_if(|(at, _)| *at < start + length).is_some() {}
            continue;
        } else if matches!(character, '"' | '`' | '\'') {
            let Some((inside, length)) = quoted(rest, character, escape) else {
                return Err(format!("the quote {character} at byte {start} is never closed"));
            };
            (if character == '\'' { Token::Text(inside) } else { Token::Quoted(inside) }, start + length)
        } else if is_word(character) {
            let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            (Token::Word(rest[..length].to_owned()), start + length)
        } else {
            (Token::Sign(character), start + character.len_utf8())
        };
        while characters.next_if(|(at, _)| *at < end).is_some() {}
        found.push(Placed { token, start, end });
    }
    Ok(found)
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$' || character == '@'
}

/// Bytes of the comment that a text begins with.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("--") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let inside = text.strip_prefix("/*")?;
    Some(inside.find("*/").map_or(text.len(), |at| at + 4))
}

/// What is inside of the quotes that a text begins with, and the bytes with the quotes.
fn quoted(text: &str, quote: char, escape: Escape) -> Option<(String, usize)> {
    let mut inside = String::new();
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if escape == Escape::Backslash && character == '\\' {
            match characters.next()?.1 {
                'n' => inside.push('\n'),
                other => inside.push(other),
            }
        } else if character != quote {
            inside.push(character);
        } else if escape == Escape::Doubled && characters.next_if(|(_, next)| *next == quote).is_some() {
            inside.push(quote);
        } else {
            return Some((inside, at + 1));
        }
    }
    None
}

/// Reads tokens one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    tokens: &'a [Placed],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(tokens: &'a [Placed]) -> Self {
        Self { tokens, at: 0 }
    }

    /// The next token, which stays the next.
    pub(crate) fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at).map(|placed| &placed.token)
    }

    /// The next token.
    pub(crate) fn next(&mut self) -> Option<&'a Token> {
        let token = self.peek();
        self.at += usize::from(token.is_some());
        token
    }

    /// Takes these keywords if all of them are next.
    pub(crate) fn keywords(&mut self, words: &[&str]) -> bool {
        let next = self.tokens.get(self.at..self.at + words.len()).unwrap_or_default();
        let same = |(placed, word): (&Placed, &&str)| matches!(&placed.token, Token::Word(found) if found.eq_ignore_ascii_case(word));
        let all = next.len() == words.len() && next.iter().zip(words).all(same);
        self.at += if all { words.len() } else { 0 };
        all
    }

    /// Takes this sign if it is next.
    pub(crate) fn sign(&mut self, sign: char) -> bool {
        let is = matches!(self.peek(), Some(Token::Sign(found)) if *found == sign);
        self.at += usize::from(is);
        is
    }

    /// Takes this sign, which must be next.
    pub(crate) fn expect(&mut self, sign: char) -> Result<(), String> {
        if self.sign(sign) { Ok(()) } else { Err(format!("Expected: {sign}, found: {}", self.shown())) }
    }

    /// Takes these keywords, which must be next.
    pub(crate) fn expect_keywords(&mut self, words: &[&str]) -> Result<(), String> {
        if self.keywords(words) {
            Ok(())
        } else {
            Err(format!("Expected: {}, found: {}", words.join(" "), self.shown()))
        }
    }

    /// A name, quoted or not.
    pub(crate) fn name(&mut self) -> Result<String, String> {
        match self.peek() {
            Some(Token::Word(name) | Token::Quoted(name)) => {
                self.at += 1;
                Ok(name.clone())
            }
            _ => Err(format!("Expected: identifier, found: {}", self.shown())),
        }
    }

    /// Skips from an opening bracket, which must be next, to the one that closes it.
    pub(crate) fn brackets(&mut self) -> Result<(), String> {
        self.expect('(')?;
        let mut depth = 1;
        while depth > 0 {
            match self.next() {
                Some(Token::Sign('(')) => depth += 1,
                Some(Token::Sign(')')) => depth -= 1,
                Some(_) => {}
                None => return Err("Expected: ), found: EOF".into()),
            }
        }
        Ok(())
    }

    /// Where the next token begins, or the last one ends.
    pub(crate) fn place(&self) -> usize {
        let next = self.tokens.get(self.at).map(|placed| placed.start);
        next.unwrap_or_else(|| self.tokens.last().map_or(0, |placed| placed.end))
    }

    /// Whether all tokens are taken.
    pub(crate) fn is_done(&self) -> bool {
        self.at == self.tokens.len()
    }

    /// Refuses what is left.
    pub(crate) fn end(&self) -> Result<(), String> {
        if self.is_done() { Ok(()) } else { Err(format!("Expected: end of statement, found: {}", self.shown())) }
    }

    /// The next token as a message shows it.
    pub(crate) fn shown(&self) -> String {
        match self.peek() {
            None => "EOF".into(),
            Some(Token::Word(word)) => word.clone(),
            Some(Token::Quoted(name)) => format!("\"{name}\""),
            Some(Token::Text(text)) => format!("'{text}'"),
            Some(Token::Sign(sign)) => sign.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str, escape: Escape) -> Vec<Token> {
        tokens(text, escape).unwrap().into_iter().map(|placed| placed.token).collect()
    }

    #[test]
    fn quotes_and_comments_are_read_whole() {
        let (word, sign) = (|w: &str| Token::Word(w.into()), Token::Sign);
        assert_eq!(
            read("a.\"b \"\"c\"/* ; */ = 'it''s' -- ;\n,`d`", Escape::Doubled),
            [
                word("a"),
                sign('.'),
                Token::Quoted("b \"c".into()),
                sign('='),
                Token::Text("it's".into()),
                sign(','),
                Token::Quoted("d".into())
            ]
        );
        assert_eq!(read(r#""a\"\n""#, Escape::Backslash), [Token::Quoted("a\"\n".into())]);
        assert!(tokens("select 'x", Escape::Doubled).unwrap_err().contains("at byte 7"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_and_places_are_of_the_text(text in ".{0,40}") {
            for escape in [Escape::Doubled, Escape::Backslash] {
                for placed in tokens(&text, escape).unwrap_or_default() {
                    prop_assert!(text.get(placed.start..placed.end).is_some());
                }
            }
        }
    }
}
