# Read a finished study of fidelity-curves in R; docs/howto/r.md is the vignette. Needs the package jsonlite.

# The verdict of a study: `results` is its folder.
fidelity_verdict <- function(results) {
  verdict <- jsonlite::fromJSON(file.path(results, "verdict.json"), simplifyVector = FALSE)
  if (verdict$schema_version != 2) stop("verdict.json is of another version: ", verdict$schema_version)
  names(verdict$datasets) <- vapply(verdict$datasets, `[[`, "", "name")
  verdict
}

# The card of uses as a data frame: a row for each simulator and use, with its verdict.
fidelity_card <- function(verdict, dataset = 1) as_table(verdict$datasets[[dataset]]$uses)

# A part of a dataset as a data frame: "simulators", "pairs" or "other_people". `view` counts its discrepancies and
# tolerances in the order of the page. Lists become how many they hold.
fidelity_table <- function(verdict, dataset = 1, part = "simulators", view = 1) {
  as_table(verdict$datasets[[dataset]]$views[[view]][[part]])
}

as_table <- function(rows) {
  names <- names(rows[[1]])
  columns <- lapply(names, function(name) unlist(lapply(rows, function(row) cell(row[[name]]))))
  as.data.frame(stats::setNames(columns, names), stringsAsFactors = FALSE)
}

cell <- function(value) if (is.null(value)) NA else if (is.list(value)) length(value) else value

# A whole table of a study, by its path in the folder of results: CSV, or Parquet by the package nanoparquet.
fidelity_read <- function(results, path) {
  file <- file.path(results, path)
  if (grepl("\\.csv$", path)) utils::read.csv(file, check.names = FALSE) else nanoparquet::read_parquet(file)
}
