//! [`union!`](crate::union!): enumerations whose variants are alternative JSON representations of a value.

pub(crate) mod choice;

use crate::{
    check::{Check, Path, Report, Validate},
    object::{add_skipped, is_refusing, skipping},
    whole_numbers,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::Value;
use std::cell::Cell;

/// How often each value in the JSON may be read as additional variants, on average. Without this limit,
/// whoever sends a value that is nested deeply enough could have recursive variants tried in exponentially
/// many combinations.
const TRIES: usize = 256;

/// Implements `Serialize` and `Deserialize` for an enumeration whose variants hold the alternatives of a
/// `oneOf` or `anyOf`.
///
/// Each variant states how its values are recognized: after `=` the values of the tag (the property that `by`
/// names), in brackets the kinds of JSON (any, if there are none), required members, members with a few fixed
/// values (an empty name is the value itself), all known members and, `within` a union, the members that its
/// variants know. With `adds`, a value of the tag is written if the variant does not write it itself.
///
/// A known tag decides. Otherwise all variants that can hold the value are tried in order of how many of its
/// members they know, maps being tried when none is known. The one that skips the fewest members, at any
/// depth, is chosen; in a JSON body that a server checks, one whose rules hold takes precedence. An unknown
/// tag excludes variants that have tag values, unless they declare the tag's values themselves or are unions
/// to whose variants it may belong. A last `..Variant` keeps values that match no variant, except on a
/// server, which refuses them.
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
            const VARIANTS: &'static [$crate::macros::UnionVariant] = &[$($crate::macros::UnionVariant {
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
                Err($crate::macros::no_variant())
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

/// An enumeration defined by [`union!`](crate::union!).
pub trait Union: Sized {
    /// The property that distinguishes the variants, if there is one.
    const TAG: Option<&'static str>;
    /// The variants, in the order in which they are tried if nothing else orders them.
    const VARIANTS: &'static [UnionVariant];

    /// Reads a value as one variant.
    fn read(form: usize, value: &Value) -> Result<Self, serde_json::Error>;

    /// Keeps a value that matches no variant, if the union allows that.
    fn other(_value: Value) -> Option<Self> {
        None
    }
}

/// How values of one variant are recognized.
#[derive(Debug)]
pub struct UnionVariant {
    /// The variant.
    pub name: &'static str,
    /// The values of the tag that select it.
    pub tags: &'static [&'static str],
    /// The kinds of JSON that it accepts; empty for all.
    pub kinds: &'static [UnionKind],
    /// Required members.
    pub required: &'static [&'static str],
    /// Members that have one of a few values, unless they are absent or `null`.
    pub fixed: &'static [(&'static str, Matches)],
    /// Every declared member.
    pub known: &'static [&'static str],
    /// For a union: every member that one of its variants declares.
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
    /// A string.
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

impl UnionVariant {
    fn is_kind_of(&self, value: &Value) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|kind| kind.is_of(value))
    }

    /// Whether the variant keeps all of the value's members, while a variant that knows none of them would
    /// lose them.
    fn is_map_of(&self, value: &Value) -> bool {
        self.kinds == [UnionKind::Object]
            && self.known.is_empty()
            && self.within.is_empty()
            && value.as_object().is_some_and(|members| !members.is_empty())
    }

    /// Returns how many of these members the value has.
    fn present(names: &[&str], value: &Value) -> usize {
        names.iter().filter(|name| value.get(**name).is_some()).count()
    }

    fn fits_fixed(&self, value: &Value) -> bool {
        self.fixed.iter().all(|(name, matches)| {
            let member = if name.is_empty() { Some(value) } else { value.get(*name) };
            // The type of the member decides whether it may be `null`.
            member.is_none_or(|member| member.is_null() || matches(member))
        })
    }

    /// Whether the value, whose tag selects no variant, cannot be of this one.
    fn is_ruled_out(&self, tag: Option<&str>, value: &Value) -> bool {
        tag.is_some_and(|tag| {
            value.get(tag).is_some_and(Value::is_string)
                && !self.tags.is_empty()
                && !self.known.is_empty()
                && self.fixed.iter().all(|(name, _)| *name != tag)
        })
    }

    /// Returns how well the value matches the variant; higher is better.
    fn closeness(&self, value: &Value) -> (bool, bool, usize, usize) {
        (
            self.is_kind_of(value),
            self.fits_fixed(value),
            Self::present(self.required, value),
            Self::present(self.known, value),
        )
    }
}

