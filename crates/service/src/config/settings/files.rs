//! Settings of uploaded files.

use super::{
    Kind, Setting,
    values::{one, paths, positive, shown},
};

pub(super) const DIRECTORY: Setting = Setting {
    key: "files.directory",
    flag: "files-directory",
    value: "FOLDER",
    meaning: "Folder for the content of uploaded files, shared by all processes; by default `files` beside the SQLite database",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| one(texts).map(|path| config.files.directory = Some(path)),
    show: |config| paths(config.files.directory.as_ref()),
};

pub(super) const WORKERS: Setting = Setting {
    key: "files.workers",
    flag: "files-workers",
    value: "COUNT",
    meaning: "Number of uploaded files that are read at the same time, each by a child process of at most 1 GB",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.files.workers = count as usize),
    show: |config| shown([&config.files.workers]),
};

pub(super) const EXTRACTOR: Setting = Setting {
    key: "files.extractor",
    flag: "files-extractor",
    value: "PROGRAM",
    meaning: "Program that reads uploaded files, called with `extract-document`; by default this program itself",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| one(texts).map(|path| config.files.extractor = Some(path)),
    show: |config| paths(config.files.extractor.as_ref()),
};
