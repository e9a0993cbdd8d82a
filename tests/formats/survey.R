# Invented answers of 8 people. Makes survey.dta: Rscript survey.R (needs the package haven).
library(haven)
options <- c("never" = 1, "sometimes" = 2, "often" = 3, "always" = 4,
             "don't know" = tagged_na("d"), "refused" = tagged_na("r"))
people <- data.frame(
  id = 1:8,
  trust = labelled(c(1, 2, 2, 3, 4, tagged_na("d"), tagged_na("r"), NA), options,
                   label = "How much do you trust the town council?"),
  fair = labelled(c(0, 3, 5, 10, 7, 7, tagged_na("d"), 2),
                  c("not at all" = 0, "completely" = 10),
                  label = "How fair is the town, from 0 to 10?"),
  # haven writes factors as labelled codes from 1
  party = factor(c("Reds", "Greens", "Reds", "Greens", "Blues", "Reds", NA, "Reds"),
                 levels = c("Reds", "Greens", "Blues", "Greys"))
)
write_dta(people, "survey.dta", version = 14)
