//! Descriptions: what people read.

use frontdesk_document::NodeRef;

use super::finding::Drafts;
use super::rules::{
    HEADER_DESCRIPTION, INFO_CONTACT, INFO_DESCRIPTION, MARKUP_SCRIPT, PARAMETER_DESCRIPTION,
    PROPERTY_DESCRIPTION, RESPONSE_DESCRIPTION, SCHEMA_DESCRIPTION, TAG_DESCRIPTION,
};
use super::survey::{Place, Role, Survey, says, text};

const HINT: &str = "say what it means, with its unit and limits";

/// Judges whether descriptions are there, and harmless.
pub(super) fn judge<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    let root = survey.document.root();
    if let Some(info) = root.get("info") {
        if !says(info, "description") {
            let hint = "say what the service does, how to authenticate, and what errors look like";
            drafts.tell(INFO_DESCRIPTION, info, "`info` has no `description`", hint);
        }
        for key in ["contact", "license"].into_iter().filter(|key| info.get(key).is_none()) {
            drafts.tell(INFO_CONTACT, info, format!("`info` has no `{key}`"), format!("add `{key}`"));
        }
    }
    for tag in root.get("tags").into_iter().flat_map(NodeRef::items) {
        if !says(tag, "description") {
            let message = format!("the tag `{}` has no description", text(tag, "name").unwrap_or_default());
            drafts.tell(TAG_DESCRIPTION, tag, message, "say what belongs to it");
        }
    }
    for holder in survey.holders.iter().filter(|holder| !says(holder.node, "description")) {
        let key = holder.node.key().map_or("", |key| key.text);
        match holder.kind {
            Role::Parameter => {
                let message = format!(
                    "the parameter `{}` has no description",
                    text(holder.node, "name").unwrap_or_default()
                );
                drafts.tell(PARAMETER_DESCRIPTION, holder.node, message, HINT);
            }
            Role::Header => {
                drafts.tell(
                    HEADER_DESCRIPTION,
                    holder.node,
                    format!("the header `{key}` has no description"),
                    HINT,
                );
            }
            Role::Response => {
                let message = format!("the response `{key}` has no description");
                drafts.tell(
                    RESPONSE_DESCRIPTION,
                    holder.node,
                    message,
                    "say when it comes and what it means",
                );
            }
            _ => {}
        }
    }
    for schema in survey.schemas.iter().filter(|schema| !says(schema.node, "description")) {
        let key = schema.node.key().map_or("", |key| key.text);
        match schema.place {
            Place::Component => {
                let message = format!("the schema `{key}` has no description");
                drafts.tell(SCHEMA_DESCRIPTION, schema.node, message, "say what it stands for");
            }
            Place::Property => {
                drafts.tell(PROPERTY_DESCRIPTION, schema.node, format!("`{key}` has no description"), HINT);
            }
            Place::Inline => {}
        }
    }
    for object in &survey.objects {
        if let Some(description) = object.get("description")
            && description.as_str().is_some_and(|text| text.to_ascii_lowercase().contains("<script"))
        {
            let hint = "remove it; write Markdown";
            drafts.tell(MARKUP_SCRIPT, description, "the description holds a `<script>` tag", hint);
        }
    }
}
