//! Which types accept the values of others, by the rules of TypeScript as far as generated declarations need
//! them.

use std::collections::{BTreeMap, BTreeSet};

use super::ty::{FURTHER, Member, Ty};
use super::{Declaration, Declarations};

/// Types of TypeScript that accept literals.
const STRING: &str = "string";
const NUMBER: &str = "number";
const BOOLEAN: &str = "boolean";

/// The argument of functions without parameters.
const NO_PARAMETERS: &str = "runtime.NoParameters";

/// Judges whether values of types of one side may be given where types of the other side are expected.
pub(super) struct Assignment<'d> {
    from: &'d Declarations,
    to: &'d Declarations,
    /// Pairs that are being judged or were found to fit, so that types that contain themselves end.
    assumed: BTreeSet<(Ty, Ty)>,
}

impl<'d> Assignment<'d> {
    pub(super) fn new(from: &'d Declarations, to: &'d Declarations) -> Self {
        Self { from, to, assumed: BTreeSet::new() }
    }

    /// Returns whether each value of `from` is a value of `to`.
    pub(super) fn fits(&mut self, from: &Ty, to: &Ty) -> bool {
        if !self.assumed.insert((from.clone(), to.clone())) {
            return true;
        }
        let fits = self.judged(from, to);
        if !fits {
            self.assumed.remove(&(from.clone(), to.clone()));
        }
        fits
    }

    fn judged(&mut self, from: &Ty, to: &Ty) -> bool {
        if let (Ty::Name(one), Ty::Name(other)) = (from, to) {
            // What has the same name on both sides is compared under that name.
            if one == other && self.from.exported.contains_key(one) && self.to.exported.contains_key(other) {
                return true;
            }
        }
        if let Some(Declaration::Alias(ty)) = declared(self.from, from) {
            return self.fits(ty, to);
        }
        if let Some(Declaration::Alias(ty)) = declared(self.to, to) {
            return self.fits(from, ty);
        }
        match (from, to) {
            _ if from == to => true,
            (_, Ty::Name(name)) if name == "unknown" => true,
            (Ty::Union(types), _) => types.iter().all(|from| self.fits(from, to)),
            (_, Ty::Union(types)) => types.iter().any(|to| self.fits(from, to)),
            (_, open) if open.is_open() => self.fits(from, &Ty::Name(STRING.to_owned())),
            (open, _) if open.is_open() => {
                matches!(to, Ty::Name(name) if name == STRING)
            }
            (_, Ty::Both(parts)) => parts.iter().all(|to| self.fits(from, to)),
            (Ty::Both(parts), _) => parts.iter().any(|from| self.fits(from, to)),
            (Ty::Literal(literal), Ty::Name(name)) => kind(literal) == name,
            (Ty::List(from), Ty::List(to)) => self.fits(from, to),
            (Ty::Generic(one, from), Ty::Generic(other, to)) => {
                one == other
                    && from.len() == to.len()
                    && from.iter().zip(to).all(|(from, to)| self.fits(from, to))
            }
            // Only an empty object may be given where there are no parameters, so that fits all that is
            // optional.
            (Ty::Name(none), _) if none == NO_PARAMETERS => {
                members(self.to, to).is_some_and(|to| self.fits_members(&BTreeMap::new(), to))
            }
            _ => match (members(self.from, from), members(self.to, to)) {
                (Some(from), Some(to)) => self.fits_members(from, to),
                _ => from == to,
            },
        }
    }

    fn fits_members(&mut self, from: &BTreeMap<String, Member>, to: &BTreeMap<String, Member>) -> bool {
        to.iter().all(|(name, expected)| match from.get(name) {
            Some(given) => (expected.optional || !given.optional) && self.fits(&given.ty, &expected.ty),
            None => expected.optional || name == FURTHER,
        })
    }
}

/// Returns what a name is declared as.
fn declared<'d>(declarations: &'d Declarations, ty: &Ty) -> Option<&'d Declaration> {
    match ty {
        Ty::Name(name) => declarations.exported.get(name),
        _ => None,
    }
}

/// Returns the members of an object type.
fn members<'t>(declarations: &'t Declarations, ty: &'t Ty) -> Option<&'t BTreeMap<String, Member>> {
    match (ty, declared(declarations, ty)) {
        (Ty::Object(members), _) | (_, Some(Declaration::Interface(members))) => Some(members),
        _ => None,
    }
}

/// Returns the name of the type that a literal belongs to.
fn kind(literal: &str) -> &'static str {
    match literal {
        "true" | "false" => BOOLEAN,
        text if text.starts_with('\'') => STRING,
        _ => NUMBER,
    }
}
