//! Resource usage of processes, from `/proc`.

use std::fs;

use anyhow::Context;

/// CPU time of a group of processes until now.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// User and system time, in seconds; the kernel counts it in hundredths.
    pub cpu: f64,
}

impl Usage {
    /// Measures one process; an error if it is gone.
    pub fn of(process: u32) -> anyhow::Result<Self> {
        Ok(Self { cpu: seconds(Stat::of(process)?.own) })
    }

    /// Measures a process, its children, and those children of both that have ended: PostgreSQL, by its
    /// postmaster.
    pub fn of_family(parent: u32) -> anyhow::Result<Self> {
        let parent_stat = Stat::of(parent)?;
        let mut ticks = parent_stat.own + parent_stat.ended_children;
        for entry in fs::read_dir("/proc").context("reading /proc")? {
            let name = entry.context("reading /proc")?.file_name();
            let Some(process) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
            // A child that has ended meanwhile is counted with its parent next time.
            if let Ok(stat) = Stat::of(process)
                && stat.parent == parent
            {
                ticks += stat.own + stat.ended_children;
            }
        }
        Ok(Self { cpu: seconds(ticks) })
    }

    /// Returns the CPU milliseconds since `before`, per request.
    pub fn since_per(self, before: Self, requests: u64) -> f64 {
        (self.cpu - before.cpu) * 1_000.0 / crate::load::float(requests.max(1))
    }
}

/// Returns the memory that a process holds now, in MiB.
pub fn resident_mib(process: u32) -> anyhow::Result<f64> {
    let path = format!("/proc/{process}/status");
    let status = fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    let kib: f64 = line.trim().trim_end_matches(" kB").parse().context("VmRSS is no number")?;
    Ok(kib / 1_024.0)
}

fn seconds(ticks: u64) -> f64 {
    crate::load::float(ticks) / crate::load::float(rustix::param::clock_ticks_per_second())
}

/// Fields of `/proc/<process>/stat`; times in ticks.
#[derive(Debug, PartialEq)]
struct Stat {
    parent: u32,
    own: u64,
    ended_children: u64,
}

impl Stat {
    fn of(process: u32) -> anyhow::Result<Self> {
        let path = format!("/proc/{process}/stat");
        let text = fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
        Self::read(&text).with_context(|| format!("{path} is not as expected"))
    }

    fn read(text: &str) -> Option<Self> {
        // The second field is the program's name in parentheses, which may hold anything.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        // proc(5) counts from 1; the first field here is its third.
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        Some(Self {
            parent: u32::try_from(field(4)?).ok()?,
            own: field(14)? + field(15)?,
            ended_children: field(16)? + field(17)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Stat, Usage, resident_mib};

    #[test]
    fn times_are_found_behind_a_name_of_any_kind() {
        let text = "4242 (a ) b (c) S 17 4242 4242 0 -1 4194560 1 2 3 4 100 20 3 4 20 0 1 0 99 1 1";
        assert_eq!(Stat::read(text), Some(Stat { parent: 17, own: 120, ended_children: 7 }));
        assert_eq!(Stat::read("4242 (cut off) S 17"), None);
    }

    #[test]
    fn this_process_uses_memory_and_is_counted_with_its_family() {
        let own = std::process::id();
        assert!(resident_mib(own).unwrap() > 1.0);
        assert!(Usage::of_family(own).unwrap().cpu >= Usage::of(own).unwrap().cpu - 0.02);
    }
}
