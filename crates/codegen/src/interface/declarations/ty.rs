//! Types of TypeScript, as far as generated declarations write them.

use std::collections::BTreeMap;
use std::fmt;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ty {
    /// A literal as it is written: `'open'`, `1`, `true`.
    Literal(String),
    /// A name, also one with a namespace: `string`, `Deal`, `runtime.Bytes`.
    Name(String),
    /// A name with arguments: `runtime.Call<Deal>`.
    Generic(String, Vec<Ty>),
    /// `Deal[]`
    List(Box<Ty>),
    /// `{ title: string }`
    Object(BTreeMap<String, Member>),
    /// `A | B`
    Union(Vec<Ty>),
    /// `A & B`
    Both(Vec<Ty>),
    /// A type that is only compared as text, such as `keyof WebhookEvents`.
    Other(String),
}

/// A member of an object, or an argument of a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    pub(super) optional: bool,
    pub(super) ty: Ty,
}

/// The member that stands for all further ones: `[name: string]`.
pub(super) const FURTHER: &str = "[name: string]";

impl Ty {
    /// Returns the alternatives of a union; of another type, the type itself.
    pub(super) fn alternatives(&self) -> &[Ty] {
        match self {
            Self::Union(types) => types,
            other => std::slice::from_ref(other),
        }
    }

    /// Returns whether it is `string & {}`, which stands for values that later versions may add.
    pub(super) fn is_open(&self) -> bool {
        match self {
            Self::Both(parts) => matches!(
                parts.as_slice(),
                [Self::Name(name), Self::Object(members)] if name == "string" && members.is_empty()
            ),
            _ => false,
        }
    }

    /// Returns all names that are written in it.
    pub(super) fn names(&self) -> Vec<&str> {
        match self {
            Self::Literal(_) | Self::Other(_) => Vec::new(),
            Self::Name(name) => vec![name],
            Self::Generic(name, types) => {
                std::iter::once(name.as_str()).chain(types.iter().flat_map(Self::names)).collect()
            }
            Self::List(entry) => entry.names(),
            Self::Object(members) => members.values().flat_map(|member| member.ty.names()).collect(),
            Self::Union(types) | Self::Both(types) => types.iter().flat_map(Self::names).collect(),
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |types: &[Ty], separator: &str| {
            types.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
        };
        match self {
            Self::Literal(text) | Self::Name(text) | Self::Other(text) => formatter.write_str(text),
            Self::Generic(name, types) => write!(formatter, "{name}<{}>", joined(types, ", ")),
            Self::List(entry) => match **entry {
                Self::Union(_) | Self::Both(_) | Self::Other(_) => write!(formatter, "({entry})[]"),
                _ => write!(formatter, "{entry}[]"),
            },
            Self::Object(members) if members.is_empty() => formatter.write_str("{}"),
            Self::Object(members) => {
                let members = members.iter().map(|(name, member)| {
                    format!("{name}{}: {}", if member.optional { "?" } else { "" }, member.ty)
                });
                write!(formatter, "{{ {} }}", members.collect::<Vec<_>>().join("; "))
            }
            Self::Union(types) => formatter.write_str(&joined(types, " | ")),
            Self::Both(types) => write!(formatter, "({})", joined(types, " & ")),
        }
    }
}
