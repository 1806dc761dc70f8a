//! Owns [`union!`](crate::union!): how an enumeration of forms is written as the JSON of one, and which one JSON is read as.

use crate::{
    check::{Check, Path, Report, Validate},
    object::{add_skipped, is_refusing, skipping},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::Value;
use std::cell::Cell;

/// How many forms may be tried beside the first, for each value of the JSON that is read. Forms that are not told apart
/// and hold each other would else be tried in as many ways as they can be nested.
const TRIES: usize = 64;

/// Implements `Serialize` and `Deserialize` for an enumeration whose every variant holds one form of a value.
///
/// Each variant says how a value of it is known: the values of the tag after `=` (the property that `by` names), the kinds
/// of JSON in brackets (any, if there are none), the members that must be there, those that have one of a few values where
/// they are there (an empty name stands for the value itself), all that it knows, and, `within` a union, what its forms know. `adds` has a value of the tag
/// written where the form does not write it itself.
///
/// The tag decides where it is there and known. Otherwise forms that can hold the value are tried, first the one that
/// knows most of its members, or a map where none is known, and of those that can hold it the one that passes over the
/// fewest members, also deep within; but a tag that names nothing rules out the forms that have names, unless they say for
/// themselves what the tag may be, or are unions whose own forms it may name. A last `..Variant` keeps what fits no form, except for a server, which refuses it.
///
/// ```
/// #[derive(Debug, PartialEq)]
/// enum Pet {
///     Name(String),
///     Ages(Vec<u8>),
/// }
///
/// frontdesk_runtime::union! {
///     Pet {
///         Name: [String],
///         Ages: [Array],
///     }
/// }
///
/// assert_eq!(serde_json::from_str::<Pet>("[3]").unwrap(), Pet::Ages(vec![3]));
/// ```
#[macro_export]
macro_rules! union {
    ($name:ident $(by $tag:literal)? {
        $($variant:ident: $(= [$($value:literal),+])? $(adds $adds:literal)? [$($kind:ident),*]
            $(required [$($required:literal),+])?
            $(fixed [$($member:literal: $($fixed:literal)|+),+])?
            $(known [$($known:literal),+])?
            $(within [$($within:literal),+])?,)*
        $(..$other:ident)?
    }) => {
        impl $crate::macros::Union for $name {
            const TAG: Option<&'static str> = $crate::union!(@option $($tag)?);
            const FORMS: &'static [$crate::macros::UnionForm] = &[$($crate::macros::UnionForm {
                name: stringify!($variant),
                tags: &[$($($value),+)?],
                kinds: &[$($crate::macros::UnionKind::$kind),*],
                required: &[$($($required),+)?],
                fixed: &[$($(($member, |value| false $(|| *value == $fixed)+)),+)?],
                known: &[$($($known),+)?],
                within: &[$($($within),+)?],
            }),*];

            fn read(form: usize, value: &$crate::Value) -> Result<Self, $crate::macros::JsonError> {
                let _at = 0;
                $(if form == _at {
                    return $crate::macros::serde::Deserialize::deserialize(value).map(Self::$variant);
                }
                let _at = _at + 1;)*
                Err($crate::macros::no_form())
            }

            $(fn other(value: $crate::Value) -> Option<Self> {
                Some(Self::$other(value))
            })?
        }

        impl<'de> $crate::macros::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::macros::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::macros::read_union(deserializer)
            }
        }

        impl $crate::macros::serde::Serialize for $name {
            fn serialize<S: $crate::macros::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(value) => {
                        $crate::union!(@write $name value serializer $($adds)?)
                    })*
                    $(Self::$other(value) => $crate::macros::serde::Serialize::serialize(value, serializer),)?
                }
            }
        }
    };
    (@option) => { None };
    (@option $value:literal) => { Some($value) };
    (@write $name:ident $held:ident $serializer:ident) => {
        $crate::macros::serde::Serialize::serialize($held, $serializer)
    };
    (@write $name:ident $held:ident $serializer:ident $value:literal) => {
        $crate::macros::write_tagged::<$name, _, _>($held, $value, $serializer)
    };
}

/// An enumeration made by [`union!`](crate::union!).
pub trait Union: Sized {
    /// The property that tells the forms apart, where there is one.
    const TAG: Option<&'static str>;
    /// The forms, in the order in which they are tried where nothing else orders them.
    const FORMS: &'static [UnionForm];

    /// Reads a value as one form.
    fn read(form: usize, value: &Value) -> Result<Self, serde_json::Error>;

    /// Keeps a value that fits no form, where that is possible.
    fn other(_value: Value) -> Option<Self> {
        None
    }
}

