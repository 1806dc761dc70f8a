//! What an erasure has taken out of sight and not yet emptied: messages up to a position of their
//! conversation or thread, which `erasing_texts` names.
//!
//! Every statement that shows words of messages, or finds messages by them, has one of the conditions of this
//! file.

/// The condition that a message is hidden: of the table `messages` or `thread_messages`, or of an alias of
/// one, whose column `container` names its conversation or thread.
macro_rules! is_hidden {
    ($messages:literal in $container:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM erasing_texts AS hidden WHERE hidden.container_id = ",
            $messages,
            ".",
            $container,
            " AND ",
            $messages,
            ".position <= hidden.through)"
        )
    };
}
pub(crate) use is_hidden;

/// The value of a column of a message, or another one while the message is hidden.
macro_rules! unless_hidden {
    ($messages:literal in $container:literal: $column:literal else $blank:literal) => {
        concat!(
            "(CASE WHEN ",
            $crate::sql::hidden::is_hidden!($messages in $container),
            " THEN ",
            $blank,
            " ELSE ",
            $messages,
            ".",
            $column,
            " END)"
        )
    };
}
pub(crate) use unless_hidden;