/// Returns the variants to try for a value, best first.
fn candidates<T: Union>(value: &Value) -> Vec<usize> {
    if let Some(form) = tagged::<T>(value).or_else(|| choice::chosen::<T>(value)) {
        return vec![form];
    }
    let mut fitting: Vec<usize> = (0..T::VARIANTS.len())
        .filter(|form| {
            let form = &T::VARIANTS[*form];
            form.is_kind_of(value)
                && !form.is_ruled_out(T::TAG, value)
                && UnionVariant::present(form.required, value) == form.required.len()
                && form.fits_fixed(value)
        })
        .collect();
    // The sort is stable, so equal variants stay in the document's order.
    fitting.sort_by_key(|form| {
        let form = &T::VARIANTS[*form];
        let present = UnionVariant::present(form.known, value) + UnionVariant::present(form.within, value);
        (std::cmp::Reverse(present), !form.is_map_of(value))
    });
    fitting
}

/// Returns the variant that the value's tag selects.
fn tagged<T: Union>(value: &Value) -> Option<usize> {
    let tag = value.get(T::TAG?)?.as_str()?;
    T::VARIANTS.iter().position(|form| form.tags.contains(&tag))
}

/// Returns the variant that a value was most likely meant for; `None` if several match equally well.
fn closest<T: Union>(value: &Value) -> Option<usize> {
    tagged::<T>(value).or_else(|| {
        let closeness = |form: &usize| T::VARIANTS[*form].closeness(value);
        let open = || (0..T::VARIANTS.len()).filter(|form| !T::VARIANTS[*form].is_ruled_out(T::TAG, value));
        let best = open().max_by_key(closeness)?;
        let alike = open().filter(|form| closeness(form) == closeness(&best)).count();
        (alike == 1).then_some(best)
    })
}

/// Reads a value as the variant that its tag selects, or as the candidate that skips the fewest members; the
/// first one of several equal candidates. If none can be read, the error has the reason for each that was
/// tried.
fn decode<T: Union>(value: &Value) -> Result<(usize, T), Vec<(usize, serde_json::Error)>> {
    bounded(value, || {
        let mut best: Option<(u64, usize, T)> = None;
        let mut faults = Vec::new();
        for (at, form) in candidates::<T>(value).into_iter().enumerate() {
            if at > 0 && !may_try(value) {
                break;
            }
            let (read, skipped) = skipping(|| decode_as(form, value));
            match read {
                Ok(read) if best.as_ref().is_none_or(|(least, ..)| skipped < *least) => {
                    best = Some((skipped, form, read));
                }
                Ok(_) => {}
                Err(fault) => faults.push((form, fault)),
            }
            if best.as_ref().is_some_and(|(least, ..)| *least == 0) {
                break;
            }
        }
        let Some((skipped, form, read)) = best else { return Err(faults) };
        add_skipped(skipped);
        Ok((form, read))
    })
}

/// Returns why a value is none of the variants, given the reasons for those that were tried.
fn mismatch<T: Union>(value: &Value, faults: Vec<(usize, serde_json::Error)>) -> String {
    let none = format!("matches none of: {}", names::<T>());
    let Some(form) = closest::<T>(value) else { return none };
    let tried = faults.into_iter().find(|(tried, _)| *tried == form).map(|(_, fault)| fault);
    // A variant that was not tried can be read where only a member of the value excludes it.
    let fault = tried.or_else(|| may_try(value).then(|| decode_as::<T>(form, value).err()).flatten());
    fault.map_or_else(|| none.clone(), |fault| format!("{none}; as `{}`: {fault}", T::VARIANTS[form].name))
}

