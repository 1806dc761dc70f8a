//! The file system for programs that generate: a folder that files are written to, and a folder that
//! documents are read from.
//!
//! The generator and the reader of documents have no access to disks of their own; they take a
//! [`Disk`](frontdesk_codegen::fileset::Disk) and a [`Loader`](frontdesk_document::Loader), which [`Folder`]
//! and [`FolderLoader`] are.

mod folder;
mod paths;

pub use folder::{Folder, FolderLoader};
pub use paths::{canonical, relative, slashed};
