# Reference values of effects and AMCE: R's lm and t.test, with CR1 by hand.
#     Rscript tests/reference/effects.R > tests/reference/effects.json
set.seed(1)
n <- 120
d <- data.frame(
  person = rep(1:20, each = 6),
  price = sample(c("low", "mid", "high"), n, TRUE),
  brand = sample(c("ours", "theirs"), n, TRUE),
  weight = rep(round(runif(20, .5, 2), 3), each = 6)
)
d$chosen <- as.integer(runif(n) < .3 + .3 * (d$price == "low") + .1 * (d$brand == "ours"))
text <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
words <- function(x) paste0("[", paste0('"', x, '"', collapse = ", "), "]")
amce <- function(w) {
  d$price <- factor(d$price, c("low", "high", "mid"))
  d$w <- w
  fit <- lm(chosen ~ price + brand, d, weights = w)
  x <- model.matrix(fit)
  bread <- solve(t(x) %*% (x * w))
  sums <- rowsum(x * w * residuals(fit), d$person)
  g <- nrow(sums)
  v <- bread %*% t(sums) %*% sums %*% bread * g / (g - 1) * (n - 1) / (n - ncol(x))
  sprintf('{"labels": [["price", "high"], ["price", "mid"], ["brand", "theirs"]], "estimate": %s, "se": %s}',
    text(coef(fit)[-1]), text(sqrt(diag(v))[-1]))
}
y <- round(rnorm(60), 4)
arm <- rep(c("c", "t", "u"), c(25, 15, 20))
tests <- lapply(c("t", "u"), function(a) t.test(y[arm == a], y[arm == "c"]))
cat(sprintf('{"conjoint": {"person": %s, "price": %s, "brand": %s, "weight": %s, "chosen": %s},\n',
  text(d$person), words(d$price), words(d$brand), text(d$weight), text(d$chosen)))
cat(sprintf('"plain": %s,\n"weighted": %s,\n', amce(rep(1, n)), amce(d$weight)))
cat(sprintf('"between": {"y": %s, "arm": %s, "estimate": %s, "se": %s, "df": %s}}\n', text(y), words(arm),
  text(sapply(tests, function(r) r$estimate[1] - r$estimate[2])),
  text(sapply(tests, function(r) r$stderr)), text(sapply(tests, function(r) r$parameter))))
