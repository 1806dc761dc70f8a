//! What senders of responses write themselves, although it looks like a quote or a signature.

use frontdesk_mail::split;

#[test]
fn what_is_not_surely_a_quote_is_kept() {
    for text in [
        // A sentence that is repeated, and not by a program.
        "Hello,\n\nOn 3 May you wrote:\n\nthe price is 450.\n\nIs that still true?",
        "Hello,\n\nOn 3 May 2026 your colleague Ann wrote:\nThe price is 450.\n\nIs that still true?",
        "Guten Tag,\n\nAm 3. Mai schrieben Sie, genauer: am 3. Mai schrieb Ihr Kollege:\n\n450 Euro.\n\nGilt das?",
        "Bonjour,\n\nLe 3 mai vous avez écrit :\n\n450 euros.\n\nEst-ce vrai ?",
        "Hola,\n\nEl 3 de mayo su colega escribió:\n\n450 euros.\n\n¿Es así?",
        "Buongiorno,\n\nIl 3 maggio la sua collega ha scritto:\n\n450 euro.\n\nÈ così?",
        "Hello,\n\nOn Sunday, 3 May 2026, Ann wrote:\n\nThe price is 450.\n\nIs that still true?",
        // Journeys and bookings.
        "Details:\n\nFrom: Heathrow\nTo: Leeds\nDate: 3 December 2026, 14:30\nSubject: 4 people\n\nPlease confirm.",
        "Details:\n\nFrom: London Heathrow\nTo: Leeds\nDate: 3 December 2026\nSubject: 4 people\n\nPlease confirm.",
        "Details:\n\nVon: Hamburg\nAn: Berlin\nDatum: 12.12.2026\n\nWas kostet das?",
        "Détails :\n\nDe : Lyon\nÀ : Paris\nDate : 12/12/2026 10:30\n\nMerci.",
        "Dane:\n\nOd: Kraków\nDo: Łódź\nData: 12.12.2026, 10:30\n\nIle to kosztuje?",
        // The title of a quote above a text that is repeated.
        "See your offer:\n\n-----Original Message-----\nPrice 450\n\nToo much. Can you do 400?",
        "Ihr Angebot:\n\n-----Ursprüngliche Nachricht-----\n\n450 Euro\n\nGeht es für 400?",
        // Answers within the quote.
        "My answers are below in red.\n\nFrom: Shop <shop@shop.example>\nSent: Sunday, 3 May 2026 10:12\nTo: Ada\nSubject: Lamp\n\nWhich?\nBlue",
        "Antworten unten in rot.\n\nVon: Shop <shop@shop.example>\nGesendet: Sonntag\nAn: Ada\nBetreff: Lampe\n\nWelche?\nBlau",
        "Mes réponses ci-dessous.\n\nDe : Shop <shop@shop.example>\nEnvoyé : dimanche\nÀ : Ada\nObjet : Lampe\n\nLaquelle ?\nBleue",
        "Zie hieronder.\n\nVan: Shop <shop@shop.example>\nVerzonden: zondag\nAan: Ada\nOnderwerp: Lamp\n\nWelke?\nBlauw",
        "Answers inline.\n\nOn 3 May 2026, Shop wrote:\n> Which?\n> Blue!",
        // A message that is passed on.
        "See this:\n\n---------- Forwarded message ---------\nFrom: Bo <bo@acme.example>\nDate: Sunday\nSubject: Lamp\nTo: Ada\n\nBroken.",
        // A list.
        "Our measurements:\n> 2 metres wide\n> 3 metres long",
    ] {
        let parts = split(text);
        assert_eq!((parts.reply.as_str(), parts.folded), (text, None));
    }
}

#[test]
fn what_is_said_below_two_dashes_is_kept() {
    for text in [
        "My list:\n--\n5 lamps\n3 switches",
        "Yes.\n--\nKurt\n\nP.S. Two lamps as well",
        "Yes.\n--\nKurt\n\nPS: Two lamps as well",
        "Thanks!\n--\nWhen does the second lamp come?",
        "Thanks!\n--\nPlease deliver until Friday.",
        "Danke!\n--\nBitte bis Freitag liefern.",
        "Two points.\n--\n1. The gate is stuck\n--\n2. The lamp is dark",
        "Yes.\n--\nfive lamps\nthree switches\ntwo sockets\na long cable\nand all of it in white",
        "The parcel was\nsent from my office in Leeds on Monday.",
    ] {
        let parts = split(text);
        assert_eq!((parts.reply.as_str(), parts.folded), (text, None));
    }
    for signature in [
        "--\nKurt",
        "--\nKurt Muster\nMuster GmbH\nHafenstr. 7\n20457 Hamburg\nTel. 040 5550188\nwww.muster.example",
        "--\nKurt\nMuster\nHafenstr. 7\nHinterhaus\n20457 Hamburg\nDeutschland",
        "--\nKurt Muster\n- Managing director -",
        "--\nKurt\n+44 113 496 0009\nPlease consider the environment before printing this.",
    ] {
        let parts = split(&format!("Yes.\n\n{signature}"));
        assert_eq!((parts.reply.as_str(), parts.folded.as_deref()), ("Yes.", Some(signature)));
    }
}

#[test]
fn what_programs_write_is_folded() {
    for quote in [
        "Gesendet: Donnerstag, 26. November 2026 um 16:12 Uhr\nVon: \"Shop\" <shop@shop.example>\nAn: ada@acme.example\nBetreff: Lampe\nWann?",
        "Am Donnerstag, 26. November 2026 um 16:12:33 MEZ hat Shop\n<shop@shop.example> Folgendes geschrieben:\n\n> Wann?",
        "Am Donnerstag, 26. November 2026 um 16:12:33 MEZ hat Shop <shop@shop.example> Folgendes geschrieben:\n\nWann?",
        "On Thursday, November 26, 2026 at 04:12:33 PM GMT+1, Shop <shop@shop.example> wrote:\n\nWhen?",
        "From: Shop\nSent: Thursday, November 26, 2026 4:12 PM\nTo: Ada\nSubject: Lamp\n\nWhen?",
        "Fra: Shop\nSendt: 26. november 2026 16:12\nTil: Ada\nEmne: Lampe\n\nHvornår?",
        "On Sunday, 3 May 2026, Shop wrote:\n\nWhen do you\ncome?",
        "De: Shop\nData: domingo, 3 de maio de 2026 10:12\nPara: Ada\nAssunto: Lâmpada\n\nQuando?",
        "-----Original Message-----\n> When?",
        "----- Original message -----\nFrom: Shop\nWhen?",
    ] {
        let parts = split(&format!("Tuesday suits me.\n\n{quote}"));
        assert_eq!((parts.reply.as_str(), parts.folded.as_deref()), ("Tuesday suits me.", Some(quote)));
    }
}
