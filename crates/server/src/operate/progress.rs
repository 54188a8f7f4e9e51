//! Progress of long work on standard error: a bar on a terminal, a line now and then in a log.

use std::{
    io::{self, IsTerminal, Read},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

use crate::print::tell;

/// Interval between lines in a log.
const EVERY: Duration = Duration::from_secs(10);
const BAR: &str = "{bar:30} {percent}%  {msg}  {eta} left";
const ROWS: &str = "rows";
/// Used where the total is unknown.
const SPINNER: &str = "{spinner} {msg}";

/// Progress of reading, by the bytes read and the rows found in them.
#[derive(Clone)]
pub(super) struct Progress {
    bar: ProgressBar,
    total: Option<u64>,
    terminal: bool,
    began: Instant,
}

impl Progress {
    /// Starts the progress; `total` is in bytes, if known.
    pub(super) fn new(total: Option<u64>) -> Self {
        let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        let style = ProgressStyle::with_template(if total.is_some() { BAR } else { SPINNER });
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, total, terminal: io::stderr().is_terminal(), began: Instant::now() }
    }

    pub(super) fn reading<R: Read>(&self, inner: R) -> Counted<R> {
        Counted { inner, bar: self.bar.clone() }
    }

    pub(super) fn of<T>(&self, rows: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        let this = self.clone();
        let (mut count, mut told) = (0_u64, Duration::ZERO);
        rows.inspect(move |_| {
            count += 1;
            let since = this.began.elapsed();
            if this.terminal && count.is_multiple_of(500) {
                this.bar.set_message(rate(count, ROWS, since));
            }
            if !this.terminal && since >= told + EVERY {
                told = since;
                tell(&line((count, ROWS), this.bar.position(), this.total, since));
            }
        })
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of work that reports counts of one unit, of an estimated total.
pub(super) struct Steps {
    bar: ProgressBar,
    total: Option<u64>,
    unit: &'static str,
    terminal: bool,
    began: Instant,
    told: Duration,
}

impl Steps {
    /// Starts the progress; `total` is an estimate, if there is one.
    pub(super) fn new(total: Option<u64>, unit: &'static str) -> Self {
        let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        let style = ProgressStyle::with_template(if total.is_some() { BAR } else { SPINNER });
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let terminal = io::stderr().is_terminal();
        Self { bar, total, unit, terminal, began: Instant::now(), told: Duration::ZERO }
    }

    /// Reports the count so far. A count below the one before starts anew.
    pub(super) fn at(&mut self, count: u64) {
        if count < self.bar.position() {
            (self.began, self.told) = (Instant::now(), Duration::ZERO);
            self.bar.reset();
        }
        let since = self.began.elapsed();
        self.bar.set_position(count);
        if self.terminal {
            self.bar.set_message(rate(count, self.unit, since));
        } else if since >= self.told + EVERY {
            self.told = since;
            tell(&line((count, self.unit), count, self.total, since));
        }
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

fn rate(count: u64, unit: &str, since: Duration) -> String {
    let per_second = u128::from(count) * 1000 / since.as_millis().max(1);
    format!("{count} {unit}, {per_second} {unit}/s")
}

/// Renders a line for a log: count with unit, rate and, if the total is known, percentage and time left.
fn line((count, unit): (u64, &str), done: u64, total: Option<u64>, since: Duration) -> String {
    let rate = rate(count, unit, since);
    match total.filter(|total| *total >= done && done > 0) {
        None => rate,
        Some(total) => {
            let percent = u128::from(done) * 100 / u128::from(total);
            let left = u128::from(since.as_secs()) * u128::from(total - done) / u128::from(done);
            format!("{rate}, {percent}%, about {left} s left")
        }
    }
}

pub(super) struct Counted<R> {
    inner: R,
    bar: ProgressBar,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bar.inc(u64::try_from(read).unwrap_or_default());
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Read, time::Duration};

    use super::{Progress, Steps, line};

    #[test]
    fn a_log_is_told_how_fast_it_goes_and_what_remains() {
        let ten = Duration::from_secs(10);
        for (rows, bytes, total, wanted) in [
            (5_000, 100, Some(400), "5000 rows, 500 rows/s, 25%, about 30 s left"),
            (5_000, 400, Some(400), "5000 rows, 500 rows/s, 100%, about 0 s left"),
            (5_000, 100, None, "5000 rows, 500 rows/s"),
            (0, 0, Some(400), "0 rows, 0 rows/s"),
            // A file that grows while it is read.
            (1, 500, Some(400), "1 rows, 0 rows/s"),
        ] {
            assert_eq!(line((rows, "rows"), bytes, total, ten), wanted);
        }
        let at_once = line((1, "deliveries"), 1, Some(1), Duration::ZERO);
        assert_eq!(at_once, "1 deliveries, 1000 deliveries/s, 100%, about 0 s left");
    }

    #[test]
    fn what_is_read_is_counted_and_passed_on_as_it_is() {
        let progress = Progress::new(Some(6));
        let mut text = String::new();
        progress.reading(&b"abcdef"[..]).read_to_string(&mut text).expect("text");
        assert_eq!((text.as_str(), progress.bar.position()), ("abcdef", 6));
        assert_eq!(progress.of(1..=3).collect::<Vec<_>>(), [1, 2, 3]);
        progress.end();
    }

    #[test]
    fn work_that_begins_anew_is_measured_anew() {
        let mut steps = Steps::new(Some(1_000), "rows");
        steps.at(800);
        let first = steps.began;
        steps.at(900);
        assert_eq!((steps.bar.position(), steps.began), (900, first));
        steps.at(100);
        assert!(steps.bar.position() == 100 && steps.began > first);
        steps.end();
    }
}
