"""Profile the columns of a CSV file: profile_csv.py data.csv"""
import csv
import sys
from collections import Counter


def kind(value):
    if value == "":
        return "empty"
    try:
        float(value)
        return "number"
    except ValueError:
        return "text"


def profile(path):
    with open(path, newline="", encoding="utf-8-sig") as handle:
        reader = csv.DictReader(handle)
        values = {name: [] for name in reader.fieldnames or []}
        for row in reader:
            for name in values:
                values[name].append((row[name] or "").strip())
    return values


if __name__ == "__main__":
    for name, column in profile(sys.argv[1]).items():
        kinds = Counter(kind(value) for value in column)
        top = Counter(column).most_common(3)
        print(f"{name}: {dict(kinds)}, {len(set(column))} different, most common {top}")
