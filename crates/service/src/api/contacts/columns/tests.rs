//! Tests of the columns of contacts.

use super::*;
use crate::api::csv;

fn contacts(text: &str) -> Vec<Result<ImportedContact, String>> {
    let table = csv::table(text).unwrap();
    let columns = Columns::of(&table).unwrap();
    table.rows.into_iter().map(|row| columns.contact(&row.fields?)).collect()
}

fn ignored(text: &str) -> Vec<String> {
    let table = csv::table(text).unwrap();
    Columns::of(&table).unwrap().ignored(&table)
}

/// Email, name, phone and company of the only row of a file.
fn person(text: &str) -> [Option<String>; 4] {
    let [Ok(contact)] = &contacts(text)[..] else { panic!("{:?}", contacts(text)) };
    let update = contact.update.clone();
    [update.email, update.name, update.phone, update.company].map(Option::flatten)
}

fn texts<const N: usize>(texts: [&str; N]) -> [Option<String>; N] {
    texts.map(|text| (!text.is_empty()).then(|| text.to_owned()))
}

#[test]
fn columns_are_found_by_name_and_cells_are_checked() {
    let text = "Name;EMAIL;phone;type;custom;other\n\
        Ann;ann@a.example;'+44 20 7946 0018;customer;\"[\"\"a\"\",null]\";x\n\
        Bob;bob;;;;\nCleo;;by pigeon;;;\nDora;;;;;\nEve;e@a.example;;boss;;\nFay;f@a.example;;;{};\n";
    let read = contacts(text);
    let ann = read[0].clone().unwrap();
    assert_eq!(ann.update.phone, Some(Some("+44 20 7946 0018".to_owned())));
    assert_eq!((ann.is_customer, ann.update.custom), (true, Some(serde_json::json!(["a", null]))));
    for (read, expected) in read[1..].iter().zip([
        "The email is not an email address.",
        "The phone is not a phone number.",
        "There is neither an email",
        "The type must be",
        "The custom must be a JSON array",
    ]) {
        let problem = read.as_ref().unwrap_err();
        assert!(problem.starts_with(expected), "{problem}");
    }
    assert_eq!(ignored(text), ["other"]);
    let header = |text: &str| Columns::of(&csv::table(text).unwrap()).unwrap_err();
    assert_eq!(header("name,company"), "There is no column `email`, `phone` or `external_id`.");
    assert_eq!(header("email,E-Mail"), "There are several columns `email`.");
}

#[test]
fn files_of_outlook_are_read() {
    let english = "Title,First Name,Middle Name,Last Name,Company,Business Phone,Home Phone,Mobile Phone,Categories,E-mail Address,E-mail 2 Address\n\
        ,Ann,B.,Lee,Blue Door,+44 20 7946 0018,,,Red;VIP,ann@a.example,\n";
    assert_eq!(person(english), texts(["ann@a.example", "Ann B. Lee", "+44 20 7946 0018", "Blue Door"]));
    assert_eq!(
        contacts(english)[0].as_ref().unwrap().update.tags,
        Some(vec!["Red".to_owned(), "VIP".to_owned()])
    );
    assert_eq!(ignored(english), ["Title"]);
    let german = "Anrede;Vorname;Nachname;Firma;Telefon geschäftlich;Mobiltelefon;Kategorien;E-Mail-Adresse\n\
        Frau;Änne;Größe;Bäckerei;+49 30 1234567;+49 171 1234567;;aenne@b.example\n";
    assert_eq!(person(german), texts(["aenne@b.example", "Änne Größe", "+49 171 1234567", "Bäckerei"]));
    // The second phone number is not kept, and this is said.
    assert_eq!(ignored(german), ["Anrede", "Telefon geschäftlich"]);
    assert_eq!(
        person("Vorname;Name;E-Mail\nJo;Groß;jo@b.example\n"),
        texts(["jo@b.example", "Jo Groß", "", ""])
    );
}

#[test]
fn files_of_google_are_read() {
    let present = "First Name,Middle Name,Last Name,Organization Name,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value\n\
        Ann,,Lee,Blue Door,Friends ::: * myContacts,Work,ann@a.example ::: ann@home.example,Mobile,020 7946 0018 ::: +44 20 7946 0019\n";
    assert_eq!(person(present), texts(["ann@a.example", "Ann Lee", "+44 20 7946 0019", "Blue Door"]));
    assert_eq!(contacts(present)[0].as_ref().unwrap().update.tags, Some(vec!["Friends".to_owned()]));
    assert_eq!(
        ignored(present),
        ["E-mail 1 - Label", "E-mail 1 - Value", "Phone 1 - Label", "Phone 1 - Value"]
    );
    let before = "Name,Given Name,Family Name,Group Membership,E-mail 1 - Type,E-mail 1 - Value,Organization 1 - Name\n\
        Ann Lee,Ann,Lee,* myContacts,Work,ann@a.example,Blue Door\n";
    assert_eq!(person(before), texts(["ann@a.example", "Ann Lee", "", "Blue Door"]));
    assert_eq!(contacts(before)[0].as_ref().unwrap().update.tags, None);
    assert_eq!(ignored(before), ["E-mail 1 - Type"]);
}

