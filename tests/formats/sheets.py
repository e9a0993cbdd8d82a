"""Makes old.xls and open.ods, invented answers: python sheets.py (needs xlwt, odfpy)."""

import pandas as pd
import xlwt

ROWS = [("q1", "q2"), (1, "yes"), (2, "no"), (1, "yes")]

book = xlwt.Workbook()
sheet = book.add_sheet("Old")
for at, row in enumerate(ROWS):
    for place, value in enumerate(row):
        sheet.write(at, place, value)
book.save("old.xls")
pd.DataFrame(ROWS[1:], columns=ROWS[0]).to_excel("open.ods", index=False, engine="odf")
