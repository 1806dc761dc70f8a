//! Synonyms: words that customers and companies use for the same thing.
//!
//! The lists contain everyday words of all trades. Words of one trade come from the content of the site that
//! uses them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::analyze::{Language, Morphology, analyze};

/// Weight of a synonym.
const SYNONYM_WEIGHT: f64 = 0.5;

/// Weight of another spelling or the long form of a word.
const VARIANT_WEIGHT: f64 = 0.9;

/// Returns the analyzed synonyms of an analyzed term, with their weights.
pub(super) fn of(term: &str, language: Morphology) -> Vec<(String, f64)> {
    let table: &BTreeMap<String, Vec<(String, f64)>> = match language {
        Morphology::Full(Language::English) => &ENGLISH,
        Morphology::Full(Language::German) => &GERMAN,
        _ => return Vec::new(),
    };
    table.get(term).cloned().unwrap_or_default()
}

static ENGLISH: LazyLock<BTreeMap<String, Vec<(String, f64)>>> = LazyLock::new(|| {
    table(
        "en",
        "price cost fee charge pricing tariff\n\
         pay payment\n\
         invoice receipt bill\n\
         buy purchase order\n\
         cancel terminate quit end\n\
         delete remove erase\n\
         remove uninstall\n\
         change update edit modify alter adjust\n\
         create make add set\n\
         upload publish post\n\
         login signin sign\n\
         register signup join\n\
         phone telephone call mobile\n\
         email mail\n\
         address location\n\
         ship deliver shipping delivery dispatch\n\
         refund reimburse reimbursement\n\
         return exchange\n\
         support help assistance contact\n\
         broken defective faulty damaged\n\
         error problem issue trouble fault\n\
         fail failure\n\
         free gratis complimentary\n\
         cheap affordable inexpensive\n\
         begin start\n\
         maximum limit most\n\
         minimum least\n\
         allow permit permitted\n\
         forbid prohibit ban disallow\n\
         company business firm\n\
         customer client\n\
         employee staff worker\n\
         picture photo image\n\
         car vehicle\n\
         bike bicycle\n\
         child children kid minor\n\
         hire rent lease\n\
         wifi internet\n\
         toilet restroom bathroom loo\n\
         lift elevator\n\
         age old\n\
         appointment booking reservation\n\
         book reserve\n\
         shop store\n\
         job career vacancy position\n\
         discount coupon voucher promotion rebate\n\
         warranty guarantee\n\
         site website page\n\
         show display view\n\
         receive obtain\n\
         find locate\n\
         search find\n\
         choose select pick\n\
         fix repair solve resolve\n\
         enable activate\n\
         disable deactivate\n\
         convert turn transform\n\
         lose lost missing\n\
         steal stolen theft\n\
         virus malware malicious\n\
         complain complaint report\n\
         require requirement mandatory obligatory\n\
         undo revert reverse\n\
         move transfer migrate\n\
         card payment\n\
         expire expiry expiration\n\
         instruction guide manual tutorial\n\
         quick fast speed\n\
         big large\n\
         small little\n\
         colleague coworker member\n\
         boss manager administrator\n\
         mac macos\n\
         picture screenshot\n\
         rule policy\n\
         law legal\n\
         privacy confidential\n\
         credential password login\n\
         allergy allergen\n\
         vegetarian vegan\n\
         wheelchair accessible accessibility",
        "org organization organisation\n\
         repo repository\n\
         dev development\n\
         dep dependency\n\
         auth authentication\n\
         doc documentation\n\
         docs documentation\n\
         config configuration\n\
         info information\n\
         admin administrator\n\
         app application\n\
         pic picture\n\
         photo photograph\n\
         lib library\n\
         pkg package\n\
         msg message\n\
         pwd password\n\
         id identification\n\
         tel telephone\n\
         temp temporary\n\
         max maximum\n\
         min minimum\n\
         dir directory\n\
         env environment\n\
         colour color\n\
         cancelled canceled\n\
         licence license\n\
         programme program\n\
         centre center\n\
         cheque check\n\
         catalogue catalog\n\
         favourite favorite\n\
         behaviour behavior\n\
         jewellery jewelry\n\
         tyre tire\n\
         grey gray\n\
         authorise authorize\n\
         customise customize\n\
         recognise recognize\n\
         cancellation cancel\n\
         payment pay\n\
         delivery deliver\n\
         removal remove\n\
         proof prove\n\
         choice choose\n\
         loss lose\n\
         complaint complain\n\
         signature sign\n\
         sell sold\n\
         buy bought\n\
         pay paid\n\
         send sent\n\
         lose lost\n\
         choose chose chosen\n\
         break broke broken\n\
         forget forgot forgotten\n\
         write wrote written\n\
         steal stole stolen\n\
         speak spoke spoken\n\
         bring brought\n\
         teach taught\n\
         hold held\n\
         build built\n\
         spend spent\n\
         keep kept\n\
         leave left\n\
         begin began begun\n\
         withdraw withdrew withdrawn\n\
         freeze froze frozen\n\
         wear wore worn\n\
         drive drove driven\n\
         eat ate eaten\n\
         catch caught\n\
         child children\n\
         person people\n\
         foot feet",
    )
});

