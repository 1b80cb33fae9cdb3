"""Chooses one English wording for words and phrases of each language.

    python table.py CATALOGUE.jsonl.gz [--work FOLDER] [LANGUAGE...]

Reads FOLDER/phrases and glossary/, writes FOLDER/raw/LANGUAGE.tsv for pack.ts: endings in a line, beginnings in
another, then words, English and how often, the glossary first. Writes FOLDER/latin.txt: words that show a language in
Latin letters.
"""

import argparse
import collections
import gzip
import json
import os
import re
import unicodedata

from words import LANGUAGES, OTHER_LETTERS, STOP_STEMS, UNSPACED, english, normal, stem

HERE = os.path.dirname(os.path.abspath(__file__))
LEAST_PROJECTS = 3
LEAST_WORD, LEAST_PHRASE = 3, 5  # how often
LEAST_SHARE = 0.3  # of the wordings of a word: less says nothing certain
LEAST_SHARE_OF_PHRASE = 0.4
LEAST_SHARE_OF_CHARACTER = 0.5
LEAST_SKILLS = 3  # that have each English word
GLOSSARY = 10**6
LATIN = 'cs da de es fr id it nl pl pt sv tr'.split()
WORDS_OF_A_LANGUAGE = 4000
PLAIN = {'ı': 'i', 'ł': 'l', 'ø': 'o', 'đ': 'd'}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('catalogue')
    parser.add_argument('--work', default='gloss-work')
    parser.add_argument('languages', nargs='*', default=LANGUAGES)
    args = parser.parse_intermixed_args()
    os.makedirs(f'{args.work}/raw', exist_ok=True)
    stems, spellings = read_catalogue(args.catalogue)
    for language in args.languages:
        found = read_phrases(f'{args.work}/phrases/{language}.tsv', language, stems)
        write_raw(f'{args.work}/raw/{language}.tsv', language, found, read_glossary(language))
    write_latin(f'{args.work}/latin.txt', spellings | english_words(args.work))


def read_catalogue(path):
    """English stems that enough skills have, and words that skills have at all."""
    stems, spellings = collections.Counter(), collections.Counter()
    with gzip.open(path, 'rt', encoding='utf-8') as file:
        for row in map(json.loads, file):
            text = f'{row["name"]} {row.get("description") or ""}'
            stems.update({stem('en', word) for word in english(text)})
            spellings.update(set(re.findall(r'[^\W\d_]+', text.lower())))
    enough = {word for word, count in stems.items() if count >= LEAST_SKILLS}
    return enough, {word for word, count in spellings.items() if count > 15}


def english_words(work):
    words = collections.Counter()
    for language in ('de', 'es', 'fr'):
        with open(f'{work}/pairs/{language}.jsonl', encoding='utf-8') as file:
            for line in file:
                words.update(set(re.findall(r'[^\W\d_]+', json.loads(line)[1].lower())))
    return {word for word, count in words.items() if count >= 12}


def read_phrases(path, language, stems):
    """What enough projects agree on: words, and how often, the English, and its share of all wordings."""
    found = {}
    with open(path, encoding='utf-8') as file:
        for line in file:
            phrase, in_english, count, total, projects = line.rstrip('\n').split('\t')
            count, total, share = int(count), int(total), int(count) / int(total)
            if phrase.isascii() and language in OTHER_LETTERS or re.fullmatch(r'[\d ]+', phrase):
                continue
            if int(projects) < LEAST_PROJECTS or any(stem('en', word) not in stems for word in in_english.split()):
                continue
            if is_certain(language, phrase, count, total, share):
                found[phrase] = (total, in_english)
    return found


def is_certain(language, phrase, count, total, share):
    if ' ' in phrase:
        return total >= LEAST_PHRASE and share >= LEAST_SHARE_OF_PHRASE
    if language == 'ko' and len(phrase) == 1:
        return False  # mostly a particle
    if language == 'ja' and re.fullmatch('[\u3040-\u309f]{1,2}', phrase):
        return False
    character = language in ('ja', 'zh') and len(phrase) == 1
    return count >= 2 and total >= LEAST_WORD and share >= (LEAST_SHARE_OF_CHARACTER if character else LEAST_SHARE)


