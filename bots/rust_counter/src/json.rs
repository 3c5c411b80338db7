//! Reads JSON (RFC 8259) without a library, as far as the referee writes it: a depth of a few arrays and objects.

use std::iter::Peekable;
use std::str::Chars;

#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Returns the value in a text; `None`: it is not JSON.
    pub fn parse(text: &str) -> Option<Json> {
        let mut rest = text.chars().peekable();
        let found = value(&mut rest)?;
        skip_blanks(&mut rest);
        rest.next().is_none().then_some(found)
    }

    /// Returns the member of an object; `Null` where there is none.
    pub fn get(&self, name: &str) -> &Json {
        match self {
            Json::Object(members) => members
                .iter()
                .find(|(key, _)| key == name)
                .map_or(&Json::Null, |(_, value)| value),
            _ => &Json::Null,
        }
    }

    /// Returns the elements of an array; none of other values.
    pub fn list(&self) -> &[Json] {
        match self {
            Json::List(elements) => elements,
            _ => &[],
        }
    }

    /// Returns a string; of other values an empty one.
    pub fn text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => "",
        }
    }
}

type Rest<'a> = Peekable<Chars<'a>>;

fn skip_blanks(rest: &mut Rest) {
    while rest
        .next_if(|c| matches!(c, ' ' | '\t' | '\n' | '\r'))
        .is_some()
    {}
}

fn value(rest: &mut Rest) -> Option<Json> {
    skip_blanks(rest);
    match rest.peek()? {
        '{' => Some(Json::Object(several(rest, '}', member)?)),
        '[' => Some(Json::List(several(rest, ']', value)?)),
        '"' => Some(Json::Text(string(rest)?)),
        _ => word(rest),
    }
}

/// Returns what stands between two brackets, separated by commas.
fn several<T>(rest: &mut Rest, end: char, one: fn(&mut Rest) -> Option<T>) -> Option<Vec<T>> {
    rest.next();
    skip_blanks(rest);
    let mut found = Vec::new();
    if rest.next_if_eq(&end).is_some() {
        return Some(found);
    }
    loop {
        found.push(one(rest)?);
        skip_blanks(rest);
        match rest.next()? {
            ',' => {}
            c if c == end => return Some(found),
            _ => return None,
        }
    }
}

fn member(rest: &mut Rest) -> Option<(String, Json)> {
    skip_blanks(rest);
    let name = string(rest)?;
    skip_blanks(rest);
    rest.next_if_eq(&':')?;
    Some((name, value(rest)?))
}

fn string(rest: &mut Rest) -> Option<String> {
    rest.next_if_eq(&'"')?;
    let mut units = Vec::new(); // in UTF-16, whose pairs JSON escapes
    loop {
        match rest.next()? {
            '"' => return String::from_utf16(&units).ok(),
            '\\' => units.push(escaped(rest)?),
            c => units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
        }
    }
}

fn escaped(rest: &mut Rest) -> Option<u16> {
    Some(match rest.next()? {
        'u' => (0..4).try_fold(0, |unit, _| Some(unit * 16 + rest.next()?.to_digit(16)?))? as u16,
        'b' => 8,
        'f' => 12,
        'n' => 10,
        'r' => 13,
        't' => 9,
        c @ ('"' | '\\' | '/') => c as u16,
        _ => return None,
    })
}

/// Returns a number, or a value that has a name.
fn word(rest: &mut Rest) -> Option<Json> {
    let mut text = String::new();
    while let Some(c) = rest.next_if(|c| c.is_ascii_alphanumeric() || "+-.".contains(*c)) {
        text.push(c);
    }
    match text.as_str() {
        "null" => Some(Json::Null),
        "true" => Some(Json::Bool(true)),
        "false" => Some(Json::Bool(false)),
        _ => text.parse().ok().map(Json::Number),
    }
}
