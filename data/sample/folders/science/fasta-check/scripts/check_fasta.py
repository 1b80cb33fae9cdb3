"""Report problems in a FASTA file: check_fasta.py input.fasta"""
import sys

NUCLEOTIDES = set("ACGTUNRYSWKMBDHV-")


def records(path):
    name, parts = None, []
    with open(path, encoding="ascii", errors="replace") as handle:
        for line in handle:
            line = line.strip()
            if line.startswith(">"):
                if name is not None:
                    yield name, "".join(parts)
                name, parts = (line[1:].split() or ["(no name)"])[0], []
            elif line:
                parts.append(line.upper())
    if name is not None:
        yield name, "".join(parts)


if __name__ == "__main__":
    seen = set()
    for name, sequence in records(sys.argv[1]):
        if name in seen:
            print(f"{name}: duplicate identifier")
        seen.add(name)
        if not sequence:
            print(f"{name}: empty record")
            continue
        odd = sorted(set(sequence) - NUCLEOTIDES)
        if odd:
            print(f"{name}: not nucleotide letters: {''.join(odd)}")
        gc = 100 * sum(sequence.count(letter) for letter in "GC") / len(sequence)
        print(f"{name}: {len(sequence)} letters, {gc:.1f} % GC")
