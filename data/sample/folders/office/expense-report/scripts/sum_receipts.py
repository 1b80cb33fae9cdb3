"""Print totals per currency and category: sum_receipts.py expenses.csv"""
import csv
import sys
from collections import defaultdict
from decimal import Decimal


def totals(path):
    sums = defaultdict(Decimal)
    with open(path, newline="", encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            key = (row["currency"].strip().upper(), row["category"].strip() or "(none)")
            sums[key] += Decimal(row["amount"])
    return sums


if __name__ == "__main__":
    for (currency, category), amount in sorted(totals(sys.argv[1]).items()):
        print(f"{currency}\t{category}\t{amount:.2f}")
