//! Phrases of the sensitive topics in English, German, French, Spanish, Dutch, Italian, Portuguese and
//! Polish.
//!
//! Phrases of advice and opinion are sensitive wherever they occur. Subjects are sensitive only if the
//! question is not about the business itself. A phrase is listed only if ordinary questions to a business
//! hardly contain it, which leaves gaps: the French `politique` also means a return policy, and `Gericht` is
//! a court and a dish.

use crate::settings::SensitiveTopic;

/// Returns the patterns of questions that ask for advice or an opinion; see
/// [`Words::matches`](frontdesk_knowledge::Words::matches) for their form.
pub(super) fn advice(topic: SensitiveTopic) -> &'static [&'static str] {
    match topic {
        SensitiveTopic::Politics => &POLITICAL_OPINION,
        SensitiveTopic::Religion => &RELIGIOUS_OPINION,
        SensitiveTopic::LegalAdvice => &LEGAL_ADVICE,
        SensitiveTopic::MedicalAdvice => &MEDICAL_ADVICE,
        SensitiveTopic::CompetitorComparison => &COMPARISONS,
    }
}

/// Returns the patterns of words that name the subject of a topic.
pub(super) fn subjects(topic: SensitiveTopic) -> &'static [&'static str] {
    match topic {
        SensitiveTopic::Politics => &POLITICS,
        SensitiveTopic::Religion => &RELIGION,
        SensitiveTopic::LegalAdvice => &LAW,
        SensitiveTopic::MedicalAdvice => &MEDICINE,
        // Comparisons are about the business by nature.
        SensitiveTopic::CompetitorComparison => &[],
    }
}

#[cfg(test)]
pub(super) fn patterns() -> impl Iterator<Item = &'static str> {
    SensitiveTopic::ALL.into_iter().flat_map(|topic| advice(topic).iter().chain(subjects(topic)).copied())
}

const POLITICAL_OPINION: [&str; 12] = [
    "vote|voting _ party|president|government|election",
    "think|opinion|view|stance _ politics|political|politician|politicians|election|elections|government|party",
    "your party|politics",
    "partei _ wahlen|wahlst|wahlt",
    "haltst|haltet|halten du|ihr|sie _ politik|politisch*|politiker*|wahlkampf",
    "pensez vous|tu _ politique|presidentielle|elections",
    "opinas|opina|opinan _ politica|politicos|elecciones|gobierno",
    "vind|vindt|vinden je|u|jullie _ politiek*|verkiezingen",
    "pensi|pensa|pensate _ politica|politici|elezioni|governo",
    "acha|acham|pensa _ politica|politicos|eleicoes|governo",
    "glosowac|glosowal|glosujesz _ partie|wyborach|prezydenta",
    "sadzisz|sadzicie|myslisz|myslicie _ polityce|polityku|rzadzie|wyborach",
];

const POLITICS: [&str; 16] = [
    "politics|political|politician|politicians",
    "election|elections|referendum|parliament",
    "gun control",
    "left|right wing",
    "democrats|republicans|communis*|fascis*|nazi*",
    "politik|politisch*|politiker*",
    "bundestag*|wahlkampf|bundeskanzler*",
    "parti|opinion|homme|femme politique",
    "presidentielle|presidentielles",
    "politicos|partido politico|partidos politicos",
    "elecciones|elezioni|eleicoes|eleicao",
    "politiek*|verkiezing|verkiezingen",
    "partito politico|partiti politici",
    "parlament*|parlement",
    "polityka|polityce|polityczne|polityczny|polityczna|politycy|politykow",
    "wybory prezydenckie|parlamentarne",
];

const RELIGIOUS_OPINION: [&str; 10] = [
    "god|gods|jesus|allah exist*|real|created",
    "does|do|is|believe _ god|jesus|allah",
    "your religion|faith",
    "glaubst|glaubt|glauben _ gott",
    "crois|croyez|crees|cree|creen|credi|credete|acredita|acreditam _ dieu|dios|dio|deus",
    "existe dieu|dios|deus",
    "geloof* _ god",
    "esiste dio",
    "wierzysz|wierzycie|wierzyc _ boga",
    "czy bog istnieje",
];

const RELIGION: [&str; 5] = [
    "religion|religions|religiao|religie|religione|religiones",
    "bible|bibel|biblia|bibbia|bijbel|quran|koran|torah",
    "islam|islamic|muslim*|judaism|judentum|christianity|christentum",
    "atheis*|buddhis*|hinduis*",
    "religia|religie|religii|religijne",
];

