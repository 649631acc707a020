//! How far a long run is, on standard error: only where that is a terminal, only after half a second, and drawn at
//! most ten times a second. It is told of batches, never of single events, so that it costs nothing.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use events::Progress;
use findings::thousands;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A line of progress, or none.
pub struct Line {
    shown: Option<Shown>,
}

struct Shown {
    began: Instant,
    next: Instant,
    bar: Option<ProgressBar>,
    file: String,
    events: u64,
}

/// When the line first appears.
const AFTER: Duration = Duration::from_millis(500);
/// How often it changes.
const EVERY: Duration = Duration::from_millis(100);

impl Line {
    /// The line for a file.
    pub fn new(file: &str, wanted: bool) -> Self {
        if !wanted || !io::stderr().is_terminal() {
            return Self { shown: None };
        }
        let began = Instant::now();
        let file = findings::visible(file).into_owned();
        Self { shown: Some(Shown { began, next: began + AFTER, bar: None, file, events: 0 }) }
    }

    /// A batch has been worked off.
    pub fn batch(&mut self, events: usize, progress: Progress) {
        let Some(shown) = &mut self.shown else { return };
        shown.events += events as u64;
        let now = Instant::now();
        if now >= shown.next {
            shown.next = now + EVERY;
            shown.draw(now, progress);
        }
    }
}

/// What a check is busy with: a line that comes and goes by itself.
pub struct Stage {
    bar: Option<ProgressBar>,
}

impl Stage {
    /// Nothing is shown yet.
    pub fn new(wanted: bool) -> Self {
        if !wanted || !io::stderr().is_terminal() {
            return Self { bar: None };
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            bar.set_style(style);
        }
        Self { bar: Some(bar) }
    }

    /// Something else begins.
    pub fn begin(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{what} …"));
            if bar.elapsed() >= AFTER {
                bar.tick();
            } else {
                // Drawn by the first tick, for whatever takes that long.
                bar.enable_steady_tick(AFTER);
            }
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Shown {
    fn draw(&mut self, now: Instant, progress: Progress) {
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(progress.total, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        bar.set_message(line(&self.file, self.events, now - self.began, progress));
        bar.tick();
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(Shown { bar: Some(bar), .. }) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

/// `app.trace: 12,000,000 events, 24.0 M events/s, 40 %, 3 s left`.
fn line(file: &str, events: u64, time: Duration, progress: Progress) -> String {
    let seconds = time.as_secs_f64().max(1e-9);
    let speed = events as f64 / seconds;
    let speed = if speed >= 1e6 { format!("{:.1} M", speed / 1e6) } else { format!("{:.0} k", speed / 1e3) };
    let mut line = format!("{file}: {} events, {speed} events/s", thousands(events));
    if let Some(total) = progress.total.filter(|&total| total > 0 && progress.read > 0) {
        let share = (progress.read as f64 / total as f64).min(1.0);
        let left = seconds * (1.0 - share) / share;
        line.push_str(&format!(", {:.0} %, {} left", share * 100.0, duration(left)));
    }
    line
}

fn duration(seconds: f64) -> String {
    let seconds = seconds.ceil() as u64;
    match seconds {
        0..=99 => format!("{seconds} s"),
        100..=5999 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_speed_share_and_time_left() {
        let half = Progress { read: 50, total: Some(100) };
        let second = Duration::from_secs(1);
        assert_eq!(
            line("a.trace", 12_000_000, second, half),
            "a.trace: 12,000,000 events, 12.0 M events/s, 50 %, 1 s left"
        );
        let pipe = Progress { read: 50, total: None };
        assert_eq!(line("-", 5_000, second, pipe), "-: 5,000 events, 5 k events/s");
        let none = Progress { read: 0, total: Some(0) };
        assert_eq!(line("-", 0, Duration::ZERO, none), "-: 0 events, 0 k events/s");
        assert_eq!(duration(100.0), "2 min");
        assert_eq!(duration(7000.0), "2 h");
    }
}
