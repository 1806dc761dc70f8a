//! The limits of plans, which every transaction has at hand.

/// The limits of one plan; `None` is unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResourceLimits {
    /// Most chatbots.
    pub chatbots: Option<u64>,
    /// Most webpages.
    pub webpages: Option<u64>,
    /// Most contacts. Contacts from conversations, forms and e-mails are stored beyond it.
    pub contacts: Option<u64>,
    /// Most bytes of files, attachments, skipped e-mails, text snippets and items of FAQs.
    pub storage: Option<u64>,
}

/// The limits of all plans.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlanLimits {
    /// On trial.
    pub trial: ResourceLimits,
    /// Starter.
    pub starter: ResourceLimits,
    /// Growth.
    pub growth: ResourceLimits,
    /// Business.
    pub business: ResourceLimits,
    /// Scale.
    pub scale: ResourceLimits,
}