const LEGAL_ADVICE: [&str; 19] = [
    "legal advice|opinion|counsel",
    "can|could|should|may i|we _ sue",
    "is it|this|that legal|illegal|lawful|unlawful",
    "my legal|statutory rights",
    "press charges",
    "take _ to court",
    "rechtsberatung|rechtsauskunft",
    "ich|wir _ verklagen|klagen",
    "rechtlich* rat|beraten|beratung",
    "klage einreichen|erheben",
    "conseil|conseils juridique|juridiques",
    "poursuivre en justice",
    "asesoria|consejo|asesoramiento legal|juridico|juridica",
    "consulenza|parere legale",
    "juridisch advies",
    "assessoria|consultoria|parecer juridica|juridico",
    "kan|mag ik _ aanklagen",
    "porada|porady|opinia prawna|prawne|prawnej",
    "pozwac|zaskarzyc _ do sadu",
];

const LAW: [&str; 13] = [
    "sue|suing|lawsuit|lawsuits",
    "lawyer|attorney|solicitor",
    "rechtsanwalt*|anwalt|anwaltin",
    "verklage|verklagen",
    "strafbar",
    "consulter|prendre _ avocat",
    "besoin _ avocat",
    "abogado|abogada|abogados",
    "avvocato|avvocati|advogado|advogada",
    "advocaat|aanklagen|rechtszaak",
    "procesar|demandar|denunciare|processar _ vecino|casero|vicino|vizinho",
    "adwokat|adwokata|prawnik|prawnika",
    "pozwac|pozew|oskarzyc",
];

const MEDICAL_ADVICE: [&str; 14] = [
    "medical advice|opinion|diagnosis|emergency",
    "should|can|may i _ take|stop _ medication|medicine|pills|pill|ibuprofen|aspirin|antibiotics|paracetamol",
    "medizinisch* rat|beratung|frage",
    "soll|sollte|kann|darf ich _ medikament|medikamente|tabletten|antibiotika|ibuprofen|aspirin",
    "avis|conseil medical|medicaux",
    "puis|dois je _ medicament|medicaments|ibuprofene|antibiotiques|aspirine",
    "consejo|consulta medico|medica",
    "puedo|debo _ tomar _ medicamento|medicamentos|ibuprofeno|antibioticos|aspirina",
    "parere|consiglio medico",
    "posso|devo _ prendere|tomar _ farmaco|medicina|medicinale|remedio|medicamento|ibuprofene|ibuprofeno|antibiotici",
    "medisch advies",
    "mag|kan|moet ik _ medicijn|medicijnen|pillen|ibuprofen|antibiotica",
    "porada|porady|opinia medyczna|medyczne|lekarska|lekarskie",
    "moge|powinienem|powinnam _ brac|wziac|odstawic _ lek|leki|tabletki|antybiotyk|antybiotyki|ibuprofen|aspiryne",
];

const MEDICINE: [&str; 14] = [
    "dose|doses|dosis|dosen|dosi|dosissen|dawka|dawki|dawke",
    "aspirin*|ibuprofen*|paracetamol|acetaminophen|antibiotic*|antibiotik*|antibiotiq*|antybiotyk*|painkiller|painkillers|schmerzmittel",
    "symptom|symptoms|symptome|symptomen|symptomes|sintoma|sintomas|sintomi",
    "dosage|overdose|dosierung|dosering|posologie|dosaggio|dosagem|dosificacion",
    "side effects",
    "cure|treatment for my|cancer|depression|flu|diabetes",
    "medikament|medikamente|medikamenten|nebenwirkung|nebenwirkungen",
    "medicament|medicaments",
    "effets|efectos|efeitos|effetti secondaires|secundarios|colaterais|collaterali",
    "medicamento|medicamentos",
    "farmaco|farmaci",
    "bijwerking|bijwerkingen|medicijn|medicijnen",
    "objaw|objawy|dawkowanie|przedawkowanie",
    "skutki uboczne",
];

const COMPARISONS: [&str; 16] = [
    "competitor|competitors|rivals",
    "better|worse|cheaper|different than|from you|yours",
    "compare|compared you|yourself to|with",
    "how do you compare",
    "why|should _ choose you over|instead",
    "konkurrent|konkurrenten|konkurrenz|mitbewerber|mitbewerbern|wettbewerber|wettbewerbern",
    "besser|schlechter|billiger|gunstiger als ihr|sie|du",
    "concurrents|concurrence",
    "meilleur|meilleurs|moins cher que vous",
    "competidor|competidores|competencia",
    "mejor|mejores|barato que ustedes|vosotros",
    "concorrente|concorrenti|concorrentes|concorrenza|concorrencia",
    "concurrenten|concurrentie",
    "beter|goedkoper dan jullie|u",
    "konkurencja|konkurencji|konkurencje|konkurenci",
    "lepsi|lepsze|gorsze|tansze|tansi od was|panstwa",
];
