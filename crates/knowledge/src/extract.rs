//! Extraction of title, language, links and main text from the bytes of a page.
//!
//! Extraction does no I/O and never recurses over the document. It stops reading input that is nested more
//! deeply or is larger than pages written for people. It is CPU-bound: call it outside the async threads.

mod block;
mod charset;
mod chrome;
mod clean;
mod consent;
mod directives;
mod dom;
mod head;
mod links;
mod main_content;
mod obstacle;
mod panels;
mod plain;
mod prices;
mod raised;
mod render;
mod spacing;
mod structured;
mod table;
mod visibility;

use url::Url;

pub use block::{Block, BlockKind, Place};
pub use directives::Directives;
pub use dom::parse as parse_html;
pub use obstacle::Obstacle;
pub(crate) use plain::paragraphs;

/// The result of extraction from one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// The page's own title, without the name of the site if the page distinguishes them.
    pub title: String,
    /// BCP 47 language, as stated by the page or detected from its words.
    pub language: Option<String>,
    /// `<meta name="description">`. If the page does not say it, it is among the blocks as well.
    pub description: Option<String>,
    /// Absolute `rel=canonical` address.
    pub canonical: Option<Url>,
    /// Robots directives in the document.
    pub directives: Directives,
    /// Target of a meta refresh within ten seconds.
    pub refresh: Option<Url>,
    /// Absolute http(s) addresses the page links to, in order, without repeats and without `rel=nofollow`
    /// ones.
    pub links: Vec<Url>,
    /// The text: the content, then the frame, then what structured data says; see [`Place`].
    pub blocks: Vec<Block>,
    /// The kind of page that is shown instead of the content, if this is not the content.
    pub obstacle: Option<Obstacle>,
    /// The input was cut because it exceeds the parser's limits.
    pub truncated: bool,
}

/// Extracts an HTML page fetched from `url`.
///
/// `content_type` is the response header, read for its charset. `agent` is the robots product token whose
/// directives apply in addition to the general ones.
pub fn extract_html(body: &[u8], content_type: Option<&str>, url: &Url, agent: &str) -> Extracted {
    let text = charset::decode(body, content_type);
    let (document, truncated) = dom::parse(&text);
    let head = head::read(&document, url, agent);
    let visibility = visibility::Visibility::of(&document);
    let root = main_content::root(&document, &visibility);
    let mut blocks = render::blocks(&document, &root, &visibility);
    drop_breadcrumb_heading_repeats(&mut blocks);
    let obstacle = obstacle::detect(&document, &visibility, &blocks, &head);
    let title = head::title(&head, &blocks, url);
    let language = language(head.language, &blocks);
    let data = structured::blocks(&document, &visibility, language.as_deref(), &blocks);
    let description =
        head.description.as_ref().filter(|description| adds_something(description, &title, &blocks));
    blocks.extend(description.map(|description| Block {
        kind: BlockKind::Paragraph,
        place: Place::Metadata,
        text: description.clone(),
    }));
    blocks.extend(data);
    Extracted {
        title,
        language,
        description: head.description,
        canonical: head.canonical,
        directives: head.directives,
        refresh: head.refresh,
        links: head.links,
        blocks,
        obstacle,
        truncated,
    }
}

/// Extracts a plain text or Markdown file fetched from `url`.
pub fn extract_text(body: &[u8], content_type: Option<&str>, url: &Url) -> Extracted {
    let text = charset::decode(body, content_type);
    let markdown = content_type.is_some_and(|value| value.to_ascii_lowercase().contains("markdown"))
        || [".md", ".markdown"].iter().any(|ending| url.path().to_ascii_lowercase().ends_with(ending));
    let (title, blocks) = if markdown { plain::markdown(&text) } else { plain::text(&text) };
    let language = language(None, &blocks);
    Extracted {
        title: title.unwrap_or_else(|| head::name_from_address(url)),
        language,
        description: None,
        canonical: None,
        directives: Directives::default(),
        refresh: None,
        links: Vec::new(),
        blocks,
        obstacle: None,
        truncated: false,
    }
}

/// Removes headings that repeat the one before: they come from breadcrumbs and repeated page titles.
fn drop_breadcrumb_heading_repeats(blocks: &mut Vec<Block>) {
    blocks.dedup_by(|later, earlier| {
        later.place == earlier.place
            && matches!((later.kind, earlier.kind), (BlockKind::Heading(_), BlockKind::Heading(_)))
            && later.text == earlier.text
    });
}

