//! Tests of the file system, in temporary folders.

use std::fs;

use frontdesk_codegen::fileset::{FileSet, Plan};
use tempfile::TempDir;

use super::*;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn write(folder: &TempDir, path: &str, text: &str) {
    let place = folder.path().join(path);
    fs::create_dir_all(place.parent().expect("a file has a folder")).expect("the folder can be made");
    fs::write(place, text).expect("the file can be written");
}

#[test]
fn a_plan_is_carried_out_and_the_second_one_changes_nothing() {
    let temporary = folder();
    write(&temporary, "model/src/fresh.rs", "fresh\n");
    write(&temporary, "model/src/stale.rs", "old\n");
    write(&temporary, "model/src/gone/deep/orphan.rs", "orphan\n");
    write(&temporary, "mine.rs", "mine\n");
    let plan = || {
        let mut files = FileSet::owning(["model", "absent"]);
        for (path, text) in
            [("model/src/fresh.rs", "fresh\n"), ("model/src/stale.rs", "new\n"), ("model/new/a.rs", "a\n")]
        {
            files.insert(path, text).expect("the path is plain");
        }
        Plan::new(files, &Folder::new(temporary.path())).expect("the folder can be read")
    };
    let touched = || {
        fs::metadata(temporary.path().join("model/src/fresh.rs"))
            .and_then(|file| file.modified())
            .expect("it is there")
    };
    let before = touched();

    let summary = plan().apply(&mut Folder::new(temporary.path())).expect("the folder can be written");
    assert_eq!(summary.written(), ["model/new/a.rs", "model/src/stale.rs"]);
    assert_eq!(summary.removed(), ["model/src/gone/deep/orphan.rs"]);
    assert!(plan().is_fresh());
    assert_eq!(touched(), before);
    let all = Folder::new(temporary.path()).list("model").expect("the folder can be read");
    assert_eq!(all, ["model/new/a.rs", "model/src/fresh.rs", "model/src/stale.rs"]);
    assert!(!temporary.path().join("model/src/gone").exists(), "folders left empty go");
    assert!(temporary.path().join("mine.rs").exists());
}

#[test]
fn what_is_given_up_leaves_no_trace() {
    let temporary = folder();
    write(&temporary, "model/a.rs", "old\n");
    let mut disk = Folder::new(temporary.path());
    disk.stage("model/a.rs", "new\n").expect("it can be staged");
    disk.stage("model/new/deep/b.rs", "new\n").expect("it can be staged");
    disk.discard();
    assert_eq!(disk.list("model").expect("the folder can be read"), ["model/a.rs"]);
    assert_eq!(disk.read("model/a.rs").expect("it can be read").as_deref(), Some(b"old\n".as_slice()));
    assert!(!temporary.path().join("model/new").exists());
    assert!(disk.commit("model/a.rs").is_err());
}

#[test]
fn what_is_absent_is_no_error_and_what_cannot_be_read_is() {
    let temporary = folder();
    write(&temporary, "model/a.rs", "a\n");
    let disk = Folder::new(temporary.path());
    assert_eq!(disk.read("client/a.rs").expect("absent"), None);
    assert_eq!(disk.read("model/a.rs/b.rs").expect("absent"), None);
    assert_eq!(disk.list("client").expect("absent"), Vec::<String>::new());
    assert_eq!(disk.list("model/a.rs").expect("a file"), ["model/a.rs"]);
    let error = disk.read("model").expect_err("it is a folder");
    assert!(error.to_string().contains("model"), "{error}");
}

#[cfg(unix)]
#[test]
fn files_are_readable_for_others_and_links_are_not_followed() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let (temporary, elsewhere) = (folder(), folder());
    let mut disk = Folder::new(temporary.path());
    write(&elsewhere, "precious.rs", "precious\n");
    write(&temporary, "plain.rs", "plain\n");
    disk.stage("model/a.rs", "a\n").expect("it can be staged");
    disk.commit("model/a.rs").expect("it can be moved");
    let mode =
        |path: &str| fs::metadata(temporary.path().join(path)).expect("it is there").permissions().mode();
    assert_eq!(mode("model/a.rs"), mode("plain.rs"));

    symlink(elsewhere.path(), temporary.path().join("model/link")).expect("links can be made");
    assert_eq!(disk.list("model").expect("the folder can be read"), ["model/a.rs", "model/link"]);
    disk.remove("model/link").expect("the link can be removed");
    assert!(elsewhere.path().join("precious.rs").exists());
}