/// How a value of one form is known.
#[derive(Debug)]
pub struct UnionForm {
    /// The variant.
    pub name: &'static str,
    /// The values of the tag that stand for it.
    pub tags: &'static [&'static str],
    /// The kinds of JSON that it takes; none stands for all.
    pub kinds: &'static [UnionKind],
    /// Members that must be there.
    pub required: &'static [&'static str],
    /// Members that have one of a few values where they are there and not `null`.
    pub fixed: &'static [(&'static str, Matches)],
    /// Every member that it declares.
    pub known: &'static [&'static str],
    /// If it is a union: every member that a form of it declares.
    pub within: &'static [&'static str],
}

/// Whether a value is one of a few.
pub type Matches = fn(&Value) -> bool;

/// A kind of JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnionKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number without a fraction.
    Integer,
    /// Any number.
    Number,
    /// Text.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl UnionKind {
    fn is_of(self, value: &Value) -> bool {
        match self {
            Self::Null => value.is_null(),
            Self::Bool => value.is_boolean(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Number => value.is_number(),
            Self::String => value.is_string(),
            Self::Array => value.is_array(),
            Self::Object => value.is_object(),
        }
    }
}

impl UnionForm {
    fn is_kind_of(&self, value: &Value) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|kind| kind.is_of(value))
    }

    /// Whether it keeps the value's members whatever their names, while a form that knows none of them would lose them.
    fn is_map_of(&self, value: &Value) -> bool {
        self.kinds == [UnionKind::Object]
            && self.known.is_empty()
            && self.within.is_empty()
            && value.as_object().is_some_and(|members| !members.is_empty())
    }

    /// How many of these members the value has.
    fn present(names: &[&str], value: &Value) -> usize {
        names.iter().filter(|name| value.get(**name).is_some()).count()
    }

    fn fits_fixed(&self, value: &Value) -> bool {
        self.fixed.iter().all(|(name, matches)| {
            let member = if name.is_empty() { Some(value) } else { value.get(*name) };
            // Whether a member may be `null` is for its type to judge.
            member.is_none_or(|member| member.is_null() || matches(member))
        })
    }

    /// Whether the value, whose tag names no form, cannot be of this one.
    fn is_ruled_out(&self, tag: Option<&str>, value: &Value) -> bool {
        tag.is_some_and(|tag| {
            value.get(tag).is_some_and(Value::is_string)
                && !self.tags.is_empty()
                && !self.known.is_empty()
                && self.fixed.iter().all(|(name, _)| *name != tag)
        })
    }

    /// How close the value comes to this form: the more, the closer.
    fn closeness(&self, value: &Value) -> (bool, bool, usize, usize) {
        (
            self.is_kind_of(value),
            self.fits_fixed(value),
            Self::present(self.required, value),
            Self::present(self.known, value),
        )
    }
}

/// The forms to try for a value, best first.
fn candidates<T: Union>(value: &Value) -> Vec<usize> {
    if let Some(form) = tagged::<T>(value) {
        return vec![form];
    }
    let mut fitting: Vec<usize> = (0..T::FORMS.len())
        .filter(|form| {
            let form = &T::FORMS[*form];
            form.is_kind_of(value)
                && !form.is_ruled_out(T::TAG, value)
                && UnionForm::present(form.required, value) == form.required.len()
                && form.fits_fixed(value)
        })
        .collect();
    // The sort is stable, so forms alike stay in the document's order.
    fitting.sort_by_key(|form| {
        let form = &T::FORMS[*form];
        let present = UnionForm::present(form.known, value) + UnionForm::present(form.within, value);
        (std::cmp::Reverse(present), !form.is_map_of(value))
    });
    fitting
}

/// The form that the value's tag names.
fn tagged<T: Union>(value: &Value) -> Option<usize> {
    let tag = value.get(T::TAG?)?.as_str()?;
    T::FORMS.iter().position(|form| form.tags.contains(&tag))
}

/// The form that a value was most likely meant to have; none where several come equally close.
fn closest<T: Union>(value: &Value) -> Option<usize> {
    tagged::<T>(value).or_else(|| {
        let closeness = |form: &usize| T::FORMS[*form].closeness(value);
        let open = || (0..T::FORMS.len()).filter(|form| !T::FORMS[*form].is_ruled_out(T::TAG, value));
        let best = open().max_by_key(closeness)?;
        let alike = open().filter(|form| closeness(form) == closeness(&best)).count();
        (alike == 1).then_some(best)
    })
}

/// Reads a value as the form that its tag names, or as the candidate that passes over the fewest members, the first of
/// those alike.
fn decode<T: Union>(value: &Value) -> Option<(usize, T)> {
    bounded(value, || {
        let mut best: Option<(u64, usize, T)> = None;
        for (at, form) in candidates::<T>(value).into_iter().enumerate() {
            if at > 0 && !may_try() {
                break;
            }
            let (read, skipped) = skipping(|| decode_as(form, value));
            if let Ok(read) = read
                && best.as_ref().is_none_or(|(least, ..)| skipped < *least)
            {
                best = Some((skipped, form, read));
            }
            if best.as_ref().is_some_and(|(least, ..)| *least == 0) {
                break;
            }
        }
        let (skipped, form, read) = best?;
        add_skipped(skipped);
        Some((form, read))
    })
}

