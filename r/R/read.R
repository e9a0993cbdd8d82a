# A finished study as data frames, and its pictures.

fc_read <- function(study) {
  path <- file.path(study, "verdict.json")
  if (!file.exists(path)) stop(path, " is missing; name the folder of a finished study, such as results/example")
  verdict <- jsonlite::fromJSON(path, simplifyVector = FALSE)
  if (!identical(verdict$schema_version, 2L)) {
    stop(path, " is of schema version ", verdict$schema_version, ", and this package reads 2; ",
         "install the package of the release that made the study")
  }
  views <- function(part) {
    rows(lapply(verdict$datasets, function(dataset) {
      rows(lapply(dataset$views, function(view) {
        frame_of(view[[part]], dataset = dataset$name, discrepancy = view$discrepancy, tolerance = view$tolerance)
      }))
    }))
  }
  evaluations <- function(part) {
    rows(lapply(verdict$evaluations, function(one) frame_of(one[[part]], evaluation = one$name)))
  }
  uses <- rows(lapply(verdict$datasets, function(dataset) frame_of(dataset$uses, dataset = dataset$name)))
  structure(class = "fidelity_study", list(
    folder = normalizePath(study), verdict = verdict, uses = uses, simulators = views("simulators"),
    pairs = views("pairs"), other_people = views("other_people"),
    scores = evaluations("scores"), differences = evaluations("differences")
  ))
}

rows <- function(parts) do.call(rbind, c(list(data.frame()), parts))

# A data frame of records, behind columns that are the same in all rows. Lists become how many they hold.
frame_of <- function(records, ...) {
  if (!length(records)) return(data.frame())
  cell <- function(value) if (is.null(value)) NA else if (is.list(value)) length(value) else value
  names <- names(records[[1]])
  columns <- lapply(names, function(name) unlist(lapply(records, function(record) cell(record[[name]]))))
  as.data.frame(c(lapply(list(...), cell), stats::setNames(columns, names)), optional = TRUE)
}

fc_table <- function(study, path) {
  file <- file.path(folder_of(study), sub("\\.csv$", "", path))
  csv <- paste0(file, ".csv")
  if (file.exists(csv)) return(read_csv(csv))
  parquet <- paste0(sub("\\.parquet$", "", file), ".parquet")
  if (!file.exists(parquet)) stop(csv, " is missing; results/README.md of fidelity-curves has the tables")
  if (!requireNamespace("nanoparquet", quietly = TRUE)) stop(parquet, ": needs the package nanoparquet")
  as.data.frame(nanoparquet::read_parquet(parquet))
}

fc_curve <- function(study, dataset = 1) {
  folder <- folder_of(study)
  verdict <- if (inherits(study, "fidelity_study")) study$verdict else fc_read(study)$verdict
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  printed <- run(c("table", file.path(folder, name_of(verdict, dataset)), "curve", "--output", file))
  structure(read_csv(file), caption = printed[length(printed)])
}

read_csv <- function(path) utils::read.csv(path, check.names = FALSE, na.strings = "", encoding = "UTF-8")

folder_of <- function(study) if (inherits(study, "fidelity_study")) study$folder else normalizePath(study)

# The name of a dataset that is named or counted.
name_of <- function(verdict, dataset) {
  names <- vapply(verdict$datasets, `[[`, "", "name")
  name <- if (is.numeric(dataset)) names[dataset] else dataset
  if (!name %in% names) stop("there is no dataset ", dataset, "; there are: ", paste(names, collapse = ", "))
  name
}

print.fidelity_study <- function(x, ...) {
  for (part in c(x$verdict$datasets, x$verdict$evaluations)) cat(part$title, ": ", part$headline, "\n", sep = "")
  cat("The report is in", file.path(x$folder, "report.html"), "\n")
  invisible(x)
}

plot.fidelity_study <- function(x, kind = c("uses", "ranking", "curve"), dataset = 1, ...) {
  if (!requireNamespace("ggplot2", quietly = TRUE)) stop("plot: needs the package ggplot2")
  name <- name_of(x$verdict, dataset)
  draw <- switch(match.arg(kind), uses = plot_uses, ranking = plot_ranking, curve = plot_curve)
  draw(x, name)
}

