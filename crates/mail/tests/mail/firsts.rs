//! First messages, which are never cut, and responses, of which nothing is lost.

use frontdesk_mail::{Limits, read, split};

use crate::message;

/// What mail programs put below or above a response, in the languages of their users.
const QUOTES: &[&str] = &[
    // Gmail.
    "On Sun, May 3, 2026 at 10:12 AM Shop <shop@shop.example> wrote:\n\n> When?\n",
    "Am So., 3. Mai 2026 um 10:12 Uhr schrieb Shop <\nshop@shop.example>:\n\n> Wann?\n",
    "Shop <shop@shop.example> schrieb am So., 3. Mai 2026, 10:12:\n\n> Wann?\n",
    "Le dim. 3 mai 2026 à 10:12, Shop <shop@shop.example> a écrit :\n\n> Quand ?\n",
    "El dom, 3 may 2026 a las 10:12, Shop (<shop@shop.example>) escribió:\n\n> ¿Cuándo?\n",
    "Il giorno dom 3 mag 2026 alle ore 10:12 Shop <shop@shop.example> ha scritto:\n\n> Quando?\n",
    "Em dom., 3 de mai. de 2026 às 10:12, Shop <shop@shop.example> escreveu:\n\n> Quando?\n",
    "Op zo 3 mei 2026 om 10:12 schreef Shop <shop@shop.example>:\n\n> Wanneer?\n",
    "niedz., 3 maj 2026 o 10:12 Shop <shop@shop.example> napisał(a):\n\n> Kiedy?\n",
    // Outlook.
    "-----Original Message-----\nFrom: Shop <shop@shop.example>\nSent: Sunday, May 3, 2026\nTo: Ada\nSubject: Lamp\n\nWhen?\n",
    "Von: Shop <shop@shop.example>\nGesendet: Sonntag, 3. Mai 2026 10:12\nAn: Ada\nBetreff: Lampe\n\nWann?\n",
    "De : Shop <shop@shop.example>\nEnvoyé : dimanche 3 mai 2026\nÀ : Ada\nObjet : Lampe\n\nQuand ?\n",
    "De: Shop <shop@shop.example>\nEnviado el: domingo, 3 de mayo de 2026\nPara: Ada\nAsunto: Lámpara\n\n¿Cuándo?\n",
    "Da: Shop <shop@shop.example>\nInviato: domenica 3 maggio 2026\nA: Ada\nOggetto: Lampada\n\nQuando?\n",
    "Van: Shop <shop@shop.example>\nVerzonden: zondag 3 mei 2026\nAan: Ada\nOnderwerp: Lamp\n\nWanneer?\n",
    "De: Shop <shop@shop.example>\nEnviada em: domingo, 3 de maio de 2026\nPara: Ada\nAssunto: Lâmpada\n\nQuando?\n",
    "Od: Shop <shop@shop.example>\nWysłano: niedziela, 3 maja 2026\nDo: Ada\nTemat: Lampa\n\nKiedy?\n",
    // Apple Mail, Thunderbird, telephones.
    "> On 3 May 2026, at 10:12, Shop <shop@shop.example> wrote:\n> \n> When?\n",
    "> Am 03.05.2026 um 10:12 schrieb Shop <shop@shop.example>:\n> \n> Wann?\n",
    "Am 03.05.26 um 10:12 schrieb Shop:\n> Wann?\n",
    "Il 03/05/26 10:12, Shop ha scritto:\n> Quando?\n",
    "Sent from my iPhone\n\n> On 3 May 2026, at 10:12, Shop wrote:\n> \n> When?\n",
    "-------- Original message --------\nFrom: Shop <shop@shop.example>\nDate: 03/05/2026 10:12\nTo: Ada\nSubject: Lamp\n\nWhen?\n",
    "Von meinem iPhone gesendet\n",
    "-- \nAda Lovelace\n+44 113 496 0009\n",
];