def read_glossary(language):
    """Of the terms that have a form, the one that has it foremost; of several such, the first."""
    best = {}
    for place, (term, forms) in enumerate(glossary_lines(language)):
        for rank, form in enumerate(forms):
            if form and (form not in best or (rank, place) < best[form][0]):
                best[form] = ((rank, place), term)
    return {form: term for form, (_, term) in best.items()}


def glossary_lines(language):
    with open(f'{HERE}/glossary/{language}.tsv', encoding='utf-8') as file:
        for line in file:
            term, forms = line.rstrip('\n').split('\t')
            yield '' if term == '-' else term.lower(), [normal(form).strip() for form in forms.split('|')]


def without_stop_words(in_english):
    words = in_english.split()
    while words and stem('en', words[0]) in STOP_STEMS:
        words.pop(0)
    while words and stem('en', words[-1]) in STOP_STEMS:
        words.pop()
    return ' '.join(words)


def write_raw(path, language, found, glossary):
    empty = {phrase for phrase, (_, in_english) in found.items() if not without_stop_words(in_english)}
    rows = [(form, term, GLOSSARY) for form, term in glossary.items()]
    for phrase, (total, in_english) in sorted(found.items(), key=lambda item: -item[1][0]):
        if phrase not in glossary and not is_frayed(language, phrase, in_english, empty):
            rows.append((phrase, without_stop_words(in_english), total))
    with open(path, 'w', encoding='utf-8') as out:
        out.write(' '.join(endings(language, found)) + '\n' + ' '.join(beginnings(language, found)) + '\n')
        out.writelines('\t'.join(map(str, row)) + '\n' for row in rows)
    print(language, len(glossary), 'of the glossary', len(rows), 'rows', flush=True)


def is_frayed(language, phrase, in_english, empty):
    """Whether a phrase begins or ends with a word that says nothing."""
    words = phrase.split(' ')
    if len(words) > 1:
        return words[0] in empty or words[-1] in empty
    if language not in UNSPACED or phrase in empty or len(in_english.split()) < 2:
        return False
    cuts = [length for length in (1, 2) if len(phrase) - length >= 2]
    return any(phrase[:length] in empty or phrase[-length:] in empty for length in cuts)


def endings(language, found):
    """Endings that words with one wording and a common beginning differ in."""
    if language in UNSPACED or language in ('ko', 'vi'):
        return []
    groups = collections.defaultdict(list)
    for word, (total, in_english) in found.items():
        if ' ' not in word and len(word) >= 5 and total >= 5:
            groups[in_english, word[:4]].append(word)
    counts = collections.Counter()
    for group in groups.values():
        group = sorted(group)[:12]
        for i, one in enumerate(group):
            for other in group[i + 1 :]:
                common = len(os.path.commonprefix([one, other]))
                if max(len(one), len(other)) - common <= 4:
                    counts.update([one[common:], other[common:]])
    counts.pop('', None)
    return sorted({folded(ending) for ending, count in counts.most_common(120) if count >= 8})


def beginnings(language, found):
    """Articles and prepositions that Arabic and Hebrew write at the beginning of a word."""
    if language not in ('ar', 'he'):
        return []
    groups = collections.defaultdict(set)
    for word, (total, in_english) in found.items():
        if ' ' not in word and len(word) >= 5 and total >= 5:
            groups[in_english, word[-4:]].add(word)
    counts = collections.Counter(
        one[: -len(other)]
        for group in groups.values()
        for one in group
        for other in group
        if one != other and one.endswith(other) and len(one) - len(other) <= 4
    )
    return [beginning for beginning, count in counts.most_common(25) if count >= 15]


def folded(word):
    word = unicodedata.normalize('NFD', ''.join(PLAIN.get(letter, letter) for letter in word))
    return unicodedata.normalize('NFC', re.sub('[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]', '', word))


def write_latin(path, of_english):
    with open(path, 'w', encoding='utf-8') as out:
        for language in LATIN:
            places = {}
            for place, (_, forms) in enumerate(glossary_lines(language)):
                for rank, form in enumerate(forms):
                    for word in re.findall(r'[^\W\d_]+', form):
                        plain = folded(word)
                        if len(plain) >= 4 and plain not in of_english and word not in of_english:
                            places.setdefault(plain, place + 1500 * rank)
            words = sorted(places, key=places.get)[:WORDS_OF_A_LANGUAGE]
            out.write(' '.join([language, *sorted(words)]) + '\n')


if __name__ == '__main__':
    main()
