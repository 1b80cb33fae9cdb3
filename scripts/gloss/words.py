"""Words of texts in 24 languages, as they are aligned."""

import re
import unicodedata

import snowballstemmer

LANGUAGES = 'ar cs da de el es fa fr he hi id it ja ko nl pl pt ru sv th tr uk vi zh'.split()
UNSPACED = {'ja', 'th', 'zh'}
OTHER_LETTERS = {'ar', 'el', 'fa', 'he', 'hi', 'ja', 'ko', 'ru', 'th', 'uk', 'zh'}
STEMMERS = {
    'ar': 'arabic', 'cs': 'czech', 'da': 'danish', 'de': 'german', 'el': 'greek', 'es': 'spanish', 'fa': 'persian',
    'fr': 'french', 'hi': 'hindi', 'id': 'indonesian', 'it': 'italian', 'nl': 'dutch', 'pl': 'polish',
    'pt': 'portuguese', 'ru': 'russian', 'sv': 'swedish', 'tr': 'turkish', 'en': 'english',
}  # fmt: skip
STOP_WORDS = (
    'a an the of to in on at by for with from and or not is are be was were been this that these those it its i we you '
    'he she they me my our your their as into about if so then than can could would should will shall do does did have '
    'has had how what which when where who why please want some any all us let up out there here only just also but no '
    'yes per over under after before'
).split()

_stemmers, _stems, _segmenters = {}, {}, {}


def english(text):
    return re.findall(r'[a-z0-9]+', normal(text).replace("'s", ''))


def normal(text):
    return unicodedata.normalize('NFKC', text).lower().replace('\u2019', "'")


def words(language, text):
    """Surface forms, cut by a segmenter where there are no blanks; Korean without particles and endings."""
    text = normal(text)
    if language in UNSPACED or language == 'ko':
        return [word for word in segmenter(language)(text) if re.match(r'\w', word)]
    if language in ('fr', 'it'):
        text = re.sub(r"\b(l|d|qu|n|s|j|c|m|t|un|dell|all|nell|sull|dall|quell|quest)'", ' ', text)
    if language in ('ar', 'fa', 'he'):
        text = re.sub(r'[\u0591-\u05c7\u064b-\u0652\u0640\u200c]', '', text)
    if language == 'ar':
        text = re.sub('[إأآ]', 'ا', text)
    return re.findall(r'[\u0900-\u097f]+|[^\W_]+', text)


def segmenter(language):
    if language not in _segmenters:
        _segmenters[language] = make_segmenter(language)
    return _segmenters[language]


def make_segmenter(language):
    if language == 'zh':
        import jieba

        return lambda text: jieba.cut(text, HMM=False)
    if language == 'ja':
        import fugashi

        tagger = fugashi.Tagger()
        return lambda text: [word.surface for word in tagger(text)]
    if language == 'th':
        from pythainlp.corpus import thai_words
        from pythainlp.tokenize import Tokenizer

        cutter = Tokenizer(thai_words(), engine='newmm')
        return lambda text: [word.strip() for word in cutter.word_tokenize(text)]
    from kiwipiepy import Kiwi

    kiwi = Kiwi(num_workers=1)
    particle = lambda tag: tag[0] in 'JE' or tag in ('XSV', 'XSA', 'XSN')
    return lambda text: [part.form.lower() for part in kiwi.tokenize(text) if not particle(part.tag)]


def stem(language, word):
    """Only to count forms of a word together while texts are aligned."""
    if language == 'uk':
        return word[:6]
    if language not in STEMMERS:
        return word
    stems = _stems.setdefault(language, {})
    if word not in stems:
        if language not in _stemmers:
            _stemmers[language] = snowballstemmer.stemmer(STEMMERS[language])
        stems[word] = _stemmers[language].stemWord(word) or word
    return stems[word]


STOP_STEMS = {stem('en', word) for word in STOP_WORDS}
