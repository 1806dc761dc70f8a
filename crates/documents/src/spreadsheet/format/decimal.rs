//! Decimal digits of numbers, with the 15 significant digits that spreadsheets have.

/// A number that is not negative, as its decimal digits.
#[derive(Debug, Clone)]
pub(super) struct Decimal {
    /// Digits from the most significant one, without zeros at the beginning.
    digits: Vec<u8>,
    /// How many of the digits are before the decimal point; can be negative or beyond the last digit.
    point: i32,
}

/// Returns a number with 15 significant digits and without exponent.
pub(super) fn plain(value: f64) -> String {
    let rounded: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    rounded.to_string()
}

impl Decimal {
    /// Returns the digits of the absolute value.
    pub(super) fn of(value: f64) -> Self {
        let text = format!("{:.14e}", value.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mut digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        let point = exponent.parse::<i32>().unwrap_or_default() + 1;
        if digits.is_empty() { Self { digits, point: 0 } } else { Self { digits, point } }
    }

    /// Moves the decimal point to the right.
    pub(super) fn shift(&mut self, places: i32) {
        if !self.digits.is_empty() {
            self.point = self.point.saturating_add(places);
        }
    }

    /// Returns how many digits are before the decimal point.
    pub(super) const fn point(&self) -> i32 {
        self.point
    }

    /// Rounds to so many decimals, half away from zero.
    pub(super) fn round(&mut self, decimals: usize) {
        let keep = i64::from(self.point) + i64::try_from(decimals).unwrap_or(i64::MAX / 2);
        let Ok(keep) = usize::try_from(keep) else {
            *self = Self { digits: Vec::new(), point: 0 };
            return;
        };
        if keep >= self.digits.len() {
            return;
        }
        let rounds_up = self.digits[keep] >= b'5';
        self.digits.truncate(keep);
        if rounds_up {
            self.increment();
        }
        while self.digits.last() == Some(&b'0') {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            self.point = 0;
        }
    }

    /// Adds one to the last digit.
    fn increment(&mut self) {
        for digit in self.digits.iter_mut().rev() {
            if *digit < b'9' {
                *digit += 1;
                return;
            }
            *digit = b'0';
        }
        self.digits.insert(0, b'1');
        self.point += 1;
    }

    /// Returns whether it is zero.
    pub(super) const fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Returns the digits before the decimal point, none for a number below one.
    pub(super) fn whole(&self) -> String {
        let point = usize::try_from(self.point).unwrap_or_default();
        (0..point).map(|index| char::from(self.digits.get(index).copied().unwrap_or(b'0'))).collect()
    }

    /// Returns so many digits after the decimal point.
    pub(super) fn decimals(&self, count: usize) -> String {
        let digit = |place: usize| {
            let index = i64::from(self.point) + i64::try_from(place).unwrap_or(i64::MAX / 2);
            usize::try_from(index).ok().and_then(|index| self.digits.get(index)).copied().unwrap_or(b'0')
        };
        (0..count).map(|place| char::from(digit(place))).collect()
    }
}
