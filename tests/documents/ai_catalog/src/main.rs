//! Prints what the reader of AI catalogs finds in the one on standard input.
fn main() {
    let catalog: ai_catalog::AiCatalog = serde_json::from_reader(std::io::stdin()).expect("an AI catalog");
    let result = ai_catalog_validate::validate(&catalog);
    let entries: Vec<_> = catalog.entries.iter().map(|one| (&one.identifier, &one.entry_type, &one.url)).collect();
    let level = format!("{:?}", result.conformance_level);
    let errors: Vec<_> = result.errors.iter().chain(&result.warnings).map(|one| (&one.path, &one.message)).collect();
    println!("{}", serde_json::json!({"level": level, "entries": entries, "errors": errors}));
}
