//! Replies of common mail programs, without what they quote.

use frontdesk_mail::split;

use crate::message;

fn without_quotes(text: &str) -> String {
    split(text).reply
}

#[test]
fn the_quote_of_every_program_is_cut() {
    for quoted in [
        "On Sun, May 3, 2026 at 10:12 AM Shop <shop@shop.example> wrote:\n\n> When?\n>\n> Shop\n",
        "On Sun, May 3, 2026 at 10:12 AM Shop\n<shop@shop.example> wrote:\n\n> When?\n",
        "On 3 May 2026, at 10:12, Shop wrote:\n\n> When?",
        "On Sunday, 3 May 2026, Shop wrote:\nWhen?\n",
        "Am 03.05.2026 um 10:12 schrieb Shop:\n> Wann?\n",
        "Am So., 3. Mai 2026 um 10:12 Uhr schrieb Shop <\nshop@shop.example>:\n\n> Wann?\n",
        "Le dim. 3 mai 2026 à 10:12, Shop <shop@shop.example> a écrit :\n\n> Quand ?\n",
        "El dom, 3 may 2026 a las 10:12, Shop (<shop@shop.example>) escribió:\n\n> ¿Cuándo?\n",
        "Il giorno dom 3 mag 2026 alle ore 10:12 Shop <shop@shop.example> ha scritto:\n\n> Quando?\n",
        "Em dom., 3 de mai. de 2026 às 10:12, Shop <shop@shop.example> escreveu:\n\n> Quando?\n",
        "Op zo 3 mei 2026 om 10:12 schreef Shop <shop@shop.example>:\n\n> Wanneer?\n",
        "W dniu 03.05.2026 o 10:12, Shop pisze:\n> Kiedy?\n",
        "niedz., 3 maj 2026 o 10:12 Shop <shop@shop.example> napisał(a):\n\n> Kiedy?\n",
        "Den sön 3 maj 2026 kl 10:12 skrev Shop <shop@shop.example>:\n\n> När?\n",
        "Den søn. 3. maj 2026 kl. 10.12 skrev Shop <shop@shop.example>:\n\n> Hvornår?\n",
        "ne 3. 5. 2026 v 10:12 odesílatel Shop <shop@shop.example> napsal:\n\n> Kdy?\n",
        "вс, 3 мая 2026 г. в 10:12, Shop <shop@shop.example>:\n\n> Когда?\n",
        "3 Mayıs 2026 Paz 10:12 tarihinde Shop <shop@shop.example> şunu yazdı:\n\n> Ne zaman?\n",
        "2026年5月3日(日) 10:12 Shop <shop@shop.example>:\n\n> いつですか\n",
        "Shop <shop@shop.example> 于2026年5月3日周日 10:12写道：\n\n> 什么时候\n",
        "-----Original Message-----\nFrom: Shop <shop@shop.example>\nSent: Sunday\nWhen?\n",
        "-------- Ursprüngliche Nachricht --------\nVon: Shop\nWann?\n",
        "________________________________\nFrom: Shop <shop@shop.example>\nSent: Sunday, May 3, 2026 10:12 AM\nTo: Ada\nSubject: Delivery\n\nWhen?\n",
        "Von: Shop <shop@shop.example>\nGesendet: Sonntag, 3. Mai 2026 10:12\nAn: Ada\nBetreff: Lieferung\n\nWann?\n",
        "*De :* Shop <shop@shop.example>\n*Envoyé :* dimanche 3 mai 2026\n*À :* Ada\n*Objet :* Livraison\n\nQuand ?\n",
        "Da: Shop <shop@shop.example>\nInviato: domenica 3 maggio 2026\nA: Ada\nOggetto: Consegna\n\nQuando?\n",
        "> When?\n>> Hello\n",
    ] {
        let text = format!("Tuesday suits me.\n\nThe price of 5: is it right?\n\n{quoted}");
        assert_eq!(without_quotes(&text), "Tuesday suits me.\n\nThe price of 5: is it right?", "{quoted}");
        // A response without own words is kept whole.
        assert!(!without_quotes(quoted).trim().is_empty(), "{quoted}");
    }
}

