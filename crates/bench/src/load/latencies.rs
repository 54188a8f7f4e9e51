//! Latency histograms.

use hdrhistogram::Histogram;

/// Significant digits kept of a value: percentiles are exact to a thousandth.
const DIGITS: u8 = 3;

/// Latencies of a run.
#[derive(Debug)]
pub struct Latencies(Histogram<u64>);

impl Latencies {
    /// Builds the histogram from microseconds in any order.
    pub fn of(micros: impl IntoIterator<Item = u32>) -> anyhow::Result<Self> {
        let mut counts = Histogram::new(DIGITS)?;
        for micros in micros {
            counts.record(micros.into())?;
        }
        Ok(Self(counts))
    }

    /// Returns the number of values.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// Returns the latency in milliseconds within which `share` of the values stay; NaN if nothing was
    /// measured.
    pub fn percentile(&self, share: f64) -> f64 {
        if self.0.is_empty() {
            return f64::NAN;
        }
        super::float(self.0.value_at_quantile(share)) / 1_000.0
    }
}

#[cfg(test)]
mod tests {
    use super::Latencies;

    #[test]
    fn a_percentile_is_what_was_measured_to_a_thousandth() {
        let taken = Latencies::of((0..=1_000).rev().map(|n| n * 1_000)).unwrap();
        assert_eq!(taken.count(), 1_001);
        for (share, value) in [(0.0, 0.0), (0.5, 500.0), (0.99, 990.0), (1.0, 1_000.0)] {
            assert!((taken.percentile(share) - value).abs() <= value / 1_000.0, "{share}");
        }
        assert!(Latencies::of([]).unwrap().percentile(0.5).is_nan());
    }
}
