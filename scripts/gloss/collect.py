"""Collects parallel texts: what packages of Debian and PyPI say in other languages, beside the English.

    python collect.py [--work FOLDER]

Writes FOLDER/pairs/LANGUAGE.jsonl, a line a pair: [text, English, project]. Needs a Debian machine, 3 GB of disk and
half an hour. The texts keep the licences of their packages; only which words stand for which goes into the tables.
"""

import argparse
import collections
import concurrent.futures
import gettext
import glob
import gzip
import html
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../tune-model'))
import parallel  # noqa: E402
from words import LANGUAGES, OTHER_LETTERS  # noqa: E402

MIRROR = 'http://deb.debian.org/debian/dists/bookworm/main'
LARGEST = 25_000_000  # bytes of a package
LEAST_LANGUAGES = 12
# With words of offices, shops and developers; the others have few languages, or are large.
MORE = (
    'gnucash-common wordpress-l10n phpmyadmin vlc-l10n krita-l10n kdenlive-data python3-django git gcc-12-locales '
    'darktable audacity-data digikam-data gimp-data kmymoney-common evolution-common postgresql-15 gnumeric-common'
).split()
FROM_PYPI = (
    'apache-superset wagtail mayan-edms pretix pretalx weblate django-oscar indico label-studio spyder'
).split()
CODES = {language: language for language in LANGUAGES} | {'pt_br': 'pt', 'pt-br': 'pt', 'zh_cn': 'zh', 'zh-cn': 'zh'}
CODES |= {'zh_hans': 'zh', 'zh-hans': 'zh', 'iw': 'he'}
CODES |= {f'{language}_{country}': language for language, country in (
    ('ja', 'jp'), ('ko', 'kr'), ('de', 'de'), ('es', 'es'), ('fr', 'fr'), ('it', 'it'), ('nl', 'nl'), ('pl', 'pl'),
    ('ru', 'ru'), ('sv', 'se'), ('th', 'th'), ('tr', 'tr'), ('uk', 'ua'), ('vi', 'vn'), ('id', 'id'), ('hi', 'in'),
    ('he', 'il'), ('fa', 'ir'),
)}  # fmt: skip
LONGEST = 300  # characters


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--work', default='gloss-work')
    work = os.path.abspath(parser.parse_args().work)
    os.makedirs(f'{work}/pairs', exist_ok=True)
    outs = {language: open(f'{work}/pairs/{language}.jsonl', 'w', encoding='utf-8') for language in LANGUAGES}
    seen, counts = set(), collections.Counter()
    for source in (own_requests, packages, wheels, texts):
        for language, text, english, project in source(work):
            text, english = tidy(text), tidy(english)
            key = hash((language, text.lower(), english.lower()))
            if key in seen or not is_pair(language, text, english):
                continue
            seen.add(key)
            counts[language] += 1
            outs[language].write(json.dumps([text, english, project], ensure_ascii=False) + '\n')
        print(source.__name__, dict(counts), flush=True)


def tidy(text):
    """Without tags, marks of shortcuts, and places for values."""
    text = html.unescape(re.sub(r'<[^>]+>', ' ', text))
    text = re.sub(r'\([A-Z]\)', '', re.sub(r'[_~&](?=\w)', '', text))
    text = re.sub(r'%\([a-z_]+\)[sd]|%\d*\$?[-0-9.]*l*[a-zA-Z]|\{[^}]*\}|\$\w+|%\d|\\n|https?://\S+', ' ', text)
    return re.sub(r'\s+', ' ', text).strip()


def is_pair(language, text, english):
    if text in ('', english) or max(len(text), len(english)) > LONGEST or not re.search('[A-Za-z]{2}', english):
        return False
    return language not in OTHER_LETTERS or re.search(r'[^\x00-\u024f\s]', text) is not None


def own_requests(_work):
    path = os.path.join(os.path.dirname(__file__), '../tune-model/translations.jsonl')
    with open(path, encoding='utf-8') as file:
        for row in map(json.loads, file):
            if row['language'] in CODES:
                yield row['language'], row['request'], row['english'], 'requests'