thread_local! {
    /// How many more forms may be tried for the value that is being read; nothing outside of unions.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Runs `read`, in which [`may_try`] counts; within another union it goes on to count.
fn bounded<T>(value: &Value, read: impl FnOnce() -> T) -> T {
    struct Restore;

    impl Drop for Restore {
        fn drop(&mut self) {
            LEFT.set(None);
        }
    }

    if LEFT.get().is_some() {
        return read();
    }
    LEFT.set(Some(size(value).saturating_mul(TRIES)));
    let _restore = Restore;
    read()
}

/// Whether another form may be tried, which is then counted.
fn may_try() -> bool {
    let left = LEFT.get().unwrap_or_default();
    LEFT.set(Some(left.saturating_sub(1)));
    left > 0
}

/// How many values there are in a value, with itself.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(entries) => 1 + entries.iter().map(size).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

fn decode_as<T: Union>(form: usize, value: &Value) -> Result<T, serde_json::Error> {
    match untagged::<T>(form, value) {
        Some(value) => T::read(form, &value),
        None => T::read(form, value),
    }
}

/// The value without its tag, where the form does not declare it and must not take it for a member of its own.
fn untagged<T: Union>(form: usize, value: &Value) -> Option<Value> {
    let tag = T::TAG?;
    if T::FORMS[form].known.contains(&tag) || tagged::<T>(value) != Some(form) {
        return None;
    }
    let mut members = value.as_object()?.clone();
    members.remove(tag);
    Some(Value::Object(members))
}

/// What [`union!`](crate::union!) calls to read a value.
pub fn read_union<'de, T: Union, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let value = Value::deserialize(deserializer)?;
    if let Some((_, read)) = decode(&value) {
        return Ok(read);
    }
    let reason = match closest::<T>(&value) {
        Some(form) => {
            let name = T::FORMS[form].name;
            match decode_as::<T>(form, &value) {
                // It can be read that way, although a member says that it is not meant.
                Ok(_) => format!("fits none of: {}", names::<T>()),
                Err(error) => format!("fits none of: {}; as `{name}`: {error}", names::<T>()),
            }
        }
        None => format!("fits none of: {}", names::<T>()),
    };
    // A server that kept it would have to say what is wrong with it after the fact.
    let kept = if is_refusing() { None } else { T::other(value) };
    kept.ok_or_else(|| de::Error::custom(reason))
}

/// What [`union!`](crate::union!) calls to write a form that does not write its tag itself.
pub fn write_tagged<U: Union, T: Serialize, S: Serializer>(
    value: &T,
    name: &'static str,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut value = serde_json::to_value(value).map_err(ser::Error::custom)?;
    if let Value::Object(members) = &mut value
        && let Some(tag) = U::TAG
        && !members.contains_key(tag)
    {
        members.insert(tag.to_owned(), name.into());
    }
    value.serialize(serializer)
}

/// The error for a form that a union does not have.
pub fn no_form() -> serde_json::Error {
    <serde_json::Error as de::Error>::custom("fits no form")
}

/// The forms in words.
fn names<T: Union>() -> String {
    let names: Vec<&str> = T::FORMS.iter().map(|form| form.name).collect();
    names.join(", ")
}

/// Checks raw JSON by the form that it has, or comes closest to; generated `Validate` impls call it.
pub fn inspect_union<T: Union + Validate>(value: &Value, at: &Path<'_>, report: &mut Report) {
    let read = decode::<T>(value).map(|(form, _)| form);
    let Some(form) = read.or_else(|| closest::<T>(value)) else {
        report.push(at, unfit::<T>());
        return;
    };
    let before = report.len();
    if read.is_some() || T::FORMS[form].is_kind_of(value) {
        let bare = untagged::<T>(form, value);
        T::validate(&mut Check::form(bare.as_ref().unwrap_or(value), form, *at, report));
    }
    if read.is_none() && report.len() == before {
        report.push(at, unfit::<T>());
    }
}

/// The rule that a value without a form breaks.
pub(crate) fn unfit<T: Union>() -> String {
    match T::TAG {
        Some(tag) if T::FORMS.iter().all(|form| !form.tags.is_empty()) => {
            let tags: Vec<&str> = T::FORMS.iter().flat_map(|form| form.tags).copied().collect();
            format!("must have a `{tag}` out of: {}, and the form that it names", tags.join(", "))
        }
        _ => format!("must have the form of one of: {}", names::<T>()),
    }
}

#[cfg(test)]
mod tests;
