//! Threads of the inbox: who takes care of them, replies with attachments, notes and drafts.

use released_client::{
    model::{
        DraftThreadReplyError, InboxChannelKind, InboxMessage, MessageDeliveryStatus, MessageDirection,
        MessageId, NewAttachment, NewContact, NewThread, NewThreadDraft, NewThreadMessage, ThreadId,
        ThreadMessageType, ThreadPriority, ThreadStatus, ThreadUpdate, UploadAttachmentError,
    },
    runtime::codec,
};

use crate::{Bakery, Outcome, waiting::eventually};

/// Replies to a thread, and begins one.
pub async fn reply(bakery: &Bakery) -> Outcome {
    answered(bakery).await?;
    begun(bakery).await
}

/// An e-mail of a customer, which the owner answers.
async fn answered(bakery: &Bakery) -> Outcome {
    let (client, inbox) = (&bakery.client, bakery.client.inbox());
    let found = inbox.list_threads().status(ThreadStatus::Open).q("sour").await?.into_inner().threads;
    let [thread] = &*found else { return Err(format!("{found:?}").into()) };
    let (id, owner) =
        (thread.thread_id, client.team_members().list().limit(1).await?.team_members[0].team_member_id);
    let update =
        ThreadUpdate::new().assignee_id(owner).priority(ThreadPriority::High).tags(["bread"]).read(true);
    let taken = inbox.update_thread(id, update).await?;
    assert_eq!(
        (taken.assignee_id, taken.unread_count, &*taken.tags),
        (Some(owner), 0, &["bread".to_owned()][..])
    );
    assert_eq!(inbox.list_threads().assignee_id(owner).await?.threads[0].thread_id, id);

    // The chatbot drafts, the owner writes.
    let draft = inbox.draft_thread_reply(id, NewThreadDraft::new(bakery.chatbot_id)).await?;
    assert!(!draft.reply.is_empty(), "{draft:?}");
    let note = NewThreadMessage::new("Ask Tom about the dough.").r#type(ThreadMessageType::Note);
    let note = inbox.create_thread_message(id, note).await?;
    assert_eq!((&note.direction, &note.delivery_status), (&MessageDirection::Internal, &None));
    let file = codec::File::new("Rye, water, salt").named("recipe.txt");
    let attachment = inbox.upload_attachment(NewAttachment::new(file)).await?.into_inner();
    let reply = NewThreadMessage::new("Only a little. The recipe is attached.")
        .attachment_ids([attachment.attachment_id])
        .client_message_id("reply-1")
        .set_status(ThreadStatus::Resolved);
    let written = inbox.create_thread_message(id, &reply).await?.into_inner();
    // The same message again, after a lost connection, is not sent twice.
    assert_eq!(inbox.create_thread_message(id, &reply).await?.message_id, written.message_id);
    delivered(bakery, id, written.message_id).await?;
    let mail = bakery.surroundings.received_mail(&["To: max@customer.example", "Subject: Re: Rye"]).await?;
    assert!(mail.contains("Only a little") && mail.contains("recipe.txt"), "{mail}");

    let download = inbox.download_attachment(attachment.attachment_id).await?.into_inner();
    assert_eq!(download.text(1_000).await?, "Rye, water, salt");
    let program = NewAttachment::new(codec::File::new("MZ, a program").named("photo.png"));
    let refused = inbox.upload_attachment(program).await.expect_err("it is a program").into_declared()?;
    assert!(matches!(refused, UploadAttachmentError::UnsupportedMediaType(_)), "{refused:?}");

    let thread = inbox.get_thread(id).await?.into_inner();
    assert_eq!(
        (&thread.status, thread.message_count, thread.waiting_since),
        (&ThreadStatus::Resolved, 4, None)
    );
    let later = inbox.list_thread_messages(id).after(note.message_id).await?;
    let later: Vec<_> = later.messages.iter().map(|message| message.message_id).collect();
    assert_eq!(later, [written.message_id]);
    Ok(())
}

/// A thread that the bakery begins.
async fn begun(bakery: &Bakery) -> Outcome {
    let (client, inbox) = (&bakery.client, bakery.client.inbox());
    let channel = client.inbox_channels().list().kind(InboxChannelKind::Email).await?.channels[0].channel_id;
    let ada = client.contacts().create(NewContact::new().email("ada@customer.example").name("Ada")).await?;
    let new = NewThread::new(channel, ada.contact_id, "Your order is ready.").subject("Order 7");
    let thread = inbox.create_thread(new).await?.into_inner();
    let message_id = thread.messages.as_ref().ok_or("no message")?[0].message_id;
    delivered(bakery, thread.thread_id, message_id).await?;
    bakery
        .surroundings
        .received_mail(&["ada@customer.example", "Subject: Order 7\n", "Your order is ready."])
        .await?;
    // There is nothing yet that a draft could reply to.
    let draft = inbox.draft_thread_reply(thread.thread_id, NewThreadDraft::new(bakery.chatbot_id)).await;
    let draft = draft.expect_err("Ada has written nothing").into_declared()?;
    assert!(matches!(draft, DraftThreadReplyError::Conflict(_)), "{draft:?}");
    Ok(())
}

/// Waits until a message was handed over to the mail server.
async fn delivered(bakery: &Bakery, thread_id: ThreadId, message_id: MessageId) -> Outcome<InboxMessage> {
    eventually("the message is sent", async || {
        let page = bakery.client.inbox().list_thread_messages(thread_id).await?.into_inner();
        let message = page.messages.into_iter().find(|message| message.message_id == message_id);
        Ok(message.filter(|message| message.delivery_status == Some(MessageDeliveryStatus::Sent)))
    })
    .await
}
