//! EPUB books: chapters of XHTML in the order of the package's spine.

use std::collections::HashMap;

use crate::{
    archive::{Archive, resolve},
    blocks::Blocks,
    content::Content,
    error::{ExceededLimit, ExtractError},
    limits::Limits,
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
    let mut blocks = Blocks::new(limits);
    for id in &package.spine {
        let Some(target) = package.manifest.get(id) else { continue };
        if let Some(chapter) = archive.part(&resolve(&package_part, target))? {
            blocks.extend(web_text::blocks_of_html(&chapter))?;
        }
    }
    Ok(Content {
        title: package.title,
        language: package.language,
        page_count: u32::try_from(package.spine.len()).ok(),
        blocks,
    })
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
    manifest: HashMap<String, String>,
    spine: Vec<String>,
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
                        package.manifest.insert(id, href);
                    }
                }
                "itemref" => package.spine.extend(element.attribute("idref")),
                _ => {}
            }
        }
        Ok(package)
    }
}
