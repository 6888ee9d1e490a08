//! Aligned text.

/// Lines of `name   value`, the values under each other.
pub fn fields(rows: &[(impl AsRef<str>, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.as_ref().len()).max().unwrap_or(0);
    rows.iter().map(|(name, value)| format!("{:width$}  {value}\n", name.as_ref())).collect()
}

/// Columns under their headings; the first to the left, the others to the right.
pub fn columns(headings: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([headings[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let line = |cells: &[String]| {
        let mut text = format!("{:1$}", cells[0], widths[0]);
        for (cell, width) in cells.iter().zip(&widths).skip(1) {
            text += &format!("  {cell:>width$}");
        }
        text + "\n"
    };
    let headings: Vec<String> = headings.iter().map(|&heading| heading.to_owned()).collect();
    line(&headings) + &rows.iter().map(|row| line(row)).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [vec!["bloom".to_owned(), "9.59".to_owned()], vec!["x".to_owned(), "10".to_owned()]];
        assert_eq!(columns(&["family", "b"], &rows), "family     b\nbloom   9.59\nx         10\n");
        assert_eq!(fields(&[("a", "1".to_owned()), ("long", "2".to_owned())]), "a     1\nlong  2\n");
    }
}
