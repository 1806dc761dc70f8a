//! Robots directives of a page.

/// Instructions of a page for robots (`<meta name="robots">`, `X-Robots-Tag`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Directives {
    /// The page must not be indexed.
    pub noindex: bool,
    /// Its links must not be followed.
    pub nofollow: bool,
}

impl Directives {
    /// Returns the directives that these or others give.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { noindex: self.noindex || other.noindex, nofollow: self.nofollow || other.nofollow }
    }

    /// Adds the directives of one header or `content` value, such as `noindex, nofollow`.
    ///
    /// A value may name the robot it is for (`googlebot: noindex`); directives for other robots are ignored.
    pub fn read(&mut self, value: &str, agent: &str) {
        let mut applies = true;
        for part in value.split(',') {
            let directive = match part.split_once(':') {
                // Directives with a value, such as `max-snippet: 50`, are not robot names.
                Some((name, _))
                    if name.trim().contains(['_', '-']) && !name.trim().eq_ignore_ascii_case(agent) =>
                {
                    continue;
                }
                Some((name, rest)) => {
                    applies = name.trim().eq_ignore_ascii_case(agent) || name.trim() == "*";
                    rest
                }
                None => part,
            };
            if applies {
                match directive.trim().to_ascii_lowercase().as_str() {
                    "noindex" => self.noindex = true,
                    "nofollow" => self.nofollow = true,
                    "none" => (self.noindex, self.nofollow) = (true, true),
                    _ => {}
                }
            }
        }
    }
}
