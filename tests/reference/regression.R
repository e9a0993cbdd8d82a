# Reference values of regressions: R's clubSandwich and survey.
#     Rscript tests/reference/regression.R > tests/reference/regression.json
suppressMessages({library(clubSandwich); library(survey)})
set.seed(2)
n <- 90
d <- data.frame(
  age = round(rnorm(n), 3), woman = rbinom(n, 1, .5), rare = as.integer(1:n %in% c(3, 20, 41, 66, 80)),
  weight = sample(c(1, 2, 5), n, TRUE), psu = rep(1:18, each = 5)
)
d$y <- round(.5 * d$age + .3 * d$woman + rnorm(18, sd = .6)[d$psu] + rnorm(n), 3)
d$yes <- as.integer(d$y + rlogis(n) / 2 > .2)
text <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
told <- function(fit, v, df = NULL) {
  sprintf('{"estimate": %s, "covariance": %s, "df": %s}', text(coef(fit)), text(v),
    if (is.null(df)) "null" else text(df))
}
cr2 <- function(fit, cluster, target) {
  v <- vcovCR(fit, cluster, type = "CR2", target = target)
  told(fit, as.matrix(v), coef_test(fit, v, test = "Satterthwaite")$df_Satt)
}
plain <- lm(y ~ age + woman + rare, d)
weighted <- lm(y ~ age + woman + rare, d, weights = weight)
logit <- glm(yes ~ age + woman + rare, binomial, d)
one <- rep(1, n)
left <- sapply(1:18, function(k) d$weight * ifelse(d$psu == k, 0, 18 / 17))
design <- svrepdesign(weights = ~weight, repweights = left, type = "JK1", scale = 17 / 18, rscales = rep(1, 18),
  combined.weights = TRUE, mse = TRUE, data = d)
replicated <- svyglm(y ~ age + woman + rare, design)
cat(sprintf('{"versions": "%s, sandwich %s, clubSandwich %s, survey %s",\n', R.version.string,
  packageVersion("sandwich"), packageVersion("clubSandwich"), packageVersion("survey")))
cat(paste0('"', names(d), '": ', sapply(d, text), ",\n"), sep = "")
cat('"persons":', cr2(plain, 1:n, one), ",\n")
cat('"clusters":', cr2(plain, d$psu, one), ",\n")
cat('"weighted":', cr2(weighted, 1:n, one), ",\n")
cat('"weighted clusters":', cr2(weighted, d$psu, one), ",\n")
cat('"logit":', told(logit, as.matrix(vcovCR(logit, 1:n, type = "CR2"))), ",\n")
cat('"logit clusters":', told(logit, as.matrix(vcovCR(logit, d$psu, type = "CR2"))), ",\n")
cat('"replicates":', told(replicated, vcov(replicated)), "}\n")
