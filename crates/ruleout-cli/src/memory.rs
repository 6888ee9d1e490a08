//! How much memory there is, asked before much of it is taken.

use anyhow::{Result, bail};
use sysinfo::{MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, System};

use crate::human;

/// Refuses work that needs more memory than there is.
///
/// # Errors
/// When `needed` bytes for `what` exceed the memory available now; the message has both numbers.
pub fn ensure_available(needed: u64, what: &str) -> Result<()> {
    match available() {
        Some(available) if needed > available => bail!(
            "{what} needs {} of memory, and {} are available",
            human::bytes_exactly(needed),
            human::bytes_exactly(available)
        ),
        _ => Ok(()),
    }
}

/// Bytes that can be taken without swapping: what the machine has free or the control group allows, the smaller.
/// `None` where the system does not say.
fn available() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let machine = Some(system.available_memory()).filter(|&bytes| bytes > 0);
    let group = sysinfo::get_current_pid().ok().and_then(|pid| {
        let nothing_more = ProcessRefreshKind::nothing();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, nothing_more);
        system.process(pid)?.cgroup_limits()
    });
    // Not the group's `free_memory`: that counts the pages of files just read as taken, which the kernel gives back.
    let group = group.map(|limits| limits.total_memory.saturating_sub(limits.rss));
    machine.into_iter().chain(group).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absurd_need_is_refused_with_both_numbers() {
        ensure_available(1, "a filter").unwrap();
        let error = ensure_available(u64::MAX, "a filter").unwrap_err().to_string();
        assert!(error.contains("18,446,744,073,709,551,615 bytes"), "{error}");
        assert!(error.contains("are available"), "{error}");
    }
}
