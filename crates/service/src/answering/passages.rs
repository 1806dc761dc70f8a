//! The passages that an answer is written from.

use frontdesk_assistant::{Assistant, Task, find_passages};
use frontdesk_retrieval::{ContentSearch, SearchError};
use frontdesk_store::Chatbot;
use uuid::Uuid;

/// Finds the passages of a task; only those with one of the `tags`, unless there are none. If the question
/// refers to earlier turns, `assistant` may turn it into one that stands alone, which is then searched for
/// instead.
pub(crate) async fn find(
    search: &ContentSearch,
    assistant: &Assistant,
    chatbot: &Chatbot,
    task: &mut Task,
    tags: &[Uuid],
) -> Result<(), SearchError> {
    let previous = task.previous_question().map(str::to_owned);
    let snapshot = search.snapshot(chatbot).await?;
    let mut query = snapshot.query(&task.question, previous, tags).await?;
    assistant.resolve(task, &mut query).await;
    let snapshot = &snapshot;
    find_passages(task, query, |query| async move { snapshot.find(&query).await }).await
}
