//! Missing and unsafe descriptions.

use frontdesk_document::NodeRef;

use super::finding::Drafts;
use super::rules::{
    HEADER_DESCRIPTION, INFO_CONTACT, INFO_DESCRIPTION, MARKUP_SCRIPT, PARAMETER_DESCRIPTION,
    PROPERTY_DESCRIPTION, RESPONSE_DESCRIPTION, SCHEMA_DESCRIPTION, TAG_DESCRIPTION,
};
use super::survey::{Place, Role, Survey, has_text, text};

const HINT: &str = "describe its meaning, unit and limits";

/// Checks that descriptions exist and contain no scripts.
pub(super) fn check<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    let root = survey.document.root();
    if let Some(info) = root.get("info") {
        if !has_text(info, "description") {
            let hint = "describe the service, authentication and errors";
            drafts.report(INFO_DESCRIPTION, info, "`info` has no `description`", hint);
        }
        for key in ["contact", "license"].into_iter().filter(|key| info.get(key).is_none()) {
            drafts.report(INFO_CONTACT, info, format!("`info` has no `{key}`"), format!("add `{key}`"));
        }
    }
    for tag in root.get("tags").into_iter().flat_map(NodeRef::items) {
        if !has_text(tag, "description") {
            let message = format!("the tag `{}` has no description", text(tag, "name").unwrap_or_default());
            drafts.report(TAG_DESCRIPTION, tag, message, "describe the operations of this group");
        }
    }
    for holder in survey.holders.iter().filter(|holder| !has_text(holder.node, "description")) {
        let key = holder.node.key().map_or("", |key| key.text);
        match holder.kind {
            Role::Parameter => {
                let message = format!(
                    "the parameter `{}` has no description",
                    text(holder.node, "name").unwrap_or_default()
                );
                drafts.report(PARAMETER_DESCRIPTION, holder.node, message, HINT);
            }
            Role::Header => {
                drafts.report(
                    HEADER_DESCRIPTION,
                    holder.node,
                    format!("the header `{key}` has no description"),
                    HINT,
                );
            }
            Role::Response => {
                let message = format!("the response `{key}` has no description");
                drafts.report(
                    RESPONSE_DESCRIPTION,
                    holder.node,
                    message,
                    "describe when it is sent and what it means",
                );
            }
            _ => {}
        }
    }
    for schema in survey.schemas.iter().filter(|schema| !has_text(schema.node, "description")) {
        let key = schema.node.key().map_or("", |key| key.text);
        match schema.place {
            Place::Component => {
                let message = format!("the schema `{key}` has no description");
                drafts.report(SCHEMA_DESCRIPTION, schema.node, message, "describe what it represents");
            }
            Place::Property => {
                drafts.report(PROPERTY_DESCRIPTION, schema.node, format!("`{key}` has no description"), HINT);
            }
            Place::Inline => {}
        }
    }
    for object in &survey.objects {
        if let Some(description) = object.get("description")
            && description.as_str().is_some_and(|text| text.to_ascii_lowercase().contains("<script"))
        {
            let hint = "remove it, and use Markdown";
            drafts.report(MARKUP_SCRIPT, description, "the description contains a `<script>` tag", hint);
        }
    }
}
