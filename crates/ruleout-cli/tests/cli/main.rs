//! The command, run as its users run it.

mod build;
mod check;
mod compositions;
mod dedup;
mod demo_and_documents;
mod files;
mod hostile;
mod interrupted;
mod keys;
mod shared_lists;
mod size;
mod support;