#[test]
fn documents_are_read_within_bounds() {
    let temporary = folder();
    let outside = folder();
    write(&temporary, "api/v1/openapi.yaml", "root\n");
    write(&temporary, "api/shared.yaml", "shared\n");
    write(&outside, "secret.yaml", "secret\n");
    fs::write(temporary.path().join("api/image.yaml"), [0xFF, 0xD8]).expect("the file can be written");
    let secret = outside.path().join("secret.yaml").display().to_string();

    let below =
        FolderLoader::for_document(Path::new("api/v1/openapi.yaml"), temporary.path()).expect("a loader");
    assert_eq!(below.load("api/v1/openapi.yaml"), Ok("root\n".to_owned()));
    assert_eq!(below.load("api/v1/../shared.yaml"), Ok("shared\n".to_owned()));
    assert_eq!(below.load("api/absent.yaml"), Err(LoadError::NotFound));
    assert_eq!(below.load("api/image.yaml"), Err(LoadError::NotText));
    assert_eq!(below.load("api"), Err(LoadError::Refused("it is not a file".to_owned())));
    assert!(matches!(below.load(&secret), Err(LoadError::Refused(_))));

    // Started in another folder: the document's own folder, or its repository, is the bound.
    let document = temporary.path().join("api/v1/openapi.yaml");
    let (root, shared) =
        (document.display().to_string(), temporary.path().join("api/shared.yaml").display().to_string());
    let elsewhere = FolderLoader::for_document(&document, outside.path()).expect("a loader");
    assert_eq!(elsewhere.load(&root), Ok("root\n".to_owned()));
    assert!(matches!(elsewhere.load(&shared), Err(LoadError::Refused(_))));
    fs::create_dir(temporary.path().join(".git")).expect("the folder can be made");
    let repository = FolderLoader::for_document(&document, outside.path()).expect("a loader");
    assert_eq!(repository.load(&shared), Ok("shared\n".to_owned()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_staged_file_is_not_held_open() {
    let temporary = folder();
    let root = temporary.path().canonicalize().expect("the folder is there");
    let mut disk = Folder::new(&root);
    disk.stage("model/src/a.rs", "a\n").expect("it can be written");
    let open = fs::read_dir("/proc/self/fd").expect("the system lists open files");
    // Another thread may close one between the two calls.
    let open = open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    let held: Vec<PathBuf> = open.filter(|file| file.starts_with(&root)).collect();
    assert!(held.is_empty(), "a document of thousands of files would meet the limit on open ones: {held:?}");
    disk.commit("model/src/a.rs").expect("it can be moved");
    assert_eq!(fs::read_to_string(root.join("model/src/a.rs")).expect("it is there"), "a\n");
}

#[test]
fn many_files_are_staged_at_once_and_a_failure_leaves_nothing() {
    let temporary = tempfile::tempdir().expect("a folder");
    let texts: Vec<(String, String)> = (0..500)
        .map(|number| (format!("model/{}/{number}.rs", number % 7), format!("// {number}\n")))
        .collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let mut disk = Folder::new(temporary.path());
    disk.stage_all(&files).expect("the folder can be written");
    for (path, text) in &files {
        disk.commit(path).expect("it is staged");
        assert_eq!(fs_err::read_to_string(temporary.path().join(path)).expect("it is there"), *text);
    }

    // A file stands where a folder is needed.
    let temporary = tempfile::tempdir().expect("a folder");
    fs_err::write(temporary.path().join("server"), "in the way").expect("it can be written");
    let mut disk = Folder::new(temporary.path());
    let mut more = files.clone();
    more.insert(250, ("server/lib.rs", ""));
    let (path, _) = disk.stage_all(&more).expect_err("it cannot be written");
    assert_eq!(path, "server/lib.rs");
    disk.discard();
    let left = fs_err::read_dir(temporary.path()).expect("the folder").count();
    assert_eq!(left, 1, "only what was there");
}