def packages(work):
    """Catalogues of messages of the packages that have many languages."""
    names = [name for name in dict.fromkeys(MORE + list(packages_of_many(work)))]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda name: unpack(work, name), names))
    for path in glob.glob(f'{work}/messages/*/**/*.mo', recursive=True):
        found = re.search(r'/([a-zA-Z]{2}(?:[_-][A-Za-z]+)?)/LC_MESSAGES/', path)
        language = found and CODES.get(found[1].lower())
        if language:
            package = path.split('/messages/')[1].split('/')[0]
            project = re.sub(r'-(common|data|l10n|bin|gtk|qt|plugins?|doc|dev|core|base)$', '', package)
            with open(path, 'rb') as file:
                yield from messages(file, language, project)


def packages_of_many(work):
    languages = collections.defaultdict(set)
    for architecture in ('amd64', 'all'):
        path = f'{work}/Contents-{architecture}.gz'
        if not os.path.exists(path):
            urllib.request.urlretrieve(f'{MIRROR}/Contents-{architecture}.gz', path)
        with gzip.open(path, 'rt', errors='replace') as lines:
            for line in lines:
                found = re.search(r'/([a-zA-Z_]+)/LC_MESSAGES/\S+\.mo\s+(\S+)$', line)
                if found and found[1].lower() in CODES:
                    for package in found[2].split(','):
                        languages[package.split('/')[-1]].add(CODES[found[1].lower()])
    available = subprocess.run(['apt-cache', 'dumpavail'], capture_output=True, text=True, check=True).stdout
    sizes = dict(re.findall(r'^Package: (\S+)$(?:\n.+)*?\nSize: (\d+)$', available, re.M))
    for package, found in sorted(languages.items(), key=lambda item: -len(item[1])):
        if len(found) >= LEAST_LANGUAGES and int(sizes.get(package, LARGEST)) < LARGEST:
            yield package


def unpack(work, package):
    """Only the catalogues of messages."""
    folder = f'{work}/messages/{package}'
    if os.path.exists(folder):
        return
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(['apt-get', 'download', '-qq', package], cwd=place, stderr=subprocess.DEVNULL, check=False)
        os.makedirs(folder)
        for archive in glob.glob(f'{place}/*.deb'):
            command = f"dpkg-deb --fsys-tarfile '{archive}' | tar x -C '{folder}' --wildcards '*.mo'"
            subprocess.run(command, shell=True, stderr=subprocess.DEVNULL, check=False)


def wheels(work):
    import io
    import zipfile

    os.makedirs(f'{work}/wheels', exist_ok=True)
    for name in FROM_PYPI:
        command = [sys.executable, '-m', 'pip', 'download', '-q', '--no-deps', '-d', f'{work}/wheels', name]
        subprocess.run(command, check=False)
    for path in glob.glob(f'{work}/wheels/*.whl'):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                found = re.search(r'/([a-zA-Z]{2}(?:[_-][A-Za-z]+)?)/LC_MESSAGES/\w+\.mo$', name)
                language = found and CODES.get(found[1].lower())
                if language:
                    yield from messages(io.BytesIO(archive.read(name)), language, os.path.basename(path).split('-')[0])


def messages(file, language, project):
    try:
        catalogue = gettext.GNUTranslations(file)._catalog
    except Exception:  # catalogues of strangers: one that cannot be read is left out
        return
    for key, text in catalogue.items():
        english = (key[0] if isinstance(key, tuple) else key).split('\x04')[-1]
        if isinstance(text, str) and english:
            yield language, text, english, project


def texts(work):
    """Descriptions of packages, and what LibreOffice says."""
    os.makedirs(f'{work}/texts', exist_ok=True)
    for source in (parallel.descriptions, parallel.interface, parallel.help_pages):
        for language, text, english in source(f'{work}/texts'):
            code = CODES.get(language.lower(), re.split('[-_]', language)[0])
            if code in LANGUAGES:
                yield code, text, english, source.__name__


if __name__ == '__main__':
    main()
