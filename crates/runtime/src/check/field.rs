//! [`Check`] and [`Field`]: the vocabulary in which generated code states constraints.

use super::{Format, Path, Report, UNKNOWN_MEMBER, Validate};
use crate::{Patch, Secret, StringEnum};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// An object, a union or a newtype that is being checked.
#[derive(Debug)]
pub struct Check<'c, T> {
    subject: Subject<'c, T>,
    at: Path<'c>,
    report: &'c mut Report,
}

#[derive(Debug)]
enum Subject<'c, T> {
    Typed(&'c T),
    Raw(&'c Map<String, Value>),
    /// Checks raw JSON that need not be an object: of a newtype, or of a variant of a union.
    Whole(&'c Value, usize),
}

impl<'c, T> Check<'c, T> {
    pub(super) fn typed(value: &'c T, at: Path<'c>, report: &'c mut Report) -> Self {
        Self { subject: Subject::Typed(value), at, report }
    }

    pub(super) fn raw(value: &'c Map<String, Value>, at: Path<'c>, report: &'c mut Report) -> Self {
        Self { subject: Subject::Raw(value), at, report }
    }

    /// Checks raw JSON as one variant of a union.
    pub(crate) fn form(value: &'c Value, form: usize, at: Path<'c>, report: &'c mut Report) -> Self {
        Self { subject: Subject::Whole(value, form), at, report }
    }

    /// Checks raw JSON of a newtype.
    pub fn whole(value: &'c Value, at: Path<'c>, report: &'c mut Report) -> Self {
        Self::form(value, 0, at, report)
    }

    /// Returns the members of raw JSON, if raw JSON is being checked.
    fn members(&self) -> Option<&'c Map<String, Value>> {
        match self.subject {
            Subject::Raw(object) => Some(object),
            Subject::Typed(_) | Subject::Whole(..) => None,
        }
    }

    /// Checks a field that is required, and not `null` unless its type allows it.
    #[inline]
    pub fn required<F: Validate>(&mut self, name: &'static str, get: fn(&T) -> &F) -> Field<'_, F> {
        match self.subject {
            Subject::Typed(value) => Field::decoded(Some(get(value)), self.at.name(name), self.report),
            Subject::Raw(_) | Subject::Whole(..) => {
                self.present(name);
                self.undecoded(name, false)
            }
        }
    }

    /// Checks a field that is optional, and not `null` if present.
    #[inline]
    pub fn optional<F: Validate>(&mut self, name: &'static str, get: fn(&T) -> &Option<F>) -> Field<'_, F> {
        match self.subject {
            Subject::Typed(value) => Field::decoded(get(value).as_ref(), self.at.name(name), self.report),
            Subject::Raw(_) | Subject::Whole(..) => self.undecoded(name, false),
        }
    }

    /// Checks a field that is optional and may be `null`.
    #[inline]
    pub fn patch<F: Validate>(&mut self, name: &'static str, get: fn(&T) -> &Patch<F>) -> Field<'_, F> {
        match self.subject {
            Subject::Typed(value) => Field::decoded(get(value).value(), self.at.name(name), self.report),
            Subject::Raw(_) | Subject::Whole(..) => self.undecoded(name, true),
        }
    }

    fn undecoded<F: Validate>(&mut self, name: &'static str, nullable: bool) -> Field<'_, F> {
        let sent = self.members().and_then(|object| object.get(name));
        let sent = sent.filter(|value| !nullable || !value.is_null());
        Field::undecoded(sent, self.at.name(name), self.report)
    }

    /// Checks a required field of unknown type.
    pub fn present(&mut self, name: &'static str) {
        if self.members().is_some_and(|object| !object.contains_key(name)) {
            self.report.push(&self.at.name(name), "is required");
        }
    }

    /// Checks the members that are not among `names`.
    pub fn further<F: Validate>(
        &mut self,
        names: &[&str],
        get: fn(&T) -> &BTreeMap<String, F>,
        rules: impl Fn(Field<'_, F>),
    ) {
        match self.subject {
            Subject::Typed(value) => {
                for (name, entry) in get(value) {
                    rules(Field::decoded(Some(entry), self.at.name(name), self.report));
                }
            }
            Subject::Raw(object) => {
                for (name, entry) in object.iter().filter(|(name, _)| !names.contains(&name.as_str())) {
                    rules(Field::undecoded(Some(entry), self.at.name(name), self.report));
                }
            }
            Subject::Whole(..) => {}
        }
    }

    /// Allows no members except `names`: `additionalProperties: false`. A decoded value has no others.
    pub fn closed(&mut self, names: &[&str]) {
        for name in self.members().into_iter().flat_map(Map::keys) {
            if !names.contains(&name.as_str()) {
                self.report.push(&self.at.name(name), UNKNOWN_MEMBER);
            }
        }
    }

    /// Requires at least this many members: `minProperties`. `count` counts those of a decoded value, which
    /// has lost the members that its type does not declare; they are counted in the raw value.
    pub fn min_members(&mut self, least: usize, count: fn(&T) -> usize) {
        if self.count(count).is_some_and(|members| members < least) {
            self.report.push(&self.at, few_members(least));
            self.report.ask_for_raw();
        }
    }

    /// Allows at most this many members: `maxProperties`. `count` counts those of a decoded value; see
    /// [`min_members`](Self::min_members).
    pub fn max_members(&mut self, most: usize, count: fn(&T) -> usize) {
        match self.count(count) {
            Some(members) if members > most => self.report.push(&self.at, many_members(most)),
            _ => self.report.ask_for_raw(),
        }
    }

    fn count(&self, count: fn(&T) -> usize) -> Option<usize> {
        match self.subject {
            Subject::Typed(value) => Some(count(value)),
            Subject::Raw(object) => Some(object.len()),
            Subject::Whole(..) => None,
        }
    }

    /// Checks the value of a newtype.
    pub fn value<F: Validate>(&mut self, get: fn(&T) -> &F) -> Field<'_, F> {
        match self.subject {
            Subject::Typed(value) => Field::decoded(Some(get(value)), self.at, self.report),
            Subject::Whole(value, _) => Field::undecoded(Some(value), self.at, self.report),
            Subject::Raw(_) => Field { seen: Seen::Nothing, at: self.at, report: self.report },
        }
    }

    /// Reports the rule if the value is decoded and violates it.
    pub(crate) fn decoded_rule(&mut self, holds: impl FnOnce(&T) -> bool, message: impl FnOnce() -> String) {
        if matches!(self.subject, Subject::Typed(value) if !holds(value)) {
            self.report.push(&self.at, message());
        }
    }

    /// Checks the value of one variant of a union; nothing if the union has another variant.
    pub fn branch<F: Validate>(&mut self, form: usize, get: fn(&T) -> Option<&F>) -> Field<'_, F> {
        match self.subject {
            Subject::Typed(value) => Field::decoded(get(value), self.at, self.report),
            Subject::Whole(value, found) if found == form => {
                Field::undecoded(Some(value), self.at, self.report)
            }
            Subject::Whole(..) | Subject::Raw(_) => {
                Field { seen: Seen::Nothing, at: self.at, report: self.report }
            }
        }
    }
}

/// A value that is being checked: a field, or an entry of an array or map.
#[derive(Debug)]
pub struct Field<'f, F> {
    seen: Seen<'f, F>,
    at: Path<'f>,
    report: &'f mut Report,
}

#[derive(Debug)]
enum Seen<'f, F> {
    Typed(&'f F),
    Raw(&'f Value),
    Nothing,
}

impl<'f, F: Validate> Field<'f, F> {
    #[inline]
    pub(super) fn decoded(value: Option<&'f F>, at: Path<'f>, report: &'f mut Report) -> Self {
        if let Some(value) = value {
            value.verify(&at, report);
        }
        Self { seen: value.map_or(Seen::Nothing, Seen::Typed), at, report }
    }

    /// Checks a parameter, which is already decoded.
    #[cfg(feature = "server")]
    pub(crate) fn parameter(
        value: &'f F,
        at: Path<'f>,
        report: &'f mut Report,
        rules: &impl Fn(Field<'_, F>),
    ) {
        rules(Self::decoded(Some(value), at, report));
    }

    pub(super) fn undecoded(value: Option<&'f Value>, at: Path<'f>, report: &'f mut Report) -> Self {
        if let Some(value) = value {
            F::inspect(value, &at, report);
        }
        Self { seen: value.map_or(Seen::Nothing, Seen::Raw), at, report }
    }
}

impl<F> Field<'_, F> {
    /// Reports the rule if the value is present and violates it.
    #[inline]
    fn rule(self, holds: bool, message: impl FnOnce() -> String) -> Self {
        if !holds {
            self.report.push(&self.at, message());
        }
        self
    }
}

/// A value that is text on the wire.
pub trait Text {
    /// Returns the text.
    fn text(&self) -> &str;
}

impl Text for String {
    fn text(&self) -> &str {
        self
    }
}

impl Text for Secret {
    fn text(&self) -> &str {
        self.expose()
    }
}

impl<F: Text> Field<'_, F> {
    fn text(&self) -> Option<&str> {
        match self.seen {
            Seen::Typed(value) => Some(value.text()),
            Seen::Raw(value) => value.as_str(),
            Seen::Nothing => None,
        }
    }

    /// Requires at least this many characters (Unicode scalar values): `minLength`.
    #[inline]
    pub fn min_chars(self, least: usize) -> Self {
        let holds = self.text().is_none_or(|text| text.chars().take(least).count() == least);
        self.rule(holds, || format!("must have at least {least} {}", plural(least, "character")))
    }

    /// Allows at most this many characters (Unicode scalar values): `maxLength`.
    #[inline]
    pub fn max_chars(self, most: usize) -> Self {
        // A text has at most as many characters as bytes, so most texts need not be counted.
        let holds = self.text().is_none_or(|text| text.len() <= most || text.chars().count() <= most);
        self.rule(holds, || format!("must have at most {most} {}", plural(most, "character")))
    }

    /// Requires a string format without a Rust type of its own: `format`.
    pub fn format(self, format: Format) -> Self {
        let holds = self.text().is_none_or(|text| format.matches(text));
        self.rule(holds, || format.rule().to_owned())
    }

    /// Requires that some part of the text matches a regular expression: `pattern`.
    #[cfg(feature = "validate")]
    pub fn pattern(self, pattern: &super::Pattern) -> Self {
        let holds = self.text().is_none_or(|text| pattern.is_match(text));
        self.rule(holds, || pattern.rule())
    }
}

impl<F: StringEnum> Field<'_, F> {
    /// Requires one of the values in the document: `enum` of a type that also keeps unknown values.
    pub fn known(self) -> Self {
        let text = match self.seen {
            Seen::Typed(value) => Some(value.text()),
            Seen::Raw(value) => value.as_str(),
            Seen::Nothing => None,
        };
        let holds = text.is_none_or(|text| F::KNOWN.contains(&text));
        self.rule(holds, || format!("must be one of: {}", F::KNOWN.join(", ")))
    }
}

/// A number on the wire.
pub trait Number: Copy + PartialOrd + std::fmt::Display {
    /// Returns the number in raw JSON, if it has this type.
    fn from_json(value: &Value) -> Option<Self>;

    /// Whether the number is a multiple of `step`.
    fn is_multiple_of(self, step: Self) -> bool;
}

macro_rules! integers {
    ($($type:ty),+) => {
        $(impl Number for $type {
            fn from_json(value: &Value) -> Option<Self> {
                serde::Deserialize::deserialize(value).ok()
            }

            fn is_multiple_of(self, step: Self) -> bool {
                step != 0 && self % step == 0
            }
        })+
    };
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! floats {
    ($($type:ty),+) => {
        $(impl Number for $type {
            fn from_json(value: &Value) -> Option<Self> {
                serde::Deserialize::deserialize(value).ok()
            }

            fn is_multiple_of(self, step: Self) -> bool {
                // Decimal steps such as 0.01 have no exact binary representation, so the digits decide unless
                // the quotient is as near to an integer as rounding allows.
                let quotient = self / step;
                let distance = (quotient - quotient.round()).abs();
                distance <= 2.0 * <$type>::EPSILON * quotient.abs()
                    || super::exact::is_multiple_of(&self.to_string(), &step.to_string()).unwrap_or(false)
            }
        })+
    };
}

floats!(f32, f64);

impl<F: Number> Field<'_, F> {
    fn number(&self) -> Option<F> {
        match self.seen {
            Seen::Typed(value) => Some(*value),
            Seen::Raw(value) => F::from_json(value),
            Seen::Nothing => None,
        }
    }

    /// Reports a bound that no value of the type satisfies.
    pub fn never(self, rule: &'static str) -> Self {
        let holds = self.number().is_none();
        self.rule(holds, || rule.to_owned())
    }

    /// Requires a minimum: `minimum`.
    #[inline]
    pub fn minimum(self, least: F) -> Self {
        let holds = self.number().is_none_or(|number| number >= least);
        self.rule(holds, || format!("must be at least {least}"))
    }

    /// Requires a maximum: `maximum`.
    #[inline]
    pub fn maximum(self, most: F) -> Self {
        let holds = self.number().is_none_or(|number| number <= most);
        self.rule(holds, || format!("must be at most {most}"))
    }

    /// Requires a value above the bound: `minimum` with `exclusiveMinimum`.
    #[inline]
    pub fn above(self, bound: F) -> Self {
        let holds = self.number().is_none_or(|number| number > bound);
        self.rule(holds, || format!("must be more than {bound}"))
    }

    /// Requires a value below the bound: `maximum` with `exclusiveMaximum`.
    #[inline]
    pub fn below(self, bound: F) -> Self {
        let holds = self.number().is_none_or(|number| number < bound);
        self.rule(holds, || format!("must be less than {bound}"))
    }

    /// Requires a multiple: `multipleOf`.
    #[inline]
    pub fn multiple_of(self, step: F) -> Self {
        let holds = self.number().is_none_or(|number| number.is_multiple_of(step));
        self.rule(holds, || format!("must be a multiple of {step}"))
    }
}

impl<T> Field<'_, Vec<T>> {
    fn length(&self) -> Option<usize> {
        match self.seen {
            Seen::Typed(entries) => Some(entries.len()),
            Seen::Raw(value) => value.as_array().map(Vec::len),
            Seen::Nothing => None,
        }
    }

    /// Requires at least this many entries: `minItems`.
    #[inline]
    pub fn min_items(self, least: usize) -> Self {
        let holds = self.length().is_none_or(|length| length >= least);
        self.rule(holds, || format!("must have at least {least} {}", plural(least, "entry")))
    }

    /// Allows at most this many entries: `maxItems`.
    #[inline]
    pub fn max_items(self, most: usize) -> Self {
        let holds = self.length().is_none_or(|length| length <= most);
        self.rule(holds, || format!("must have at most {most} {}", plural(most, "entry")))
    }

    /// Requires that all entries differ: `uniqueItems`.
    pub fn unique_items(self) -> Self
    where
        T: PartialEq,
    {
        let duplicate = match self.seen {
            Seen::Typed(entries) => first_double(entries),
            Seen::Raw(value) => value.as_array().and_then(|entries| first_double(entries)),
            Seen::Nothing => None,
        };
        self.rule(duplicate.is_none(), || {
            let (first, second) = duplicate.unwrap_or_default();
            format!("must not hold the same entry twice, as at positions {first} and {second}")
        })
    }

    /// Checks every entry.
    pub fn each(self, rules: impl Fn(Field<'_, T>)) -> Self {
        match self.seen {
            Seen::Typed(entries) => {
                for (index, entry) in entries.iter().enumerate() {
                    rules(Field { seen: Seen::Typed(entry), at: self.at.index(index), report: self.report });
                }
            }
            Seen::Raw(value) => {
                for (index, entry) in value.as_array().into_iter().flatten().enumerate() {
                    rules(Field { seen: Seen::Raw(entry), at: self.at.index(index), report: self.report });
                }
            }
            Seen::Nothing => {}
        }
        self
    }
}

impl<T> Field<'_, BTreeMap<String, T>> {
    fn members(&self) -> Option<usize> {
        match self.seen {
            Seen::Typed(entries) => Some(entries.len()),
            Seen::Raw(value) => value.as_object().map(Map::len),
            Seen::Nothing => None,
        }
    }

    /// Requires at least this many members: `minProperties`.
    pub fn min_members(self, least: usize) -> Self {
        let holds = self.members().is_none_or(|members| members >= least);
        self.rule(holds, || few_members(least))
    }

    /// Allows at most this many members: `maxProperties`.
    pub fn max_members(self, most: usize) -> Self {
        let holds = self.members().is_none_or(|members| members <= most);
        self.rule(holds, || many_members(most))
    }

    /// Checks the value of every member.
    pub fn each_value(self, rules: impl Fn(Field<'_, T>)) -> Self {
        match self.seen {
            Seen::Typed(entries) => {
                for (name, entry) in entries {
                    rules(Field { seen: Seen::Typed(entry), at: self.at.name(name), report: self.report });
                }
            }
            Seen::Raw(value) => {
                for (name, entry) in value.as_object().into_iter().flatten() {
                    rules(Field { seen: Seen::Raw(entry), at: self.at.name(name), report: self.report });
                }
            }
            Seen::Nothing => {}
        }
        self
    }
}

impl<F: serde::Serialize> Field<'_, F> {
    /// Checks the text of the value, for types that can be spelled in several ways, such as a timestamp with
    /// another offset. A decoded value no longer says how it was spelled: the rules of a JSON body are
    /// checked on the raw value, and those of other values are not checked.
    pub fn spelled(self, rules: impl Fn(Field<'_, String>)) -> Self {
        match self.seen {
            Seen::Raw(Value::String(text)) => {
                rules(Field { seen: Seen::Typed(text), at: self.at, report: self.report });
            }
            Seen::Typed(_) => self.report.ask_for_raw(),
            Seen::Raw(_) | Seen::Nothing => {}
        }
        self
    }

    /// Checks the text of the value, for types that are text on the wire and another type in Rust, and have
    /// one spelling of each value.
    pub fn written(self, rules: impl Fn(Field<'_, String>)) -> Self {
        let found = self.json();
        if let Some(Value::String(text)) = found {
            rules(Field { seen: Seen::Typed(&text), at: self.at, report: self.report });
        }
        self
    }

    /// Requires a multiple, of a number that is kept with all its digits: `multipleOf`.
    pub fn exact_multiple_of(self, step: &'static str) -> Self {
        let holds = self.digits().and_then(|text| super::exact::is_multiple_of(&text, step));
        self.rule(holds.unwrap_or(true), || format!("must be a multiple of {step}"))
    }

    /// Returns the value as it is written on the wire.
    fn json(&self) -> Option<Value> {
        match self.seen {
            Seen::Typed(value) => serde_json::to_value(value).ok(),
            Seen::Raw(value) => Some(value.clone()),
            Seen::Nothing => None,
        }
    }

    /// Returns the digits of a number, or of a number that is written as text.
    fn digits(&self) -> Option<String> {
        match self.json()? {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// Requires a bound of a number that is kept with all its digits: `minimum`, `maximum` and their
    /// exclusive forms. `asks` decides which orderings of value and bound are valid, `rule` states the same
    /// in words.
    pub fn exactly(self, asks: &[std::cmp::Ordering], bound: &'static str, rule: &'static str) -> Self {
        let text = self.digits();
        let order = text.and_then(|text| super::exact::compare(&text, bound));
        self.rule(order.is_none_or(|order| asks.contains(&order)), || format!("{rule} {bound}"))
    }

    /// Requires one of a few values: `enum` with values that are not all strings. `values` is the list as
    /// JSON.
    pub fn one_of(self, values: &'static str) -> Self {
        let found = self.json();
        let holds = found.is_none_or(|found| {
            serde_json::from_str::<Vec<Value>>(values)
                .is_ok_and(|values| values.iter().any(|value| same(value, &found)))
        });
        self.rule(holds, || {
            format!("must be one of: {}", values.trim_start_matches('[').trim_end_matches(']'))
        })
    }
}

/// Whether two values are equal in JSON, in which 1 and 1.0 are.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            // A float does not hold every whole number.
            let are_whole = !left.is_f64() && !right.is_f64();
            left == right || !are_whole && left.as_f64() == right.as_f64()
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, value)| right.get(name).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

impl<'f, T> Field<'f, Option<T>> {
    /// Returns the value of a nullable entry, for rules that apply unless it is `null`.
    pub fn non_null(self) -> Field<'f, T> {
        let seen = match self.seen {
            Seen::Typed(value) => value.as_ref().map_or(Seen::Nothing, Seen::Typed),
            Seen::Raw(value) if !value.is_null() => Seen::Raw(value),
            Seen::Raw(_) | Seen::Nothing => Seen::Nothing,
        };
        Field { seen, at: self.at, report: self.report }
    }
}

fn first_double<T: PartialEq>(entries: &[T]) -> Option<(usize, usize)> {
    entries.iter().enumerate().find_map(|(second, entry)| {
        let first = entries[..second].iter().position(|earlier| earlier == entry)?;
        Some((first, second))
    })
}

fn few_members(least: usize) -> String {
    format!("must have at least {least} {}", plural(least, "member"))
}

fn many_members(most: usize) -> String {
    format!("must have at most {most} {}", plural(most, "member"))
}

fn plural(count: usize, noun: &'static str) -> &'static str {
    match (noun, count) {
        (noun, 1) => noun,
        ("character", _) => "characters",
        ("member", _) => "members",
        _ => "entries",
    }
}
