# A design of the package survey as a table and options: its weights, strata and PSUs (primary sampling units).

is_design <- function(people) inherits(people, c("survey.design", "svyrep.design", "twophase"))

of_design <- function(design) {
  refuse_unlike(design)
  columns <- list(weight = design$allprob, strata = if (design$has.strata) design$strata, psu = design$cluster)
  people <- design$variables
  for (stages in columns) people[names(stages)] <- NULL # those of later stages, too: they are no answers
  weights <- stats::weights(design)
  contents <- list(weight = weights, strata = columns$strata[[1]], psu = design$cluster[[1]])
  is_told <- c(weight = any(weights != weights[1]), strata = design$has.strata,
               psu = anyDuplicated(design$cluster[[1]]) > 0)
  options <- list()
  for (role in names(which(is_told))) {
    options[[role]] <- names(columns[[role]])[1]
    people[[options[[role]]]] <- contents[[role]]
  }
  lonely <- c(certainty = "certainty", remove = "certainty", average = "average", adjust = "adjust")
  lonely <- lonely[getOption("survey.lonely.psu", "fail")]
  if (design$has.strata && !is.na(lonely)) options$lonely_psu <- unname(lonely)
  list(people = people, options = options)
}

# Stop at designs whose variances would not be theirs, and say where they are longer than they need be.
refuse_unlike <- function(design) {
  if (!inherits(design, "survey.design2") || !identical(design$pps, FALSE) || is.null(design$variables)) {
    stop("only designs of svydesign() are taken, with their data and without pps; ",
         "give other data as a data frame, with its columns of weights, strata, PSUs or replicate weights as options")
  }
  stratum <- as.character(design$strata[[1]])
  seen <- tapply(design$cluster[[1]], stratum, function(psus) length(unique(psus)))
  drawn <- design$fpc$sampsize[match(names(seen), stratum), 1]
  if (any(seen != drawn)) {
    stop("the design is a subset, and PSUs without anybody in it are lost; give the whole design, and name groups")
  }
  more <- c("finite population correction"[!is.null(design$fpc$popsize)],
            "calibration or post-stratification"[!is.null(design$postStrata)],
            "later stages"[ncol(design$cluster) > 1])
  if (length(more)) message("not told to fidelity-curves: ", paste(more, collapse = ", "))
}
