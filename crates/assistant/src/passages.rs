//! The passages of a task, found for the question alone or together with the one before it.

use frontdesk_knowledge::{Query, Retrieval};

use crate::assessment::Assessment;
use crate::selection::is_whole;
use crate::task::Task;

/// Finds the passages of a task with `search`.
///
/// A whole question such as "Are you open on Sundays?" is asked by itself first: neither a greeting nor
/// another topic before it changes its answer. If that has none, or if the question refers to the one before
/// it, both are searched for together.
pub async fn find_passages<S, F, E>(task: &mut Task, query: Query, search: S) -> Result<(), E>
where
    S: Fn(Query) -> F,
    F: Future<Output = Result<Retrieval, E>>,
{
    if query.is_follow_up() && is_whole(&query.question) {
        let alone = Query { previous: None, ..query.clone() };
        task.retrieval = search(alone).await?;
        task.stand_alone = Some(query.question.clone());
        if Assessment::of(task).is_answerable() {
            return Ok(());
        }
        task.stand_alone = None;
    }
    task.retrieval = search(query).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::conversation::Turn;
    use crate::fixtures::{prices, remove_support, task};

    /// Returns the earlier questions with which the passages of a question were searched for.
    async fn searched(question: &str, before: &str, is_answered_alone: bool) -> Vec<Option<String>> {
        let answered = task(question, &[prices()]).retrieval;
        let mut task = task(question, &[prices()]);
        task.history = vec![Turn::visitor(before)];
        let query = Query {
            question: question.to_owned(),
            previous: task.previous_question().map(str::to_owned),
            ..Query::default()
        };
        let mut refused = task.clone();
        remove_support(&mut refused);
        let seen = std::sync::Mutex::new(Vec::new());
        let search = |query: Query| {
            let found = if is_answered_alone { &answered } else { &refused.retrieval };
            let found = found.clone();
            seen.lock().expect("nothing panics").push(query.previous);
            async move { Ok::<_, Infallible>(found) }
        };
        let Ok(()) = find_passages(&mut task, query, search).await;
        assert_eq!(task.stand_alone.is_some(), is_answered_alone && before != "hi");
        seen.into_inner().expect("nothing panics")
    }

    #[tokio::test]
    async fn a_whole_question_is_asked_by_itself_first() {
        let before = "Do you have a cafe?";
        assert_eq!(searched("How much does the Pro plan cost?", before, true).await, [None]);
        let both = [None, Some(before.to_owned())];
        assert_eq!(searched("Do you repair helicopters?", before, false).await, both);
    }

    #[tokio::test]
    async fn a_courtesy_is_no_earlier_question() {
        assert_eq!(searched("How much does the Pro plan cost?", "hi", true).await, [None]);
    }

    #[tokio::test]
    async fn what_refers_to_the_question_before_is_asked_with_it() {
        let before = "Do you have a Pro plan?";
        for question in ["And what does it cost?", "How much is that?", "For two people?"] {
            assert_eq!(searched(question, before, false).await, [Some(before.to_owned())], "{question}");
        }
    }
}
