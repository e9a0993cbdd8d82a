# Read a finished study of fidelity-curves in R; docs/howto/r.md is the vignette. Needs the package jsonlite.

# The verdict of a study: `results` is its folder.
fidelity_verdict <- function(results) {
  verdict <- jsonlite::fromJSON(file.path(results, "verdict.json"), simplifyDataFrame = FALSE)
  if (verdict$schema_version != 1) stop("verdict.json is of another version: ", verdict$schema_version)
  names(verdict$datasets) <- vapply(verdict$datasets, `[[`, "", "name")
  verdict
}

# A part of a dataset as a data frame: "simulators", "pairs" or "other_people". `view` counts its discrepancies and
# tolerances in the order of the page. Lists of questions become how many they are.
fidelity_table <- function(verdict, dataset = 1, part = "simulators", view = 1) {
  rows <- verdict$datasets[[dataset]]$views[[view]][[part]]
  names <- names(rows[[1]])
  columns <- lapply(names, function(name) unlist(lapply(rows, function(row) cell(row[[name]], name))))
  as.data.frame(stats::setNames(columns, names), stringsAsFactors = FALSE)
}

cell <- function(value, name) {
  if (is.null(value)) NA else if (name %in% c("within", "beyond")) length(value) else value
}

# A whole table of a study, by its path in the folder of results: CSV, or Parquet by the package nanoparquet.
fidelity_read <- function(results, path) {
  file <- file.path(results, path)
  if (grepl("\\.csv$", path)) utils::read.csv(file, check.names = FALSE) else nanoparquet::read_parquet(file)
}