#[test]
fn files_of_mailchimp_are_read() {
    let text = "Email Address,First Name,Last Name,Address,Phone Number,Birthday,MEMBER_RATING,OPTIN_TIME,TAGS\n\
        ann@a.example,Ann,Lee,,+442079460018,,2,2026-11-20 09:30:00,\"\"\"VIP, gold\"\",\"\"Spring\"\"\"\n";
    assert_eq!(person(text), texts(["ann@a.example", "Ann Lee", "+442079460018", ""]));
    let tags = contacts(text)[0].as_ref().unwrap().update.tags.clone();
    assert_eq!(tags, Some(vec!["VIP, gold".to_owned(), "Spring".to_owned()]));
    assert_eq!(ignored(text), ["Address", "Birthday", "MEMBER_RATING", "OPTIN_TIME"]);
}

#[test]
fn labels_in_quotes_keep_their_own_quotes_and_commas() {
    for (cell, expected) in [
        (r#""VIP""#, &["VIP"][..]),
        (r#""VIP","Spring""#, &["VIP", "Spring"]),
        (r#""VIP", "Spring""#, &["VIP", "Spring"]),
        (r#""so-called ""friends""""#, &[r#"so-called "friends""#]),
        (r#""""Big"" spender","b""#, &[r#""Big" spender"#, "b"]),
        (r#""a"",""b","c""#, &[r#"a","b"#, "c"]),
        // Other lists may begin and end with a quote.
        (r#""big" spender; "small""#, &[r#""big" spender"#, r#""small""#]),
        (r#"6" pots"#, &[r#"6" pots"#]),
    ] {
        let mut text = "email,tags\r\n".to_owned();
        csv::push_row(&mut text, &["ann@a.example", cell]);
        let tags = contacts(&text)[0].as_ref().unwrap().update.tags.clone().unwrap();
        assert_eq!(tags, expected, "{cell}");
    }
}

#[test]
fn labels_further_fields_and_consent_are_read() {
    let read = contacts(
        "email,tags,custom_fields,marketing_consent\n\
         a@a.example,vip; wholesale,\"{\"\"Size\"\":\"\"L\"\"}\",yes\n\
         b@a.example,\"[\"\"a;b\"\"]\",,false\n\
         c@a.example,,[],\nd@a.example,,,maybe\n",
    );
    let first = read[0].clone().unwrap().update;
    assert_eq!(first.tags, Some(vec!["vip".to_owned(), "wholesale".to_owned()]));
    assert_eq!(first.custom_fields, Some(BTreeMap::from([("Size".to_owned(), "L".to_owned())])));
    assert_eq!(first.consent, Some(Some(NewConsent { marketing: true, at: None, source: None })));
    let second = read[1].clone().unwrap().update;
    assert_eq!((second.tags, second.custom_fields), (Some(vec!["a;b".to_owned()]), None));
    assert_eq!(second.consent.flatten().map(|consent| consent.marketing), Some(false));
    for (read, expected) in
        read[2..].iter().zip(["The custom_fields must be a JSON object", "The marketing_consent must be"])
    {
        let problem = read.as_ref().unwrap_err();
        assert!(problem.starts_with(expected), "{problem}");
    }
}

#[test]
fn empty_cells_change_nothing() {
    let read = contacts("email,name,company\nann@a.example,,\n")[0].clone().unwrap();
    let email = Some(Some("ann@a.example".to_owned()));
    assert_eq!(read.update, ContactUpdate { email, ..ContactUpdate::default() });
}

#[test]
fn numbers_are_kept_as_they_are_dialed_at_home() {
    for phone in ["0171 555 0101", "(0113) 496-0009", "030/123456", "+44 20 7946 0018"] {
        let row = format!("name;email;phone\nAnn;ann@a.example;{phone}\n");
        assert_eq!(person(&row), texts(["ann@a.example", "Ann", phone, ""]));
    }
    // It identifies nobody, and is all that there is.
    assert_eq!(person("name,phone\nAnn,0171 555 0101\n"), texts(["", "Ann", "0171 555 0101", ""]));
}

#[test]
fn cells_with_several_addresses_or_a_name_have_one() {
    for cell in ["ann@a.example, ann@home.example", "ann@a.example;b@b.example", "Ann Lee <ann@a.example>"] {
        assert_eq!(person(&format!("email\tname\n{cell}\tAnn\n")), texts(["ann@a.example", "Ann", "", ""]));
    }
    for cell in ["a,b@b.example", "mailto:ann@a.example", "Ann Lee <ann>"] {
        let read = contacts(&format!("email\tname\n{cell}\tAnn\n"));
        assert_eq!(read[0].as_ref().unwrap_err(), "The email is not an email address.", "{cell}");
    }
}

#[test]
fn files_of_pipedrive_and_of_french_programs_are_read() {
    let pipedrive = "\"Person - Name\",\"Person - Organization\",\"Person - Email - Work\",\"Person - Phone - Work\"\n\
        Ann Lee,Blue Door,ann@a.example,+44 20 7946 0018\n";
    assert_eq!(person(pipedrive), texts(["ann@a.example", "Ann Lee", "+44 20 7946 0018", "Blue Door"]));
    let french =
        "Prénom;Nom;Adresse e-mail;Téléphone;Société\nZoé;Élan;zoe@a.example;+33 1 23 45 67 89;Élan SARL\n";
    assert_eq!(person(french), texts(["zoe@a.example", "Zoé Élan", "+33 1 23 45 67 89", "Élan SARL"]));
}
