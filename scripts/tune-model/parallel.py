"""Collects parallel text: what Debian's packages and LibreOffice say in many languages, beside the English.

    python parallel.py OUT.jsonl [--work FOLDER]

Writes {"language", "text", "english"}: terms of `../gloss/glossary`, which was written for this project; descriptions of packages with their translations, the words of LibreOffice's interface, and its help,
paragraph by paragraph. Needs a Debian machine (`apt-get download`, `dpkg-deb`) and 200 MB.
The texts have the licences of their packages; they are used for training only, and nothing of them is kept.
"""

import argparse
import bz2
import gettext
import glob
import html
import json
import lzma
import os
import re
import subprocess
import urllib.request

MIRROR = 'http://deb.debian.org/debian'
DEBIAN = 'de fr it ja es pt_BR ru pl zh_CN ko da sv uk nl fi cs hu'.split()
INTERFACE = 'zh-cn ja ko de fr es pt-br ru it ar hi tr pl vi nl id uk sv cs el he th fa'.split()
HELP = 'zh-cn zh-tw ja ko de fr es pt-br ru it tr pl vi nl id el hi cs'.split()
LONGEST = 400  # characters; longer texts would be cut at different places


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('out')
    parser.add_argument('--work', default='parallel-work', help='folder for what is downloaded')
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    count = 0
    with open(args.out, 'w', encoding='utf-8') as out:
        for source in (terms, descriptions, interface, help_pages):
            least = 1 if source is terms else 4
            for language, text, english in source(os.path.abspath(args.work)):
                if 2 * least <= len(english) <= LONGEST and least <= len(text) <= LONGEST and text != english:
                    row = {'language': re.split('[-_]', language)[0], 'text': text, 'english': english}
                    out.write(json.dumps(row, ensure_ascii=False) + '\n')
                    count += 1
    print(f'{count} pairs')


def wordings():
    """Requests with their English wording, which were written for this project."""
    for language, (text, english) in own_lines('wordings'):
        yield language, text, english


def terms(_work):
    """What people type for the terms of this field."""
    for language, (english, forms) in own_lines('../gloss/glossary'):
        for text in forms.split('|'):
            yield language, text, english


def own_lines(folder):
    for path in sorted(glob.glob(os.path.join(os.path.dirname(__file__), folder, '*.tsv'))):
        with open(path, encoding='utf-8') as file:
            for line in file:
                yield os.path.basename(path)[:2], line.rstrip('\n').split('\t')


def descriptions(work):
    """Debian's package descriptions: the first line, and the paragraphs where both have as many."""
    english = dict(read_descriptions(lzma.decompress(fetch(work, 'Translation-en.xz')).decode(), 'en'))
    for language in DEBIAN:
        text = bz2.decompress(fetch(work, f'Translation-{language}.bz2')).decode()
        for key, (short, paragraphs) in read_descriptions(text, language):
            if key not in english or '<trans>' in short:
                continue
            yield language, short, english[key][0]
            if len(paragraphs) == len(english[key][1]):
                for pair in zip(paragraphs, english[key][1]):
                    if '<trans>' not in pair[0]:
                        yield language, *pair


def read_descriptions(text, language):
    for stanza in text.split('\n\n'):
        key = re.search(r'^Description-md5: (\S+)', stanza, re.M)
        found = re.search(rf'^Description-{re.escape(language)}: (.*(?:\n .*)*)', stanza, re.M)
        if key and found:
            short, *lines = found[1].split('\n')
            paragraphs = ' '.join('\n' if line.strip() == '.' else line.strip() for line in lines).split('\n')
            yield key[1], (short, [p.strip() for p in paragraphs if p.strip()])


def interface(work):
    for language in INTERFACE:
        folder = unpack(work, f'libreoffice-l10n-{language}')
        seen = set()
        for path in sorted(glob.glob(f'{folder}/**/*.mo', recursive=True)):
            with open(path, 'rb') as file:
                catalogue = gettext.GNUTranslations(file)._catalog
            for key, text in catalogue.items():
                english = tidy((key[0] if isinstance(key, tuple) else key).split('\x04')[-1])
                if isinstance(text, str) and english not in seen and not ('%' in english and len(english) < 20):
                    seen.add(english)
                    yield language, tidy(text), english


def tidy(text):
    """Without the marks of keyboard shortcuts."""
    return re.sub(r'\s+', ' ', re.sub(r'[_~](?=\w)', '', text)).strip()


def help_pages(work):
    english = dict(read_help(unpack(work, 'libreoffice-help-en-us')))
    for language in HELP:
        seen = set()
        for key, text in read_help(unpack(work, f'libreoffice-help-{language}')):
            if key in english and english[key] not in seen:
                seen.add(english[key])
                yield language, text, english[key]


def read_help(folder):
    for path in sorted(glob.glob(f'{folder}/usr/share/libreoffice/help/*/text/**/*.html', recursive=True)):
        page = path.split('/text/', 1)[1]
        with open(path, encoding='utf-8', errors='replace') as file:
            content = file.read()
        for found in re.finditer(r'<(p|h\d) id="((?:par|hd)_id\w+)"[^>]*>(.*?)</\1>', content, re.S):
            text = re.sub(r'\s+', ' ', html.unescape(re.sub(r'<[^>]+>', '', found[3]))).strip()
            if text:
                yield (page, found[2]), text


def fetch(work, name):
    path = f'{work}/{name}'
    if not os.path.exists(path):
        urllib.request.urlretrieve(f'{MIRROR}/dists/bookworm/main/i18n/{name}', path + '.part')
        os.replace(path + '.part', path)
    with open(path, 'rb') as file:
        return file.read()


def unpack(work, package):
    folder = f'{work}/{package}'
    if not os.path.exists(folder):
        subprocess.run(['apt-get', 'download', '-qq', package], cwd=work, check=True)
        [archive] = glob.glob(f'{work}/{package}_*.deb')
        subprocess.run(['dpkg-deb', '-x', archive, folder], check=True)
    return folder


if __name__ == '__main__':
    main()
