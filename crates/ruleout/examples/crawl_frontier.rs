//! A crawl frontier: which of the links found were never met before? And what does a false positive cost?
//!
//! ```text
//! cargo run --release --example crawl_frontier -- links.txt      URLs, one a line, as they were found; - for standard input
//! cargo run --release --example crawl_frontier                   a small web made up here
//! ```
//!
//! A URL that the filter takes for one it has met is never fetched, nor what only that page links to. Fetching twice would be
//! the other mistake, and never happens. So the rate is chosen by how many pages may be lost, which is far fewer than the
//! rate times the pages: the filter has its rate when it is full, and is emptier all the way there.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};

use ruleout::{BlockedConfig, BlockedParams, Inserted, Params as _};

/// Pages that the whole crawl may come to.
const PLANNED: u64 = 100_000_000;
const RATES: [f64; 4] = [0.01, 0.001, 1e-4, 1e-6];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let links = match std::env::args().nth(1).as_deref() {
        None => made_up_web(),
        Some("-") => io::stdin().lock().lines().collect::<Result<_, _>>()?,
        Some(path) => BufReader::new(File::open(path)?).lines().collect::<Result<_, _>>()?,
    };
    report(&links, &mut io::stdout().lock())
}

/// What each rate costs: as planned, and as it comes with these links.
pub fn report(links: &[String], out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    // The very thing that there is no room for at 10^8. Here it tells what the filters lose.
    let distinct: HashSet<&String> = links.iter().collect();
    let (pages, text) = (distinct.len() as u64, distinct.iter().map(|url| url.len() as u64).sum::<u64>());
    let each = text as f64 / pages.max(1) as f64;
    writeln!(out, "{} links to {pages} pages; a URL has {each:.1} bytes", links.len())?;

    writeln!(out, "\n{PLANNED} pages, whose URLs alone are {:.0} MB:", PLANNED as f64 * each / 1e6)?;
    writeln!(out, "{:>9} {:>12} {:>16}", "rate", "filter, MB", "pages lost")?;
    for rate in RATES {
        let plan = BlockedConfig::fpr(PLANNED, rate).params()?;
        let megabytes = plan.payload_bytes() as f64 / 1e6;
        writeln!(out, "{rate:>9} {megabytes:>12.1} {:>16.1}", pages_lost(&plan, PLANNED))?;
    }

    writeln!(out, "\nThese {pages} pages, in filters made for so many:")?;
    writeln!(out, "{:>9} {:>12} {:>16} {:>9}", "rate", "filter, MB", "to be lost", "lost")?;
    for rate in RATES {
        let mut met = BlockedConfig::fpr(pages, rate).build()?;
        let fetched = links.iter().filter(|url| met.insert(url.as_bytes()) == Inserted::New).count() as u64;
        let (megabytes, to_be_lost) = (met.size_bytes() as f64 / 1e6, pages_lost(met.params(), pages));
        writeln!(out, "{rate:>9} {megabytes:>12.3} {to_be_lost:>16.1} {:>9}", pages - fetched)?;
    }
    Ok(())
}

/// How many of `pages` are expected to be taken for others: for each, the rate of the filter as full as it is by then.
fn pages_lost(params: &BlockedParams, pages: u64) -> f64 {
    const SLICES: u64 = 64;
    let middle = |slice| (pages as f64 * (slice as f64 + 0.5) / SLICES as f64) as u64;
    let mean_rate = (0..SLICES).map(|slice| params.fpr_at(middle(slice))).sum::<f64>() / SLICES as f64;
    pages as f64 * mean_rate
}

/// The links of pages on a thousand sites, few of them to pages that many link to.
pub fn made_up_web() -> Vec<String> {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let links = (0..500_000).map(|_| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // As many links to the first page as to the next two, to the next four, and so on.
        let page = (random >> 8) & ((1 << (random % 18)) - 1);
        format!("https://site-{}.example/articles/{page}.html", page % 1000)
    });
    links.collect()
}