#[test]
fn signatures_are_cut() {
    for signature in [
        "-- \nAda Lovelace\nAcme, London\n",
        "--\nAda\n",
        "Sent from my iPhone\n",
        "Von meinem iPhone gesendet\n",
        "Envoyé de mon iPhone",
        "Get Outlook for iOS <https://aka.ms/o0ukef>\n",
        "Sent from my Galaxy\n\n-- \nAda",
        "Отправлено с iPhone",
    ] {
        assert_eq!(without_quotes(&format!("Tuesday.\n\n{signature}")), "Tuesday.", "{signature}");
    }
}

#[test]
fn text_that_only_looks_like_a_quote_is_kept() {
    for text in [
        "Tuesday suits me.",
        "My address is:\nAcme\n1 Main Street",
        "My colleague wrote:\nPlease call me.",
        "From: London\nto Paris, please.",
        "Options:\n- one\n-- two\n- three",
        "He said on 3 May that he wrote a letter. Is it there?",
        "To: whom it may concern\nSubject: parking\nI have a question about 2 spaces.",
        "-----\nA line above",
        "Order 12\n-----\nTwo lamps",
        "> When?\nTuesday.\n> How many?\nTwo.",
        "Sent from my office last week, a parcel with 2 lamps has not arrived. Where is it?",
        "You wrote on 3 May:\nthe lamp costs 5 euros. Is it still so?",
    ] {
        assert_eq!(without_quotes(text), text, "{text}");
    }
}

#[test]
fn answers_below_and_between_quotes_are_kept() {
    let below = "On 3 May 2026, Shop wrote:\n> When?\n\nTuesday.";
    assert_eq!(without_quotes(below), "Tuesday.");
    let between = "On 3 May 2026, Shop wrote:\n> When?\nTuesday.\n> How many?\nTwo.";
    assert_eq!(without_quotes(between), between);
}

#[test]
fn a_forwarded_message_is_what_the_sender_wants_to_say() {
    let forwarded = "See below.\n\n---------- Forwarded message ---------\nFrom: Bo <bo@acme.example>\nDate: Sun, May 3, 2026\nSubject: Lamp\n\
        To: Ada\n\nIt is broken.";
    let email = message(&format!("Subject: Fwd: Lamp\n\n{forwarded}\n"));
    assert_eq!(email.reply, forwarded);
}

#[test]
fn html_without_text_is_trimmed_as_well() {
    for quote in [
        "<div class=gmail_quote><div dir=ltr class=gmail_attr>On Sun, May 3, 2026 at 10:12 AM Shop &lt;<a href='mailto:shop@shop.example'>\
         shop@shop.example</a>&gt; wrote:<br></div><blockquote class=gmail_quote>When?</blockquote></div>",
        "<div id=appendonsend></div><hr><div id=divRplyFwdMsg><b>From:</b> Shop &lt;shop@shop.example&gt;<br><b>Sent:</b> Sunday, May 3, 2026\
         <br><b>To:</b> Ada<br><b>Subject:</b> Lamp</div><div>When?</div>",
        "<br><blockquote type=cite><div>On 3 May 2026, at 10:12, Shop &lt;shop@shop.example&gt; wrote:</div><br><div>When?</div></blockquote>",
    ] {
        let email = message(&format!(
            "Subject: Re: Lamp\nContent-Type: text/html; charset=utf-8\n\n<div dir=ltr>Tuesday <b>suits</b> me.</div>{quote}\n"
        ));
        assert_eq!(email.reply, "Tuesday suits me.", "{quote}: {}", email.text);
        assert!(email.text.contains("When?"));
    }
}

/// A step whose time grows with the square of the length would take hours.
#[test]
fn long_texts_are_read() {
    for line in [
        "> quoted\n",
        "On 3 May 2026,\n",
        "From: a@b.example\n",
        "-- \n",
        "Sent from my iPhone\n",
        "a: \n",
        "-----\n",
    ] {
        let text = line.repeat(100_000);
        assert!(!without_quotes(&text).is_empty());
    }
}