utils::globalVariables(c(
  "bound", "distance", "error", "estimate", "kind", "label", "limit", "lower", "percent", "simulator", "upper",
  "verdict"
))

of_dataset <- function(table, name) table[table$dataset == name, ]

# The card of uses: errors with their intervals, and limits dashed. An interval without an end reaches the edge.
plot_uses <- function(study, name) {
  card <- of_dataset(study$uses, name)
  card <- card[!is.na(card$error), ]
  if (!nrow(card)) stop("no use is measured in ", name)
  card$use <- paste0(gsub("_", " ", card$use), "\n", card$unit)
  card$simulator <- factor(card$simulator, rev(unique(card$simulator)))
  card$lower[is.na(card$lower)] <- -Inf
  card$upper[is.na(card$upper)] <- Inf
  ggplot2::ggplot(card, ggplot2::aes(error, simulator, xmin = lower, xmax = upper, colour = verdict)) +
    ggplot2::geom_linerange() +
    ggplot2::geom_point() +
    ggplot2::geom_vline(ggplot2::aes(xintercept = limit), linetype = "dashed") +
    ggplot2::facet_wrap("use", scales = "free_x") +
    ggplot2::scale_colour_manual(values = c(within = "#0b7550", beyond = "#b3430f", open = "#8a929b")) +
    ggplot2::labs(x = "error, with its 95 % interval; dashed: the limit", y = NULL, colour = NULL)
}

# Simulators and other people by their mean distance, the closest on top, by the dataset's first view.
plot_ranking <- function(study, name) {
  view <- Filter(function(dataset) dataset$name == name, study$verdict$datasets)[[1]]$views
  if (!length(view)) stop(name, " has no distances; its report has scores")
  view <- view[[1]]
  columns <- c("label", "kind", "estimate", "lower", "upper")
  people <- frame_of(view$other_people, kind = "other people")
  if (nrow(people)) people$label <- paste(people$people, "other people")
  means <- rows(lapply(list(frame_of(view$simulators), people), function(part) if (nrow(part)) part[columns]))
  means$label <- factor(means$label, unique(means$label[order(-means$estimate)]))
  colours <- c("other people" = "#1c1f23", simulator = "#0072B2", baseline = "#8a929b")
  ggplot2::ggplot(means, ggplot2::aes(estimate, label, xmin = lower, xmax = upper, colour = kind)) +
    ggplot2::scale_colour_manual(values = colours) +
    ggplot2::geom_linerange(na.rm = TRUE) +
    ggplot2::geom_point(na.rm = TRUE) +
    ggplot2::geom_vline(xintercept = as.numeric(view$tolerance), linetype = "dashed") +
    ggplot2::labs(
      x = paste0("mean discrepancy (", view$discrepancy, "); dashed: the tolerance"), y = NULL, colour = NULL
    )
}

# Quantile curves, up to each percent the value there. A band reaches to the bound, dotted, where there is one.
plot_curve <- function(study, name) {
  curve <- fc_curve(study, name)
  bounds <- curve[stats::ave(!is.na(curve$bound), curve$simulator, FUN = sum) > 1, ]
  caption <- paste(strwrap(attr(curve, "caption"), 90), collapse = "\n")
  ggplot2::ggplot(curve, ggplot2::aes(percent, distance, colour = simulator, fill = simulator)) +
    ggplot2::geom_ribbon(ggplot2::aes(ymin = distance, ymax = bound), bounds, alpha = 0.2, colour = NA, na.rm = TRUE) +
    ggplot2::geom_step(ggplot2::aes(y = bound), bounds, direction = "vh", linetype = "dotted", na.rm = TRUE) +
    ggplot2::geom_step(direction = "vh", na.rm = TRUE) +
    ggplot2::labs(
      x = "percent of all questions", y = "distance; dotted: the bound", colour = NULL, fill = NULL, caption = caption
    )
}
