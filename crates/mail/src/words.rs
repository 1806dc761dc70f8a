//! Lists of words by which the writing of people is told from that of programs, in eight languages. The
//! entries are in lower case, with a comma and a space between them.

/// Words by which a person names somebody, and a program does not.
pub(crate) const PEOPLE: &str = "\
    i, you, your, we, my, our, he, she, they, his, her, their, colleague, ich, sie, ihr, ihre, ihrem, \
    ihren, ihrer, du, dein, deine, wir, mein, meine, unser, unsere, kollege, kollegin, vous, votre, \
    vos, tu, ton, ta, nous, notre, mon, ma, collègue, usted, ustedes, su, sus, yo, mi, nosotros, \
    nuestro, nuestra, colega, compañero, compañera, lei, voi, suo, sua, suoi, vostro, vostra, io, \
    mio, mia, nostro, nostra, collega, você, vocês, seu, eu, meu, minha, nosso, nossa, u, uw, jij, \
    jullie, jouw, ik, wij, mijn, onze, pan, pani, państwo, państwa, ty, twój, twoja, wasz, wasza, ja, \
    mój, moja, nasz, nasza, kolega, koleżanka, mr, mrs, herr, herrn, frau, monsieur, madame, mme, señor, señora, \
    signor, signora, senhor, senhora, meneer, mevrouw, dhr, mevr";

/// The days of the week, whole and as programs shorten them.
pub(crate) const WEEKDAYS: &str = "\
    monday, tuesday, wednesday, thursday, friday, saturday, sunday, mon, tue, wed, thu, fri, sat, \
    sun, montag, dienstag, mittwoch, donnerstag, freitag, samstag, sonnabend, sonntag, mo, di, mi, \
    do, fr, sa, so, lundi, mardi, mercredi, jeudi, vendredi, samedi, dimanche, lun, mar, mer, jeu, \
    ven, sam, dim, lunes, martes, miércoles, jueves, viernes, sábado, domingo, mié, jue, vie, sáb, \
    dom, lunedì, martedì, mercoledì, giovedì, venerdì, sabato, domenica, gio, sab, segunda, terça, \
    quarta, quinta, sexta, seg, ter, qua, qui, sex, maandag, dinsdag, woensdag, donderdag, vrijdag, \
    zaterdag, zondag, ma, wo, vr, za, zo, poniedziałek, wtorek, środa, czwartek, piątek, sobota, \
    niedziela, pon, wt, śr, czw, pt, niedz";

/// Words with which people ask for something.
pub(crate) const REQUESTS: &str = "\
    please, pls, could you, can you, would you, i need, we need, bitte, können sie, könnten sie, \
    kannst du, ich brauche, wir brauchen, s'il vous plaît, svp, merci de, veuillez, pouvez-vous, \
    pourriez-vous, por favor, podría, necesito, necesitamos, per favore, per cortesia, potete, \
    potrebbe, mi serve, se faz favor, poderia, preciso, alstublieft, alsjeblieft, graag, kunt u, \
    kun je, proszę, prosimy, potrzebuję";

/// Parts of the requests that belong to signatures: not to print and not to read.
pub(crate) const NOT_A_REQUEST: &str = "\
    environment, before printing, umwelt, ausdrucken, drucken, environnement, imprimer, imprimir, \
    ambiente, stampare, milieu, drukować, środowisk, confidential, vertraulich, confidentiel, \
    confidencial, riservat, vertrouwelijk, poufn, intended recipient, notify the sender, unsubscribe, \
    disclaimer";

/// Parts of lines that say how somebody is reached.
pub(crate) const CONTACT: &str = "\
    @, www., http, tel, phone, mobil, fax, gmbh, e.k.,  ltd,  llc,  inc, limited, hrb, s.a., s.r.l, \
    s.l., b.v., sp. z o.o, geschäftsführ, ust-id, tél, móvil, cell";

/// Parts of texts which only say that a program cannot show the message.
pub(crate) const NOTICES: &str = "\
    browser, rich text, email client, e-mail client, mail client, email program, e-mail program, mail program, \
    mailprogramm, mail-programm, messagerie, programa de correo, cliente de correo, programma di posta, \
    client di posta, programa de e-mail, programa de email, cliente de e-mail, mailprogramma, \
    program pocztowy, programie pocztowym, klient poczty, kliencie poczty";

/// Returns the entries of a list.
pub(crate) fn entries(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split(", ")
}
