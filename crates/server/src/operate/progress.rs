//! How far long work has come, on standard error: a bar on a terminal, a line now and then in a log.

use std::{
    io::{self, IsTerminal, Read},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

/// How often a log is told.
const EVERY: Duration = Duration::from_secs(10);
const BAR: &str = "{bar:30} {percent}%  {msg}  {eta} left";
/// Where it is not known how much there is.
const SPINNER: &str = "{spinner} {msg}";

/// The progress of a reading, by the bytes that were read and the rows that were found in them.
#[derive(Clone)]
pub(super) struct Progress {
    bar: ProgressBar,
    total: Option<u64>,
    terminal: bool,
    began: Instant,
}

impl Progress {
    /// Of `total` bytes, where that is known.
    pub(super) fn new(total: Option<u64>) -> Self {
        let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        let style = ProgressStyle::with_template(if total.is_some() { BAR } else { SPINNER });
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, total, terminal: io::stderr().is_terminal(), began: Instant::now() }
    }

    /// The reader, whose bytes are counted.
    pub(super) fn reading<R: Read>(&self, inner: R) -> Counted<R> {
        Counted { inner, bar: self.bar.clone() }
    }

    /// The rows, which are counted and told.
    pub(super) fn of<T>(&self, rows: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        let this = self.clone();
        let (mut count, mut told) = (0_u64, Duration::ZERO);
        rows.inspect(move |_| {
            count += 1;
            let since = this.began.elapsed();
            if this.terminal && count.is_multiple_of(500) {
                this.bar.set_message(rate(count, since));
            }
            if !this.terminal && since >= told + EVERY {
                told = since;
                tell(&line(count, this.bar.position(), this.total, since));
            }
        })
    }

    /// Clears the bar.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

#[expect(clippy::print_stderr, reason = "what a command says while it works")]
fn tell(line: &str) {
    eprintln!("{line}");
}

fn rate(rows: u64, since: Duration) -> String {
    let per_second = u128::from(rows) * 1000 / since.as_millis().max(1);
    format!("{rows} rows, {per_second} rows/s")
}

/// What a log is told: rows, rate and, where it is known how much there is, what remains.
fn line(rows: u64, bytes: u64, total: Option<u64>, since: Duration) -> String {
    let rate = rate(rows, since);
    match total.filter(|total| *total >= bytes && bytes > 0) {
        None => rate,
        Some(total) => {
            let percent = u128::from(bytes) * 100 / u128::from(total);
            let left = since.as_secs() * (total - bytes) / bytes;
            format!("{rate}, {percent}%, about {left} s left")
        }
    }
}

/// A reader whose bytes are counted.
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

    use super::{Progress, line};

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
            assert_eq!(line(rows, bytes, total, ten), wanted);
        }
        assert_eq!(line(1, 1, Some(1), Duration::ZERO), "1 rows, 1000 rows/s, 100%, about 0 s left");
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
}
