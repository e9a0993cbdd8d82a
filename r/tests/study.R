# Tests by a study of invented people, which the command fidelity-curves runs.
library(fidelitycurves)

refused <- function(expression, words, class = "error") {
  error <- tryCatch({ expression; NULL }, error = identity)
  if (!inherits(error, class) || !grepl(words, conditionMessage(error))) {
    stop("not refused by '", words, "': ", if (is.null(error)) "no error" else conditionMessage(error))
  }
}
in_package <- function(name) getFromNamespace(name, "fidelitycurves")

# Cells of tables mean the same in the file.
written <- function(table) {
  path <- tempfile()
  in_package("write_table")(table, path)
  readLines(path, encoding = "UTF-8")
}
options(OutDec = ",")
odd <- data.frame(id = c(100000, 2^53, 0.1 + 0.2), text = c("a \"b\", c", NA, "\u00e9"), is = c(TRUE, NA, FALSE))
stopifnot(written(odd)[-1] == c(
  '"100000","a ""b"", c","TRUE"', '"9007199254740992",,', '"0.3","\u00e9","FALSE"'
))
options(OutDec = ".")
kinds <- data.frame(a = factor(c("x", NA)), b = as.Date("2026-01-02"))
stopifnot(written(kinds)[-1] == c('"x","2026-01-02"', ',"2026-01-02"'))
odd$id <- structure(1:3, class = "haven_labelled")
refused(written(odd), "column id is of class haven_labelled")
refused(written(data.frame(a = I(list(1, 2)))), "column a is of class")

# Options are those of the command line.
of_options <- in_package("as_options")
stopifnot(identical(
  of_options(list(weight = "w", nested = TRUE, force = FALSE, missing = c(-9, 1e5), bounds = c(0, 10))),
  c("--weight", "w", "--nested", "--missing", "-9", "--missing", "100000", "--bounds", "0", "10")
))
base <- list(price = "500", brand = c("A", "B"))
lists <- list(levels = c("no", "yes"), base_level = base, scales = list(t = c("a", "-b")))
stopifnot(identical(of_options(lists), c(
  "--levels", "no | yes", "--base-level", "price", "500", "--base-level", "brand", "A", "--base-level", "brand", "B",
  "--scales", "t=a,-b"
)))
stopifnot(identical(of_options(list(respondents_repeat = FALSE, missing = NULL)), c("--respondents-repeat", "false")))
refused(of_options(list(levels = c("a|b", "c"))), "stands between levels")

# A design's weights, strata and PSUs are columns and options.
library(survey)
set.seed(7)
answers <- c("never", "sometimes", "often")
drawn <- function(n, shares) {
  data.frame(lapply(c(walks = 1, reads = 2, plays = 3), function(i) sample(answers, n, TRUE, shares)))
}
people <- data.frame(drawn(240, c(5, 3, 2)), stratum = rep(c("north", "south"), each = 120), psu = rep(1:12, each = 10),
                     household = rep(1:120, each = 2), w = runif(240, 0.5, 1.5))
design <- svydesign(~psu, strata = ~stratum, weights = ~w, data = people, nest = TRUE)
of_design <- in_package("of_design")
told <- of_design(design)
stopifnot(identical(told$options, list(weight = "w", strata = "stratum", psu = "psu")))
stopifnot(all.equal(told$people$w, people$w), length(unique(told$people$psu)) == 24)
stages <- of_design(svydesign(~ psu + household, strata = ~stratum, weights = ~w, data = people, nest = TRUE))
stopifnot(!"household" %in% names(stages$people))
plain <- of_design(svydesign(~1, probs = ~p, data = cbind(people[c("walks", "reads")], p = 1 / people$w)))
stopifnot(identical(plain$options, list(weight = "p")), all.equal(plain$people$p, people$w))
options(survey.lonely.psu = "adjust")
stopifnot(identical(of_design(design)$options$lonely_psu, "adjust"))
options(survey.lonely.psu = "fail")
raked <- rake(design, list(~walks), list(data.frame(walks = answers, Freq = c(100, 80, 60))))
stopifnot(all.equal(of_design(raked)$people$w, unname(weights(raked))))
refused(of_design(subset(design, psu != 1)), "is a subset")
refused(of_design(as.svrepdesign(design)), "only designs of svydesign")

# Refusals of the command are errors with its text; nothing is written over.
folder <- tempfile()
dir.create(folder)
refused(fc_compare(people["walks"], drawn(9, 1:3), wieght = "w", folder = folder), "--wieght", "fidelity_refusal")
refused(fc_compare(people["walks"], drawn(9, 1:3), folder = folder), "people.csv is there already")
refused(fc_compare("nowhere.csv", drawn(9, 1:3)), "nowhere.csv is not there", "fidelity_refusal")
refused(fc_compare(people, drawn(9, 1:3), name = "a/b"), "for a name, not a/b")
refused(fc_compare(people, drawn(9, 1:3), "w"), "give each option a name")

# A study from a design: the numbers are those of its tables.
both <- list(careful = drawn(100, c(5, 3, 2)), cheerful = drawn(100, c(2, 3, 5)))
asked <- names(both$careful)
study <- fc_compare(design, both, levels = answers, questions = asked, folder = folder, force = TRUE, quiet = TRUE)
stopifnot(identical(study$simulators$name[1], "careful"), "cheerful" %in% study$simulators$name)
means <- fc_table(study, "study/comparison/mean_discrepancy")
stopifnot(all(study$simulators$upper %in% means$ci_upper))
stopifnot(any(grepl("whole PSUs left out within strata", means$method)))

# Distances are those of the weighted shares of the package survey.
file <- file.path(folder, "questions.csv")
in_package("run")(c("table", study$folder, "questions", "--simulator", "cheerful", "--output", file))
questions <- read.csv(file)
distance <- function(question) {
  shares <- svymean(reformulate(question), design)
  table <- table(factor(both$cheerful[[question]], sub(question, "", names(shares))))
  50 * sum(abs(coef(shares) - table / sum(table)))
}
stopifnot(all.equal(unname(sapply(questions$question, distance)), questions$distance, tolerance = 1e-6))
shares <- study$uses[study$uses$use == "shares", ]
stopifnot(identical(shares$simulator, c("careful", "cheerful")), shares$verdict[2] == "beyond")
curve <- fc_curve(study, "study")
stopifnot(sum(curve$simulator == "cheerful") == 101, !is.null(attr(curve, "caption")))
for (kind in c("uses", "ranking", "curve")) {
  pdf(NULL)
  print(plot(study, kind))
  dev.off()
}
stopifnot(any(grepl("careful", capture.output(print(study)))))
refused(fc_curve(study, "town"), "there are: study")
refused(fc_read(folder), "verdict.json is missing")
path <- file.path(folder, "verdict.json")
writeLines(sub('"schema_version": 2', '"schema_version": 3', readLines(file.path(study$folder, "verdict.json"))), path)
refused(fc_read(folder), "of schema version 3")
