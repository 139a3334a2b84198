//! Names that were probably meant. Not here: names of other hook systems (`foreign`).

/// The candidate that is most like `name`, if one is like it at all.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-', ' '], "");
    let wanted = plain(name);
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&wanted, &plain(candidate)), candidate))
        .filter(|(likeness, _)| *likeness > 0.82)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// `; did you mean …?` for a key that is not among the legal ones.
pub(crate) fn did_you_mean<'a>(name: &str, legal: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, legal).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}
