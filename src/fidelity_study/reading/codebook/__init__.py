"""The codebook of a study: what columns, questions and answers mean, as three tables of cells."""
