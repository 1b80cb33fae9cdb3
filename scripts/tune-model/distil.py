"""Teaches a multilingual student to put a text where the teacher puts its English wording.

    python distil.py TEACHER STUDENT PARALLEL.jsonl OUT --pairs PAIRS.jsonl --bridge 6,4 --minutes 60

TEACHER reads English (skill-minilm), STUDENT many languages (what `base.py` writes, or OUT of an earlier run, which
goes on from there). PARALLEL.jsonl has {"language", "text", "english"}, as `parallel.py` writes it. PAIRS.jsonl is what
`skill-discovery tune pairs` writes: its written requests are parallel text too, and its documents English to stay at.
OUT becomes a float folder; a checkpoint is written there every five minutes.

The teacher's vectors are targets, so questions of any language are compared with the vectors of skills that the teacher
made, and nothing is embedded twice (Reimers and Gurevych, "Making monolingual sentence embeddings multilingual using
knowledge distillation", 2020). With `--bridge 6,4` the new student has the lowest 6 layers of STUDENT, which bring
languages together, and the layers of TEACHER from number 4 on, which make its vectors. A linear bridge between them is
solved for by ridge regression on the words of English texts, so training begins near the goal: before its first step
such a student finds as much as a student with a linear head does after training on 38,000 texts.

The loss has four parts. The distance from the target. For English texts also the distance of the last states of each
word, which says far more than one vector a text. The cross-entropy between the similarities of teacher and student to
other skills. And for a request the cross-entropy of its skill among all of them.
"""

import argparse
import collections
import copy
import hashlib
import json
import os
import random
import re

import numpy as np
import torch
import torch.nn.functional as F

import models
import parallel as texts_of
import training

SCALE = 30.0
LONGEST = 80  # tokens
SAME = 0.95  # targets at least so alike are one
BANK = 4096  # documents that the similarities of teacher and student are compared on
WEIGHTS = {'distance': 3, 'words': 1, 'order': 0.1, 'request': 0.5}
# What a batch is made of: parallel text, requests in other languages, English ones, mined phrases, English documents.
SHARES = {'parallel': 0.28, 'request': 0.3, 'english': 0.12, 'mined': 0.15, 'document': 0.15}
# Languages of parallel text, by how often they are drawn. Those that people ask in most, and those far from English.
OFTEN = {'zh': 3, 'ja': 2.5, 'ko': 2, 'ru': 2, 'ar': 2, 'hi': 2, 'es': 1.6, 'de': 1.5, 'fr': 1.5, 'pt': 1.5, 'tr': 1.3}
OFTEN |= {'it': 1.2, 'vi': 1.2, 'pl': 1, 'nl': 0.8, 'id': 0.8}
RARELY = 0.5
MINED = {'quote', 'file-quote', 'use-when'}  # kinds of mined pairs that read as people ask
WORD = re.compile(r'\w+|[^\w\s]')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('teacher')
    parser.add_argument('student')
    parser.add_argument('parallel')
    parser.add_argument('out')
    parser.add_argument('--pairs', help='pairs of `tune pairs`')
    parser.add_argument('--bridge', help='A,B: begin with A layers of STUDENT and those of TEACHER from B on')
    parser.add_argument('--vectors', help='file (.npz) to keep the vectors of the documents in, for the next run')
    parser.add_argument('--frozen', type=int, default=2, help='lowest layers that stay as they are (default 2)')
    training.add_options(parser, minutes=60, batch=128, rate=2e-4)
    args = parser.parse_args()
    training.seed(args)
    teacher, teacher_tokenizer = models.load(args.teacher)
    teacher.eval()
    student, tokenizer = models.load(args.student)
    if args.bridge and hasattr(student, 'bridge'):
        raise SystemExit(f'{args.student} has a bridge already: leave --bridge out to go on training it')
    texts = Texts(args.parallel, args.pairs)
    if args.bridge:
        below, above = (int(number) for number in args.bridge.split(','))
        build_bridge(student, tokenizer, teacher, teacher_tokenizer, below, above, texts.english_samples(3000))
    for part in (student.embeddings, *student.encoder.layer[: args.frozen]):
        for parameter in part.parameters():
            parameter.requires_grad = False
    documents = document_vectors(args.vectors, texts.documents, teacher, teacher_tokenizer)
    bank = documents[torch.randperm(len(documents))[:BANK]]
    waiting = []

    def step():
        if not waiting:
            waiting.extend(texts.batches(args.batch, 8))
        batch = waiting.pop()
        # English texts first: only these have the same words in both models.
        batch.sort(key=lambda row: row.text != row.english)
        english = sum(row.text == row.english for row in batch)
        ids, words = read([row.text for row in batch], tokenizer, english)
        target_ids, target_words = read([row.english for row in batch], teacher_tokenizer, english)
        states, mask = models.states(student, ids)
        vectors = models.mean_vectors(states, mask)
        with torch.no_grad():
            target_states, target_mask = models.states(teacher, target_ids)
            target = models.mean_vectors(target_states, target_mask)
        losses = {
            'distance': (1 - (vectors * target).sum(1)).mean(),
            'words': word_loss(states, words, target_states, target_words),
            'order': order_loss(vectors, target, bank),
        }
        requests = [i for i, row in enumerate(batch) if row.skill]
        right = torch.tensor([texts.place[batch[i].skill] for i in requests], dtype=torch.long)
        losses['request'] = len(requests) / len(batch) * request_loss(vectors[requests], right, documents)
        return {name: WEIGHTS[name] * loss for name, loss in losses.items()}

    training.run(student, args, args.student, step, warm_up=60, tell_every=50)


