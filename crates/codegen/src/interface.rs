//! What users of the generated packages see of them, and what of it differs between two documents.
//!
//! - `macros`: the tables that generated crates hand to the macros of the runtime.
//! - `read`: from the rendered files to public items, with what the runtime's macros make.
//! - `origin`: where in the document an item comes from.
//! - [`difference`]: what a user's code notices of a change.
//! - [`declarations`]: the same for the JavaScript client, by the rules of TypeScript.
//!
//! Items are identified by their public paths, whatever file they are in. Types are compared as they are
//! written: the emitters give one type one spelling.

pub mod declarations;
pub mod difference;
mod macros;
mod origin;
mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use frontdesk_document::Document;

pub use self::declarations::Declarations;
pub use self::difference::{Difference, Weight, differences};
pub use self::origin::Origin;
use self::origin::Origins;
use self::read::FileCache;
use crate::{GenerateError, Options, emit, lowered, package};

/// A generated package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Package {
    /// Types, which users of the server and of the client see.
    Model,
    /// Traits to implement, and what their methods get.
    Server,
    /// Calls.
    Client,
    /// Calls in JavaScript, with types for TypeScript.
    JavaScript,
}

impl Package {
    /// The packages that are crates.
    const CRATES: [Self; 3] = [Self::Model, Self::Server, Self::Client];

    /// The folder below the output, and the last word of the crate's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Server => "server",
            Self::Client => "client",
            Self::JavaScript => emit::javascript::FOLDER,
        }
    }
}

impl fmt::Display for Package {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Names an item: `Chatbot`, `Chatbot::name`, `Chatbot::new()`, `Chatbot: Default`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Path {
    pub(crate) package: Package,
    /// The type, the trait, or the item itself where it stands alone, with its modules.
    pub(crate) owner: String,
    /// What belongs to the owner: a field, a variant, a method with `()`, `: Trait`; empty for the owner
    /// itself.
    pub(crate) member: String,
}

/// An item, as far as users can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) fact: Fact,
    /// Whether only servers compile it.
    pub(crate) gated: bool,
}

/// Who can neither make a struct by its fields nor take it apart by all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Openness {
    Nobody,
    Clients,
    Everybody,
}

/// What an item is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    Struct {
        generics: String,
        open: Openness,
    },
    /// `open` if users have to expect further variants.
    Enum {
        open: Openness,
    },
    Trait {
        bounds: String,
    },
    Alias {
        ty: String,
    },
    Constant {
        ty: String,
    },
    /// Something of another crate, under a name of this one.
    Foreign {
        path: String,
    },
    /// A further path to an item.
    Also {
        path: String,
    },
    Field {
        ty: String,
    },
    Variant {
        payload: String,
    },
    Function(Function),
    /// A type that implementations name; `defaulted` if they need not.
    Associated {
        bounds: String,
        defaulted: bool,
    },
    /// An implementation, with the types that it names.
    Impl {
        types: String,
    },
}

/// How a function is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// The parameters, such as `<S, A>`.
    pub(crate) generics: String,
    /// What each type of the `where` clause has to be.
    pub(crate) bounds: BTreeMap<String, BTreeSet<String>>,
    pub(crate) receiver: String,
    /// Names and types.
    pub(crate) arguments: Vec<(String, String)>,
    pub(crate) output: String,
    /// Whether it is a method of a trait that implementations have to write.
    pub(crate) demanded: bool,
}

/// The public items of the three crates that a document makes.
#[derive(Clone, Debug)]
pub struct Interface {
    pub(crate) items: BTreeMap<Path, Item>,
    pub(crate) origins: Origins,
}

/// Finds the interfaces of the crates of several documents. A file that some of them share is read once.
#[derive(Debug, Default)]
pub struct InterfaceReader {
    files: FileCache,
}

impl InterfaceReader {
    /// The interface of the crates that a document would make. No bundle is written, so it is quicker than
    /// [`generate`](crate::generate), and fails where that fails.
    pub fn read(&self, document: &Document, options: &Options) -> Result<Interface, GenerateError> {
        let (api, _) = lowered(document, options)?;
        let metadata = package::Package::default();
        let files: BTreeMap<String, String> = emit::emit(&api, options, &metadata)?.into_iter().collect();
        let mut items = BTreeMap::new();
        for package in Package::CRATES {
            read::package(package, &files, &self.files, &mut items).map_err(|problem| {
                GenerateError::Defect(format!("the {package} crate cannot be read again: {problem}"))
            })?;
        }
        Ok(Interface { items, origins: Origins::of(&api, document) })
    }
}

impl Interface {
    /// The interface of the crates that a document would make, as [`InterfaceReader::read`] finds it.
    pub fn of(document: &Document, options: &Options) -> Result<Self, GenerateError> {
        InterfaceReader::default().read(document, options)
    }

    /// Number of public items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether nothing is public.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}
