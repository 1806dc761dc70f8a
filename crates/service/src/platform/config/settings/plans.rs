//! Settings of what each plan includes: AI credits, and the numbers of chatbots, webpages, contacts and
//! stored bytes, which are unlimited if not set.

use super::{
    Kind, Setting,
    values::{number, shown},
};

/// Declares the setting of the AI credits of one plan.
macro_rules! plan_credits {
    ($NAME:ident, $plan:ident, $key:literal, $flag:literal, $meaning:literal) => {
        pub(super) const $NAME: Setting = Setting {
            key: $key,
            flag: $flag,
            value: "COUNT",
            meaning: $meaning,
            kind: Kind::Number,
            secret: false,
            read: |config, texts| number(texts).map(|count| config.credits.$plan = count),
            show: |config| shown([&config.credits.$plan]),
        };
    };
}

/// Declares the setting of one resource in one plan.
macro_rules! plan_limit {
    ($NAME:ident, $plan:ident, $resource:ident, $key:literal, $flag:literal, $meaning:literal) => {
        plan_limit!($NAME, $plan, $resource, $key, $flag, "COUNT", $meaning);
    };
    ($NAME:ident, $plan:ident, $resource:ident, $key:literal, $flag:literal, $value:literal, $meaning:literal) => {
        pub(super) const $NAME: Setting = Setting {
            key: $key,
            flag: $flag,
            value: $value,
            meaning: $meaning,
            kind: Kind::Number,
            secret: false,
            read: |config, texts| number(texts).map(|count| config.plans.$plan.$resource = Some(count)),
            show: |config| shown(&config.plans.$plan.$resource),
        };
    };
}

plan_credits!(
    TRIAL_CREDITS,
    trial,
    "credits.trial",
    "credits-trial",
    "AI credits per month during the trial"
);
plan_credits!(
    STARTER_CREDITS,
    starter,
    "credits.starter",
    "credits-starter",
    "AI credits per month in the Starter plan"
);
plan_credits!(
    GROWTH_CREDITS,
    growth,
    "credits.growth",
    "credits-growth",
    "AI credits per month in the Growth plan"
);
plan_credits!(
    BUSINESS_CREDITS,
    business,
    "credits.business",
    "credits-business",
    "AI credits per month in the Business plan"
);
plan_credits!(
    SCALE_CREDITS,
    scale,
    "credits.scale",
    "credits-scale",
    "AI credits per month in the Scale plan"
);

plan_limit!(
    TRIAL_CHATBOTS,
    trial,
    chatbots,
    "plans.trial_chatbots",
    "trial-chatbots",
    "Most chatbots of an account during the trial; unlimited if not set"
);
plan_limit!(
    TRIAL_WEBPAGES,
    trial,
    webpages,
    "plans.trial_webpages",
    "trial-webpages",
    "Most webpages with content of an account during the trial; unlimited if not set"
);
plan_limit!(
    TRIAL_CONTACTS,
    trial,
    contacts,
    "plans.trial_contacts",
    "trial-contacts",
    "Most contacts of an account, apart from those who write by themselves, during the trial; unlimited if not set"
);
plan_limit!(
    TRIAL_STORAGE_BYTES,
    trial,
    storage,
    "plans.trial_storage_bytes",
    "trial-storage-bytes",
    "BYTES",
    "Most bytes of files, attachments, skipped emails, text snippets and FAQs of an account during the trial; unlimited if not set"
);
plan_limit!(
    STARTER_CHATBOTS,
    starter,
    chatbots,
    "plans.starter_chatbots",
    "starter-chatbots",
    "Most chatbots of an account in the Starter plan; unlimited if not set"
);
plan_limit!(
    STARTER_WEBPAGES,
    starter,
    webpages,
    "plans.starter_webpages",
    "starter-webpages",
    "Most webpages with content of an account in the Starter plan; unlimited if not set"
);
plan_limit!(
    STARTER_CONTACTS,
    starter,
    contacts,
    "plans.starter_contacts",
    "starter-contacts",
    "Most contacts of an account, apart from those who write by themselves, in the Starter plan; unlimited if not set"
);
plan_limit!(
    STARTER_STORAGE_BYTES,
    starter,
    storage,
    "plans.starter_storage_bytes",
    "starter-storage-bytes",
    "BYTES",
    "Most bytes of files, attachments, skipped emails, text snippets and FAQs of an account in the Starter plan; unlimited if not set"
);
plan_limit!(
    GROWTH_CHATBOTS,
    growth,
    chatbots,
    "plans.growth_chatbots",
    "growth-chatbots",
    "Most chatbots of an account in the Growth plan; unlimited if not set"
);
plan_limit!(
    GROWTH_WEBPAGES,
    growth,
    webpages,
    "plans.growth_webpages",
    "growth-webpages",
    "Most webpages with content of an account in the Growth plan; unlimited if not set"
);
plan_limit!(
    GROWTH_CONTACTS,
    growth,
    contacts,
    "plans.growth_contacts",
    "growth-contacts",
    "Most contacts of an account, apart from those who write by themselves, in the Growth plan; unlimited if not set"
);
plan_limit!(
    GROWTH_STORAGE_BYTES,
    growth,
    storage,
    "plans.growth_storage_bytes",
    "growth-storage-bytes",
    "BYTES",
    "Most bytes of files, attachments, skipped emails, text snippets and FAQs of an account in the Growth plan; unlimited if not set"
);
plan_limit!(
    BUSINESS_CHATBOTS,
    business,
    chatbots,
    "plans.business_chatbots",
    "business-chatbots",
    "Most chatbots of an account in the Business plan; unlimited if not set"
);
plan_limit!(
    BUSINESS_WEBPAGES,
    business,
    webpages,
    "plans.business_webpages",
    "business-webpages",
    "Most webpages with content of an account in the Business plan; unlimited if not set"
);
plan_limit!(
    BUSINESS_CONTACTS,
    business,
    contacts,
    "plans.business_contacts",
    "business-contacts",
    "Most contacts of an account, apart from those who write by themselves, in the Business plan; unlimited if not set"
);
plan_limit!(
    BUSINESS_STORAGE_BYTES,
    business,
    storage,
    "plans.business_storage_bytes",
    "business-storage-bytes",
    "BYTES",
    "Most bytes of files, attachments, skipped emails, text snippets and FAQs of an account in the Business plan; unlimited if not set"
);
plan_limit!(
    SCALE_CHATBOTS,
    scale,
    chatbots,
    "plans.scale_chatbots",
    "scale-chatbots",
    "Most chatbots of an account in the Scale plan; unlimited if not set"
);
plan_limit!(
    SCALE_WEBPAGES,
    scale,
    webpages,
    "plans.scale_webpages",
    "scale-webpages",
    "Most webpages with content of an account in the Scale plan; unlimited if not set"
);
plan_limit!(
    SCALE_CONTACTS,
    scale,
    contacts,
    "plans.scale_contacts",
    "scale-contacts",
    "Most contacts of an account, apart from those who write by themselves, in the Scale plan; unlimited if not set"
);
plan_limit!(
    SCALE_STORAGE_BYTES,
    scale,
    storage,
    "plans.scale_storage_bytes",
    "scale-storage-bytes",
    "BYTES",
    "Most bytes of files, attachments, skipped emails, text snippets and FAQs of an account in the Scale plan; unlimited if not set"
);
