//! Tags of a chatbot's training content.

use frontdesk_model::{
    CreateTagError, DeleteTagError, GetTagError, ListTagsError, Tag, TagId, TagList, TagRequired,
    UpdateTagError,
};
use frontdesk_runtime::{Failure, Patch, check};
use frontdesk_server::{CreateTag, DeleteTag, GetTag, ListTags, Tags, UpdateTag};
use frontdesk_store::{self as store, Chatbot, Scope, StoreError, TagError};
use http::Extensions;
use uuid::Uuid;

use super::count;
use crate::{
    api::Service,
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        responses::{self, timestamp},
    },
};

/// The message of the 409 when a name is taken.
const NAME_TAKEN: &str = "The chatbot has a tag with this name already.";

impl Resource for store::Tag {
    const PARAMETER: &'static str = "tag_id";
    const NOT_FOUND: &'static str = "Tag not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        parents: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let (Some(scope), Some(chatbot)) = (scope, parents.get::<Chatbot>()) else { return Ok(None) };
        service.store.tags().find(scope, chatbot.chatbot_id, id).await
    }
}

impl Tags for Service {
    type Caller = Caller;

    async fn list_tags(&self, request: ListTags<Caller>) -> Result<TagList, Failure<ListTagsError>> {
        let ListTags { caller, chatbot_id, limit, cursor, incoming, .. } = request;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let page = self.store.tags().page(&caller.scope, chatbot_id.uuid(), &page).await?;
        Ok(TagList::new(page.items.into_iter().map(shown), listing.pagination(page.next.as_ref())))
    }

    async fn create_tag(&self, request: CreateTag<Caller>) -> Result<Tag, Failure<CreateTagError>> {
        let CreateTag { caller, chatbot_id, body, .. } = request;
        let color = body.color.value().map(String::as_str);
        let created =
            self.store.tags().create(&caller.scope, chatbot_id.uuid(), &body.name, color, self.now()).await;
        match created {
            Ok(tag) => Ok(shown(tag.ok_or_else(gone::<Chatbot>)?)),
            Err(TagError::AlreadyExists { tag_id }) => {
                Err(responses::already_exists(NAME_TAKEN, tag_id).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn get_tag(&self, request: GetTag<Caller>) -> Result<Tag, Failure<GetTagError>> {
        Ok(shown(loaded(&request.incoming)?))
    }

    async fn update_tag(&self, request: UpdateTag<Caller>) -> Result<Tag, Failure<UpdateTagError>> {
        let UpdateTag { caller, tag_id, body, .. } = request;
        let color = match &body.color {
            Patch::Absent => None,
            Patch::Null => Some(None),
            Patch::Value(color) => Some(Some(color.as_str())),
        };
        let updated =
            self.store.tags().update(&caller.scope, tag_id.uuid(), body.name.as_deref(), color).await;
        match updated {
            Ok(tag) => Ok(shown(tag.ok_or_else(gone::<store::Tag>)?)),
            Err(TagError::AlreadyExists { tag_id }) => {
                Err(responses::already_exists(NAME_TAKEN, tag_id).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn delete_tag(&self, request: DeleteTag<Caller>) -> Result<(), Failure<DeleteTagError>> {
        if self.store.tags().delete(&request.caller.scope, request.tag_id.uuid()).await? {
            Ok(())
        } else {
            Err(gone::<store::Tag>().into())
        }
    }
}

/// Finds the tags of a chatbot that a request names by id, in a list or alone. One that does not exist is a
/// failing field, and never widens a list.
pub(super) async fn check_ids(
    service: &Service,
    scope: &Scope,
    chatbot: &Chatbot,
    ids: &[(String, TagId)],
) -> Result<Vec<check::Failure>, StoreError> {
    let mut parents = Extensions::new();
    parents.insert(chatbot.clone());
    let mut failures = Vec::new();
    for (path, id) in ids {
        if store::Tag::load(service, Some(scope), &parents, id.uuid()).await?.is_none() {
            let message = "is not a tag of this chatbot".to_owned();
            failures.push(check::Failure { path: path.clone(), message });
        }
    }
    Ok(failures)
}

fn shown(stored: store::Tag) -> Tag {
    let created_at = timestamp(stored.created_at);
    Tag::new(TagRequired {
        tag_id: stored.tag_id.into(),
        name: stored.name,
        color: stored.color,
        usage_count: count(stored.usage_count),
        created_at,
    })
}