/// Fewest words of a description that can add something.
const MIN_DESCRIPTION_WORDS: usize = 4;

/// Returns whether a description says something that the page does not: a third of its words are not on the
/// page.
fn adds_something(description: &str, title: &str, blocks: &[Block]) -> bool {
    let words = crate::topics::words(description);
    let mut unknown = words.clone();
    let texts = blocks.iter().map(|block| block.text.as_str()).chain([title]);
    for text in texts {
        for word in crate::topics::words(text) {
            unknown.remove(&word);
        }
    }
    let has_number = |word: &str| word.contains(|character: char| character.is_ascii_digit());
    unknown.len() * 3 >= words.len() && words.len() >= MIN_DESCRIPTION_WORDS
        || description.split_whitespace().any(|word| {
            has_number(word) && !blocks.iter().any(|block| block.text.contains(word.trim_matches(['.', ','])))
        })
}

/// Returns the stated language, unless the words of the page are clearly of another: templates often state a
/// wrong one.
fn language(stated: Option<String>, blocks: &[Block]) -> Option<String> {
    const ENOUGH_TO_OVERRULE: usize = 600;
    let mut sample = String::new();
    for block in blocks.iter().filter(|block| block.kind != BlockKind::Code) {
        sample.push_str(&block.text);
        sample.push('\n');
        if sample.len() > 4_000 {
            break;
        }
    }
    let detected = crate::analyze::detect_language(&sample).map(crate::analyze::Language::tag);
    match (stated, detected) {
        (Some(stated), Some(detected)) => {
            let agrees = stated.to_ascii_lowercase().starts_with(detected);
            Some(if agrees || sample.len() < ENOUGH_TO_OVERRULE { stated } else { detected.to_owned() })
        }
        (stated, detected) => stated.or_else(|| detected.map(str::to_owned)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extract(html: &str) -> Extracted {
        let url = Url::parse("https://acme.example/page").unwrap();
        extract_html(html.as_bytes(), Some("text/html; charset=utf-8"), &url, "frontdesk")
    }

    /// Returns the text of the blocks of one part of a page.
    fn texts(html: &str, place: Place) -> String {
        let blocks = extract(html).blocks.into_iter().filter(|block| block.place == place);
        blocks.map(|block| block.text).collect::<Vec<_>>().join("\n")
    }

    /// Returns the text of every block, with headings marked by their level.
    fn lines(html: &str) -> Vec<String> {
        let line = |block: &Block| match block.kind {
            BlockKind::Heading(level) => format!("{} {}", "#".repeat(level.into()), block.text),
            _ => block.text.clone(),
        };
        extract(html).blocks.iter().map(line).collect()
    }

    #[test]
    fn content_is_read_as_visitors_read_it() {
        let cases: &[(&str, &[&str])] = &[
            ("<h1>A</h1><p>b <b>c</b><i>d</i>\n e</p>f<div>g</div>", &["# A", "b cd e", "f", "g"]),
            ("<p>one<p>two<br>three", &["one", "two\nthree"]),
            ("<ul><li>a<li><p>b</p><ul><li>c</ul></ul>", &["a", "b", "c"]),
            (
                "<dl><dt>Hours:<dd>9 to 6<dt>Phone<dd>none<dt>Alone</dl>",
                &["Hours: 9 to 6", "Phone: none", "Alone"],
            ),
            ("<pre>npm  i\n  x\n</pre><p>a <code>b  c</code>", &["npm  i\n  x", "a b c"]),
            ("<h2>Title <a href=#x>#</a></h2><p>x", &["## Title", "x"]),
            ("<details><summary>How?</summary>So.</details>", &["###### How?", "So."]),
            ("<div role=heading aria-level=3>H</div><p>x", &["### H", "x"]),
            (
                "<h3><button aria-expanded=false>Question</button></h3><p>x<button>Buy</button>",
                &["### Question", "x"],
            ),
            ("<blockquote>q</blockquote><figure><img alt=i><figcaption>c</figcaption></figure>", &["q", "c"]),
            ("<select><option>no</select><textarea>no</textarea><label>l</label>", &["l"]),
            ("<h1>Same</h1><h1>Same</h1><p>x", &["# Same", "x"]),
            ("", &[]),
            ("plain words", &["plain words"]),
        ];
        for (html, expected) in cases {
            assert_eq!(&lines(html), expected, "{html}");
        }
    }

    #[test]
    fn tables_read_row_by_row() {
        let cases: &[(&str, &[&str])] = &[
            (
                "<table><thead><tr><th>Plan<th>Price<tbody><tr><td>Solo<td>$7<tr><td>Team<td>$9</table>",
                &["Plan: Price", "Solo: $7", "Team: $9"],
            ),
            (
                "<table><caption>Plans</caption><thead><tr><th>Plan<th>Month<th>Year<tbody><tr><td>Solo<td>$7<td>–<tr><td>Team<td>-<td>$90</table>",
                &["Plans", "Solo – Month: $7", "Team – Year: $90"],
            ),
            (
                "<table><tr><td><b>Room</b><td><b>Summer</b><td><b>Winter</b><tr><td>Attic<td>90 €<td>70 €</table>",
                &["Attic – Summer: 90 €; Winter: 70 €"],
            ),
            ("<table><tr><td>Mon<td>Tue<td>Wed<tr><td>a<td>b<td>c</table>", &["Mon; Tue; Wed", "a; b; c"]),
            (
                "<table><tr><th>Day<th>Open<tr><th>Saturday<td>8:30 to 17:00<tr><td>Sunday<td>–</table>",
                &["Day: Open", "Saturday: 8:30 to 17:00", "Sunday"],
            ),
            ("<table><tr><th>Phone<td>030<tr><td>Fax:<td>031</table>", &["Phone: 030", "Fax: 031"]),
            (
                "<table><tr><th>Size<th>Red<th>Blue<tr><td>S<td colspan=2>5<tr><td rowspan=2>M<td>6<td>7<tr><td>8<td>9</table>",
                &["Size: S; Red: 5; Blue: 5", "Size: M; Red: 6; Blue: 7", "Size: M; Red: 8; Blue: 9"],
            ),
            ("<table><tr><th>A<th>B<tr><td>1<td style='display:none'>2</table>", &["A: B", "1"]),
            (
                "<table><tr><th>A<th>B<tr style='display:none'><td>1<td>2<tr><td>3<td>4</table>",
                &["A: B", "3: 4"],
            ),
            ("<table role=presentation><tr><td><p>left<td><p>right</table>", &["left", "right"]),
            ("<table><tr><td>outer<td><table><tr><td>a<td>b</table></table>", &["outer", "a: b"]),
            ("<table><tr><th>A<th>B<tr><td colspan=999999999>x</table>", &["A: x; B: x; x"]),
        ];
        for (html, expected) in cases {
            assert_eq!(&lines(html), expected, "{html}");
        }
    }

    #[test]
    fn raised_numbers_and_struck_out_prices_read_as_they_look() {
        for (html, expected) in [
            ("<p>Rake: <span>€</span><span>24</span><sup>99</sup></p>", "Rake: €24.99"),
            ("<p>Spade: $11<sup>49</sup> <s>$39.90</s></p>", "Spade: $11.49"),
            ("<p>Hose: <del>£45.00</del> <ins>£32.00</ins></p>", "Hose: £32.00"),
            ("<p>Pot: <span style='text-decoration: line-through'>9 €</span> 7 €</p>", "Pot: 7 €"),
            ("<p>The shed covers 10<sup>2</sup> square feet.</p>", "The shed covers 10² square feet."),
            ("<p>The plot has 3<sup>1</sup>/<sub>2</sub> acres.</p>", "The plot has 3 1/2 acres."),
            ("<p>Sugar: 3<sup>1</sup>&frasl;<sub>2</sub> cups</p>", "Sugar: 3 1/2 cups"),
            ("<p>Add <sup>1</sup>⁄<sub>4</sub> litre and ½ egg</p>", "Add 1/4 litre and ½ egg"),
            ("<p>Width: 2<span class=frac><sup>3</sup><sub>8</sub></span> inches</p>", "Width: 2 3/8 inches"),
            ("<p>Pipe: 1<math><mfrac><mn>1</mn><mn>4</mn></mfrac></math> inch</p>", "Pipe: 1 1/4 inch"),
            ("<p>Area: <math><msup><mn>10</mn><mn>4</mn></msup></math> acres</p>", "Area: 10⁴ acres"),
            (
                "<p>We open at 9<sup>00</sup> and close at 18<sup>30</sup>.</p>",
                "We open at 9:00 and close at 18:30.",
            ),
            ("<p>Von 10<sup>15</sup> Uhr an, 10<sup>15</sup> Atome</p>", "Von 10:15 Uhr an, 10¹⁵ Atome"),
            ("<p>Rake: 24<sub>95</sub> €, hoe: 9<sup>99</sup></p>", "Rake: 24.95 €, hoe: 9.99"),
            ("<p>Binary: 101<sub>2</sub>, open until 8<sup>1</sup></p>", "Binary: 101₂, open until 8¹"),
            ("<p>Seeds: 3<sup>,50</sup> €</p>", "Seeds: 3,50 €"),
            ("<p>Soil: 7<sup>95</sup> €</p>", "Soil: 7.95 €"),
            ("<p>H<sub>2</sub>O and the 4<sup>th</sup> of May</p>", "H2O and the 4th of May"),
            ("<table><tr><td>Bed<td>£12<sup>50</sup> <s>£20</s></table>", "Bed – £12.50"),
        ] {
            let text = lines(html).join("\n");
            assert!(text == expected || text.replace(": ", " – ") == expected, "{html} gives {text:?}");
        }
    }

    #[test]
    fn invisible_text_is_not_extracted() {
        let hidden = [
            "<div style='display:none'>X</div>",
            "<p hidden>X</p>",
            "<p style='visibility:hidden'>X</p>",
            "<span aria-hidden=true>X</span>",
            "<div style='font-size:0'>X</div>",
            "<div style='position:absolute;left:-9999px'>X</div>",
            "<div style='opacity:0'>X</div>",
            "<!-- X -->",
            "<script>X</script>",
            "<style>X</style>",
            "<noscript>X</noscript>",
            "<template>X</template>",
            "<input value=X>",
            "<img alt=X>",
            "<svg><text>X</text></svg>",
            "<iframe srcdoc=X>X</iframe>",
            "<div style='display:none'><main>X</main></div>",
            "<div hidden><article>X X X X</article></div>",
            "<div class=tab style='font-size:0'>X</div>",
            "<a href='#x' hidden>t</a><div id=x hidden>X</div>",
            "<div style='display:none'><table><tr><td>X<td>X</table></div>",
            "<table><tr><td>a<td><span hidden>X</span>b</table>",
            "<dialog>X</dialog>",
        ];
        for html in hidden {
            let text = lines(&format!("<p>Visible text of the page.</p>{html}")).join("\n");
            assert!(text.contains("Visible text") && !text.contains('X'), "{html} gives {text:?}");
        }
    }

    #[test]
    fn page_chrome_is_left_out_and_content_kept() {
        let dropped = [
            "<nav>X</nav>",
            "<div class='cookie-banner'>X</div>",
            "<div id=breadcrumbs>X</div>",
            "<div role=navigation>X</div>",
            "<form><input>X</form>",
            "<form><label>X</label><input><label>X</label><input><button>X</button></form>",
            "<form><p>X</p><input type=email><button>X</button></form>",
            "<ul><li><a href=/1>X1</a><li><a href=/2>X2</a><li><a href=/3>X3</a></ul>",
            "<div class='social share'>X</div>",
            "<div class=menu><a href=/1>X</a> <a href=/2>X</a></div>",
            "<footer><ul><li><a href=/1>X</a><li><a href=/2>X</a></ul><p>We use cookies. X</p></footer>",
            "<form><input><input><p><label>X<input></label></p></form>",
            "<ul><li><form><input><input>X</form></ul>",
            "<button>X</button>",
        ];
        for html in dropped {
            let text = lines(&format!("<p>Visible text of the page.</p>{html}")).join("\n");
            assert!(!text.contains('X'), "{html} gives {text:?}");
        }
        let kept = [
            "<main><header><h1>X</h1></header><p>y</p></main>",
            "<main><aside>X</aside></main>",
            "<div class='lunch-menu'>X</div>",
            "<section id=menu><h2>Menu</h2><p>X</p></section>",
            "<div class=menu><h3>X</h3><p>Soup</p><span class=price>4.50</span></div>",
            "<div class='has-sidebar no-cookie'>X</div>",
            "<form><main><p>X</p></main></form>",
            "<form><input name=a><input name=b><p>X</p></form>",
            "<main><section id=cookies><h2>Cookies</h2><p>X</p></section></main>",
            "<p>See <a href=/1>X</a> for more.</p>",
            "<button aria-expanded=false aria-controls=p>q</button><div id=p hidden>X</div>",
            "<ul><li><a href=/1>X £1</a><li><a href=/2>Y £2</a><li><a href=/3>Z £3</a></ul>",
        ];
        for html in kept {
            let text = texts(html, Place::Main);
            assert!(text.contains('X'), "{html} gives {text:?}");
        }
    }

    #[test]
    fn the_frame_is_kept_apart_from_the_content() {
        for html in [
            "<header>X</header>",
            "<footer>X</footer>",
            "<aside>X</aside>",
            "<div id=footer><p>X</p></div>",
            "<div class='site-footer dark'><p>X</p></div>",
            "<div role=contentinfo>X</div>",
            "<nav><a href=/1>Home</a> <a href='tel:+4930123456'>X</a></nav>",
            "<nav><p>Mon 9:00-17:00 X</p></nav>",
            "<footer><a href='https://maps.example/x'>X Street 12</a></footer>",
        ] {
            let html = format!("<p>Visible text of the page.</p>{html}");
            assert!(texts(&html, Place::Frame).contains('X'), "{html} gives {:?}", lines(&html));
            assert_eq!(texts(&html, Place::Main), "Visible text of the page.", "{html}");
        }
    }

    #[test]
    fn facts_in_attributes_are_extracted() {
        let cases: &[(&str, &[&str])] = &[
            ("<p><a href='tel:+441134960127'>Call us</a> now", &["Call us (+441134960127) now"]),
            ("<p><a href='tel:+441134960127'>0113 496 0127</a>", &["0113 496 0127"]),
            ("<p><a href='mailto:hi@acme.example?subject=x'>Write</a>", &["Write (hi@acme.example)"]),
            ("<p><a href='mailto:hi@acme.example'><i class=icon></i></a>", &["hi@acme.example"]),
            (
                "<p>Mail: <a href='/cdn-cgi/l/email-protection' data-cfemail='432b2a03226d203a2c'>[email&#160;protected]</a>",
                &["Mail: hi@a.cyo"],
            ),
            ("<p>x</p><img alt='Our shop window in spring'>", &["x", "Our shop window in spring"]),
            ("<p>x</p><img alt='IMG_2041 of the shop window.jpg'><img alt=Logo>", &["x"]),
            (
                "<figure><img alt='The whole team in 2026'><figcaption>The whole team in 2026</figcaption></figure>",
                &["The whole team in 2026"],
            ),
        ];
        for (html, expected) in cases {
            assert_eq!(&lines(html), expected, "{html}");
        }
    }

    #[test]
    fn page_builders_are_read() {
        let cases: &[(&str, &[&str])] = &[
            ("<div><span class=dish>Soup</span><span class=price>4.50</span></div>", &["Soup 4.50"]),
            ("<p>H<sub>2</sub>O and <b>£</b><b>39</b>", &["H2O and £39"]),
            (
                "<h2><span class=upper>Fresh Coffee</span><span class=lower>Worth Drinking</span></h2><p>x",
                &["## Fresh Coffee Worth Drinking", "x"],
            ),
            ("<h4>Soup</h4><div class=price>£4.50</div>", &["#### Soup", "Soup: £4.50"]),
            ("<dl><dt>Hours<dd>Mon 9 to 6<dd>Sat 9 to 1</dl>", &["Hours: Mon 9 to 6", "Hours: Sat 9 to 1"]),
            (
                "<h2>Card</h2><ul role=tablist><li><a role=tab href='#a'>Food</a><li><a role=tab href='#b'>Drinks</a></ul>\
                 <div role=tabpanel id=a><h3>Food</h3>Soup</div><div role=tabpanel id=b style='display:none'>Tea</div>",
                &["## Card", "### Food", "Soup", "### Drinks", "Tea"],
            ),
            (
                "<button data-bs-toggle=collapse data-bs-target='#c'>Dogs?</button><div id=c class=collapse>Welcome</div>",
                &["###### Dogs?", "Welcome"],
            ),
            ("<h3><span class=badge>Popular</span>Full</h3><p>x", &["### Popular Full", "x"]),
            ("<p><span class=cap>i</span>Phone <span class=b>Mc</span>Donald", &["iPhone McDonald"]),
            ("<ul><li><a href=/>Home</a><span>/</span><li><span>Prices</span></ul><p>x", &["Prices", "x"]),
            ("<ul><li><a href=/>Home</a><li>|<li>Prices</ul><p>x", &["Prices", "x"]),
            (
                "<p>a</p><button aria-expanded=false aria-controls=m>Read more…</button><div id=m hidden>b</div>",
                &["a", "b"],
            ),
        ];
        for (html, expected) in cases {
            assert_eq!(&lines(html), expected, "{html}");
        }
    }

    #[test]
    fn descriptions_are_kept_if_they_add_something() {
        let page = |description: &str| {
            let html =
                format!("<meta name=description content='{description}'><p>We repair bicycles in Leeds.</p>");
            texts(&html, Place::Metadata)
        };
        assert_eq!(page("We repair bicycles."), "");
        assert_eq!(page("Workshop behind the railway station"), "Workshop behind the railway station");
        assert_eq!(page("We repair bicycles since 1987."), "We repair bicycles since 1987.");
    }

    #[test]
    fn the_marked_content_is_preferred_when_it_is_convincing() {
        let long = "word ".repeat(100);
        for (html, expected) in [
            (format!("<div>side</div><main>{long}</main>"), false),
            (format!("<div>side</div><article>{long}</article>"), false),
            (format!("<div>side {long}</div><main>short</main>"), true),
            (format!("<article>{long}</article><article>side {long}</article>"), true),
            (format!("<div>side</div><div role=main>{long}</div>"), false),
        ] {
            assert_eq!(texts(&html, Place::Main).contains("side"), expected, "{html}");
        }
    }

    #[test]
    fn the_language_is_that_of_the_words() {
        let german =
            "Wir liefern die Ware an alle Kunden und wir beraten sie gern, wenn sie nicht weiter wissen. "
                .repeat(10);
        for (html, expected) in [
            ("<html lang=fr-CA><p>x".to_owned(), Some("fr-ca")),
            (format!("<html lang=en><p>{german}"), Some("de")),
            (format!("<html lang=de-AT><p>{german}"), Some("de-at")),
            (format!("<p>{german}"), Some("de")),
            ("<p>x".to_owned(), None),
        ] {
            assert_eq!(extract(&html).language.as_deref(), expected, "{html}");
        }
    }

    #[test]
    fn obstacles_are_recognised_and_articles_about_them_are_not() {
        let article =
            "This article explains how to sign in with a password and how to enable JavaScript. ".repeat(20);
        let cases = [
            (
                "<title>Just a moment...</title><p>Checking your browser".to_owned(),
                Some(Obstacle::BotChallenge),
            ),
            (
                "<title>x</title><script src=/cdn-cgi/challenge-platform/h.js></script>".to_owned(),
                Some(Obstacle::BotChallenge),
            ),
            ("<p>Welcome</p><form><input type=password></form>".to_owned(), Some(Obstacle::LoginRequired)),
            ("<div id=root></div><script src=a.js></script>".to_owned(), Some(Obstacle::NeedsJavascript)),
            (
                format!("<title>Access denied errors</title><p>{article}<form><input type=password></form>"),
                None,
            ),
            (format!("<p>{article}<div id=app></div><script></script>"), None),
            ("<p>A short page</p><script></script>".to_owned(), None),
            ("<p>Shop</p><div style='display:none'><input type=password></div>".to_owned(), None),
        ];
        for (html, expected) in cases {
            assert_eq!(extract(&html).obstacle, expected, "{html}");
        }
    }

    #[test]
    fn hostile_documents_are_bounded() {
        let nested = |tag: &str| tag.repeat(100_000);
        for html in [
            nested("<div>"),
            nested("<div style='display:none'>"),
            nested("<div class=cookie>"),
            nested("<form>x"),
            nested("<table><tr><td>"),
            nested("<main>"),
            nested("<article>"),
            nested("<a>"),
            "<td>".repeat(50_000),
            "&amp;".repeat(200_000),
            "<".repeat(200_000),
            "x".repeat(2_000_000),
        ] {
            extract(&html);
        }
    }
}
