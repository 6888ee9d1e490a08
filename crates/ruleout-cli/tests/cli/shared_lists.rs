//! Real lists of keys, read where they lie.

use std::fs;

use crate::support::{Sandbox, families, shared_keys};

#[test]
fn every_key_of_every_list_is_found_by_another_process() {
    let Some(keys) = shared_keys() else { return };
    let here = Sandbox::new();
    let mut lists = 0;
    for entry in fs::read_dir(keys).unwrap() {
        let path = entry.unwrap().path();
        let list = path.to_str().unwrap();
        let content = fs::read(&path).unwrap();
        let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&content);
        let records = content.split(|&byte| byte == b'\n');
        let keys = records.filter(|record| !record.is_empty() && *record != b"\r").count();
        for family in families() {
            here.run(&["build", list, "-qfo", "f", "--family", family]).ok();
            let run = here.run(&["check", "--count", "f", list]);
            assert_eq!(run.text(), format!("{keys}\n"), "{list}");
            let absent = here.run(&["check", "--absent", "f", list]);
            assert_eq!((absent.code, absent.stdout.len()), (Some(1), 0), "{list}");
        }
        lists += 1;
    }
    println!("{lists} lists");
    assert!(lists > 0);
}

#[test]
fn line_ends_of_the_edge_lists_make_no_difference() {
    let Some(keys) = shared_keys() else { return };
    let here = Sandbox::new();
    let names = ["edge_lf", "edge_lf_no_final_newline", "edge_crlf", "edge_crlf_no_final_newline"];
    for family in families() {
        let filters = names.map(|name| {
            let list = keys.join(format!("{name}.txt"));
            here.run(&["build", list.to_str().unwrap(), "-o", "-", "--family", family]).ok().stdout
        });
        assert!(filters.iter().all(|filter| *filter == filters[0]));
    }
}

#[test]
fn a_password_list_is_read_by_its_first_column() {
    let Some(keys) = shared_keys() else { return };
    let here = Sandbox::new();
    let list = keys.join("edge_hash_count_hibp_style.txt");
    let list = list.to_str().unwrap();
    let columns = ["--field", "1", "--delimiter", ":"];
    here.run(&[&["build", list, "-o", "text"][..], &columns].concat()).ok();
    here.run(&[&["build", list, "-o", "binary", "--hex"][..], &columns].concat()).ok();
    let content = fs::read_to_string(list).unwrap();
    let hash = content.split(':').next().unwrap();
    here.run_with(&["check", "-q", "text"], hash.as_bytes()).ok();
    here.run_with(&["check", "-q", "--hex", "binary"], hash.to_lowercase().as_bytes()).ok();
}
