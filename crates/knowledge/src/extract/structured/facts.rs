//! The facts in objects of schema.org, one line for each.

use std::collections::HashSet;

use serde_json::Value;

use super::super::block::{Block, BlockKind};
use super::labels::{Label, Words};
use super::values::{first, items, names_of, strings, text};
use super::{block, hours};

/// Deepest nesting of objects that is read.
const MAX_DEPTH: usize = 12;

/// Most lines of a page.
const MAX_LINES: usize = 600;

/// Properties that lead to objects with facts of their own.
const PARTS: [&str; 20] = [
    "@graph",
    "mainEntity",
    "mainEntityOfPage",
    "itemListElement",
    "item",
    "hasMenu",
    "menu",
    "hasMenuSection",
    "hasMenuItem",
    "hasOfferCatalog",
    "makesOffer",
    "itemOffered",
    "department",
    "subOrganization",
    "containsPlace",
    "event",
    "events",
    "subEvent",
    "hasVariant",
    "about",
];

/// Simple properties of a business, with their labels.
const PROPERTIES: [(&str, Label); 9] = [
    ("telephone", Label::Phone),
    ("faxNumber", Label::Fax),
    ("email", Label::Email),
    ("priceRange", Label::PriceRange),
    ("paymentAccepted", Label::Payment),
    ("currenciesAccepted", Label::Currencies),
    ("servesCuisine", Label::Cuisine),
    ("availableLanguage", Label::Languages),
    ("foundingDate", Label::Founded),
];

/// Collects the facts of a page.
pub(super) struct Facts {
    words: Words,
    /// The visible text of the page, folded.
    visible: String,
    blocks: Vec<Block>,
    seen: HashSet<String>,
}

impl Facts {
    pub(super) fn new(language: Option<&str>, visible: &[Block]) -> Self {
        let text: Vec<&str> = visible.iter().map(|block| block.text.as_str()).collect();
        Self {
            words: Words::of(language),
            visible: folded(&text.join(" ")),
            blocks: Vec::new(),
            seen: HashSet::new(),
        }
    }

    pub(super) fn into_blocks(self) -> Vec<Block> {
        self.blocks
    }

