"""Aligns the words of parallel texts and counts which words and phrases stand for which.

    python align.py [--work FOLDER] [LANGUAGE...]

Reads FOLDER/pairs, writes FOLDER/phrases/LANGUAGE.tsv: words, English, how often they stand for each other, how often
the words are there at all, and in how many projects (at most 4). Words are aligned in both directions by a hidden
Markov model (eflomal: R. Östling and J. Tiedemann, Efficient word alignment with Markov chain Monte Carlo, 2016), and
phrases of up to three words are those that the links of both directions allow (P. Koehn, F. Och and D. Marcu,
Statistical phrase-based translation, 2003).
"""

import argparse
import collections
import json
import os
import random

import eflomal

from words import LANGUAGES, UNSPACED, english, stem, words

MOST_PAIRS = 280_000
LONGEST = 32  # words
MOST_WORDS = 3
REQUESTS_COUNT = 3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--work', default='gloss-work')
    parser.add_argument('languages', nargs='*', default=LANGUAGES)
    args = parser.parse_args()
    for folder in ('links', 'phrases'):
        os.makedirs(f'{args.work}/{folder}', exist_ok=True)
    for language in args.languages:
        pairs = read_pairs(f'{args.work}/pairs/{language}.jsonl', language)
        links = align(pairs, language, f'{args.work}/links/{language}')
        count = write_phrases(f'{args.work}/phrases/{language}.tsv', pairs, links, language)
        print(language, len(pairs), 'pairs', count, 'phrases', flush=True)


def read_pairs(path, language):
    with open(path, encoding='utf-8') as file:
        rows = [json.loads(line) for line in file]
    others = [row for row in rows if row[2] != 'requests']
    random.Random(1).shuffle(others)
    pairs = []
    for text, in_english, project in [row for row in rows if row[2] == 'requests'] + others:
        theirs, ours = words(language, text), english(in_english)
        if not 0 < len(theirs) <= LONGEST or not 0 < len(ours) <= LONGEST:
            continue
        if len(ours) > 3 * len(theirs) + 4 or len(theirs) > 3 * len(ours) + 4:
            continue
        pairs.append((theirs, ours, project))
        if len(pairs) == MOST_PAIRS:
            break
    return pairs


def align(pairs, language, path):
    with open(f'{path}.theirs', 'w') as theirs, open(f'{path}.ours', 'w') as ours:
        for one, other, _ in pairs:
            theirs.write(' '.join(stem(language, word) for word in one) + '\n')
            ours.write(' '.join(stem('en', word) for word in other) + '\n')
    with open(f'{path}.theirs') as theirs, open(f'{path}.ours') as ours:
        names = {'links_filename_fwd': f'{path}.forth', 'links_filename_rev': f'{path}.back'}
        eflomal.Aligner(model=3).align(theirs, ours, quiet=True, **names)
    with open(f'{path}.forth') as forth, open(f'{path}.back') as back:
        return [joined(read_links(one), read_links(other)) for one, other in zip(forth, back)]


def read_links(line):
    return {tuple(map(int, link.split('-'))) for link in line.split()}


def joined(forth, back):
    """The links of both directions, and those of one that touch them where a word has none (grow-diag)."""
    links, others = forth & back, (forth | back) - (forth & back)
    theirs, ours = {i for i, _ in links}, {j for _, j in links}
    changed = True
    while changed:
        changed = False
        for i, j in list(others):
            near = any((i + a, j + b) in links for a in (-1, 0, 1) for b in (-1, 0, 1))
            if near and (i not in theirs or j not in ours):
                links.add((i, j))
                others.discard((i, j))
                theirs.add(i)
                ours.add(j)
                changed = True
    return links


def phrases(links, length):
    """Ranges of words, and the ranges that they stand for."""
    ours_of, theirs_of = collections.defaultdict(list), collections.defaultdict(list)
    for i, j in links:
        ours_of[i].append(j)
        theirs_of[j].append(i)
    for first in range(length):
        for last in range(first, min(length, first + MOST_WORDS)):
            if first not in ours_of or last not in ours_of:
                continue
            ours = [j for i in range(first, last + 1) for j in ours_of.get(i, ())]
            low, high = min(ours), max(ours)
            if high - low >= MOST_WORDS:
                continue
            if all(first <= i <= last for j in range(low, high + 1) for i in theirs_of.get(j, ())):
                yield first, last, low, high


def write_phrases(path, pairs, all_links, language):
    joint = '' if language in UNSPACED else ' '
    counts = collections.defaultdict(dict)
    for (theirs, ours, project), links in zip(pairs, all_links):
        weight = REQUESTS_COUNT if project == 'requests' else 1
        for first, last, low, high in phrases(links, len(theirs)):
            of = counts[joint.join(theirs[first : last + 1])]
            form = ours[low : high + 1]
            key = ' '.join(stem('en', word) for word in form)
            count, projects, forms = of.get(key, (0, set(), collections.Counter()))
            if len(projects) < 4:
                projects.add(project)
            forms[' '.join(form)] += weight
            of[key] = (count + weight, projects, forms)
    written = 0
    with open(path, 'w', encoding='utf-8') as out:
        for phrase, of in counts.items():
            count, projects, forms = max(of.values(), key=lambda value: value[0])
            total = sum(value[0] for value in of.values())
            if len(projects) >= 2:
                row = (phrase, forms.most_common(1)[0][0], count, total, len(projects))
                out.write('\t'.join(map(str, row)) + '\n')
                written += 1
    return written


if __name__ == '__main__':
    main()