thread_local! {
    /// How many more values may be read as additional variants; `None` outside of unions.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Runs `read` with a counter for [`may_try`]. Everything that is read or checked within shares it.
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

/// Whether another variant may be tried for a value; if so, counts everything in the value.
fn may_try(value: &Value) -> bool {
    let left = LEFT.get().unwrap_or_default().checked_sub(size(value));
    left.inspect(|left| LEFT.set(Some(*left))).is_some()
}

/// Returns the number of values in a value, including itself.
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

/// Returns the value without its tag, if the variant does not declare the tag and must not read it as a
/// member.
fn untagged<T: Union>(form: usize, value: &Value) -> Option<Value> {
    let tag = T::TAG?;
    if T::VARIANTS[form].known.contains(&tag) || tagged::<T>(value) != Some(form) {
        return None;
    }
    let mut members = value.as_object()?.clone();
    members.remove(tag);
    Some(Value::Object(members))
}

/// Reads a value, for [`union!`](crate::union!).
pub fn read_union<'de, T: Union, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    choice::note_union();
    let mut value = Value::deserialize(deserializer)?;
    // A variant of integers is read from digits only.
    whole_numbers::write_digits(&mut value);
    let reason = match bounded(&value, || decode(&value).map_err(|faults| mismatch::<T>(&value, faults))) {
        Ok((_, read)) => return Ok(read),
        Err(reason) => reason,
    };
    // A server that kept the value could not report a useful error later.
    let kept = if is_refusing() { None } else { T::other(value) };
    kept.ok_or_else(|| de::Error::custom(reason))
}

/// Writes a variant that does not write its tag itself, for [`union!`](crate::union!).
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

/// Returns the error for a variant that a union does not have.
pub fn no_variant() -> serde_json::Error {
    <serde_json::Error as de::Error>::custom("matches no variant")
}

/// Lists the variants in an error message.
fn names<T: Union>() -> String {
    let names: Vec<&str> = T::VARIANTS.iter().map(|form| form.name).collect();
    names.join(", ")
}

/// Checks raw JSON by the variant that it matches best; generated `Validate` impls call it.
pub fn inspect_union<T: Union + Validate>(value: &Value, at: &Path<'_>, report: &mut Report) {
    let is_nested = LEFT.get().is_some();
    bounded(value, || {
        // Reading a nested value would read all below it once more, at each level.
        let only = match candidates::<T>(value)[..] {
            [form] if is_nested => Some(form),
            _ => None,
        };
        let read = only.or_else(|| decode::<T>(value).ok().map(|(form, _)| form));
        let Some(form) = read.or_else(|| closest::<T>(value)) else {
            report.push(at, unfit::<T>());
            return;
        };
        let check = |form: usize, report: &mut Report| {
            let bare = untagged::<T>(form, value);
            T::validate(&mut Check::form(bare.as_ref().unwrap_or(value), form, *at, report));
        };
        let mut found = Report::default();
        if read.is_some() || T::VARIANTS[form].is_kind_of(value) {
            check(form, &mut found);
        }
        if read.is_none() && found.is_empty() {
            found.push(at, unfit::<T>());
        }
        let holds = |other: &usize| {
            let mut found = Report::default();
            *other != form && may_try(value) && decode_as::<T>(*other, value).is_ok() && {
                check(*other, &mut found);
                found.is_empty()
            }
        };
        let has_failed = !found.is_empty();
        let other = has_failed.then(|| candidates::<T>(value).into_iter().find(holds)).flatten();
        match other {
            Some(other) => choice::choose::<T>(value, other),
            None => report.append(found),
        }
    });
}

impl<T: Union> Check<'_, T> {
    /// Requires a variant that the document declares, for a union that also keeps other values.
    pub fn listed(&mut self, is_unknown: fn(&T) -> bool) {
        self.decoded_rule(|value| !is_unknown(value), unfit::<T>);
    }
}

/// Returns the rule that a value without a matching variant violates.
fn unfit<T: Union>() -> String {
    match T::TAG {
        Some(tag) if T::VARIANTS.iter().all(|form| !form.tags.is_empty()) => {
            let tags: Vec<&str> = T::VARIANTS.iter().flat_map(|form| form.tags).copied().collect();
            format!("must have a `{tag}` out of: {}, and the form that it names", tags.join(", "))
        }
        _ => format!("must have the form of one of: {}", names::<T>()),
    }
}

#[cfg(test)]
mod tests;