/// Returns the lines of a text that say something, sorted.
fn lines(texts: &[&str]) -> Vec<String> {
    let mut lines: Vec<String> = texts
        .iter()
        .flat_map(|text| text.lines())
        .map(|line| line.trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    lines.sort();
    lines
}

#[test]
fn a_first_message_is_never_cut() {
    let texts = [
        "Dear team,\n\nOn 3 May 2026 your colleague Ann wrote:\n\nThe offer is valid until June, 450 euros.\n\nIs that still true?",
        "Our measurements:\n> 2 metres wide\n> 3 metres long",
        "Please call me back.\n--\nJo Miller, phone +44 113 496 0009",
        "Hello,\n\nour transfer:\n\nFrom: London Heathrow\nTo: Leeds\nDate: 3 December 2026\nTime: 14:30\n\nWe are 4 people. Please confirm.",
        "please see our booking:\nFrom: London\nTo: Leeds\nDate: 3 December\nSubject: Garden tour\nWe are 12 people.",
        "Sent from my office last week, a parcel has not arrived.",
    ];
    for text in
        texts.into_iter().map(str::to_owned).chain(QUOTES.iter().map(|quote| format!("Hello\n\n{quote}")))
    {
        for subject in ["Lamp", "Ref: 4711", "Fwd: Lamp", "Reply wanted: lamp", "Area: 51", ""] {
            let email =
                message(&format!("Subject: {subject}\nContent-Type: text/plain; charset=utf-8\n\n{text}\n"));
            assert_eq!((&email.reply, email.folded.as_deref()), (&email.text, None), "{subject}: {text}");
            assert_eq!(lines(&[&email.reply]), lines(&[&text]), "{text}");
        }
    }
}

#[test]
fn a_response_keeps_what_it_folds() {
    for quote in QUOTES {
        for head in [
            "Subject: Re: Lamp",
            "Subject: AW: Lampe",
            "Subject: RE : Lampe",
            "Subject: R: Lampada",
            "Subject: RES: Lâmpada",
            "Subject: Antw: Lamp",
            "Subject: Odp: Lampa",
            "Subject: SV: Lampa",
            "Subject: Lamp\nIn-Reply-To: <1@shop.example>",
            "Subject: Lamp\nReferences: <1@shop.example>",
            "Subject: Lamp\nIn-Reply-To: your message of Sunday",
        ] {
            let text = format!("Tuesday suits me.\n\n{quote}");
            let email = message(&format!("{head}\nContent-Type: text/plain; charset=utf-8\n\n{text}\n"));
            assert_eq!(email.reply, "Tuesday suits me.", "{head}: {quote}");
            let folded = email.folded.unwrap();
            assert_eq!(lines(&[&email.reply, &folded]), lines(&[&text]), "{head}: {quote}");
        }
    }
}

#[test]
fn each_line_is_in_one_of_both_parts() {
    let mut rng = fastrand::Rng::with_seed(3);
    let pieces: Vec<&str> = QUOTES
        .iter()
        .flat_map(|quote| quote.lines())
        .chain(["Tuesday suits me.", "", "-----", "--", "From: London", "> 2 metres", "Thanks", "No."])
        .collect();
    for _ in 0..5_000 {
        let text: Vec<&str> = (0..rng.usize(1..14)).map(|_| pieces[rng.usize(..pieces.len())]).collect();
        let text = text.join("\n");
        let parts = split(&text);
        assert_eq!(lines(&[&parts.reply, &parts.folded.unwrap_or_default()]), lines(&[&text]), "{text}");
    }
}

#[test]
fn stated_encodings_that_are_not_used_do_no_harm() {
    let wanted = "Hütte kostet 99 €, größer möglich?";
    for charset in ["iso-8859-1", "us-ascii", "windows-1252", "iso-8859-15", "utf-8", "x-unknown", "gb2312"] {
        for (kind, text) in [("plain", wanted.to_owned()), ("html", format!("<p>{wanted}</p>"))] {
            let mail = format!(
                "From: a@b.example\r\nSubject: {wanted}\r\nContent-Type: text/{kind}; charset={charset}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{text}"
            );
            let email = read(mail.as_bytes(), &Limits::default()).unwrap();
            assert_eq!((email.text.as_str(), email.subject.as_str()), (wanted, wanted), "{charset} {kind}");
        }
    }
    for (fields, body, text) in [
        ("text/plain; charset=iso-8859-1", &b"F\xfcr 5 \x80 \x84so\x93"[..], "Für 5 € „so“"),
        ("text/plain; charset=us-ascii", b"F\xfcr 5 \x80", "Für 5 €"),
        ("text/plain; charset=utf-8", b"\xc3\x9cber\n-- \nGr\xfc\xdfe", "Über\n--\nGrüße"),
        ("text/plain; charset=iso-2022-jp", b"\x1b$BF|K\\\x1b(B", "日本"),
        ("text/plain; charset=us-ascii", b"\x1b$BF|K\\\x1b(B", "日本"),
        ("text/plain", b"\x1b$BF|K\\\x1b(B", "日本"),
        ("text/plain; charset=\"cp932\"", b"\x93\xfa\x96\x7b", "日本"),
        (
            "text/html",
            b"<html><head><meta charset=windows-1251></head><p>\xcf\xf0\xe8\xe2\xe5\xf2</p></html>",
            "Привет",
        ),
    ] {
        let mut mail = format!("From: a@b.example\r\nContent-Type: {fields}\r\n\r\n").into_bytes();
        mail.extend_from_slice(body);
        assert_eq!(read(&mail, &Limits::default()).unwrap().text, text, "{fields}");
    }
}

#[test]
fn encoded_words_that_split_a_character_are_joined() {
    for subject in [
        "=?utf-8?B?ww==?=\n =?utf-8?B?lmZmbnVuZw==?=",
        "=?utf-8?B?ww==?= =?UTF-8?B?lmZmbnVuZw==?=",
        "=?utf-8?Q?=C3?=\n =?utf-8?Q?=96ffnung?=",
        "=?utf-8?B?ww?==?utf-8?Q?=96ffnung?=",
        "=?iso-8859-1?Q?=C3=96ffnung?=",
        "=?iso-8859-1?Q?=D6ffnung?=",
        "=?utf-8?Q?=D6ffnung?=",
    ] {
        let email = message(&format!("Subject: {subject}\n\nx\n"));
        assert_eq!(email.subject, "Öffnung", "{subject}");
    }
    let email = crate::email("From: =?utf-8?B?Ssw=?= =?utf-8?B?iG8=?= <jo@b.example>, x\nSubject: a\n\nx\n");
    assert_eq!(email.from.name.as_deref(), Some("J\u{308}o"));
    let japanese = "=?iso-2022-jp?B?GyRCRnwbKEI=?=\n =?iso-2022-jp?B?GyRCS1wbKEI=?=";
    assert_eq!(message(&format!("Subject: {japanese}\n\nx\n")).subject, "日本");
    let long = format!("=?utf-8?Q?{}?=", "=C3=96".repeat(400));
    assert_eq!(message(&format!("Subject: {long}\n\nx\n")).subject, "Ö".repeat(400));
}

#[test]
fn a_message_that_was_broken_off_has_its_text() {
    let text = "Text of a mail that ends without the last boundary, with 5 gates.";
    let qp = "Gr=C3=BC=C3=9Fe, 5 =E2=82=AC, price = 5 =ZZ";
    for (body, expected) in [
        (format!("Content-Type: multipart/mixed; boundary=\"bb\"\n\n--bb\nContent-Type: text/plain\n\n{text}"), text),
        (format!("Content-Type: multipart/mixed; boundary=bb\n\n--bb\n\n{text}\n--bb"), text),
        (
            format!("Content-Type: multipart/alternative; boundary=bb\n\n--bb\nContent-Type: text/plain\n\n{text}\n--bb\nContent-Type: text/html\n\n<p>{text}"),
            text,
        ),
        (format!("Content-Type: multipart/alternative; boundary=bb\n\n--bb\nContent-Type: text/html\n\n<p>{text}"), text),
        (
            format!("Content-Type: multipart/mixed; boundary=out\n\n--out\nContent-Type: multipart/alternative; boundary=in\n\n--in\n\n{text}\n--out--\n"),
            text,
        ),
        (format!("Content-Type: multipart/mixed; boundary=nowhere\n\n{text}\n"), text),
        (format!("Content-Type: multipart/mixed\n\n{text}\n"), text),
        (format!("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n{qp}"), "Grüße, 5 €, price = 5 =ZZ"),
        (
            format!("Content-Type: multipart/mixed; boundary=bb\n\n--bb\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n{qp}\n--bb--\n"),
            "Grüße, 5 €, price = 5 =ZZ",
        ),
        (
            "Content-Type: multipart/mixed; boundary=bb\n\n--bb\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nR3LDvMOfZSBhbiBhbGx".to_owned(),
            "Grüße an all",
        ),
        ("Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\nPHA+R3LDvMOfZTwvcD4!".to_owned(), "Grüße"),
        ("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nR3LDvMOf*ZQ".to_owned(), "Grüße"),
        ("Content-Type: text/plain; charset=utf-8; format=flowed\n\nHello \nworld".to_owned(), "Hello world"),
    ] {
        let email = message(&format!("Subject: a\n{body}"));
        assert_eq!(email.text, expected, "{body}");
        assert!(email.attachments.is_empty(), "{body}");
    }
    // A file is a file, even if the connection ended within it.
    let email = message(&format!(
        "Subject: a\nContent-Type: multipart/mixed; boundary=bb\n\n--bb\n\n{text}\n--bb\nContent-Type: text/plain; name=a.txt\nContent-Disposition: attachment; filename=a.txt\n\nfile"
    ));
    assert_eq!((email.text.as_str(), email.attachments.len()), (text, 1));
    assert_eq!(email.attachments[0].bytes, b"file");
}