static GERMAN: LazyLock<BTreeMap<String, Vec<(String, f64)>>> = LazyLock::new(|| {
    table(
        "de",
        "Preis Kosten Gebühr Tarif\n\
         bezahlen zahlen Zahlung Bezahlung\n\
         Rechnung Beleg Quittung\n\
         kaufen bestellen Kauf Bestellung\n\
         kündigen Kündigung abbestellen beenden\n\
         stornieren Stornierung absagen\n\
         löschen entfernen\n\
         ändern aktualisieren bearbeiten anpassen Änderung\n\
         erstellen anlegen\n\
         anmelden einloggen Login Anmeldung\n\
         registrieren Registrierung\n\
         Telefon Anruf anrufen Telefonnummer\n\
         Adresse Anschrift Standort\n\
         liefern Lieferung Versand versenden\n\
         Rückgabe Retoure zurückgeben zurückschicken Widerruf\n\
         Erstattung erstatten Rückerstattung\n\
         Hilfe Support Unterstützung Kontakt\n\
         kaputt defekt beschädigt\n\
         Fehler Problem Störung\n\
         kostenlos gratis umsonst frei\n\
         Termin Reservierung Buchung\n\
         buchen reservieren\n\
         Geschäft Laden Filiale\n\
         Stelle Job Karriere Ausbildung\n\
         Rabatt Gutschein Nachlass\n\
         Garantie Gewährleistung\n\
         Passwort Kennwort\n\
         Bild Foto\n\
         Auto Fahrzeug\n\
         Kunde Klient Mandant\n\
         Öffnungszeiten geöffnet offen\n\
         Firma Unternehmen Betrieb\n\
         Mitarbeiter Angestellter\n\
         Konto Account Benutzerkonto",
        "",
    )
});

/// Reads groups of words, one per line: first synonyms, then spellings of the same word.
fn table(language: &str, synonyms: &str, variants: &str) -> BTreeMap<String, Vec<(String, f64)>> {
    let mut table: BTreeMap<String, Vec<(String, f64)>> = BTreeMap::new();
    for (groups, weight) in [(variants, VARIANT_WEIGHT), (synonyms, SYNONYM_WEIGHT)] {
        for group in groups.lines() {
            let terms = analyze(group, Some(language));
            for term in &terms {
                let entry = table.entry(term.clone()).or_default();
                for other in terms.iter().filter(|other| *other != term) {
                    if !entry.iter().any(|(known, _)| known == other) {
                        entry.push((other.clone(), weight));
                    }
                }
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_are_found_by_their_stems() {
        let price = of("price", Morphology::Full(Language::English));
        assert!(price.contains(&("cost".to_owned(), SYNONYM_WEIGHT)), "{price:?}");
        let organization = analyze("organization", Some("en")).remove(0);
        assert!(of("org", Morphology::Full(Language::English)).contains(&(organization, VARIANT_WEIGHT)));
        assert!(of("kundig", Morphology::Full(Language::German)).iter().any(|(term, _)| term == "beend"));
        assert!(of("price", Morphology::Full(Language::French)).is_empty());
        assert!(of("zebra", Morphology::Full(Language::English)).is_empty());
    }

    #[test]
    fn every_group_holds_several_words() {
        for (language, table) in [("en", &*ENGLISH), ("de", &*GERMAN)] {
            for (term, others) in table {
                assert!(!others.is_empty(), "{language}: {term} stands alone in its group");
            }
        }
    }
}
