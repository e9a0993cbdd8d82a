/* Pages that are written for readers come before those of single functions. */
var Scorer = {
  score: (result) => {
    const page = result[0];
    if (/^(howto|tutorials|glossary|method)/.test(page)) return result[4] + 100;
    return page.startsWith("generated/") ? result[4] / 10 : result[4];
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
