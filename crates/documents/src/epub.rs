//! EPUB books: chapters of XHTML in the order of the package's spine.

use std::collections::{HashMap, HashSet};

use crate::{
    archive::{Archive, normal, resolve},
    blocks::Blocks,
    content::Content,
    error::{ExceededLimit, ExtractError},
    limits::Limits,
    warning::{WarningCode, Warnings, counted},
    web_text,
    xml::{Token, Xml},
};

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Content, ExtractError> {
    let mut archive = Archive::open(bytes, limits)?;
    let container = archive.required("META-INF/container.xml")?;
    let package_part = package_part(&container, limits)?;
    let package = Package::read(&archive.required(&package_part)?, limits)?;
    if package.spine.len() > limits.pages {
        return Err(ExceededLimit::Pages(limits.pages).into());
    }
    let protected = protected_parts(&archive.text("META-INF/encryption.xml")?.unwrap_or_default(), limits)?;
    let mut blocks = Blocks::new(limits);
    let mut missing = Missing::default();
    for id in &package.spine {
        match chapter(&mut archive, &package, &package_part, id, &protected) {
            Ok(Some(chapter)) => blocks.extend(web_text::blocks_of_html(&chapter))?,
            Ok(None) => {}
            Err(problem) => missing.note(&package, id, problem),
        }
    }
    if !missing.list.is_empty() && !blocks.have_text() {
        return Err(missing.error());
    }
    let mut warnings = Warnings::default();
    missing.warn(&mut warnings);
    Ok(Content {
        title: package.title,
        language: package.language,
        page_count: u32::try_from(package.spine.len()).ok(),
        blocks,
        warnings,
    })
}

/// Why a chapter cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Problem {
    NotListed,
    Missing,
    Outside,
    Protected,
    Damaged,
}

impl Problem {
    /// Returns the end of a sentence that begins with the name of the chapter.
    const fn text(self) -> &'static str {
        match self {
            Self::NotListed => "is not in the list of the book's parts",
            Self::Missing => "is not in the file",
            Self::Outside => "is outside of the file",
            Self::Protected => "is protected against copying",
            Self::Damaged => "is damaged",
        }
    }
}

/// Returns the content of a chapter; `None` if it is not a text, such as a picture of the cover.
fn chapter(
    archive: &mut Archive<'_>,
    package: &Package,
    package_part: &str,
    id: &str,
    protected: &HashSet<String>,
) -> Result<Option<Vec<u8>>, Problem> {
    let item = package.manifest.get(id).ok_or(Problem::NotListed)?;
    if !item.is_text() {
        return Ok(None);
    }
    if is_address(&item.target) {
        return Err(Problem::Outside);
    }
    let part = resolve(package_part, &item.target);
    let name = archive.name_like(&part).ok_or(Problem::Missing)?;
    if protected.contains(&normal(&name)) {
        return Err(Problem::Protected);
    }
    let bytes = archive.part(&name).map_err(|_| Problem::Damaged)?.ok_or(Problem::Missing)?;
    // White space alone, and no mark-up: the part was cut off.
    if bytes.iter().all(u8::is_ascii_whitespace) { Err(Problem::Damaged) } else { Ok(Some(bytes)) }
}

/// Returns whether a target is an address rather than a path.
fn is_address(target: &str) -> bool {
    let scheme = target.split(['/', '?', '#']).next().unwrap_or_default();
    target.starts_with("//")
        || scheme.split_once(':').is_some_and(|(scheme, _)| {
            scheme.len() > 1 && scheme.chars().all(|character| character.is_ascii_alphanumeric())
        })
}

/// Returns the names of the parts that are encrypted. Fonts are too, in books without any protection.
fn protected_parts(encryption: &str, limits: &Limits) -> Result<HashSet<String>, ExtractError> {
    let mut parts = HashSet::new();
    let mut xml = Xml::new(encryption, limits.xml_depth);
    while let Some(token) = xml.next()? {
        if let Token::Start(element) = token
            && element.name == "CipherReference"
            && let Some(target) = element.attribute("URI")
        {
            parts.insert(normal(&resolve("", &target)));
        }
    }
    Ok(parts)
}

/// The chapters that cannot be read.
#[derive(Default)]
struct Missing {
    list: Vec<(String, Problem)>,
}

impl Missing {
    fn note(&mut self, package: &Package, id: &str, problem: Problem) {
        let name = package.manifest.get(id).map_or(id, |item| item.target.as_str());
        self.list.push((name.to_owned(), problem));
    }

    /// Returns the reason why the book as a whole cannot be read.
    fn error(&self) -> ExtractError {
        if self.list.iter().all(|(_, problem)| *problem == Problem::Protected) {
            return ExtractError::Encrypted;
        }
        let first = self.list.first().map(|(name, problem)| format!("its chapter {name} {}", problem.text()));
        ExtractError::damaged(first.unwrap_or_default())
    }

    fn warn(self, warnings: &mut Warnings) {
        const NAMED: usize = 10;
        let more = self.list.len().saturating_sub(NAMED);
        for (name, problem) in self.list.into_iter().take(NAMED) {
            warnings.push(
                WarningCode::UnreadablePart,
                format!("The chapter {name} {}, so it was not read.", problem.text()),
            );
        }
        if more > 0 {
            warnings.push(
                WarningCode::UnreadablePart,
                format!("{} more cannot be read.", counted(more, "chapter")),
            );
        }
    }
}

fn package_part(container: &str, limits: &Limits) -> Result<String, ExtractError> {
    let mut xml = Xml::new(container, limits.xml_depth);
    while let Some(token) = xml.next()? {
        if let Token::Start(element) = token
            && element.name == "rootfile"
            && let Some(path) = element.attribute("full-path")
        {
            return Ok(resolve("", &path));
        }
    }
    Err(ExtractError::damaged("it does not name its package"))
}

/// The package document, which lists the parts of the book.
#[derive(Default)]
struct Package {
    title: Option<String>,
    language: Option<String>,
    manifest: HashMap<String, Item>,
    spine: Vec<String>,
}

/// A part of the book.
struct Item {
    target: String,
    media_type: String,
}

impl Item {
    /// Returns whether the part is a text, by its type. Books without types exist.
    fn is_text(&self) -> bool {
        let media_type = self.media_type.to_ascii_lowercase();
        !media_type.starts_with("image/")
            && !media_type.starts_with("video/")
            && !media_type.starts_with("audio/")
    }
}

impl Package {
    fn read(text: &str, limits: &Limits) -> Result<Self, ExtractError> {
        let mut package = Self::default();
        let mut xml = Xml::new(text, limits.xml_depth);
        while let Some(token) = xml.next()? {
            let Token::Start(element) = token else { continue };
            match element.name.as_str() {
                "title" if package.title.is_none() => package.title = Some(xml.inner_text()?),
                "language" if package.language.is_none() => package.language = Some(xml.inner_text()?),
                "item" => {
                    if let (Some(id), Some(href)) = (element.attribute("id"), element.attribute("href")) {
                        let media_type = element.attribute("media-type").unwrap_or_default();
                        package.manifest.insert(id, Item { target: href, media_type });
                    }
                }
                "itemref" => package.spine.extend(element.attribute("idref")),
                _ => {}
            }
        }
        Ok(package)
    }
}