    /// Reads an object with everything in it.
    pub(super) fn read(&mut self, value: &Value, depth: usize) {
        if depth > MAX_DEPTH || self.blocks.len() > MAX_LINES {
            return;
        }
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.read(value, depth + 1)),
            Value::Object(_) => {
                if is_type(value, &["Review", "Person", "BreadcrumbList", "ImageObject", "SearchAction"]) {
                    return;
                }
                if is_type(value, &["Question"]) {
                    self.question(value);
                } else if !value["startDate"].is_null() && !value["name"].is_null() {
                    self.event(value);
                } else if is_type(value, &["Product", "MenuItem", "Service", "Offer", "ProductGroup"]) {
                    self.offered(value);
                } else if is_type(value, &["MenuSection", "OfferCatalog"]) {
                    self.heading(3, text(&value["name"]));
                } else {
                    self.business(value);
                }
                for part in PARTS {
                    self.read(&value[part], depth + 1);
                }
            }
            _ => {}
        }
    }

    fn heading(&mut self, level: u8, name: Option<String>) {
        if let Some(name) = name {
            self.blocks.push(block(BlockKind::Heading(level), name));
        }
    }

    fn line(&mut self, line: String) {
        if !line.is_empty() && self.seen.insert(line.clone()) {
            self.blocks.push(block(BlockKind::ListItem, line));
        }
    }

    fn question(&mut self, question: &Value) {
        let answer = &question["acceptedAnswer"];
        let answer = answer.as_array().and_then(|answers| answers.first()).unwrap_or(answer);
        let name = text(&question["name"]).or_else(|| text(&question["text"]));
        let (Some(name), Some(answer)) = (name, text(&answer["text"])) else { return };
        if self.visible.contains(&folded(&answer)) || !self.seen.insert(format!("{name} {answer}")) {
            return;
        }
        self.heading(4, Some(name));
        self.blocks.push(block(BlockKind::Paragraph, answer));
    }

    fn event(&mut self, event: &Value) {
        let Some(name) = text(&event["name"]) else { return };
        let moment = |key: &str| text(&event[key]).map(|time| time.replacen('T', " ", 1));
        let mut when = moment("startDate").unwrap_or_default();
        if let Some(end) = moment("endDate").filter(|end| *end != when) {
            let same_day = when.split(' ').next() == end.split(' ').next();
            match end.split_once(' ').filter(|_| same_day) {
                Some((_, time)) => when = format!("{when}-{time}"),
                None => when = format!("{when} {} {end}", self.words.label(Label::To)),
            }
        }
        let location = first(&event["location"]);
        let mut parts = vec![when];
        match text(location) {
            Some(place) => parts.push(place),
            None => {
                parts.extend(text(&location["name"]).into_iter().chain(self.address(&location["address"])));
            }
        }
        parts.extend(self.price(first(&event["offers"])));
        self.line(format!("{name}: {}", parts.join(", ")));
    }

    fn offered(&mut self, item: &Value) {
        let Some(name) = text(&item["name"]) else { return };
        let offers = match &item["offers"] {
            Value::Null => std::slice::from_ref(item),
            Value::Array(offers) => offers.as_slice(),
            offer => std::slice::from_ref(offer),
        };
        let description = text(&item["description"])
            .filter(|description| !self.visible.contains(&folded(description)))
            .map_or_else(String::new, |description| format!(" ({description})"));
        for offer in offers.iter().take(20) {
            let Some(price) = self.price(offer) else { continue };
            let name = match text(&offer["name"]) {
                Some(own) if own != name => format!("{name}, {own}"),
                _ => name.clone(),
            };
            let availability = text(&offer["availability"]);
            let availability = availability.as_deref().and_then(|state| state.rsplit('/').next());
            let label = match availability {
                Some("InStock" | "InStoreOnly" | "OnlineOnly" | "LimitedAvailability") => {
                    Some(Label::InStock)
                }
                Some("OutOfStock" | "SoldOut" | "Discontinued") => Some(Label::OutOfStock),
                Some("PreOrder" | "PreSale" | "BackOrder") => Some(Label::PreOrder),
                _ => None,
            };
            let stock = label.map_or_else(String::new, |label| format!(", {}", self.words.label(label)));
            self.line(format!("{name}: {price}{stock}{description}"));
        }
    }

    /// Returns the price of an offer with its currency.
    fn price(&self, offer: &Value) -> Option<String> {
        let specification = first(&offer["priceSpecification"]);
        let get = |key: &str| text(&offer[key]).or_else(|| text(&specification[key]));
        let amount = match (get("price"), get("lowPrice"), get("highPrice")) {
            (None, Some(low), Some(high)) if low != high => format!("{low}-{high}"),
            (Some(price), ..) | (None, Some(price), _) | (None, None, Some(price)) => price,
            (None, None, None) => return None,
        };
        if !amount.contains(|character: char| character.is_ascii_digit()) {
            return None;
        }
        let currency = get("priceCurrency").unwrap_or_default();
        let sign = match currency.as_str() {
            "EUR" => "€",
            "USD" => "$",
            "GBP" => "£",
            "PLN" => "zł",
            other => other,
        };
        Some(match sign {
            "" => amount,
            sign if amount.contains(sign) => amount,
            "€" | "$" | "£" if self.words.has_code_last() => format!("{sign}{amount}"),
            sign => format!("{amount} {sign}"),
        })
    }

    fn business(&mut self, value: &Value) {
        let mut lines = Vec::new();
        let labelled = |label: Label, value: String| format!("{}: {value}", self.words.label(label));
        lines.extend(
            self.address(&value["address"])
                .or_else(|| self.address(&first(&value["location"])["address"]))
                .map(|address| labelled(Label::Address, address)),
        );
        for (key, label) in PROPERTIES {
            let values = strings(&value[key]);
            if !values.is_empty() {
                let text = values.join(", ");
                lines.push(labelled(label, text.strip_prefix("mailto:").unwrap_or(&text).to_owned()));
            }
        }
        if let Some(answer) = text(&value["acceptsReservations"]) {
            let answer = match answer.to_ascii_lowercase().rsplit('/').next() {
                Some("true" | "yes") => Some(self.words.label(Label::Yes).to_owned()),
                Some("false" | "no") => Some(self.words.label(Label::No).to_owned()),
                _ => Some(answer).filter(|answer| !answer.contains("://")),
            };
            lines.extend(answer.map(|answer| labelled(Label::Reservations, answer)));
        }
        let amenities = names_of(&value["amenityFeature"]);
        if !amenities.is_empty() {
            lines.push(labelled(Label::Amenities, amenities.join(", ")));
        }
        let areas = names_of(&value["areaServed"]);
        if !areas.is_empty() {
            lines.push(labelled(Label::AreaServed, areas.join(", ")));
        }
        for contact in items(&value["contactPoint"]).iter().take(10) {
            let kind = text(&contact["contactType"]).map_or_else(String::new, |kind| format!(" ({kind})"));
            for (key, label) in [("telephone", Label::Phone), ("email", Label::Email)] {
                lines.extend(text(&contact[key]).map(|value| labelled(label, value + &kind)));
            }
        }
        let rating = first(&value["aggregateRating"]);
        if let Some(stars) = text(&rating["ratingValue"]) {
            let best = text(&rating["bestRating"]).unwrap_or_else(|| "5".to_owned());
            let count = text(&rating["reviewCount"]).or_else(|| text(&rating["ratingCount"]));
            let count = count.map_or_else(String::new, |count| format!(" ({count})"));
            lines.push(labelled(Label::Rating, format!("{stars} / {best}{count}")));
        }
        let hours = hours::lines(value, self.words);
        let description = text(&value["description"])
            .filter(|description| !lines.is_empty() && !self.visible.contains(&folded(description)));
        if lines.is_empty() && hours.is_empty() {
            return;
        }
        // The same business is often described on a page twice.
        let identity = format!("{lines:?}{hours:?}");
        if !self.seen.insert(identity) {
            return;
        }
        let name = text(&value["name"]).or_else(|| text(&value["legalName"]));
        self.heading(2, name);
        self.blocks.extend(description.map(|description| block(BlockKind::Paragraph, description)));
        self.blocks.extend(lines.into_iter().map(|line| block(BlockKind::ListItem, line)));
        if !hours.is_empty() {
            self.heading(3, Some(self.words.label(Label::OpeningHours).to_owned()));
            self.blocks.extend(hours.into_iter().map(|line| block(BlockKind::ListItem, line)));
        }
    }

    fn address(&self, address: &Value) -> Option<String> {
        let address = first(address);
        if let Some(address) = text(address) {
            return Some(address);
        }
        let get = |key: &str| text(&address[key]);
        let country = get("addressCountry").or_else(|| text(&address["addressCountry"]["name"]));
        let (code, town, region) = (get("postalCode"), get("addressLocality"), get("addressRegion"));
        let joined = |parts: [Option<String>; 2]| {
            let text = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
            Some(text).filter(|text| !text.is_empty())
        };
        let parts = if self.words.has_code_last() {
            [get("streetAddress"), town, joined([region, code]), country]
        } else {
            [get("streetAddress"), joined([code, town]), region, country]
        };
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        (!text.is_empty()).then_some(text)
    }
}

fn is_type(value: &Value, kinds: &[&str]) -> bool {
    items(&value["@type"])
        .iter()
        .filter_map(Value::as_str)
        .any(|kind| kinds.contains(&kind.rsplit(['/', ':', '#']).next().unwrap_or_default()))
}

fn folded(text: &str) -> String {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect::<Vec<_>>()
        .join(" ")
}
