# Numbers of R's survey for the files that surveyed.py draws; prints what test_against_r.py expects.
# Rscript survey.R people.csv replicates.csv
suppressMessages(library(survey))
options(digits = 12, survey.replicates.mse = TRUE)
files <- commandArgs(TRUE)
table <- read.csv(files[1], na.strings = "")
replicates <- read.csv(files[2], na.strings = "")
show <- function(name, design) {
  design <- subset(design, !is.na(trust))
  mean <- svymean(~factor(trust, c("never", "sometimes", "often")), design)
  cat(name, format(c(coef(mean), vcov(mean)[upper.tri(vcov(mean), TRUE)], degf(design))), "\n")
}
of <- function(design) list(all = design, group = subset(design, sex == "female" & age == "18-34"))
strata <- svydesign(~psu, strata = ~stratum, weights = ~w, nest = TRUE, data = table)
plain <- svydesign(~1, weights = ~w, data = table)
alone <- table[!(table$stratum == "s0" & table$psu == 1), ]
weights <- replicates[, grep("^rep", names(replicates))]
with <- function(...) svrepdesign(data = replicates, weights = ~w, repweights = weights, ...)
for (name in c("all", "group")) {
  show(paste("strata", name), of(strata)[[name]])
  show(paste("plain", name), of(plain)[[name]])
  for (lonely in c("certainty", "average", "adjust")) {
    options(survey.lonely.psu = lonely)
    design <- svydesign(~psu, strata = ~stratum, weights = ~w, nest = TRUE, data = alone)
    show(paste(lonely, name), of(design)[[name]])
  }
  show(paste("brr", name), of(with(type = "BRR"))[[name]])
  show(paste("fay", name), of(with(type = "Fay", rho = 0.3))[[name]])
  show(paste("jk1", name), of(suppressWarnings(with(type = "JK1")))[[name]])
  show(paste("jkn", name), of(with(type = "JKn", rscales = seq_along(weights) / 20, scale = 1))[[name]])
  show(paste("bootstrap", name), of(with(type = "bootstrap"))[[name]])
}
# A domain that misses strata, with and without the one whose PSU is alone.
domains <- list(part = c("s0", "s1", "s2"), rest = c("s1", "s2"))
for (name in names(domains)) {
  for (lonely in c("certainty", "average", "adjust")) {
    options(survey.lonely.psu = lonely)
    design <- svydesign(~psu, strata = ~stratum, weights = ~w, nest = TRUE, data = alone)
    show(paste(lonely, name), subset(design, stratum %in% domains[[name]]))
  }
}
question <- subset(strata, !is.na(trust))
limits <- attr(svyciprop(~I(trust == "often"), question, method = "beta"), "ci")
cat("limits", format(unname(limits)), "\n")
# The mean, over three questions, of the mean score -1, 0, 1 of each one's people; its standard error.
scored <- function(table) {
  for (question in c("trust", "news", "vote")) {
    x <- match(table[[question]], c("never", "sometimes", "often")) - 2
    table[[paste0("o_", question)]] <- as.numeric(!is.na(x))
    table[[paste0("x_", question)]] <- ifelse(is.na(x), 0, x)
  }
  table
}
mean_of <- quote((x_trust / o_trust + x_news / o_news + x_vote / o_vote) / 3)
sums <- ~x_trust + o_trust + x_news + o_news + x_vote + o_vote
linearised <- function(name, design) {
  found <- svycontrast(svytotal(sums, design), mean_of)
  cat("mean", name, format(c(coef(found), SE(found))), "\n")
}
replicated <- function(name, design) {
  found <- withReplicates(design, function(w, data) {
    for (each in all.vars(sums)) assign(each, sum(w * data[[each]]))
    eval(mean_of)
  })
  cat("mean", name, format(c(coef(found), SE(found))), "\n")
}
group <- function(design) subset(design, sex == "female" & age == "18-34")
strata <- svydesign(~psu, strata = ~stratum, weights = ~w, nest = TRUE, data = scored(table))
psus <- svydesign(~ interaction(stratum, psu), weights = ~w, data = scored(table))
linearised("strata all", strata)
linearised("strata group", group(strata))
linearised("psus all", psus)
linearised("plain all", svydesign(~1, weights = ~w, data = scored(table)))
for (lonely in c("certainty", "average", "adjust")) {
  options(survey.lonely.psu = lonely)
  linearised(paste(lonely, "all"), svydesign(~psu, strata = ~stratum, weights = ~w, nest = TRUE, data = scored(alone)))
}
with <- function(...) svrepdesign(data = scored(replicates), weights = ~w, repweights = weights, ...)
replicated("brr all", with(type = "BRR"))
replicated("brr group", group(with(type = "BRR")))
replicated("fay all", with(type = "Fay", rho = 0.3))
replicated("bootstrap all", with(type = "bootstrap", scale = 2 / 15, rscales = seq_along(weights) / 20))
# What R multiplies the squares of its two bootstraps by, times R - 1.
for (type in c("bootstrap", "subbootstrap")) {
  found <- as.svrepdesign(strata, type = type, replicates = 50)
  cat("scale of", type, format(49 * found$scale), "\n")
}
