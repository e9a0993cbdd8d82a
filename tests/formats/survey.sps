* Invented answers of 12 people. Makes survey.sav and survey.zsav: pspp survey.sps.
DATA LIST LIST NOTABLE
  /id (F4) trust (F2) news (F2) fair (F2) party (F2) born (F4) town (A12) remark (A300) person_weight (F4.2).
BEGIN DATA
1 1 2 0 1 1950 "Aby" "" 0.8
2 2 2 3 1 1961 "Aby" "" 1.2
3 2 3 5 2 1972 "Berg" "" 1.0
4 3 3 5 2 1983 "Berg" "" 1.1
5 4 1 7 3 1994 "Cove" "nice questions" 0.9
6 4 1 10 1 1955 "Cove" "" 1.0
7 1 2 10 2 1966 "" "" 1.0
8 -8 2 8 3 1977 "Dale" "" 1.3
9 -8 -9 99 1 1988 "Dale" "" 0.7
10 -9 3 2 2 1999 "Elm" "" 1.0
11 3 . 4 1 1950 "Elm" "" 1.1
12 2 1 6 1 1961 "Elm" "" 0.9
END DATA.
VARIABLE LABELS
  trust "How much do you trust the town council?"
  news "How often do you read the news?"
  fair "How fair is the town, from 0 to 10?"
  party "Which party do you feel close to?"
  born "Year of birth".
VALUE LABELS
  trust news 1 "never" 2 "sometimes" 3 "often" 4 "always" -8 "don't know" -9 "refused"
  /fair 0 "not at all" 10 "completely" 99 "no answer"
  /party 1 "Reds" 2 "Greens" 3 "Blues" 4 "Greys".
MISSING VALUES trust news (-9 THRU -8) /fair (99).
VARIABLE LEVEL trust news fair (ORDINAL) /party (NOMINAL).
WEIGHT BY person_weight.
SAVE OUTFILE="survey.sav".
SAVE OUTFILE="survey.zsav" /ZCOMPRESSED.
