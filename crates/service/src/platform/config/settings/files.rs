//! Settings of uploaded files.

use super::{
    Kind, Setting,
    values::{one, paths, positive, redacted, shown, web_address},
};
use frontdesk_store::Redacted;

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

pub(super) const S3_BUCKET: Setting = Setting {
    key: "files.s3_bucket",
    flag: "files-s3-bucket",
    value: "NAME",
    meaning: "Bucket with the interface of Amazon S3 for the content of uploaded files, instead of the folder",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| one(texts).map(|name| config.files.s3.bucket = Some(name)),
    show: |config| shown(&config.files.s3.bucket),
};

pub(super) const S3_ENDPOINT: Setting = Setting {
    key: "files.s3_endpoint",
    flag: "files-s3-endpoint",
    value: "URL",
    meaning: "Address of the service that has the bucket; by default that of Amazon in the region",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| web_address(texts).map(|url| config.files.s3.endpoint = Some(url)),
    show: |config| shown(&config.files.s3.endpoint),
};

pub(super) const S3_REGION: Setting = Setting {
    key: "files.s3_region",
    flag: "files-s3-region",
    value: "REGION",
    meaning: "Region of the bucket",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| one(texts).map(|region| config.files.s3.region = region),
    show: |config| shown([&config.files.s3.region]),
};

pub(super) const S3_ACCESS_KEY_ID: Setting = Setting {
    key: "files.s3_access_key_id",
    flag: "files-s3-access-key-id",
    value: "ID",
    meaning: "Id of the access key of the bucket",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| one(texts).map(|id| config.files.s3.access_key_id = Some(id)),
    show: |config| shown(&config.files.s3.access_key_id),
};

pub(super) const S3_SECRET_ACCESS_KEY: Setting = Setting {
    key: "files.s3_secret_access_key",
    flag: "files-s3-secret-access-key",
    value: "SECRET",
    meaning: "Secret of the access key of the bucket; other users see flags, so prefer the environment",
    kind: Kind::Text,
    secret: true,
    read: |config, texts| {
        one(texts).map(|secret: String| config.files.s3.secret_access_key = Some(Redacted::new(secret)))
    },
    show: |config| redacted(config.files.s3.secret_access_key.as_ref()),
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