def document_vectors(path, documents, teacher, tokenizer):
    """The teacher's vectors of the documents, from a file that a run with the same teacher and documents wrote."""
    made_of = hashlib.sha256('\n'.join(documents).encode())
    for weights in teacher.state_dict().values():
        made_of.update(weights.numpy().tobytes())
    if path and os.path.exists(path):
        with np.load(path) as kept:
            if str(kept['made_of']) != made_of.hexdigest():
                raise SystemExit(f'{path} is of another teacher or of other documents: remove it, or name another file')
            return torch.from_numpy(kept['vectors'])
    print(f'embedding {len(documents)} documents', flush=True)
    vectors = models.embed(teacher, tokenizer, documents, LONGEST)
    if path:
        with open(path, 'wb') as file:
            np.savez(file, vectors=vectors, made_of=made_of.hexdigest())
    return torch.from_numpy(vectors)


# A text, its English wording, and for a request its skill.
Row = collections.namedtuple('Row', ['text', 'english', 'skill'], defaults=[None])


class Texts:
    """Rows of every source, drawn in the shares that SHARES gives."""

    def __init__(self, parallel, pairs):
        self.parallel = collections.defaultdict(list)
        with open(parallel, encoding='utf-8') as file:
            for line in file:
                row = json.loads(line)
                if len(row['text']) <= 260 and len(row['english']) <= 260:
                    self.parallel[row['language']].append(Row(row['text'], row['english']))
        self.requests = collections.defaultdict(list)
        self.english, self.mined = [], []
        pairs = read_pairs(pairs) if pairs else []
        # The teacher reads English: what it makes of other documents is no target.
        documents = {}
        for pair in pairs:
            if pair['language'] == 'en' and pair['kind'] != 'request':
                models.keep_longest(documents, pair)
        for pair in pairs:
            skill = pair['skill'] if pair['skill'] in documents else None
            english = pair.get('english') or (pair['text'] if pair['language'] == 'en' else None)
            if english and pair['text'] != english:
                self.requests[pair['language']].append(Row(pair['text'], english, skill))
            if english and pair['kind'] == 'request':
                self.english.append(Row(english, english, skill))
            if english and pair['kind'] in MINED:
                self.mined.append(Row(english, english, skill))
        for language, text, english in texts_of.wordings():
            self.requests[language].append(Row(text, english))
        self.place = {skill: number for number, skill in enumerate(documents)}
        self.documents = list(documents.values())
        if not self.parallel:
            raise SystemExit(f'{parallel} has no texts')
        if not self.documents:
            texts = [row.english for rows in self.parallel.values() for row in rows]
            self.documents = random.sample(texts, min(BANK, len(texts)))

    def draw(self):
        [kind] = random.choices(list(SHARES), list(SHARES.values()))
        if kind == 'request' and self.requests:
            return random.choice(self.requests[often(self.requests)])
        if kind == 'english' and self.english:
            return random.choice(self.english)
        if kind == 'mined' and self.mined:
            return random.choice(self.mined)
        if kind == 'document':
            document = random.choice(self.documents)[:300]
            return Row(document, document)
        return random.choice(self.parallel[often(self.parallel)])

    def english_samples(self, count):
        """Short English texts, documents and requests."""
        rows = [document[:200] for document in random.sample(self.documents, min(count // 2, len(self.documents)))]
        return rows + [row.english for row in random.sample(self.english, min(count // 2, len(self.english)))]

    def batches(self, size, count):
        """Batches whose texts are of like length, in random order."""
        rows = sorted((self.draw() for _ in range(size * count)), key=lambda row: len(row.text.encode()))
        batches = [rows[start : start + size] for start in range(0, len(rows), size)]
        random.shuffle(batches)
        return batches


def read_pairs(path):
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def often(by_language):
    """A language at random, as often as OFTEN says."""
    languages = sorted(by_language)
    return random.choices(languages, [OFTEN.get(language, RARELY) for language in languages])[0]


def read(texts, tokenizer, english):
    """The token ids of texts, and of the first `english` of them the tokens of each word."""
    encodings = tokenizer.encode_batch(texts)
    words = [
        pieces_of(words_of(text), encoding.offsets[: LONGEST - 1])
        for encoding, text in zip(encodings[:english], texts)
    ]
    return [models.cut(encoding.ids, LONGEST) for encoding in encodings], words


def words_of(text):
    """Where each word of a text begins and ends."""
    return [found.span() for found in WORD.finditer(text)]


def build_bridge(student, tokenizer, teacher, teacher_tokenizer, below, above, texts):
    """Puts layers of the teacher on layers of the student. See the head of this file."""
    x, y = [], []
    lower = hidden_states(student, tokenizer, texts, below)
    upper = hidden_states(teacher, teacher_tokenizer, texts, above)
    for text, (offsets, states), (teacher_offsets, teacher_states) in zip(texts, lower, upper):
        words = words_of(text)
        pieces = zip(pieces_of(words, offsets), pieces_of(words, teacher_offsets))
        for mine, theirs in pieces:
            if mine and theirs:
                x.append(states[mine].mean(0))
                y.append(teacher_states[theirs].mean(0))
        # The tokens before and after the text.
        x += [states[0], states[-1]]
        y += [teacher_states[0], teacher_states[-1]]
    x, y = np.array(x, np.float64), np.array(y, np.float64)
    x_mean, y_mean = x.mean(0), y.mean(0)
    x -= x_mean
    squares = x.T @ x
    ridge = 0.003 * np.trace(squares) / len(squares)
    weight = np.linalg.solve(squares + ridge * np.eye(len(squares)), x.T @ (y - y_mean))
    layers = [*student.encoder.layer[:below], *copy.deepcopy(teacher.encoder.layer[above:])]
    student.encoder.layer = torch.nn.ModuleList(layers)
    models.add_bridge(student, below)
    student.bridge.weight.data = torch.from_numpy(weight.T.astype(np.float32).copy())
    student.bridge.bias.data = torch.from_numpy((y_mean - x_mean @ weight).astype(np.float32))


def hidden_states(model, tokenizer, texts, layers):
    """For each text the places of its tokens in it, and their states after so many layers, (tokens, values)."""
    whole = model.encoder.layer
    model.encoder.layer = whole[:layers]
    model.eval()
    encodings = tokenizer.encode_batch(texts)
    out = []
    with torch.no_grad(), torch.autocast('cpu', dtype=torch.bfloat16):
        for encoding in encodings:
            states = model(torch.tensor([encoding.ids])).last_hidden_state[0].float().numpy()
            out.append((encoding.offsets, states))
    model.encoder.layer = whole
    return out


def pieces_of(words, offsets):
    """For each word the numbers of the tokens that end in it. Words and tokens are both in the order of the text."""
    out = [[] for _ in words]
    word = 0
    for number, (start, end) in enumerate(offsets):
        while word < len(words) and words[word][1] < end:
            word += 1
        if word == len(words):
            break
        if start < end and words[word][0] < end:
            out[word].append(number)
    return out


def word_loss(states, words, target_states, target_words):
    """The distance of the states of the same words, as a share of the squares of the targets."""
    both = [
        (row, mine, theirs)
        for row, (own, others) in enumerate(zip(words, target_words))
        for mine, theirs in zip(own, others)
        if mine and theirs
    ]
    if not both:
        return states.sum() * 0
    mine = means(states, [(row, pieces) for row, pieces, _ in both])
    theirs = means(target_states, [(row, pieces) for row, _, pieces in both])
    return (mine - theirs).square().sum() / theirs.square().sum()


def means(states, words):
    """The mean state over the tokens of each word, (words, values)."""
    rows = torch.tensor([row for row, pieces in words for _ in pieces])
    tokens = torch.tensor([piece for _, pieces in words for piece in pieces])
    counts = torch.tensor([len(pieces) for _, pieces in words])
    numbers = torch.repeat_interleave(torch.arange(len(words)), counts)
    sums = torch.zeros(len(words), states.shape[2]).index_add(0, numbers, states[rows, tokens])
    return sums / counts.unsqueeze(1)


def order_loss(vectors, target, bank):
    """The cross-entropy between the similarities of target and vector to the other targets and to the bank."""
    others = torch.cat([target, bank])
    same = target @ target.T > SAME
    same.fill_diagonal_(False)
    hidden = torch.zeros(len(target), len(others), dtype=torch.bool)
    hidden[:, : len(target)] = same
    wanted = F.softmax((SCALE * target @ others.T).masked_fill(hidden, -1e4), 1)
    found = F.log_softmax((SCALE * vectors @ others.T).masked_fill(hidden, -1e4), 1)
    return -(wanted * found).sum(1).mean()


def request_loss(vectors, right, documents):
    """The cross-entropy of the documents at `right` among all that are not much the same."""
    if len(right) == 0:
        return vectors.sum() * 0
    same = documents[right] @ documents.T > 0.85
    same[torch.arange(len(right)), right] = False
    scores = (SCALE * vectors @ documents.T).masked_fill(same, -1e4)
    return F.cross_entropy(scores, right)


if __name__ == '__main__':
    main()
