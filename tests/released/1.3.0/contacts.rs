//! Contacts: the people that the bakery knows, from chats, from its own systems and from files.

use released_client::{
    model::{
        ContactMerge, ContactSource, ContactType, ContactUpdate, CreateContactError, CustomerMark,
        DeleteContactMode, ImportOutcome, LookupContactError, NewContact, UpsertContactKey,
    },
    runtime::Patch,
};

use crate::{Bakery, Outcome};

/// Creates, finds, changes, merges, imports, exports and erases contacts.
pub async fn know(bakery: &Bakery) -> Outcome {
    let contacts = bakery.client.contacts();
    // Who has left an address in a chat is a contact.
    let lee = contacts.lookup().email("LEE@customer.example").await?.into_inner();
    assert_eq!((lee.name.as_deref(), &lee.source), (Some("Lee"), &ContactSource::Chatbot));
    let talks = contacts.list_conversations(lee.contact_id).await?;
    assert_eq!((talks.conversations.len(), talks.conversations[0].chatbot_id), (1, bakery.chatbot_id));

    let new = NewContact::new().email("mia@customer.example").name("Mia").phone("+44 20 7946 0018");
    let mia = contacts.create(&new).await?.into_inner();
    assert_eq!((mia.phone.as_deref(), &mia.r#type), (Some("+442079460018"), &ContactType::Lead));
    let taken = contacts.create(&new).await.expect_err("the address is taken").into_declared()?;
    let CreateContactError::Conflict(taken) = taken else { return Err(format!("{taken:?}").into()) };
    assert_eq!(taken.existing_id, Some(mia.contact_id.uuid()));

    // A shop system writes what it knows under its own id, whether the contact is there or not.
    let till = NewContact::new().external_id("till-7").name("Mia Moss").company("Moss & Sons");
    let created = contacts.upsert(UpsertContactKey::ExternalId, &till).await?;
    assert_eq!(created.status(), 201);
    let again = contacts.upsert(UpsertContactKey::ExternalId, till.name("Mia M. Moss")).await?;
    assert_eq!((again.status().as_u16(), again.contact_id), (200, created.contact_id));
    // Both are the same person.
    let merged = contacts.merge(mia.contact_id, ContactMerge::new(created.contact_id)).await?;
    assert_eq!((merged.name.as_deref(), merged.company.as_deref()), (Some("Mia"), Some("Moss & Sons")));
    let update = ContactUpdate::new().name("Mia Moss").phone(Patch::Null);
    let updated = contacts.update(mia.contact_id, update).await?;
    assert_eq!((updated.name.as_deref(), &updated.phone), (Some("Mia Moss"), &None));

    let paid = CustomerMark::new().amount("36.00").currency("GBP").reference("Invoice 4711");
    let customer = contacts.mark_as_customer(mia.contact_id, paid).await?.into_inner();
    assert_eq!((customer.r#type, customer.is_paying_customer), (ContactType::Customer, true));
    assert_eq!(customer.payment.and_then(|payment| payment.reference).as_deref(), Some("Invoice 4711"));
    let customers = contacts.list().is_paying_customer(true).await?;
    assert_eq!(customers.contacts.iter().map(|found| found.contact_id).collect::<Vec<_>>(), [mia.contact_id]);
    let unmarked = contacts.unmark_as_customer(mia.contact_id).await?;
    assert_eq!((unmarked.is_paying_customer, &unmarked.payment), (false, &None));

    files(bakery).await?;

    // What is stored about one person, and its end.
    let data = contacts.export_contact(lee.contact_id).await?;
    assert_eq!((data.contact.contact_id, data.conversations.len()), (lee.contact_id, 1));
    assert_eq!(data.conversations[0].messages[0].text, "What does delivery cost?");
    contacts.delete(lee.contact_id).mode(DeleteContactMode::Erase).await?;
    let gone = contacts.lookup().email("lee@customer.example").await.expect_err("it is erased");
    assert!(matches!(gone.declared(), Some(LookupContactError::NotFound(_))), "{gone:?}");
    // An archived contact is only hidden.
    contacts.delete(mia.contact_id).await?;
    assert!(contacts.get(mia.contact_id).await?.archived_at.is_some());
    let archived = contacts.list().archived(true).q("moss").await?;
    assert_eq!(archived.contacts.len(), 1);
    let back = contacts.update(mia.contact_id, ContactUpdate::new().archived(false)).await?;
    assert_eq!(back.archived_at, None);
    Ok(())
}

/// Contacts as CSV files.
async fn files(bakery: &Bakery) -> Outcome {
    let contacts = bakery.client.contacts();
    let file = "email,name\nnoa@customer.example,Noa\nno address,Pat\n";
    let imported = contacts.import(file).await?;
    assert_eq!((imported.created, imported.rejected), (1, 1), "{imported:?}");
    let outcomes: Vec<_> = imported.lines.iter().map(|line| (line.line, &line.outcome)).collect();
    assert_eq!(outcomes, [(2, &ImportOutcome::Created), (3, &ImportOutcome::Rejected)]);
    let exported = contacts.export().await?.into_inner();
    assert!(exported.contains("noa@customer.example"), "{exported}");
    // An exported file can be imported as it is.
    let again = contacts.import(exported).await?;
    assert_eq!((again.created, again.rejected), (0, 0), "{again:?}");
    assert!(again.updated >= 2);
    Ok(())
}
