//! Telling phrases of the sensitive topics, in English, German, French, Spanish, Dutch, Italian and Portuguese.
//!
//! A phrase is listed only if an ordinary question to a business hardly contains it. Hence the gaps: the French
//! `politique` also means a return policy, and `Gericht` is a court and a dish.

use crate::task::SensitiveTopic;

/// The patterns of a topic; see [`Words::find`](crate::words::Words::find) for their form.
pub(super) fn phrases(topic: SensitiveTopic) -> &'static [&'static str] {
    match topic {
        SensitiveTopic::Politics => &POLITICS,
        SensitiveTopic::Religion => &RELIGION,
        SensitiveTopic::LegalAdvice => &LEGAL,
        SensitiveTopic::MedicalAdvice => &MEDICAL,
        SensitiveTopic::CompetitorComparison => &COMPETITORS,
    }
}

#[cfg(test)]
pub(crate) fn patterns() -> impl Iterator<Item = &'static str> {
    SensitiveTopic::ALL.into_iter().flat_map(|topic| phrases(topic).iter().copied())
}

const POLITICS: [&str; 16] = [
    "politics|political|politician|politicians",
    "election|elections|referendum|parliament",
    "vote|voting _ party|president|government|election",
    "gun control",
    "left|right wing",
    "democrats|republicans|communis*|fascis*|nazi*",
    "politik|politisch*|politiker*",
    "bundestag*|wahlkampf|bundeskanzler*",
    "partei _ wahlen|wahlst|wahlt",
    "parti|opinion|homme|femme politique",
    "presidentielle|presidentielles",
    "politicos|partido politico|partidos politicos",
    "elecciones|elezioni|eleicoes|eleicao",
    "politiek*|verkiezing|verkiezingen",
    "partito politico|partiti politici",
    "parlament*|parlement",
];

const RELIGION: [&str; 11] = [
    "religion|religions|religiao|religie|religione|religiones",
    "bible|bibel|biblia|bibbia|bijbel|quran|koran|torah",
    "god|gods|jesus|allah exist*|real|created",
    "does|do|is|believe _ god|jesus|allah",
    "glaubst _ gott",
    "existe dieu|dios|deus",
    "crois|croyez|crees|cree|credi|acredita _ dieu|dios|dio|deus",
    "islam|islamic|muslim*|judaism|judentum|christianity|christentum",
    "atheis*|buddhis*|hinduis*",
    "geloof* _ god",
    "esiste dio",
];

const LEGAL: [&str; 20] = [
    "legal advice|opinion|counsel",
    "sue|suing|lawsuit|lawsuits",
    "lawyer|attorney|solicitor",
    "is it|this|that legal|illegal|lawful|unlawful",
    "my legal|statutory rights",
    "press charges",
    "take _ to court",
    "rechtsberatung|rechtsauskunft|rechtsanwalt*|anwalt|anwaltin",
    "verklage|verklagen|klage einreichen|erheben",
    "rechtlich* rat|beraten|beratung",
    "strafbar",
    "conseil|conseils juridique|juridiques",
    "consulter|prendre _ avocat",
    "poursuivre en justice",
    "asesoria|consejo|asesoramiento legal|juridico|juridica",
    "abogado|abogada|abogados",
    "consulenza|parere legale",
    "avvocato|avvocati|advogado|advogada",
    "juridisch advies",
    "advocaat|aanklagen|rechtszaak",
];

const MEDICAL: [&str; 15] = [
    "medical advice|opinion|diagnosis|emergency",
    "symptom|symptoms|symptome|symptomen|sintoma|sintomas|sintomi",
    "dosage|overdose|dosierung|dosering|posologie|dosaggio|dosagem",
    "should|can|may i _ take|stop _ medication|medicine|pills|pill|ibuprofen|aspirin|antibiotics|paracetamol",
    "side effects",
    "cure|treatment for my|cancer|depression|flu|diabetes",
    "medizinisch* rat|beratung|frage",
    "medikament|medikamente|medikamenten|nebenwirkung|nebenwirkungen",
    "avis|conseil medical|medicaux",
    "medicament|medicaments|effets secondaires",
    "consejo|consulta medico|medica",
    "medicamento|medicamentos|efectos|efeitos secundarios|colaterais",
    "parere|consiglio medico",
    "farmaco|farmaci|effetti collaterali",
    "medisch advies",
];

const COMPETITORS: [&str; 14] = [
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
];
