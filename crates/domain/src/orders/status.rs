//! Status of an order.

/// Status of an order, as its system tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrderStatus {
    /// Taken, and nothing is done yet.
    Pending,
    Confirmed,
    Processing,
    Shipped,
    Delivered,
    Cancelled,
    Refunded,
    /// A word of the system's own.
    Unknown,
}

impl OrderStatus {
    /// Parses the contract's words and their synonyms, whatever their capitals; any other is unknown.
    pub fn read(word: &str) -> Self {
        match word.trim().to_ascii_lowercase().as_str() {
            "pending" | "new" => Self::Pending,
            "confirmed" => Self::Confirmed,
            "processing" | "preparing" => Self::Processing,
            "shipped" | "out_for_delivery" => Self::Shipped,
            "delivered" | "completed" => Self::Delivered,
            "cancelled" | "canceled" => Self::Cancelled,
            "refunded" => Self::Refunded,
            _ => Self::Unknown,
        }
    }

    /// Returns its name to clients.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Confirmed => "confirmed",
            Self::Processing => "processing",
            Self::Shipped => "shipped",
            Self::Delivered => "delivered",
            Self::Cancelled => "cancelled",
            Self::Refunded => "refunded",
            Self::Unknown => "unknown",
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::OrderStatus;

    #[test]
    fn each_word_and_each_synonym_has_its_status() {
        for (word, status) in [
            ("pending", "pending"),
            ("new", "pending"),
            ("confirmed", "confirmed"),
            ("processing", "processing"),
            ("preparing", "processing"),
            ("shipped", "shipped"),
            ("out_for_delivery", "shipped"),
            ("delivered", "delivered"),
            ("completed", "delivered"),
            ("cancelled", "cancelled"),
            ("canceled", "cancelled"),
            ("refunded", "refunded"),
            ("Shipped ", "shipped"),
            ("on-hold", "unknown"),
            ("unknown", "unknown"),
            ("", "unknown"),
            ("مشحون", "unknown"),
        ] {
            assert_eq!(OrderStatus::read(word).as_str(), status, "{word}");
        }
    }

    proptest! {
        #[test]
        fn reading_a_name_again_changes_nothing(word in ".{0,20}") {
            let status = OrderStatus::read(&word);
            prop_assert_eq!(OrderStatus::read(status.as_str()), status);
        }
    }
}
