//! Tables of figures: a title and names of columns above, labels at the left, everything else to the right edge of its column.

use super::page::{LABEL, Page, Tone, columns, pad_left, pad_right};

/// What stands where nothing was measured, or not enough.
pub(super) const ABSENT: &str = "–";

/// A table with at most so many columns has few.
const FEW: usize = 5;
/// Room for `1,000,000,000` and for `acknowledged`.
const FEW_PITCH: usize = 15;

/// A table being filled.
pub(super) struct Table {
    title: &'static str,
    names: Vec<&'static str>,
    rows: Vec<(String, Vec<(String, Tone)>)>,
}

impl Table {
    pub(super) fn new(title: &'static str, names: &[&'static str]) -> Self {
        Self { title, names: names.to_vec(), rows: Vec::new() }
    }

    pub(super) fn row(&mut self, label: impl Into<String>, cells: Vec<(String, Tone)>) {
        self.rows.push((label.into(), cells));
    }

    /// Writes the table. All columns are as wide as the widest, with the widest gap up to three that the page has room for; a few
    /// columns are spread, so that such tables stand under each other.
    pub(super) fn write(self, page: &mut Page) {
        let cells = self.rows.iter().flat_map(|(_, cells)| cells.iter().map(|(text, _)| columns(text)));
        let widest = self.names.iter().map(|name| columns(name)).chain(cells).max().unwrap_or(0);
        let room = page.width().saturating_sub(LABEL) / self.names.len().max(1);
        let mut pitch = widest + room.saturating_sub(widest).clamp(1, 3);
        if self.names.len() <= FEW {
            pitch = pitch.max(FEW_PITCH.min(room));
        }

        let title = pad_right(self.title, LABEL);
        let names: Vec<String> = self.names.iter().map(|name| pad_left(name, pitch)).collect();
        let mut pieces = vec![(title.as_str(), Tone::Title)];
        pieces.extend(names.iter().map(|name| (name.as_str(), Tone::Quiet)));
        page.line(&pieces);

        for (label, cells) in &self.rows {
            let label = pad_right(&format!("  {label}"), LABEL);
            let cells: Vec<(String, Tone)> = cells.iter().map(|(text, tone)| (pad_left(text, pitch), *tone)).collect();
            let mut pieces = vec![(label.as_str(), Tone::Plain)];
            pieces.extend(cells.iter().map(|(text, tone)| (text.as_str(), *tone)));
            page.line(&pieces);
        }
    }
}

/// A cell that is read as it stands.
pub(super) fn plain(text: String) -> (String, Tone) {
    (text, Tone::Plain)
}
