# From data frames, files and designs to a finished study, by the command fidelity-curves start.

fc_compare <- function(people, simulated = list(), ..., name = "study", folder = tempfile("fidelity"), quiet = FALSE) {
  design <- if (is_design(people)) of_design(people) else list(people = people, options = list())
  options <- list(...)
  if (length(options) && (is.null(names(options)) || any(names(options) == "" | duplicated(names(options))))) {
    stop("give each option a name, and each name once, as in weight = \"w\"")
  }
  if ("out" %in% names(options)) stop("give name or folder in place of out")
  options <- utils::modifyList(design$options, options)
  simulated <- named_tables(simulated)
  tables <- c(list(people = design$people), simulated, options["scenarios"])
  tables <- tables[!vapply(tables, is.null, NA)]
  unfit <- grep("^[A-Za-z0-9_.-]{1,60}$", c(name, names(tables)), value = TRUE, invert = TRUE)
  if (length(unfit)) stop("take ASCII letters, digits, ., - and _ for a name, not ", unfit[1])
  if (anyDuplicated(c("people", "scenarios", names(simulated)))) {
    stop("simulators need names that differ, and that are neither people nor scenarios")
  }

  folder <- absolute(folder)
  is_frame <- vapply(tables, is.data.frame, NA)
  files <- vapply(names(tables), function(table) {
    if (is_frame[[table]]) file.path(folder, paste0(table, ".csv")) else absolute(tables[[table]])
  }, "")
  there <- Filter(file.exists, files[is_frame])
  if (length(there) && !isTRUE(options$force)) {
    stop(there[1], " is there already; name another folder, or give force = TRUE")
  }
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  for (table in names(tables)[is_frame]) write_table(tables[[table]], files[[table]])
  files[is_frame] <- basename(files[is_frame]) # the program runs in the folder
  if ("scenarios" %in% names(files)) options$scenarios <- files[["scenarios"]]

  inputs <- files[names(files) != "scenarios"]
  understood <- run(c("start", inputs, "--name", name, as_options(options), "--yes"), folder)
  if (!quiet) message(paste(understood, collapse = "\n"))
  fc_read(file.path(folder, "results", name))
}

# Simulators' tables by name: data frames, or paths of files.
named_tables <- function(tables) {
  if (is.data.frame(tables)) return(list(simulated = tables))
  tables <- as.list(tables)
  if (length(tables) && is.null(names(tables))) names(tables) <- paste0("simulated_", seq_along(tables))
  tables
}

absolute <- function(path) {
  path <- path.expand(path)
  if (grepl("^(/|[A-Za-z]:)", path)) path else file.path(getwd(), path)
}

# Options of the command line. TRUE is a flag; a vector repeats an option; a named one has pairs.
as_options <- function(options) {
  as.character(unlist(lapply(names(options), function(name) {
    option <- paste0("--", gsub("_", "-", name))
    value <- options[[name]]
    if (!length(value)) return(NULL)
    if (name == "respondents_repeat") return(c(option, if (value) "true" else "false"))
    if (is.logical(value)) return(if (isTRUE(value)) option)
    if (name == "scales") value <- paste0(names(value), "=", vapply(value, paste, "", collapse = ","))
    text <- lapply(value, as_text)
    if (name %in% c("bounds", "range")) return(c(option, unlist(text)))
    if (name == "levels") {
      if (any(grepl("|", value, fixed = TRUE))) stop("levels: | stands between levels, and cannot be in one")
      return(c(option, paste(text, collapse = " | ")))
    }
    if (is.null(names(text))) return(rbind(option, unlist(text)))
    unlist(Map(function(key, values) rbind(option, key, values), names(text), text))
  })))
}

# Run the program in a folder; return what it prints, or stop with its refusal.
run <- function(arguments, folder = getwd()) {
  program <- Sys.getenv("FIDELITY_CURVES", "fidelity-curves")
  if (Sys.which(program) == "") {
    stop("there is no ", program, "; install fidelity-curves with its extra study, and put it on the PATH, ",
         "or name it by the environment variable FIDELITY_CURVES")
  }
  before <- setwd(folder)
  errors <- tempfile()
  usual <- options(warning.length = 8170) # a refusal is printed whole
  on.exit({ setwd(before); unlink(errors); options(usual) })
  printed <- suppressWarnings(system2(
    program, shQuote(arguments), stdout = TRUE, stderr = errors, input = "", env = usual_libraries()
  ))
  Encoding(printed) <- "UTF-8"
  if (!is.null(attr(printed, "status"))) {
    refusal <- readLines(errors, encoding = "UTF-8", warn = FALSE)
    text <- paste(c(printed, refusal), collapse = "\n")
    stop(structure(class = c("fidelity_refusal", "error", "condition"), list(message = text, call = NULL)))
  }
  printed
}

# The search path of libraries as it was before R put its folders in front: Python may have others of the same names.
usual_libraries <- function() {
  if (!file.exists(file.path(R.home("etc"), "ldpaths"))) return(character())
  script <- 'unset LD_LIBRARY_PATH; . "$R_HOME/etc/ldpaths"; echo "$LD_LIBRARY_PATH"'
  of_r <- system2("sh", c("-c", shQuote(script)), stdout = TRUE)
  before <- sub("^:+", "", gsub(of_r, "", Sys.getenv("LD_LIBRARY_PATH"), fixed = TRUE)) # R in R does so twice
  paste0("LD_LIBRARY_PATH=", shQuote(before))
}

# Write a data frame as CSV in UTF-8, whatever the locale; NA is an empty cell.
write_table <- function(table, path) {
  quoted <- function(text) paste0('"', gsub('"', '""', text, fixed = TRUE), '"')
  cells <- lapply(names(table), function(column) {
    values <- table[[column]]
    is_plain <- !is.object(values) || inherits(values, c("factor", "Date", "POSIXct"))
    if (is.list(values) || is.matrix(values) || !is_plain) {
      stop("column ", column, " is of class ", class(values)[1], "; make it text, numbers or a factor, ",
           "as haven::as_factor does of codes with labels")
    }
    ifelse(is.na(values), "", quoted(enc2utf8(as_text(values))))
  })
  lines <- c(paste(quoted(enc2utf8(names(table))), collapse = ","), do.call(paste, c(cells, sep = ",")))
  file <- file(path, "wb")
  on.exit(close(file))
  writeLines(lines, file, useBytes = TRUE)
}

# Numbers with all their digits, and never as 1e+05.
as_text <- function(values) {
  if (!is.numeric(values)) return(as.character(values))
  one <- unique(as.vector(values))
  vapply(one, format, "", digits = 15, scientific = FALSE, decimal.mark = ".")[match(values, one)]
}
